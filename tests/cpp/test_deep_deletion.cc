// SPDX-License-Identifier: Apache-2.0
// Rows: R6, R7
// deep_deletion.h: destroying a long chain of objects never overflows the stack.
#include <tvm/ffi/tvm_ffi.h>

#include <string>
#include <utility>
#include <vector>

#include "expect.h"
#include "small_stack.h"

namespace ffi = tvm::ffi;

namespace {

// Deeper than any stack can hold.
constexpr int kDeep = 200'000;

// Frees the result of `make` here, and on a thread with a small stack.
template <typename Make>
void FreeEverywhere(Make make) {
  make();
  OnStack(size_t{256} << 10, make);
}

// An object that holds the next one, and counts the live objects, and those that still existed
// after their only owner released them.
class LinkObj : public ffi::Object {
 public:
  explicit LinkObj(ffi::Any next) : next_(std::move(next)) { ++living; }
  ~LinkObj() {
    if (use_count() != 0) ++miscounted;
    const int before = living;
    const bool is_last = next_ == nullptr;
    next_ = nullptr;
    if (!is_last && living == before) ++put_off;
    --living;
  }
  TVM_FFI_DECLARE_OBJECT_INFO("test_deep_deletion.Link", LinkObj, ffi::Object);

  static inline int living = 0;
  static inline int put_off = 0;
  static inline int miscounted = 0;  // with references left while the destructor runs

 private:
  ffi::Any next_;
};

ffi::Any Links(int count) {
  ffi::Any links;
  for (int i = 0; i < count; ++i) {
    links = ffi::ObjectRef(ffi::make_object<LinkObj>(std::move(links)));
  }
  return links;
}

}  // namespace

// Containers within containers, of every kind.
void nested_containers() {
  FreeEverywhere([] {
    ffi::Any deep;
    for (int i = 0; i < kDeep / 4; ++i) {
      deep = ffi::Array<ffi::Any>{std::move(deep)};
      deep = ffi::List<ffi::Any>{std::move(deep)};
      deep = ffi::Map<ffi::Any, ffi::Any>{{1, std::move(deep)}};
      deep = ffi::Dict<ffi::Any, ffi::Any>{{"key", std::move(deep)}};
    }
  });
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_nested_containers, nested_containers);

// Functions that hold functions: in C++, and across the C ABI.
void composed_functions() {
  FreeEverywhere([] {
    ffi::Function composed = ffi::Function::FromTyped([](int x) { return x; });
    for (int i = 0; i < kDeep / 2; ++i) {
      composed = ffi::Function::FromTyped(
          [inner = std::move(composed)](int x) { return inner(x).cast<int>() + 1; });
      composed = ffi::Function::FromExternC(
          new ffi::Function(std::move(composed)),
          [](void*, const TVMFFIAny*, int32_t, TVMFFIAny*) { return 0; },
          [](void* inner) { delete static_cast<ffi::Function*>(inner); });
    }
  });
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_composed_functions, composed_functions);

// Errors with causes.
void chained_errors() {
  FreeEverywhere([] {
    ffi::Error last("ValueError", "the first one");
    for (int i = 0; i < 300'000; ++i) {
      last = ffi::Error("ValueError", "caused", "", last, std::nullopt);
    }
  });
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_chained_errors, chained_errors);

// Objects of a library's own type, each freed once.
void objects_of_an_own_type() {
  FreeEverywhere([] {
    LinkObj::put_off = 0;
    {
      const ffi::Any links = Links(kDeep);
    }
    EXPECT_EQ(LinkObj::living, 0);
  });
  EXPECT(LinkObj::put_off > 0);
  EXPECT_EQ(LinkObj::miscounted, 0);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_objects_of_an_own_type, objects_of_an_own_type);

// While there is stack space, an object released by a destructor is gone when it continues.
void order_where_there_is_room() {
  LinkObj::put_off = 0;
  {
    const ffi::Any links = Links(1000);
  }
  EXPECT_EQ(LinkObj::living, 0);
  EXPECT_EQ(LinkObj::put_off, 0);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_order_where_there_is_room, order_where_there_is_room);

// A tree with many branches, some of them shared and some with weak references.
void branches() {
  OnStack(size_t{256} << 10, [] {
    std::vector<ffi::WeakObjectPtr<ffi::Object>> watched;
    ffi::Any deep, kept;
    for (int i = 0; i < 50'000; ++i) {
      if (i == 20'000) kept = deep;
      const ffi::ObjectPtr<LinkObj> leaf = ffi::make_object<LinkObj>(i);
      if (i % 1000 == 0) watched.emplace_back(leaf);
      const ffi::ObjectRef branch(leaf);
      deep = ffi::Array<ffi::Any>{branch, std::move(deep), Links(3), branch};
    }
    deep = nullptr;
    EXPECT_EQ(LinkObj::living, 4 * 20'000);
    EXPECT(!watched.front().expired() && watched.back().expired());
    kept = nullptr;
    EXPECT_EQ(LinkObj::living, 0);
    EXPECT(watched.front().expired());
    EXPECT_EQ(LinkObj::miscounted, 0);
  });
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_branches, branches);

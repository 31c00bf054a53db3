// SPDX-License-Identifier: Apache-2.0
// Rows: R7
// tuple.h: a fixed number of values, each with its own type; read, changed, converted, rejected.
#include <tvm/ffi/container/list.h>
#include <tvm/ffi/container/tuple.h>
#include <tvm/ffi/tvm_ffi.h>

#include "expect.h"

namespace ffi = tvm::ffi;

// Default construction, and from convertible values, deduced types, one element, or none.
void construction() {
  const ffi::Tuple<int, ffi::String, double> made;
  EXPECT(made.get<0>() == 0 && made.get<1>().empty() && made.get<2>() == 0.0);
  ffi::Tuple deduced{1, 2.5};
  static_assert(std::is_same<decltype(deduced), ffi::Tuple<int, double>>::value, "as given");
  EXPECT_EQ(deduced.get<1>(), 2.5);
  const ffi::Tuple<int> one(1);
  const ffi::Tuple<int> copy(one);
  EXPECT(copy.same_as(one));
  const ffi::Tuple<ffi::Tuple<int>> nested(one);
  EXPECT(nested.get<0>().same_as(one));
  const ffi::Tuple<> none;
  EXPECT_EQ(ffi::Any(none).cast<ffi::Array<ffi::Any>>().size(), 0u);
  static_assert(std::tuple_size<ffi::Tuple<int, int>>::value == 2, "for structured bindings");
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_construction, construction);

// A change is visible only through the handle that makes it.
void copy_on_write() {
  ffi::Tuple<int, ffi::Shape> a(1, ffi::Shape{1, 2});
  ffi::Tuple<int, ffi::Shape> b = a;
  EXPECT(a.same_as(b));
  b.Set<0>(2);
  EXPECT_EQ(a.get<0>(), 1);
  EXPECT_EQ(b.get<0>(), 2);
  const ffi::ArrayObj* object = b.get();
  b.Set<0>(3);
  EXPECT_EQ(b.get(), object);
  EXPECT_EQ(a.get<1>().use_count(), 3);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_copy_on_write, copy_on_write);

// It is passed as an Array; an Array or a List of the same length converts to one, if all do.
void conversions() {
  using Pair = ffi::Tuple<int, ffi::String>;
  const Pair pair(1, "a");
  const ffi::Any any = pair;
  EXPECT_EQ(any.type_index(), int32_t{kTVMFFIArray});
  EXPECT(any.cast<Pair>().same_as(pair));
  EXPECT((any.cast<ffi::Tuple<ffi::Any, ffi::String>>().same_as(pair)));
  EXPECT(any.cast<ffi::Array<ffi::Any>>().same_as(pair));
  EXPECT((any.cast<ffi::Tuple<double, ffi::String>>().get<0>()) == 1.0);
  EXPECT(!(any.as<ffi::Tuple<double, ffi::String>>().has_value()));
  EXPECT(any.as<Pair>().has_value());
  const ffi::Any list = ffi::List<ffi::Any>{3, "b"};
  EXPECT_EQ(list.cast<Pair>().get<1>(), std::string("b"));
  const ffi::Tuple<ffi::Any, ffi::Any> wider = pair;
  EXPECT(wider.same_as(pair));
  static_assert(!std::is_convertible<ffi::Tuple<ffi::Any>, ffi::Tuple<int>>::value, "no int");
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_conversions, conversions);

// A failed conversion is reported by the length or the first wrong element.
void refusals() {
  using Pair = ffi::Tuple<int64_t, ffi::String>;
  auto refusal = [](const ffi::Any& any) { return error_of([&] { any.cast<Pair>(); }); };
  const std::string expected = "TypeError: Any: expected Tuple[int, str], got ";
  EXPECT_EQ(refusal(nullptr), expected + "None");
  EXPECT_EQ(refusal("ab"), expected + "str");
  EXPECT_EQ(refusal(ffi::Array<int>{1}), expected + "Array of 1 element");
  EXPECT_EQ(refusal(ffi::List<int>{1, 2, 3}), expected + "List of 3 elements");
  EXPECT_EQ(refusal(ffi::Array<int>{1, 2}), expected + "Array with int 2 at index 1");
  EXPECT_EQ(refusal(ffi::Array<ffi::Any>{1, "a", 3}), expected + "Array of 3 elements");
  EXPECT_EQ(refusal(ffi::Array<ffi::Any>{"a", 2}), expected + "Array with str at index 0");
  const ffi::Function swap = ffi::Function::FromTyped(
      [](const Pair& pair) {
        return ffi::Tuple<ffi::String, int64_t>(pair.get<1>(), pair.get<0>());
      },
      "swap");
  EXPECT_EQ((swap(Pair(1, "a")).cast<ffi::Tuple<ffi::String, int64_t>>().get<1>()), 1);
  EXPECT_THROWS(
      "TypeError: swap(Tuple[int, str]) -> Tuple[str, int]: argument 0: expected "
      "Tuple[int, str], got Array of 0 elements",
      swap(ffi::Array<int>()));
  EXPECT_EQ(ffi::TypeTraits<Pair>::TypeSchema(),
            std::string(R"({"type":"Tuple","args":[{"type":"int"},{"type":"ffi.String"}]})"));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_refusals, refusals);

// An element is read as from a std::tuple, and an empty sequence is an empty tuple.
void read_by_get() {
  const ffi::Tuple<int, ffi::String> pair(1, "a");
  EXPECT_EQ(ffi::get<0>(pair), 1);
  EXPECT_EQ(ffi::get<1>(pair), "a");
  EXPECT(ffi::Any(ffi::List<int>()).try_cast<ffi::Tuple<>>().has_value());
  EXPECT(!ffi::Any(ffi::List<int>{1}).try_cast<ffi::Tuple<>>().has_value());
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_read_by_get, read_by_get);

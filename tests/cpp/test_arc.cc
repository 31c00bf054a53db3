// SPDX-License-Identifier: Apache-2.0
// Rows: R5, R7
// arc.h: owning pointers that are never null.
#include <tvm/ffi/memory.h>
#include <tvm/ffi/reflection/registry.h>
#include <tvm/ffi/tvm_ffi.h>

#include <type_traits>
#include <utility>

#include "expect.h"

namespace ffi = tvm::ffi;
namespace refl = tvm::ffi::reflection;

namespace {

class BaseObj : public ffi::Object {
 public:
  explicit BaseObj(int64_t x) : x(x) {}
  int64_t x;
  TVM_FFI_DECLARE_OBJECT_INFO("test_arc.Base", BaseObj, ffi::Object);
};
class DerivedObj : public BaseObj {
 public:
  using BaseObj::BaseObj;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("test_arc.Derived", DerivedObj, BaseObj);
};
using Base = ffi::Arc<BaseObj>;
using Derived = ffi::Arc<DerivedObj>;
using OptionalBase = ffi::Optional<Base>;

class HolderObj : public ffi::Object {
 public:
  explicit HolderObj(Base base) : base(std::move(base)) {}
  Base base;
  OptionalBase other;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("test_arc.Holder", HolderObj, ffi::Object);
};

TVM_FFI_STATIC_INIT_BLOCK() {
  refl::ObjectDef<HolderObj>().def_ro("base", &HolderObj::base).def_ro("other", &HolderObj::other);
}

// An Arc cannot be constructed from a possibly null pointer.
static_assert(!std::is_default_constructible<Base>::value, "");
static_assert(!std::is_constructible<Base, std::nullptr_t>::value, "");
static_assert(!std::is_constructible<Base, ffi::ObjectPtr<BaseObj>>::value, "");
static_assert(!std::is_assignable<Base&, std::nullptr_t>::value, "");
static_assert(!std::is_assignable<Base&, ffi::ObjectPtr<BaseObj>>::value, "");
static_assert(std::is_convertible<Derived, Base>::value, "");
static_assert(!std::is_constructible<Derived, Base>::value, "");
static_assert(std::is_convertible<Derived, ffi::ObjectPtr<BaseObj>>::value, "");
static_assert(sizeof(Base) == sizeof(void*) && sizeof(OptionalBase) == sizeof(void*), "");

}  // namespace

// Copies share the object and moves take it over, also from a derived type.
void owners() {
  Base one = ffi::make_arc<BaseObj>(3);
  EXPECT_EQ(one->x, 3);
  EXPECT_EQ(one.use_count(), 1);
  const Base two = one;
  EXPECT(one == two);
  EXPECT_EQ(one.use_count(), 2);
  const Base taken = std::move(one);
  EXPECT_EQ(taken.use_count(), 2);
  EXPECT(!one);  // NOLINT(bugprone-use-after-move)
  Derived derived = ffi::make_arc<DerivedObj>(4);
  Base shared = derived;
  EXPECT_EQ(derived.use_count(), 2);
  shared = std::move(derived);
  EXPECT_EQ(shared.use_count(), 1);
  EXPECT_EQ((*shared).x, 4);
  Base later{ffi::UnsafeInit{}};
  EXPECT(later.get() == nullptr);
  later = shared;
  EXPECT_EQ(later.use_count(), 2);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_owners, owners);

// It converts to an Any, and from one that holds an object of the type.
void values() {
  const Base base = ffi::make_arc<DerivedObj>(5);
  ffi::Any any = base;
  EXPECT_EQ(base.use_count(), 2);
  EXPECT_EQ(any.cast<Base>()->x, 5);
  EXPECT(any.as<Derived>().has_value());
  EXPECT(!ffi::Any(ffi::make_arc<BaseObj>(1)).as<Derived>().has_value());
  EXPECT(!ffi::Any(nullptr).as<Base>().has_value());
  EXPECT(ffi::Any(Base(ffi::UnsafeInit{})) == nullptr);
  EXPECT_EQ(base.use_count(), 2);
  const Base moved = std::move(any).cast<Base>();
  EXPECT_EQ(base.use_count(), 2);
  const ffi::Array<Base> array{base, moved};
  EXPECT_EQ(base.use_count(), 4);
  EXPECT_EQ(array[1]->x, 5);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_values, values);

// A parameter rejects None and other types; an Optional accepts None.
void parameters() {
  const auto x_of = ffi::Function::FromTyped([](const Base& base) { return base->x; }, "x_of");
  EXPECT_EQ(x_of(ffi::make_arc<DerivedObj>(6)).cast<int64_t>(), 6);
  EXPECT_EQ(x_of(ffi::make_object<BaseObj>(7)).cast<int64_t>(), 7);
  EXPECT_THROWS(
      "TypeError: x_of(test_arc.Base) -> int: argument 0: expected test_arc.Base, got "
      "None",
      x_of(nullptr));
  EXPECT_THROWS(
      "TypeError: x_of(test_arc.Base) -> int: argument 0: expected test_arc.Base, got int 1",
      x_of(1));
  const auto maybe = ffi::Function::FromTyped(
      [](const OptionalBase& base) { return base.has_value() ? base->x : -1; });
  EXPECT_EQ(maybe(ffi::make_arc<BaseObj>(8)).cast<int64_t>(), 8);
  EXPECT_EQ(maybe(nullptr).cast<int64_t>(), -1);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_parameters, parameters);

// An object's field can be an Arc, or an Optional of one.
void fields() {
  const ffi::ObjectRef holder(ffi::make_object<HolderObj>(ffi::make_arc<BaseObj>(9)));
  const refl::FieldGetter base("test_arc.Holder", "base"), other("test_arc.Holder", "other");
  EXPECT_EQ(base(holder).cast<Base>()->x, 9);
  EXPECT(other(holder) == nullptr);
  const TVMFFIFieldInfo* info = refl::GetFieldInfo("test_arc.Holder", "base");
  EXPECT_EQ(info->field_static_type_index, int32_t{kTVMFFIObject});
  EXPECT_EQ(info->size, int64_t{sizeof(void*)});
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_fields, fields);

// Moving an owned value transfers its reference.
void moved_out() {
  TVMFFIAny raw = ffi::Any(ffi::make_arc<BaseObj>(3)).MoveToTVMFFIAny();
  const Base base = ffi::TypeTraits<Base>::MoveFromAnyAfterCheck(&raw);
  EXPECT_EQ(base->x, 3);
  EXPECT_EQ(base.use_count(), 1);
  EXPECT_EQ(raw.type_index, int32_t{kTVMFFINone});
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_moved_out, moved_out);

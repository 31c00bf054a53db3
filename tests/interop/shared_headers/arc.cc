// SPDX-License-Identifier: Apache-2.0
// memory.h: owning pointers that are never null.
#include <tvm/ffi/memory.h>
#include <tvm/ffi/reflection/accessor.h>
#include <tvm/ffi/reflection/registry.h>
#include <tvm/ffi/tvm_ffi.h>

#include <type_traits>
#include <utility>

#include "print.h"

namespace ffi = tvm::ffi;
namespace refl = tvm::ffi::reflection;

class BaseObj : public ffi::Object {
 public:
  explicit BaseObj(int64_t x) : x(x) {}
  int64_t x;
  TVM_FFI_DECLARE_OBJECT_INFO("shared_headers.Base", BaseObj, ffi::Object);
};
class DerivedObj : public BaseObj {
 public:
  using BaseObj::BaseObj;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("shared_headers.Derived", DerivedObj, BaseObj);
};
using Base = ffi::Arc<BaseObj>;
using Derived = ffi::Arc<DerivedObj>;
using OptionalBase = ffi::Optional<Base>;

class HolderObj : public ffi::Object {
 public:
  explicit HolderObj(Base base) : base(std::move(base)) {}
  Base base;
  OptionalBase other;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("shared_headers.Holder", HolderObj, ffi::Object);
};

int main() {
  std::cout
      << std::
             is_default_constructible_v<
                 Base> << std::is_constructible_v<Base, std::nullptr_t> << std::is_constructible_v<Base, ffi::ObjectPtr<BaseObj>> << std::is_constructible_v<Base, Derived> << std::is_constructible_v<Derived, Base> << std::is_convertible_v<Derived, ffi::ObjectPtr<BaseObj>> << std::is_assignable_v<Base&, std::nullptr_t> << std::is_assignable_v<Base&, ffi::ObjectPtr<BaseObj>> << std::is_assignable_v<Base&, Derived> << sizeof(Base)
      << sizeof(OptionalBase) << sizeof(HolderObj) << "\n";
  Base one = ffi::make_arc<BaseObj>(3);
  const Base two = one;
  std::cout << one->x << (*two).x << one.use_count() << (one == two) << one.unique() << "\n";
  const Base taken = std::move(one);
  std::cout << taken.use_count() << (one.get() == nullptr) << static_cast<bool>(one) << "\n";
  const Base derived = ffi::make_arc<DerivedObj>(7);
  const ffi::Any any = derived;
  std::cout << derived.use_count() << any.cast<Base>()->x << any.as<Derived>().has_value()
            << ffi::Any(two).as<Derived>().has_value() << ffi::Any(nullptr).as<Base>().has_value()
            << (Base(ffi::UnsafeInit{}).get() == nullptr) << "\n";
  std::cout << ffi::TypeTraits<Base>::TypeStr() << ffi::TypeTraits<Base>::TypeSchema()
            << ffi::TypeTraits<Base>::field_static_type_index << "\n";
  const auto same = ffi::Function::FromTyped([](Base base) { return base; });
  Try("object", [&] { std::cout << same(derived).cast<Base>()->x; });
  Try("None", [&] { same(nullptr); });
  Try("int", [&] { same(1); });
  const auto maybe = ffi::Function::FromTyped(
      [](const OptionalBase& base) { return base.has_value() ? base.value()->x : -1; });
  Try("object", [&] { std::cout << maybe(two).cast<int64_t>(); });
  Try("None", [&] { std::cout << maybe(nullptr).cast<int64_t>(); });
  const ffi::Array<Base> array{two, derived};
  std::cout << array.size() << array[1]->x << "\n";
  refl::ObjectDef<HolderObj>(refl::init(false))
      .def_ro("base", &HolderObj::base)
      .def_ro("other", &HolderObj::other);
  const ffi::ObjectRef holder(ffi::make_object<HolderObj>(two));
  Try("base", [&] {
    std::cout << refl::FieldGetter("shared_headers.Holder", "base")(holder).cast<Base>()->x;
  });
  Try("other", [&] {
    std::cout << (refl::FieldGetter("shared_headers.Holder", "other")(holder) == nullptr);
  });
}

// SPDX-License-Identifier: Apache-2.0
// reflection/registry.h: attributes with typed keys, conversions, and fields set in place.
#include <tvm/ffi/reflection/accessor.h>
#include <tvm/ffi/reflection/registry.h>
#include <tvm/ffi/tvm_ffi.h>

#include "print.h"

namespace ffi = tvm::ffi;
namespace refl = tvm::ffi::reflection;
namespace type_attr = tvm::ffi::type_attr;

class CostObj : public ffi::Object {
 public:
  int64_t x = 1;
  ffi::Array<int64_t> list;
  ffi::String text;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("shared_headers.Cost", CostObj, ffi::Object);
};
class Cost : public ffi::ObjectRef {
 public:
  explicit Cost(int64_t x) {
    auto object = ffi::make_object<CostObj>();
    object->x = x;
    data_ = object;
  }
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(Cost, ffi::ObjectRef, CostObj);
};
class OtherObj : public ffi::Object {
 public:
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("shared_headers.Other", OtherObj, ffi::Object);
};
template <>
inline constexpr bool tvm::ffi::use_default_type_traits_v<Cost> = false;
template <>
struct tvm::ffi::TypeTraits<Cost> : public ObjectRefWithFallbackTraitsBase<Cost, int64_t> {
  static Cost ConvertFallbackValue(int64_t x) { return Cost(x); }
};

constexpr refl::AttrKey<int64_t> kSize{"shared_headers.size"};
constexpr refl::AttrKey<ffi::String> kText{"shared_headers.text"};
constexpr refl::AttrKey<ffi::TypedFunction<int64_t(int64_t)>> kNext{"shared_headers.next"};

template <typename Class, typename T>
static std::optional<T> Find(refl::AttrKey<T> key) {
  return key.ValueFrom(refl::TypeAttrColumn(key)[Class::RuntimeTypeIndex()]);
}

int main() {
  Try("no column", [] { refl::TypeAttrColumn column(kSize); });
  refl::EnsureTypeAttrColumn(kText);
  refl::TypeAttrDef<CostObj>().attr(kSize, 4).attr(kNext, [](int64_t x) { return x + 1; });
  refl::TypeAttrDef<OtherObj>().attr(kText, "text");
  std::cout << *Find<CostObj>(kSize) << Find<OtherObj>(kSize).has_value()
            << Find<CostObj>(kText).has_value() << std::string(*Find<OtherObj>(kText))
            << (*Find<CostObj>(kNext))(3) << "\n";
  Try("another type", [] { kSize.ValueFrom("text"); });
  Try("one that converts", [] { refl::AttrKey<double>{"x"}.ValueFrom(3); });
  std::cout << kSize.ValueFrom(nullptr).has_value() << "\n";

  refl::ObjectDef<CostObj>()
      .def_ro("x", &CostObj::x, refl::default_value(6))
      .def_ro(
          "list", &CostObj::list,
          refl::default_factory(ffi::Function::FromTyped([] { return ffi::Array<int64_t>{1, 2}; })))
      .def_ro("text", &CostObj::text, refl::AttachFieldFlag::SEqHashDefPattern(),
              refl::AttachFieldFlag::SEqHashDefSimple())
      .def_type_attr("shared_headers.value", 9)
      .def_type_attr("shared_headers.function", [](int64_t x) { return 2 * x; })
      .def_convert<Cost>();
  const auto column = [](const char* name) {
    return refl::TypeAttrColumn(name)[CostObj::RuntimeTypeIndex()];
  };
  std::cout << column("shared_headers.value").cast<int64_t>()
            << column("shared_headers.function").cast<ffi::Function>()(4).cast<int64_t>() << "\n";
  const auto convert = column(type_attr::kConvert.name).cast<ffi::Function>();
  const Cost seven(7);
  Try("int", [&] { std::cout << convert(5).cast<Cost>()->x; });
  Try("itself", [&] { std::cout << convert(seven).cast<Cost>().same_as(seven); });
  Try("None", [&] { std::cout << convert(nullptr).type_index(); });
  Try("str", [&] { convert("text"); });

  CostObj object;
  const auto* x = refl::GetFieldInfo("shared_headers.Cost", "x");
  const auto* list = refl::GetFieldInfo("shared_headers.Cost", "list");
  const auto* text = refl::GetFieldInfo("shared_headers.Cost", "text");
  std::cout << text->flags << "\n";
  const TVMFFIAny eight = ffi::AnyView(8).CopyToTVMFFIAny();
  std::cout << refl::CallFieldSetter(x, &object.x, &eight) << object.x << "\n";
  refl::SetFieldToDefault(x, &object.x);
  std::cout << object.x << refl::CallFieldSetterToDefault(list, &object.list) << object.list.size()
            << "\n";
  Try("no default", [&] { refl::SetFieldToDefault(text, &object.text); });
  Try("no default",
      [&] { TVM_FFI_CHECK_SAFE_CALL(refl::CallFieldSetterToDefault(text, &object.text)); });
  std::cout << refl::AsByteArray("abc").size << type_attr::kNew.name << type_attr::kInit.name
            << type_attr::kConvertTypeSchema.name << type_attr::kShallowCopy.name
            << *Find<CostObj>(type_attr::kTypeFinal) << "\n";
}

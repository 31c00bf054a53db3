// SPDX-License-Identifier: Apache-2.0
// type_traits.h: types of a library's own.
#include <tvm/ffi/tvm_ffi.h>

#include "print.h"

namespace ffi = tvm::ffi;

struct Celsius {
  double degrees = 0;
};
class BoxObj : public ffi::Object {
 public:
  BoxObj(int64_t value, ffi::String made_of) : value(value), made_of(made_of) {}
  int64_t value;
  ffi::String made_of;
  TVM_FFI_DECLARE_OBJECT_INFO("shared_headers.Box", BoxObj, ffi::Object);
};
class Box : public ffi::ObjectRef {
 public:
  Box(int64_t value, ffi::String made_of)
      : ffi::ObjectRef(ffi::make_object<BoxObj>(value, made_of)) {}
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NOTNULLABLE(Box, ffi::ObjectRef, BoxObj);
};
struct Axis {
  int64_t index;
};

namespace tvm {
namespace ffi {

template <>
struct TypeTraits<Celsius> : public TypeTraitsBase {
  static constexpr int32_t field_static_type_index = TypeIndex::kTVMFFIFloat;
  TVM_FFI_INLINE static void CopyToAnyView(const Celsius& src, TVMFFIAny* result) {
    TypeTraits<double>::CopyToAnyView(src.degrees, result);
  }
  TVM_FFI_INLINE static void MoveToAny(Celsius src, TVMFFIAny* result) {
    CopyToAnyView(src, result);
  }
  TVM_FFI_INLINE static bool CheckAnyStrict(const TVMFFIAny* src) {
    return src->type_index == TypeIndex::kTVMFFIFloat;
  }
  TVM_FFI_INLINE static Celsius CopyFromAnyViewAfterCheck(const TVMFFIAny* src) {
    return Celsius{src->v_float64};
  }
  TVM_FFI_INLINE static Celsius MoveFromAnyAfterCheck(TVMFFIAny* src) {
    return Celsius{TypeTraits<double>::MoveFromAnyAfterCheck(src)};
  }
  TVM_FFI_INLINE static std::optional<Celsius> TryCastFromAnyView(const TVMFFIAny* src) {
    if (auto degrees = TypeTraits<double>::TryCastFromAnyView(src)) return Celsius{*degrees};
    return std::nullopt;
  }
  TVM_FFI_INLINE static std::string TypeStr() { return "Celsius"; }
  TVM_FFI_INLINE static std::string TypeSchema() { return R"({"type":"float"})"; }
};

template <>
inline constexpr bool use_default_type_traits_v<Box> = false;
template <>
struct TypeTraits<Box> : public ObjectRefWithFallbackTraitsBase<Box, StrictBool, int64_t, String> {
  TVM_FFI_INLINE static Box ConvertFallbackValue(StrictBool value) { return Box(value, "bool"); }
  TVM_FFI_INLINE static Box ConvertFallbackValue(int64_t value) { return Box(value, "int"); }
  TVM_FFI_INLINE static Box ConvertFallbackValue(String value) { return Box(0, value); }
};

template <>
struct TypeTraits<Axis> : public FallbackOnlyTraitsBase<Axis, int64_t, String> {
  TVM_FFI_INLINE static Axis ConvertFallbackValue(int64_t index) { return Axis{index}; }
  TVM_FFI_INLINE static Axis ConvertFallbackValue(String name) { return Axis{name.at(0) - 'x'}; }
  TVM_FFI_INLINE static std::string TypeStr() { return "Axis"; }
  TVM_FFI_INLINE static std::string TypeSchema() { return R"({"type":"Axis"})"; }
};

}  // namespace ffi
}  // namespace tvm

int main() {
  ffi::Function warmer =
      ffi::Function::FromTyped([](Celsius x) { return Celsius{x.degrees + 1}; }, "warmer");
  ffi::Function see = ffi::Function::FromTyped([](Box box) { return box->made_of; }, "see");
  ffi::Function index = ffi::Function::FromTyped([](Axis axis) { return axis.index; }, "index");
  ffi::Any values[] = {true, 3, 1.5, "z", nullptr, Box(9, "box"), Celsius{2}};
  for (const ffi::Any& value : values) {
    Try("warmer", [&] { std::cout << warmer(value).cast<double>(); });
    Try("see", [&] { std::cout << std::string(see(value).cast<ffi::String>()); });
    Try("index", [&] { std::cout << index(value).cast<int64_t>(); });
    std::cout << value.as<Box>().has_value() << value.try_cast<Box>().has_value()
              << value.as<Celsius>().has_value() << value.try_cast<ffi::StrictBool>().has_value()
              << "\n";
  }
  ffi::Array<Celsius> week{Celsius{1}, Celsius{2}};
  std::cout << week[1].degrees << ffi::TypeTraits<Axis>::storage_enabled
            << ffi::TypeTraits<Celsius>::storage_enabled << ffi::TypeTraits<Axis*>::convert_enabled
            << ffi::TypeTraits<Box>::TypeSchema() << "\n";
}

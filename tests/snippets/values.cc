// SPDX-License-Identifier: Apache-2.0
// The C++ examples of the page on values: values of any type, and a function per parameter type.
// [includes.begin]
#include <tvm/ffi/extra/stl.h>
#include <tvm/ffi/tvm_ffi.h>

namespace ffi = tvm::ffi;
// [includes.end]

// [any.begin]
// Joins two strings; adds anything else that converts to numbers.
ffi::Any add(ffi::AnyView a, ffi::AnyView b) {
  if (std::optional<ffi::String> text = a.try_cast<ffi::String>()) {
    return *text + b.cast<ffi::String>();
  }
  return a.cast<double>() + b.cast<double>();
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(add, add);
// [any.end]

// [take.begin]
// Returns its argument, converted to T.
template <typename T>
T take(T value) {
  return value;
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(take_bool, take<bool>);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(take_int64, take<int64_t>);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(take_int8, take<int8_t>);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(take_uint64, take<uint64_t>);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(take_double, take<double>);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(take_pointer, take<void*>);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(take_dtype, take<DLDataType>);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(take_device, take<DLDevice>);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(take_String, take<ffi::String>);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(take_string, take<std::string>);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(take_Bytes, take<ffi::Bytes>);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(take_Shape, take<ffi::Shape>);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(take_Tensor, take<ffi::Tensor>);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(take_Function, take<ffi::Function>);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(take_Optional, take<ffi::Optional<int64_t>>);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(take_optional, take<std::optional<int64_t>>);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(take_Variant, (take<ffi::Variant<int64_t, ffi::String>>));
TVM_FFI_DLL_EXPORT_TYPED_FUNC(take_variant, (take<std::variant<int64_t, std::string>>));
TVM_FFI_DLL_EXPORT_TYPED_FUNC(take_Any, take<ffi::Any>);
// [take.end]

// [containers.begin]
// Makes an Array from its arguments.
TVM_FFI_STATIC_INIT_BLOCK() {
  ffi::Function::SetGlobal("values.array",
                           ffi::Function::FromPacked([](ffi::PackedArgs args, ffi::Any* result) {
                             ffi::Array<ffi::Any> array;
                             for (int i = 0; i < args.size(); ++i) array.push_back(args[i]);
                             *result = array;
                           }));
}

int64_t size_of(const ffi::Array<ffi::Any>& array) { return static_cast<int64_t>(array.size()); }
ffi::Any element(const ffi::Array<ffi::Any>& array, int64_t index) { return array[index]; }
int64_t total(const ffi::Array<int64_t>& numbers) {
  int64_t sum = 0;
  for (int64_t number : numbers) sum += number;
  return sum;
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(size_of, size_of);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(element, element);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(total, total);
// [containers.end]

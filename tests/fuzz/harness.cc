// SPDX-License-Identifier: Apache-2.0
// C++ functions called by the fuzzers: one for each parameter type, JSON, and a
// list reader that calls back while it reads.
#define TVM_FFI_DLL_EXPORT_INCLUDE_METADATA 1
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/dict.h>
#include <tvm/ffi/container/list.h>
#include <tvm/ffi/container/map.h>
#include <tvm/ffi/container/tuple.h>
#include <tvm/ffi/container/variant.h>
#include <tvm/ffi/extra/json.h>
#include <tvm/ffi/tvm_ffi.h>

#include <string>

namespace ffi = tvm::ffi;

namespace {

std::string text_of_metadata;
std::string text_of_doc;

int ReturnText(const std::string& text, TVMFFIAny* result) {
  TVM_FFI_SAFE_CALL_BEGIN();
  *result = ffi::Any(ffi::String(text)).MoveToTVMFFIAny();
  TVM_FFI_SAFE_CALL_END();
}

template <typename T>
int64_t Take(T) {
  return 1;
}

int64_t Sum(const ffi::TensorView& view) {
  int64_t sum = view.numel() + view.dim();
  for (int i = 0; i < view.dim(); ++i) sum ^= view.size(i) ^ view.stride(i);
  return sum + (view.IsContiguous() ? 1 : 0);
}

// Reads each element by index, calling back in between: iterators are valid only until the
// elements change.
int64_t ReadList(const ffi::List<ffi::Any>& elements, const ffi::Function& callback) {
  int64_t i = 0;
  for (; i < static_cast<int64_t>(elements.size()) && i < 100; ++i) callback(elements[i]);
  return i;
}

ffi::String Again(const ffi::String& text, ffi::Optional<int> indent) {
  return ffi::json::Stringify(ffi::json::Parse(text), indent);
}

}  // namespace

TVM_FFI_DLL_EXPORT_TYPED_FUNC(take_int64, Take<int64_t>);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(take_int8, Take<int8_t>);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(take_uint64, Take<uint64_t>);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(take_double, Take<double>);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(take_bool, Take<bool>);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(take_string, Take<ffi::String>);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(take_bytes, Take<ffi::Bytes>);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(take_array, Take<ffi::Array<int64_t>>);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(take_list, Take<ffi::List<ffi::String>>);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(take_map, (Take<ffi::Map<ffi::String, ffi::Array<double>>>));
TVM_FFI_DLL_EXPORT_TYPED_FUNC(take_dict, (Take<ffi::Dict<ffi::String, ffi::Any>>));
TVM_FFI_DLL_EXPORT_TYPED_FUNC(take_optional, Take<ffi::Optional<ffi::String>>);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(take_variant,
                              (Take<ffi::Variant<int64_t, ffi::String, ffi::Array<ffi::Any>>>));
TVM_FFI_DLL_EXPORT_TYPED_FUNC(take_tuple, (Take<ffi::Tuple<int64_t, ffi::String>>));
TVM_FFI_DLL_EXPORT_TYPED_FUNC(take_view, Sum);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(take_tensor, Take<ffi::Tensor>);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(take_shape, Take<ffi::Shape>);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(take_dtype, Take<DLDataType>);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(take_device, Take<DLDevice>);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(take_function, Take<ffi::Function>);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(take_object, Take<ffi::ObjectRef>);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(take_pair, (Take<ffi::Tuple<ffi::Any, ffi::Any>>));

TVM_FFI_DLL_EXPORT_TYPED_FUNC(json_parse,
                              [](const ffi::String& text) { return ffi::json::Parse(text); });
TVM_FFI_DLL_EXPORT_TYPED_FUNC(json_stringify, [](const ffi::Any& value, ffi::Optional<int> indent) {
  return ffi::json::Stringify(value, indent);
});
TVM_FFI_DLL_EXPORT_TYPED_FUNC(json_again, Again);

TVM_FFI_DLL_EXPORT_TYPED_FUNC(read_list, ReadList);

// A function whose metadata and documentation are whatever was set last.
TVM_FFI_DLL_EXPORT_TYPED_FUNC(set_metadata,
                              [](const ffi::String& metadata, const ffi::String& doc) {
                                text_of_metadata = metadata;
                                text_of_doc = doc;
                              });

extern "C" {

TVM_FFI_DLL_EXPORT int __tvm_ffi_described(void*, const TVMFFIAny* args, int32_t num_args,
                                           TVMFFIAny* result) {
  return ffi::detail::CallExported(
      "described", [](int64_t x, ffi::Optional<int64_t> y) { return x + y.value_or(0); }, args,
      num_args, result);
}

TVM_FFI_DLL_EXPORT int __tvm_ffi__metadata_described(void*, const TVMFFIAny*, int32_t,
                                                     TVMFFIAny* result) {
  return ReturnText(text_of_metadata, result);
}

TVM_FFI_DLL_EXPORT int __tvm_ffi__doc_described(void*, const TVMFFIAny*, int32_t,
                                                TVMFFIAny* result) {
  return ReturnText(text_of_doc, result);
}
}

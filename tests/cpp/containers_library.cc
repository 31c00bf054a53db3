// SPDX-License-Identifier: Apache-2.0
// A library whose functions use every container, to inspect its symbols.
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/dict.h>
#include <tvm/ffi/container/list.h>
#include <tvm/ffi/container/map.h>
#include <tvm/ffi/container/tuple.h>
#include <tvm/ffi/container/variant.h>
#include <tvm/ffi/expected.h>
#include <tvm/ffi/extra/stl.h>
#include <tvm/ffi/tvm_ffi.h>

namespace ffi = tvm::ffi;

TVM_FFI_DLL_EXPORT_TYPED_FUNC(array, [](ffi::Array<ffi::Any> x, int i) {
  x.insert(x.begin(), x[i]);
  return x.Map([](const ffi::Any& value) { return value.GetTypeKey(); });
});
TVM_FFI_DLL_EXPORT_TYPED_FUNC(list, [](ffi::List<ffi::String> x) { x.Assign(x.begin(), x.end()); });
TVM_FFI_DLL_EXPORT_TYPED_FUNC(tuple, [](ffi::Tuple<int, ffi::Tensor> x) {
  x.Set<0>(x.get<0>() + 1);
  return x;
});
TVM_FFI_DLL_EXPORT_TYPED_FUNC(variant, [](ffi::Variant<int, ffi::Array<int>> x) { return x; });
TVM_FFI_DLL_EXPORT_TYPED_FUNC(expected, [](ffi::Expected<int> x) { return x; });
TVM_FFI_DLL_EXPORT_TYPED_FUNC(vector, [](std::vector<std::string> x) { return x; });
TVM_FFI_DLL_EXPORT_TYPED_FUNC(standard, [](std::tuple<int, std::pair<bool, std::array<int, 2>>> x,
                                           std::optional<int>) { return x; });
TVM_FFI_DLL_EXPORT_TYPED_FUNC(standard_variant, [](std::variant<int, std::string> x) { return x; });
TVM_FFI_DLL_EXPORT_TYPED_FUNC(function, [](std::function<int(std::string)> x) { return x; });
TVM_FFI_DLL_EXPORT_TYPED_FUNC(map, [](ffi::Map<ffi::String, ffi::Any> x) {
  x.Set("key", x.size());
  return x;
});
TVM_FFI_DLL_EXPORT_TYPED_FUNC(dict, [](ffi::Dict<ffi::Any, int> x) { x.erase("key"); });
TVM_FFI_DLL_EXPORT_TYPED_FUNC(sorted, [](std::map<std::string, int> x) { return x; });
TVM_FFI_DLL_EXPORT_TYPED_FUNC(hashed, [](std::unordered_map<std::string, int> x) { return x; });

// SPDX-License-Identifier: Apache-2.0
// The binding file: checks the arguments, calls the implementation and exports it.
// [metadata.begin]
#define TVM_FFI_DLL_EXPORT_INCLUDE_METADATA 1
// [includes.begin]
#include <tvm/ffi/tvm_ffi.h>
// [metadata.end]

#include <memory>
#include <string>

#include "norms.h"

namespace ffi = tvm::ffi;
// [includes.end]

// [binding.begin]
double norm(ffi::TensorView x, ffi::Optional<double> scale) {
  TVM_FFI_CHECK(x.dtype() == (DLDataType{kDLFloat, 32, 1}), TypeError)
      << "norm: x must be float32, got " << x.dtype();
  TVM_FFI_CHECK(x.device().device_type == kDLCPU && x.IsContiguous(), ValueError)
      << "norm: x must be contiguous and on a CPU";
  return scale.value_or(1.0) * l2_norm(static_cast<const float*>(x.data_ptr()), x.numel());
}

TVM_FFI_DLL_EXPORT_TYPED_FUNC(norm, norm);
TVM_FFI_DLL_EXPORT_TYPED_FUNC_DOC(norm, "The Euclidean norm of x, times scale.");
// [binding.end]

// [callback.begin]
// Sums f(0) to f(n - 1); f may be written in any language.
int64_t sum_of(const ffi::TypedFunction<int64_t(int64_t)>& f, int64_t n) {
  int64_t sum = 0;
  for (int64_t i = 0; i < n; ++i) sum += f(i);
  return sum;
}

TVM_FFI_DLL_EXPORT_TYPED_FUNC(sum_of, sum_of);
// [callback.end]

// [result.begin]
// Returns a function with state.
ffi::Function make_counter() {
  return ffi::Function::FromTyped([count = std::make_shared<int64_t>(0)] { return ++*count; });
}

TVM_FFI_DLL_EXPORT_TYPED_FUNC(make_counter, make_counter);
// [result.end]

// [global.begin]
TVM_FFI_STATIC_INIT_BLOCK() {
  ffi::Function::SetGlobal("norms.square",
                           ffi::Function::FromTyped([](double x) { return x * x; }));
}

double call_global(const std::string& name, double x) {
  return ffi::Function::GetGlobalRequired(name)(x).cast<double>();
}

TVM_FFI_DLL_EXPORT_TYPED_FUNC(call_global, call_global);
// [global.end]

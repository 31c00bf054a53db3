// SPDX-License-Identifier: Apache-2.0
// A library with an embedded image, in its object file or as the numbers in the file BYTES.
#include <tvm/ffi/extra/cuda/cubin_launcher.h>
#include <tvm/ffi/tvm_ffi.h>

#ifdef BYTES
constexpr unsigned char kImage[] = {
#include BYTES
};
TVM_FFI_EMBED_CUBIN_FROM_BYTES(kernels, kImage);
#else
TVM_FFI_EMBED_CUBIN(kernels)
#endif

#ifndef NAME
#define NAME launch
#endif

namespace ffi = tvm::ffi;

static void NAME(int64_t address, int64_t n) {
  static auto kernel = TVM_FFI_EMBED_CUBIN_GET_KERNEL(kernels, "axpy");
  float a = 2;
  void* arguments[] = {&a, &address, &address, &n};
  TVM_FFI_CHECK_CUBIN_LAUNCHER_CUDA_ERROR(
      kernel.Launch(arguments, ffi::dim3(1), ffi::dim3(256), nullptr));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(NAME, NAME);

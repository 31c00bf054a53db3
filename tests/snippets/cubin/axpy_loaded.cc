// SPDX-License-Identifier: Apache-2.0
// A library that receives its CUBIN at run time.

// [loaded.begin]
#include <memory>

#include "launch_axpy.h"

// Both live as long as the function that launches.
struct Loaded {
  explicit Loaded(const ffi::Bytes& image) : module(image), kernel(module["axpy"]) {}
  ffi::CubinModule module;
  ffi::CubinKernel kernel;
};

static ffi::Function load_axpy(ffi::Bytes image) {
  auto loaded = std::make_shared<Loaded>(image);
  return ffi::Function::FromTyped([loaded](double a, ffi::TensorView x, ffi::TensorView y) {
    check_axpy(x, y);
    launch_axpy(loaded->kernel, a, x, y);
  });
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(load_axpy, load_axpy);
// [loaded.end]

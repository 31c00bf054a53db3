// SPDX-License-Identifier: Apache-2.0
// A program without Python: loads the kernel's library, calls it, and handles
// an error. Build and run it with build_host.sh.
// [includes.begin]
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/extra/module.h>
#include <tvm/ffi/function.h>

#include <cstdio>

namespace ffi = tvm::ffi;
// [includes.end]

// [tensor.begin]
// A view of numbers in any memory: null strides mean contiguous.
DLTensor lend(float* numbers, int64_t* count) {
  DLTensor tensor{};
  tensor.data = numbers;
  tensor.device = DLDevice{kDLCPU, 0};
  tensor.ndim = 1;
  tensor.dtype = DLDataType{kDLFloat, 32, 1};
  tensor.shape = count;
  return tensor;
}
// [tensor.end]

int main(int argc, char** argv) try {
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s LIBRARY\n", argv[0]);
    return 2;
  }
  // [call.begin]
  ffi::Module library = ffi::Module::LoadFromFile(argv[1]);
  ffi::Optional<ffi::Function> found = library->GetFunction("scale");
  if (!found.has_value()) {
    std::fprintf(stderr, "%s has no function scale\n", argv[1]);
    return 1;
  }
  ffi::Function scale = *found;

  int64_t count = 4;
  float from[] = {1, 2, 3, 4};
  float to[4] = {};
  DLTensor x = lend(from, &count);
  DLTensor y = lend(to, &count);
  scale(&x, &y, 2.5);
  // [call.end]
  for (float number : to) std::printf("%g\n", static_cast<double>(number));

  // [error.begin]
  int64_t fewer = 3;
  DLTensor small = lend(to, &fewer);
  try {
    scale(&x, &small, 2.5);
  } catch (const ffi::Error& error) {
    std::printf("%s: %s\n", error.kind().c_str(), error.message().c_str());
  }
  // [error.end]
  return 0;
} catch (const ffi::Error& error) {
  std::fprintf(stderr, "%s: %s\n", error.kind().c_str(),
               error.message().c_str());
  return 1;
}

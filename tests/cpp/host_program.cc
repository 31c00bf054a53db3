// SPDX-License-Identifier: Apache-2.0
// A program without Python: loads the kernel library of kernel_in_c.c, calls it and handles errors.
// test_host_program.py builds and runs it with the path of the library.
#include <cstdio>
// [includes.begin]
#include <tvm/ffi/extra/module.h>
#include <tvm/ffi/tvm_ffi.h>

namespace ffi = tvm::ffi;
// [includes.end]

// [host_allocator.begin]
struct HostMemory {
  void AllocData(DLTensor* tensor) { tensor->data = new char[ffi::GetDataSize(*tensor)]; }
  void FreeData(DLTensor* tensor) { delete[] static_cast<char*>(tensor->data); }
};

ffi::Tensor Vector(int64_t size) {
  return ffi::Tensor::FromNDAlloc(HostMemory(), {size}, DLDataType{kDLFloat, 32, 1},
                                  DLDevice{kDLCPU, 0});
}
// [host_allocator.end]

int main(int argc, char** argv) try {
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s LIBRARY\n", argv[0]);
    return 2;
  }
  // [host_call.begin]
  ffi::Module library = ffi::Module::LoadFromFile(argv[1]);
  ffi::Function add_one = library->GetFunction("add_one").value();

  ffi::Tensor x = Vector(3);
  ffi::Tensor y = Vector(3);
  for (int i = 0; i < 3; ++i) static_cast<float*>(x.data_ptr())[i] = static_cast<float>(i);
  const auto written = add_one(x, y).cast<int64_t>();
  // [host_call.end]
  const auto* sums = static_cast<const float*>(y.data_ptr());
  std::printf("wrote %d: %g %g %g\n", static_cast<int>(written), static_cast<double>(sums[0]),
              static_cast<double>(sums[1]), static_cast<double>(sums[2]));

  // [host_error.begin]
  try {
    add_one(x, Vector(4));
  } catch (const ffi::Error& error) {
    std::printf("%s: %s\n", error.kind().c_str(), error.message().c_str());
  }
  // [host_error.end]

  // [host_callback.begin]
  ffi::Function call_back = library->GetFunction("call_back").value();
  ffi::Function subtract = ffi::Function::FromTyped([](int64_t a, int64_t b) { return b - a; });
  std::printf("called back: %d\n", call_back(subtract).cast<int>());
  // [host_callback.end]
  std::printf("no_such: %s\n", library->GetFunction("no_such").has_value() ? "there" : "not there");
  return 0;
} catch (const ffi::Error& error) {
  std::printf("%s: %s\n", error.kind().c_str(), error.message().c_str());
  return 1;
}

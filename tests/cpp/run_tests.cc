// SPDX-License-Identifier: Apache-2.0
// Runs C++ tests without Python: run_tests LIBRARY TEST...
//
// Calls each test that the library exports and prints the errors; the status is 1 if one failed.
#include <tvm/ffi/extra/module.h>
#include <tvm/ffi/tvm_ffi.h>

#include <cstdio>

namespace ffi = tvm::ffi;

namespace {

bool Passes(const ffi::Module& module, const char* name) {
  try {
    std::optional<ffi::Function> test = module->GetFunction(name);
    TVM_FFI_CHECK(test.has_value(), ValueError) << "expected an exported function, got none";
    (*test)();
    return true;
  } catch (const ffi::Error& error) {
    std::printf("FAILED %s: %s", name, error.FullMessage().c_str());
  }
  return false;
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 2) {
    std::printf("run_tests: expected LIBRARY TEST..., got nothing\n");
    return 2;
  }
  int failed = 0;
  try {
    // Never unloaded, so that a report at process exit can still name its lines.
    static const ffi::Module* module = new ffi::Module(ffi::Module::LoadFromFile(arguments[1]));
    for (int i = 2; i < count; ++i) failed += !Passes(*module, arguments[i]);
  } catch (const ffi::Error& error) {
    std::printf("FAILED %s: %s", arguments[1], error.FullMessage().c_str());
    failed = 1;
  }
  return failed != 0;
}

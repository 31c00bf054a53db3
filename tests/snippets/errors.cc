// SPDX-License-Identifier: Apache-2.0
// The C++ examples of the page on exceptions: throwing, catching, causes, callbacks, signals.
// [includes.begin]
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/tvm_ffi.h>

namespace ffi = tvm::ffi;
// [includes.end]

// [throw.begin]
int64_t half_of(int64_t n) {
  TVM_FFI_CHECK(n % 2 == 0, ValueError) << "half_of: n must be even, got " << n;
  return n / 2;
}

int64_t quarter_of(int64_t n) { return half_of(half_of(n)); }

TVM_FFI_DLL_EXPORT_TYPED_FUNC(quarter_of, quarter_of);
// [throw.end]

// Throws an error of any kind.
void fail(const std::string& kind, const std::string& message) {
  throw ffi::Error(kind, message, "");
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(fail, fail);

// [catch.begin]
std::string try_to_call(const ffi::Function& f) {
  try {
    f();
  } catch (const ffi::Error& error) {
    if (error.kind() == "KeyError") throw;  // not ours to handle
    return error.kind() + ": " + error.message();
  }
  return "no error";
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(try_to_call, try_to_call);
// [catch.end]

// [cause.begin]
void load_model(const ffi::Function& read) {
  try {
    read("weights.bin");
  } catch (const ffi::Error& cause) {
    throw ffi::Error("ValueError", "load_model: the weights cannot be read", "", cause,
                     std::nullopt);
  }
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(load_model, load_model);
// [cause.end]

// [chain.begin]
std::string chain_of(const ffi::Function& f) {
  std::string kinds;
  try {
    f();
  } catch (const ffi::Error& error) {
    for (std::optional<ffi::Error> e = error; e.has_value(); e = e->cause_chain()) {
      kinds += e->kind() + " ";
    }
  }
  return kinds;
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(chain_of, chain_of);
// [chain.end]

// Throws an error whose causes were all created in C++.
void fail_with_causes() {
  ffi::Error first("OSError", "first", ""), second("KeyError", "second", "", first, std::nullopt);
  throw ffi::Error("TypeError", "third", "", second, ffi::Shape({1}));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(fail_with_causes, fail_with_causes);

// [signals.begin]
void work_until_interrupted() {
  for (;;) {
    // ... a piece of the work ...
    if (TVMFFIEnvCheckSignals() != 0) throw ffi::EnvErrorAlreadySet();
  }
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(work_until_interrupted, work_until_interrupted);
// [signals.end]

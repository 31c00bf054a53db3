// SPDX-License-Identifier: Apache-2.0
// Hooks of the host language: pending signals, its interpreter's lock, and information about the
// tensors that it lends.
#include "env_host.h"

#include <tvm/ffi/error.h>
#include <tvm/ffi/extra/c_env_api.h>

#include <atomic>
#include <string_view>

#include "backtrace.h"

namespace ffi = tvm::ffi;

namespace {

// The CPython functions of these names, https://docs.python.org/3/c-api/.
std::atomic<int (*)()> check_signals{nullptr};    // PyErr_CheckSignals
std::atomic<int (*)()> gil_ensure{nullptr};       // PyGILState_Ensure
std::atomic<void (*)(int)> gil_release{nullptr};  // PyGILState_Release

std::atomic<uint64_t (*)(TVMFFIObjectHandle)> tensor_flags{nullptr};

}  // namespace

uint64_t ffi::HostTensorFlags(TVMFFIObjectHandle tensor) {
  uint64_t (*flags)(TVMFFIObjectHandle) = tensor_flags.load();
  return flags == nullptr ? 0 : flags(tensor);
}

extern "C" {

int TVMFFIEnvCheckSignals(void) {
  int (*check)() = check_signals.load();
  if (check == nullptr) return 0;
  int (*ensure)() = gil_ensure.load();
  void (*release)(int) = gil_release.load();
  const int state = ensure == nullptr ? 0 : ensure();
  const int code = check();
  if (release != nullptr) release(state);
  return code == 0 ? 0 : -2;
}

int TVMFFIEnvRegisterCAPI(const char* name, void* symbol) {
  TVM_FFI_SAFE_CALL_BEGIN();
  TVM_FFI_CHECK(name != nullptr, ValueError)
      << "TVMFFIEnvRegisterCAPI: name: expected a name, got NULL";
  const std::string_view key(name);
  if (key == "PyErr_CheckSignals") {
    check_signals = reinterpret_cast<int (*)()>(symbol);
  } else if (key == "PyGILState_Ensure") {
    gil_ensure = reinterpret_cast<int (*)()>(symbol);
  } else if (key == "PyGILState_Release") {
    gil_release = reinterpret_cast<void (*)(int)>(symbol);
    // The only one of the three that the host need not wrap.
    ffi::SetHostCode(symbol);
  } else if (key == "TensorFlags") {
    tensor_flags = reinterpret_cast<uint64_t (*)(TVMFFIObjectHandle)>(symbol);
  } else {
    TVM_FFI_THROW(ValueError)
        << "TVMFFIEnvRegisterCAPI: name: expected PyErr_CheckSignals, PyGILState_Ensure, "
        << "PyGILState_Release or TensorFlags, got \"" << key << "\"";
  }
  TVM_FFI_SAFE_CALL_END();
}
}

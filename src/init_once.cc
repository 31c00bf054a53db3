// SPDX-License-Identifier: Apache-2.0
// Handles created once, by the first caller.
#include <tvm/ffi/c_api.h>

#include "arguments.h"
#include "turn.h"

namespace ffi = tvm::ffi;

namespace {

void CheckTaken(const char* function, const ffi::Turn& turn) {
  TVM_FFI_CHECK(turn.outcome() != ffi::Turn::Outcome::kTakenBefore, RuntimeError)
      << function << ": handle_addr: expected a handle that this thread is not creating or "
      << "destroying, got one that it is";
  TVM_FFI_CHECK(turn.outcome() != ffi::Turn::Outcome::kCircle, RuntimeError)
      << function << ": handle_addr: expected a handle that is not waiting for one that this "
      << "thread is creating or destroying, got one that is";
}

}  // namespace

extern "C" {

int TVMFFIHandleInitOnce(void** handle_addr, int (*init_func)(void** result)) {
  TVM_FFI_SAFE_CALL_BEGIN();
  ffi::Given("TVMFFIHandleInitOnce: handle_addr", handle_addr);
  if (__atomic_load_n(handle_addr, __ATOMIC_ACQUIRE) != nullptr) return 0;
  ffi::Given("TVMFFIHandleInitOnce: init_func", init_func);
  const ffi::Turn turn(handle_addr);
  CheckTaken("TVMFFIHandleInitOnce", turn);
  if (__atomic_load_n(handle_addr, __ATOMIC_RELAXED) != nullptr) return 0;
  void* handle = nullptr;
  const int code = init_func(&handle);
  if (code != 0) return code;
  if (handle == nullptr) {
    TVMFFIErrorSetRaisedFromCStr("RuntimeError",
                                 "TVMFFIHandleInitOnce: init_func: expected a handle, got NULL");
    return -1;
  }
  __atomic_store_n(handle_addr, handle, __ATOMIC_RELEASE);
  TVM_FFI_SAFE_CALL_END();
}

int TVMFFIHandleDeinitOnce(void** handle_addr, int (*deinit_func)(void* handle)) {
  TVM_FFI_SAFE_CALL_BEGIN();
  ffi::Given("TVMFFIHandleDeinitOnce: handle_addr", handle_addr);
  ffi::Given("TVMFFIHandleDeinitOnce: deinit_func", deinit_func);
  const ffi::Turn turn(handle_addr);
  CheckTaken("TVMFFIHandleDeinitOnce", turn);
  void* handle = __atomic_exchange_n(handle_addr, nullptr, __ATOMIC_ACQ_REL);
  if (handle != nullptr) return deinit_func(handle);
  TVM_FFI_SAFE_CALL_END();
}
}

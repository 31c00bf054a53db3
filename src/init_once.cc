// SPDX-License-Identifier: Apache-2.0
// Handles that are made by whoever comes first.
#include <tvm/ffi/c_api.h>

#include <mutex>

#include "arguments.h"

namespace {

// One lock for all: init functions may use other handles, so it is recursive.
std::recursive_mutex& Lock() {
  static auto* lock = new std::recursive_mutex();
  return *lock;
}

}  // namespace

extern "C" {

int TVMFFIHandleInitOnce(void** handle_addr, int (*init_func)(void** result)) {
  TVM_FFI_SAFE_CALL_BEGIN();
  tvm::ffi::Given("TVMFFIHandleInitOnce: handle_addr", handle_addr);
  if (__atomic_load_n(handle_addr, __ATOMIC_ACQUIRE) != nullptr) return 0;
  tvm::ffi::Given("TVMFFIHandleInitOnce: init_func", init_func);
  std::lock_guard<std::recursive_mutex> guard(Lock());
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
  tvm::ffi::Given("TVMFFIHandleDeinitOnce: handle_addr", handle_addr);
  tvm::ffi::Given("TVMFFIHandleDeinitOnce: deinit_func", deinit_func);
  std::lock_guard<std::recursive_mutex> guard(Lock());
  void* handle = __atomic_exchange_n(handle_addr, nullptr, __ATOMIC_ACQ_REL);
  if (handle != nullptr) return deinit_func(handle);
  TVM_FFI_SAFE_CALL_END();
}
}

// SPDX-License-Identifier: Apache-2.0
// Handles that are made by whoever comes first.
#include <tvm/ffi/c_api.h>

#include <mutex>

namespace {

// One lock for all: init functions may use other handles, so it is recursive.
std::recursive_mutex& Lock() {
  static auto* lock = new std::recursive_mutex();
  return *lock;
}

}  // namespace

extern "C" {

int TVMFFIHandleInitOnce(void** handle_addr, int (*init_func)(void** result)) {
  if (__atomic_load_n(handle_addr, __ATOMIC_ACQUIRE) != nullptr) return 0;
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
  return 0;
}

int TVMFFIHandleDeinitOnce(void** handle_addr, int (*deinit_func)(void* handle)) {
  std::lock_guard<std::recursive_mutex> guard(Lock());
  void* handle = __atomic_exchange_n(handle_addr, nullptr, __ATOMIC_ACQ_REL);
  return handle == nullptr ? 0 : deinit_func(handle);
}
}

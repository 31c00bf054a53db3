// SPDX-License-Identifier: Apache-2.0
// Handles that are made by whoever comes first.
#include <tvm/ffi/c_api.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "arguments.h"

namespace {

// The handles that threads are making or unmaking. No lock is held meanwhile: an init function may
// load libraries, wait for threads or for the lock of an interpreter, and make other handles.
class InProgress {
 public:
  // Leaked on purpose: handles are made and unmade until the process ends.
  static InProgress& Get() {
    static auto* in_progress = new InProgress();
    return *in_progress;
  }

  // A thread's turn with a handle, after that of the others.
  class Turn {
   public:
    Turn(const char* function, void** handle) : handle_(handle) {
      InProgress& all = Get();
      std::unique_lock<std::mutex> lock(all.mutex_);
      for (auto found = all.Find(handle); found != all.turns_.end(); found = all.Find(handle)) {
        TVM_FFI_CHECK(found->thread != std::this_thread::get_id(), RuntimeError)
            << function << ": handle_addr: expected a handle that this thread is not making or "
            << "unmaking, got one that it is";
        all.ended_.wait(lock);
      }
      all.turns_.push_back({handle, std::this_thread::get_id()});
    }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
    ~Turn() {
      InProgress& all = Get();
      std::lock_guard<std::mutex> lock(all.mutex_);
      all.turns_.erase(all.Find(handle_));
      all.ended_.notify_all();
    }

   private:
    void** handle_;
  };

 private:
  struct Entry {
    void** handle;
    std::thread::id thread;
  };

  std::vector<Entry>::iterator Find(void** handle) {
    return std::find_if(turns_.begin(), turns_.end(),
                        [=](const Entry& entry) { return entry.handle == handle; });
  }

  std::mutex mutex_;
  std::condition_variable ended_;
  std::vector<Entry> turns_;
};

}  // namespace

extern "C" {

int TVMFFIHandleInitOnce(void** handle_addr, int (*init_func)(void** result)) {
  TVM_FFI_SAFE_CALL_BEGIN();
  tvm::ffi::Given("TVMFFIHandleInitOnce: handle_addr", handle_addr);
  if (__atomic_load_n(handle_addr, __ATOMIC_ACQUIRE) != nullptr) return 0;
  tvm::ffi::Given("TVMFFIHandleInitOnce: init_func", init_func);
  const InProgress::Turn turn("TVMFFIHandleInitOnce", handle_addr);
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
  const InProgress::Turn turn("TVMFFIHandleDeinitOnce", handle_addr);
  void* handle = __atomic_exchange_n(handle_addr, nullptr, __ATOMIC_ACQ_REL);
  if (handle != nullptr) return deinit_func(handle);
  TVM_FFI_SAFE_CALL_END();
}
}

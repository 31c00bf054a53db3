// SPDX-License-Identifier: Apache-2.0
// Rows: R7
// TVMFFIHandleInitOnce and TVMFFIHandleDeinitOnce of c_api.h.
#include <tvm/ffi/tvm_ffi.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "expect.h"

namespace ffi = tvm::ffi;

namespace {

std::atomic<int> started{0}, made{0}, unmade{0};
int target;
void* inner_handle = nullptr;

int Make(void** result) {
  ++made;
  *result = &target;
  return 0;
}
// Gives the other threads time to find the handle empty too, and to wait.
int MakeAmongOthers(void** result) {
  while (started < 4) std::this_thread::yield();
  std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return Make(result);
}
int Unmake(void* handle) {
  ++unmade;
  return handle == &target ? 0 : -1;
}
int Fail(void**) {
  TVMFFIErrorSetRaisedFromCStr("ValueError", "cannot be made");
  return -1;
}
int MakeNothing(void**) { return 0; }
int MakeWithAnother(void** result) {
  *result = &target;
  return TVMFFIHandleInitOnce(&inner_handle, Make);
}

}  // namespace

// Exactly one of many threads creates the handle, and all see it; exactly one destroys it.
void threads() {
  made = unmade = 0;
  for (int round = 1; round <= 50; ++round) {
    void* handle = nullptr;
    started = 0;
    std::atomic<int> right{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&] {
        ++started;
        right += TVMFFIHandleInitOnce(&handle, MakeAmongOthers) == 0 &&
                 __atomic_load_n(&handle, __ATOMIC_ACQUIRE) == &target;
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(right.load(), 4);
    EXPECT_EQ(made.load(), round);
    threads.clear();
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&] { right += TVMFFIHandleDeinitOnce(&handle, Unmake) == 0; });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(right.load(), 8);
    EXPECT_EQ(unmade.load(), round);
    EXPECT(handle == nullptr);
  }
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_threads, threads);

// A failed attempt leaves the handle empty, with its error raised, and can be retried.
void failure() {
  void* handle = nullptr;
  EXPECT_THROWS("ValueError: cannot be made",
                TVM_FFI_CHECK_SAFE_CALL(TVMFFIHandleInitOnce(&handle, Fail)));
  EXPECT_THROWS("RuntimeError: TVMFFIHandleInitOnce: init_func: expected a handle, got NULL",
                TVM_FFI_CHECK_SAFE_CALL(TVMFFIHandleInitOnce(&handle, MakeNothing)));
  EXPECT(handle == nullptr);
  EXPECT_EQ(TVMFFIHandleInitOnce(&handle, Make), 0);
  EXPECT_EQ(handle, static_cast<void*>(&target));
  EXPECT_EQ(TVMFFIHandleInitOnce(&handle, Fail), 0);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_failure, failure);

// An empty handle is not destroyed.
void nothing_to_unmake() {
  unmade = 0;
  void* handle = nullptr;
  EXPECT_EQ(TVMFFIHandleDeinitOnce(&handle, Unmake), 0);
  EXPECT_EQ(unmade.load(), 0);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_nothing_to_unmake, nothing_to_unmake);

// Creating one handle may create another.
void nested() {
  void* handle = nullptr;
  inner_handle = nullptr;
  EXPECT_EQ(TVMFFIHandleInitOnce(&handle, MakeWithAnother), 0);
  EXPECT_EQ(inner_handle, static_cast<void*>(&target));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_nested, nested);

namespace {

int MakeByThread(void** result) {
  int code = -1;
  std::thread([&] { code = MakeWithAnother(result); }).join();
  return code;
}

int MakeItself(void** result) {
  *result = &target;
  return TVMFFIHandleInitOnce(&inner_handle, MakeItself);
}

}  // namespace

// No lock is held while a handle is created: another thread may create another one meanwhile.
void made_by_another_thread() {
  void* handle = nullptr;
  inner_handle = nullptr;
  EXPECT_EQ(TVMFFIHandleInitOnce(&handle, MakeByThread), 0);
  EXPECT_EQ(handle, static_cast<void*>(&target));
  EXPECT_EQ(inner_handle, static_cast<void*>(&target));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_made_by_another_thread, made_by_another_thread);

// A function that requests the handle it is creating is rejected; the handle stays empty.
void makes_itself() {
  inner_handle = nullptr;
  EXPECT_THROWS(
      "RuntimeError: TVMFFIHandleInitOnce: handle_addr: expected a handle that this thread is not "
      "creating or destroying, got one that it is",
      TVM_FFI_CHECK_SAFE_CALL(TVMFFIHandleInitOnce(&inner_handle, MakeItself)));
  EXPECT(inner_handle == nullptr);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_makes_itself, makes_itself);

namespace {

void* crossed[2];
std::atomic<int> crossing{0};

// Requests the other handle once both threads are creating theirs.
template <int mine>
int MakeCrossed(void** result) {
  if (++crossing > 2) return Make(result);
  while (crossing < 2) std::this_thread::yield();
  *result = &target;
  return TVMFFIHandleInitOnce(&crossed[1 - mine], MakeCrossed<1 - mine>);
}

}  // namespace

// Of two threads whose handles need each other, one is rejected; there is no deadlock.
void circle() {
  crossed[0] = crossed[1] = nullptr;
  crossing = 0;
  std::atomic<int> refused{0};
  auto make = [&](int mine, int (*init)(void**)) {
    try {
      TVM_FFI_CHECK_SAFE_CALL(TVMFFIHandleInitOnce(&crossed[mine], init));
    } catch (const ffi::Error& error) {
      EXPECT_EQ(error.message(),
                "TVMFFIHandleInitOnce: handle_addr: expected a handle that is not waiting for one "
                "that this thread is creating or destroying, got one that is");
      ++refused;
    }
  };
  std::thread other([&] { make(0, MakeCrossed<0>); });
  make(1, MakeCrossed<1>);
  other.join();
  EXPECT_EQ(refused.load(), 1);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_circle, circle);

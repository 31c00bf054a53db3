// SPDX-License-Identifier: Apache-2.0
// Rows: R7
// error.h: a thread that ends inside a function, through pthread_exit or cancellation, unwinds
// through the function's callers.
#include <pthread.h>
#include <semaphore.h>
#include <tvm/ffi/tvm_ffi.h>

#include "expect.h"

namespace ffi = tvm::ffi;

namespace {

// Counts the unwound frames.
struct Frame {
  int* unwound;
  ~Frame() { ++*unwound; }
};

void exit_thread(void* result) { pthread_exit(result); }
void cancel_thread(void*) {
  pthread_cancel(pthread_self());
  pthread_testcancel();
}

}  // namespace

TVM_FFI_DLL_EXPORT_TYPED_FUNC(exit_thread, exit_thread);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(cancel_thread, cancel_thread);

namespace {

// A way to call a function that ends the thread.
struct Call {
  void (*run)(const Call&);
  TVMFFISafeCallType exported;
  void (*function)(void*);
  int unwound = 0;
  sem_t* ended = nullptr;  // posted when the thread's own frame is unwound
};

void CallExported(const Call& call) {
  const ffi::AnyView argument(static_cast<void*>(const_cast<Call*>(&call)));
  ffi::Any result;
  TVM_FFI_CHECK_SAFE_CALL(
      call.exported(nullptr, reinterpret_cast<const TVMFFIAny*>(&argument), 1, result.Reset()));
}

void CallTyped(const Call& call) {
  ffi::Function::FromTyped(call.function)(static_cast<void*>(const_cast<Call*>(&call)));
}

void CallThroughLibrary(const Call& call) {
  const ffi::Function function = ffi::Function::FromTyped(call.function);
  ffi::AnyView argument(static_cast<void*>(const_cast<Call*>(&call)));
  ffi::Any result;
  TVM_FFI_CHECK_SAFE_CALL(TVMFFIFunctionCall(ffi::ObjectUnsafe::Borrow(function),
                                             reinterpret_cast<TVMFFIAny*>(&argument), 1,
                                             result.Reset()));
}

// Inside code whose exceptions are logged to stderr.
void CallLogged(const Call& call) {
  TVM_FFI_LOG_EXCEPTION_CALL_BEGIN();
  call.function(const_cast<Call*>(&call));
  TVM_FFI_LOG_EXCEPTION_CALL_END(CallLogged);
}

// From inside another function, as a callback.
void CallNested(const Call& call) {
  const auto outer = ffi::Function::FromTyped([&call](const ffi::Function& inner) {
    Frame frame{const_cast<int*>(&call.unwound)};
    inner(static_cast<void*>(const_cast<Call*>(&call)));
  });
  outer(ffi::Function::FromTyped(call.function));
}

// The first frame of a thread.
struct FirstFrame {
  Call* call;
  ~FirstFrame() {
    ++call->unwound;
    if (call->ended != nullptr) sem_post(call->ended);
  }
};

void* StartThread(void* argument) {
  auto* call = static_cast<Call*>(argument);
  FirstFrame frame{call};
  call->run(*call);
  return nullptr;
}

// A way to call, and a way for the thread to end.
template <typename Use>
void ForEachCall(const Use& use) {
  for (const auto run : {CallExported, CallTyped, CallThroughLibrary, CallLogged, CallNested}) {
    for (const bool cancels : {false, true}) {
      Call call{run, cancels ? __tvm_ffi_cancel_thread : __tvm_ffi_exit_thread,
                cancels ? cancel_thread : exit_thread};
      use(&call, cancels);
      EXPECT_EQ(call.unwound, run == CallNested ? 2 : 1);
    }
  }
}

}  // namespace

// The thread ends, its destructors run, and a join returns its result.
void threads_end_in_functions() {
  ForEachCall([](Call* call, bool cancels) {
    pthread_t thread;
    EXPECT_EQ(pthread_create(&thread, nullptr, StartThread, call), 0);
    void* result = nullptr;
    EXPECT_EQ(pthread_join(thread, &result), 0);
    EXPECT(result == (cancels ? PTHREAD_CANCELED : static_cast<void*>(call)));
  });
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_threads_end_in_functions, threads_end_in_functions);

// The same for a detached thread, like each of Python's.
void detached_threads_end_in_functions() {
  sem_t ended;
  EXPECT_EQ(sem_init(&ended, 0, 0), 0);
  pthread_attr_t detached;
  EXPECT_EQ(pthread_attr_init(&detached), 0);
  EXPECT_EQ(pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED), 0);
  ForEachCall([&](Call* call, bool) {
    call->ended = &ended;
    pthread_t thread;
    EXPECT_EQ(pthread_create(&thread, &detached, StartThread, call), 0);
    EXPECT_EQ(sem_wait(&ended), 0);
  });
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_detached_threads_end_in_functions,
                              detached_threads_end_in_functions);

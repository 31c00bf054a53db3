// SPDX-License-Identifier: Apache-2.0
// Per-thread values that remain usable while the thread exits.
#ifndef TVM_FFI_SRC_THREAD_VALUE_H_
#define TVM_FFI_SRC_THREAD_VALUE_H_

#include <cxxabi.h>
#include <tvm/ffi/object.h>

#include <utility>

extern "C" TVM_FFI_HIDDEN void* __dso_handle;  // identifies the code's library to the loader

// The calling thread's value of a type, created on first use.
//
// Destructors of other thread-local variables may run after this value is destroyed, and throw
// errors or query streams. They get a new value, destroyed after them: a thread also runs what is
// registered while it exits (Itanium C++ ABI, __cxa_thread_atexit); a variable registers only once.
template <typename T>
class ThreadValue {
 public:
  static T& Get() {
    if (value_ == nullptr) {
      value_ = new T();
      abi::__cxa_thread_atexit(Free, nullptr, &__dso_handle);
    }
    return *value_;
  }
  // The value, or NULL if there is none yet.
  static T* Find() { return value_; }

 private:
  static void Free(void*) { delete std::exchange(value_, nullptr); }

  static inline thread_local T* value_ = nullptr;
};

#endif  // TVM_FFI_SRC_THREAD_VALUE_H_

// SPDX-License-Identifier: Apache-2.0
// Values of each thread that code may still ask for while the thread ends.
#ifndef TVM_FFI_SRC_THREAD_VALUE_H_
#define TVM_FFI_SRC_THREAD_VALUE_H_

#include <cxxabi.h>
#include <tvm/ffi/object.h>

#include <utility>

extern "C" TVM_FFI_HIDDEN void* __dso_handle;  // by which the loader knows the code's library

// The calling thread's value of a type, made when it is first asked for.
//
// Destructors of other thread-local variables may run after this value's end, and throw errors or
// ask for streams. They get a new value, which ends after them: the thread runs what is registered
// while it ends too (Itanium C++ ABI, __cxa_thread_atexit), which no variable could ask for twice.
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

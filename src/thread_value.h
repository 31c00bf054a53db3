// SPDX-License-Identifier: Apache-2.0
// Values of each thread that code may still ask for while the thread ends.
#ifndef TVM_FFI_SRC_THREAD_VALUE_H_
#define TVM_FFI_SRC_THREAD_VALUE_H_

#include <utility>

// The calling thread's value of a type, made when it is first asked for.
//
// Destructors of other thread-local and, in the main thread, of static variables may run after this
// value's end, and throw errors or ask for streams. They get a new value, which is never freed.
template <typename T>
class ThreadValue {
 public:
  static T& Get() {
    if (value_ == nullptr) {
      value_ = new T();
      static thread_local Owner owner;
      static_cast<void>(owner);
    }
    return *value_;
  }
  // The value, or NULL if there is none yet.
  static T* Find() { return value_; }

 private:
  struct Owner {
    ~Owner() { delete std::exchange(value_, nullptr); }
  };
  static inline thread_local T* value_ = nullptr;
};

#endif  // TVM_FFI_SRC_THREAD_VALUE_H_

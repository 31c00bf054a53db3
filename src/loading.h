// SPDX-License-Identifier: Apache-2.0
// The state of a library load, during which static init blocks run in the loading thread.
#ifndef TVM_FFI_SRC_LOADING_H_
#define TVM_FFI_SRC_LOADING_H_

#include <tvm/ffi/error.h>

#include <optional>

// A load in this thread, for the lifetime of this object. A library may load another one.
class TVM_FFI_HIDDEN Loading {
 public:
  Loading() : outer_(current_) { current_ = this; }
  ~Loading() { current_ = outer_; }
  Loading(const Loading&) = delete;
  Loading& operator=(const Loading&) = delete;

  // The load of this thread, or NULL.
  static Loading* Current() { return current_; }
  // Tells this thread's load, if there is one, that the process now refers to the library's code:
  // the library must not be unloaded.
  static void KeepLibrary() {
    if (current_ != nullptr) current_->keep_library = true;
  }

  bool keep_library = false;
  bool failed = false;                   // a static init block threw
  std::optional<tvm::ffi::Error> error;  // what it threw; nullopt for an error of the host language

 private:
  Loading* outer_;
  static thread_local Loading* current_;
};

#endif  // TVM_FFI_SRC_LOADING_H_

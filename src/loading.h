// SPDX-License-Identifier: Apache-2.0
// What happens while a library is being loaded: its static init blocks run, in the loading thread.
#ifndef TVM_FFI_SRC_LOADING_H_
#define TVM_FFI_SRC_LOADING_H_

#include <tvm/ffi/error.h>

#include <optional>

// A load in this thread, from its construction to its end. A library may load another one.
class TVM_FFI_HIDDEN Loading {
 public:
  Loading() : outer_(current_) { current_ = this; }
  ~Loading() { current_ = outer_; }
  Loading(const Loading&) = delete;
  Loading& operator=(const Loading&) = delete;

  // The load of this thread, or NULL.
  static Loading* Current() { return current_; }
  // Informs the load of this thread, if there is one, that code of the library is known to the
  // process from now on: the library must not be unloaded.
  static void KeepLibrary() {
    if (current_ != nullptr) current_->keep_library = true;
  }

  bool keep_library = false;
  bool failed = false;                   // a static init block threw
  std::optional<tvm::ffi::Error> error;  // what it threw; none: an error of the host's language

 private:
  Loading* outer_;
  static thread_local Loading* current_;
};

#endif  // TVM_FFI_SRC_LOADING_H_

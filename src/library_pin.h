// SPDX-License-Identifier: Apache-2.0
// Keeps the library that some code belongs to loaded while an object needs that code.
#ifndef TVM_FFI_SRC_LIBRARY_PIN_H_
#define TVM_FFI_SRC_LIBRARY_PIN_H_

#include <tvm/ffi/object.h>

#include <cstdint>
#include <utility>

namespace tvm {
namespace ffi TVM_FFI_HIDDEN {

// A share in a loaded library. A library that modules loaded is unloaded after the last share is
// gone; one that came otherwise, for example with the program, stays for good.
//
// Drop a pin in code of this runtime, after code of the library has returned.
class LibraryPin {
 public:
  LibraryPin() = default;
  // Pins the library that the address `code` is in.
  explicit LibraryPin(const void* code);
  LibraryPin(LibraryPin&& other) noexcept : begin_(std::exchange(other.begin_, 0)) {}
  LibraryPin& operator=(LibraryPin&& other) noexcept {
    std::swap(begin_, other.begin_);
    return *this;
  }
  ~LibraryPin();

  // Another share in the same library.
  LibraryPin Share() const;

  // Takes over a handle of dlopen, even if this throws. It stays valid while the pin lives.
  static LibraryPin OfModule(void* handle);

 private:
  uintptr_t begin_ = 0;  // where the library begins; 0 for none, or for one that stays
};

}  // namespace ffi TVM_FFI_HIDDEN
}  // namespace tvm

#endif  // TVM_FFI_SRC_LIBRARY_PIN_H_

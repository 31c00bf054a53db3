// SPDX-License-Identifier: Apache-2.0
// Keeps a library loaded while an object needs its code.
#ifndef TVM_FFI_SRC_LIBRARY_PIN_H_
#define TVM_FFI_SRC_LIBRARY_PIN_H_

#include <tvm/ffi/object.h>

#include <cstdint>
#include <optional>
#include <utility>

namespace tvm {
namespace ffi TVM_FFI_HIDDEN {

// A reference to a loaded library. A library loaded by modules is unloaded after its last pin is
// dropped; one loaded otherwise, for example with the program, stays loaded.
//
// Drop a pin only in code of this runtime, after the library's code has returned.
class LibraryPin {
 public:
  LibraryPin() = default;
  // Pins the library that contains the address `code`.
  explicit LibraryPin(const void* code);
  LibraryPin(LibraryPin&& other) noexcept : begin_(std::exchange(other.begin_, 0)) {}
  LibraryPin& operator=(LibraryPin&& other) noexcept {
    std::swap(begin_, other.begin_);
    return *this;
  }
  ~LibraryPin();

  // Another pin of the same library.
  LibraryPin Share() const;

  // Takes ownership of a dlopen handle, even if this throws. It stays valid while the pin lives.
  static LibraryPin OfModule(void* handle);

  // Keeps the libraries loaded so far in a forked child: unloading takes a lock of the loader that
  // may be held forever there. Called with the lock held.
  static void KeepAllInChild();

  // Whether this is a forked child, which keeps the library that contains the address `code`.
  static bool StaysLoaded(const void* code);

  // How many libraries the pins have unloaded; nullopt if others may unload the one that contains
  // the address `code`.
  static std::optional<unsigned long long> UnloadsIfKnown(const void* code);

 private:
  uintptr_t begin_ = 0;  // the library's start address; 0 for none, or one that stays
};

}  // namespace ffi TVM_FFI_HIDDEN
}  // namespace tvm

#endif  // TVM_FFI_SRC_LIBRARY_PIN_H_

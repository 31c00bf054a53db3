// SPDX-License-Identifier: Apache-2.0
// Checks for the addresses passed by callers of the C ABI.
#ifndef SRC_ARGUMENTS_H_
#define SRC_ARGUMENTS_H_

#include <tvm/ffi/error.h>

#include <string_view>

namespace tvm {
namespace ffi TVM_FFI_HIDDEN {

// Kept out of the checks, which run on every C ABI call.
[[noreturn]] TVM_FFI_COLD inline void ThrowNoAddress(const char* where) {
  TVM_FFI_THROW(ValueError) << where << ": expected an address, got NULL";
}

// The object at `address`; `where` names the function and the argument.
template <typename T>
T& Given(const char* where, T* address) {
  if (address == nullptr) ThrowNoAddress(where);
  return *address;
}

// The maximum size of a text in bytes: no more than a std::string can hold, and small enough that
// adding the size of an object does not overflow.
constexpr size_t kMostBytes = PTRDIFF_MAX / 2 - 1024;

[[noreturn]] TVM_FFI_COLD inline void ThrowBadText(const char* where, size_t size) {
  TVM_FFI_CHECK(size > kMostBytes, ValueError)
      << where << ": expected " << size << " bytes, got NULL";
  TVM_FFI_THROW(ValueError) << where << ": expected at most " << kMostBytes << " bytes, got "
                            << size;
}

// A text passed with its size.
inline std::string_view GivenText(const char* where, const TVMFFIByteArray* text) {
  const TVMFFIByteArray& bytes = Given(where, text);
  if ((bytes.data == nullptr && bytes.size != 0) || bytes.size > kMostBytes) {
    ThrowBadText(where, bytes.size);
  }
  return {bytes.data, bytes.size};
}

// Checks the dimensions of a tensor.
inline void CheckDimensions(const char* function, const char* argument, const DLTensor& tensor) {
  TVM_FFI_CHECK(tensor.ndim >= 0, ValueError)
      << function << ": " << argument
      << ": expected a number of dimensions that is not negative, got " << tensor.ndim;
  TVM_FFI_CHECK(tensor.shape != nullptr || tensor.ndim == 0, ValueError)
      << function << ": " << argument << ": expected a shape of " << tensor.ndim
      << " dimensions, got NULL";
}

// A NUL-terminated text.
inline const char* GivenText(const char* where, const char* text) { return &Given(where, text); }

}  // namespace ffi TVM_FFI_HIDDEN
}  // namespace tvm

#endif  // SRC_ARGUMENTS_H_

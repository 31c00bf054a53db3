// SPDX-License-Identifier: Apache-2.0
// Errors that a kernel's host code may throw, shared by CPU and GPU.
#ifndef FAILURES_H_
#define FAILURES_H_

#include "../tvm_ffi_utils.h"

namespace {

// [numbers.begin]
// Splits `size` elements among `parts`; returns the size of each part.
int64_t split_evenly(int64_t size, int64_t parts) {
  TVM_FFI_CHECK_GT(parts, 0, ValueError) << "split_evenly: no parts to fill";
  TVM_FFI_CHECK(size % parts == 0, ValueError)
      << "split_evenly: size must be a multiple of " << parts << ", got "
      << size;
  return size / parts;
}
// [numbers.end]

// [comparisons.begin]
void compare(int64_t a, int64_t b, ffi::String how) {
  if (how == "==") TVM_FFI_CHECK_EQ(a, b, ValueError) << "not equal";
  if (how == "!=") TVM_FFI_CHECK_NE(a, b, ValueError) << "not different";
  if (how == "<") TVM_FFI_CHECK_LT(a, b, IndexError) << "not below";
  if (how == "<=") TVM_FFI_CHECK_LE(a, b, IndexError) << "not up to";
  if (how == ">") TVM_FFI_CHECK_GT(a, b, IndexError) << "not above";
  if (how == ">=") TVM_FFI_CHECK_GE(a, b, IndexError) << "not from";
}
// [comparisons.end]

// [internal.begin]
// What only a bug in the library can violate is an ICHECK, an InternalError.
// DCHECKs are compiled out if NDEBUG is defined.
int64_t half_of(int64_t n) {
  const int64_t half = n / 2;
  TVM_FFI_ICHECK_EQ(half + half, n) << "half_of was called with an odd number";
  TVM_FFI_ICHECK(half <= n) << "half_of was called with a negative number";
  TVM_FFI_DCHECK_LE(half, n);
  return half;
}

int64_t bits_of_code(int64_t code) {
  switch (code) {
    case 0:
      return 8;
    case 1:
      return 16;
  }
  TVM_FFI_UNREACHABLE();
}
// [internal.end]

// [pointer.begin]
// The macro's value is the pointer.
int64_t first_of(void* address) {
  return *static_cast<int64_t*>(TVM_FFI_CHECK_NOTNULL(address, ValueError));
}
// [pointer.end]

// [kind.begin]
// A kind is any name. tvm_ffi.register_error gives it a Python class.
void reserve(int64_t bytes, int64_t limit) {
  if (bytes > limit) {
    TVM_FFI_THROW(WorkspaceTooSmall)
        << "reserve: workspace must hold " << bytes << " bytes, got " << limit;
  }
}
// [kind.end]

// [cause.begin]
// Calls back, and reports what it was doing if the callback failed.
void for_each_row(int64_t rows, ffi::Function body) {
  for (int64_t row = 0; row < rows; ++row) {
    try {
      body(row);
    } catch (const ffi::Error& cause) {
      throw ffi::Error("RuntimeError",
                       "for_each_row: row " + text_of(row) + " failed", "",
                       cause, std::nullopt);
    }
  }
}
// [cause.end]

// [standard.begin]
int64_t byte_at(ffi::String text, int64_t place) {
  // Throws std::out_of_range.
  return std::string(text).at(static_cast<size_t>(place));
}
// [standard.end]

// [c_call.begin]
// A function of the C ABI reports by its return value that it raised an error.
ffi::String dtype_named(ffi::String name) {
  const TVMFFIByteArray text{name.data(), name.size()};
  DLDataType dtype;
  TVM_FFI_CHECK_SAFE_CALL(TVMFFIDataTypeFromString(&text, &dtype));
  return ffi::DLDataTypeToString(dtype);
}
// [c_call.end]

}  // namespace

TVM_FFI_DLL_EXPORT_TYPED_FUNC(split_evenly, split_evenly);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(compare, compare);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(half_of, half_of);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(bits_of_code, bits_of_code);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(first_of, first_of);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(reserve, reserve);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(for_each_row, for_each_row);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(byte_at, byte_at);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(dtype_named, dtype_named);

#endif  // FAILURES_H_

// SPDX-License-Identifier: Apache-2.0
/*!
 * \file tvm/ffi/dtype.h
 * \brief Comparison, printing and parsing of DLDataType.
 */
#ifndef TVM_FFI_DTYPE_H_
#define TVM_FFI_DTYPE_H_

#include <tvm/ffi/error.h>

#include <string>
#include <string_view>
#include <type_traits>

// In the global namespace for the reason given in device.h.

/*! \brief Whether code, bits and lanes are equal. */
template <typename T, typename = std::enable_if_t<std::is_same<T, DLDataType>::value>, int = 0>
TVM_FFI_HIDDEN inline bool operator==(const T& a, const DLDataType& b) {
  return a.code == b.code && a.bits == b.bits && a.lanes == b.lanes;
}

/*! \brief Whether code, bits or lanes differ. */
template <typename T, typename = std::enable_if_t<std::is_same<T, DLDataType>::value>, int = 0>
TVM_FFI_HIDDEN inline bool operator!=(const T& a, const DLDataType& b) {
  return !(a == b);
}

namespace tvm {
namespace ffi TVM_FFI_HIDDEN {

/*! \brief Returns the text of an element type, for example "float32", "bfloat16" or "int8x4". */
inline std::string DLDataTypeToString(DLDataType dtype) {
  return (Message().self() << dtype).take();
}

/*! \brief Reads an element type from its text; throws a ValueError if the text is invalid. */
inline DLDataType StringToDLDataType(std::string_view text) {
  TVMFFIByteArray bytes{text.data(), text.size()};
  DLDataType dtype;
  TVM_FFI_CHECK_SAFE_CALL(TVMFFIDataTypeFromString(&bytes, &dtype));
  return dtype;
}

/*! \brief Codes from this one on are available for library-defined types. */
enum DLExtDataTypeCode { kDLExtCustomBegin = 129 };

/*! \brief Whether the elements are booleans. */
inline bool DTypeIsBool(DLDataType dtype) { return dtype.code == kDLBool; }
/*! \brief Whether the elements are signed or unsigned integers. */
inline bool DTypeIsInt(DLDataType dtype) { return dtype.code == kDLInt || dtype.code == kDLUInt; }
/*! \brief Whether the elements are floating-point numbers of any format. */
inline bool DTypeIsFloat(DLDataType dtype) {
  return dtype.code == kDLFloat || dtype.code == kDLBfloat ||
         (dtype.code >= kDLFloat8_e3m4 && dtype.code <= kDLFloat4_e2m1fn);
}
/*! \brief Returns a short name of an element type, for example "f32", "bf16", "i8x4" or "bool". */
inline std::string DTypeAbbrev(DLDataType dtype) {
  std::string text = DLDataTypeToString(dtype);
  for (const char* name : {"bfloat", "float", "uint", "int"}) {
    const std::string_view prefix(name);
    if (std::string_view(text).substr(0, prefix.size()) == prefix) {
      return text.replace(0, prefix.size(), name, name[0] == 'b' ? 2 : 1);
    }
  }
  return text;
}

/*! \brief Returns the size in bytes of `numel` elements, packed if narrower than a byte. */
inline size_t GetDataSize(int64_t numel, DLDataType dtype) {
  return (static_cast<size_t>(numel) * dtype.bits * dtype.lanes + 7) / 8;
}

}  // namespace ffi TVM_FFI_HIDDEN
}  // namespace tvm

/*! \brief Prints an element type, for example "float32". */
template <typename Stream, typename T,
          typename = std::enable_if_t<std::is_same<T, DLDataType>::value &&
                                      !std::is_same<Stream, tvm::ffi::Message>::value>,
          int = 0>
TVM_FFI_HIDDEN inline Stream& operator<<(Stream& stream, const T& dtype) {
  stream << tvm::ffi::DLDataTypeToString(dtype);
  return stream;
}

#endif  // TVM_FFI_DTYPE_H_

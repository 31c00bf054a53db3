// SPDX-License-Identifier: Apache-2.0
/*!
 * \file tvm/ffi/endian.h
 * \brief The byte order of numbers, for code that writes them to files.
 */
#ifndef TVM_FFI_ENDIAN_H_
#define TVM_FFI_ENDIAN_H_

#include <tvm/ffi/attributes.h>

#include <cstddef>

/*! \brief 1 on little-endian targets, 0 otherwise. */
#ifndef TVM_FFI_LITTLE_ENDIAN
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define TVM_FFI_LITTLE_ENDIAN 0
#else
#define TVM_FFI_LITTLE_ENDIAN 1
#endif
#endif

/*! \brief 1 if files are little-endian; may be defined before the first include. */
#ifndef TVM_FFI_IO_USE_LITTLE_ENDIAN
#define TVM_FFI_IO_USE_LITTLE_ENDIAN 1
#endif

/*! \brief Whether files have the byte order of memory, so that no swapping is needed. */
#define TVM_FFI_IO_NO_ENDIAN_SWAP (TVM_FFI_LITTLE_ENDIAN == TVM_FFI_IO_USE_LITTLE_ENDIAN)

namespace tvm {
namespace ffi TVM_FFI_HIDDEN {

/*!
 * \brief Reverses the bytes of each element, in place.
 * \param data The first element.
 * \param elem_bytes Size of an element, in bytes.
 * \param num_elems Number of elements.
 */
inline void ByteSwap(void* data, size_t elem_bytes, size_t num_elems) {
  auto* bytes = static_cast<unsigned char*>(data);
  for (size_t i = 0; i < num_elems; ++i, bytes += elem_bytes) {
    for (size_t k = 0; k < elem_bytes / 2; ++k) {
      const unsigned char first = bytes[k];
      bytes[k] = bytes[elem_bytes - 1 - k];
      bytes[elem_bytes - 1 - k] = first;
    }
  }
}

}  // namespace ffi TVM_FFI_HIDDEN
}  // namespace tvm

#endif  // TVM_FFI_ENDIAN_H_

// SPDX-License-Identifier: Apache-2.0
/*!
 * \file tvm/ffi/extra/cuda/internal/image.h
 * \brief Rejects images that the driver would read past the end of.
 *
 * The driver receives an address without a length.
 */
#ifndef TVM_FFI_EXTRA_CUDA_INTERNAL_IMAGE_H_
#define TVM_FFI_EXTRA_CUDA_INTERNAL_IMAGE_H_

#include <tvm/ffi/error.h>

#include <cstdint>
#include <cstring>

namespace tvm {
namespace ffi TVM_FFI_HIDDEN {
namespace cuda_api {
namespace detail {

template <typename T>
T ReadAt(const char* image, size_t offset) {
  T value;
  std::memcpy(&value, image + offset, sizeof(T));
  return value;
}

// Saturates on overflow: no image has UINT64_MAX bytes.
inline uint64_t EndOf(uint64_t begin, uint64_t size) {
  return begin + size < begin ? UINT64_MAX : begin + size;
}

// The end of an ELF file's table, from its offset, its entry size and its entry count, which the
// file header holds at these offsets.
inline uint64_t EndOfTable(const char* image, size_t offset, size_t size, size_t count) {
  return EndOf(ReadAt<uint64_t>(image, offset),
               uint64_t{ReadAt<uint16_t>(image, size)} * ReadAt<uint16_t>(image, count));
}

// The size in bytes of an ELF file: its two tables come last in a CUBIN.
inline uint64_t BytesOfElf(const char* image) {
  const uint64_t segments = EndOfTable(image, 0x20, 0x36, 0x38);
  const uint64_t sections = EndOfTable(image, 0x28, 0x3A, 0x3C);
  return segments > sections ? segments : sections;
}

/*!
 * \brief Whether an image is a CUBIN or a fatbin, which contain their size.
 *
 * Anything else is text that ends with a null character.
 * \throws Error A ValueError if a CUBIN or fatbin is truncated, if there are no bytes, or if their
 * address is null.
 */
inline bool SaysItsSize(const char* image, size_t size) {
  constexpr size_t kElfHead = 64, kFatbinHead = 16;
  constexpr uint32_t kFatbin = 0xBA55ED50;
  TVM_FFI_CHECK(size != 0, ValueError) << "CubinModule: image: expected an image, got no bytes";
  TVM_FFI_CHECK(image != nullptr, ValueError)
      << "CubinModule: image: expected the address of an image, got a null pointer";
  uint64_t needed = 0;
  if (size >= 4 && std::memcmp(image, "\177ELF", 4) == 0) {
    needed = size < kElfHead ? kElfHead : BytesOfElf(image);
  } else if (size >= 4 && ReadAt<uint32_t>(image, 0) == kFatbin) {
    needed = size < kFatbinHead
                 ? kFatbinHead
                 : EndOf(ReadAt<uint64_t>(image, 8), ReadAt<uint16_t>(image, 6));  // body, header
  }
  TVM_FFI_CHECK(size >= needed, ValueError)
      << "CubinModule: image: expected " << needed << " bytes, as its header says, got " << size;
  return needed != 0;
}

}  // namespace detail
}  // namespace cuda_api
}  // namespace ffi TVM_FFI_HIDDEN
}  // namespace tvm

#endif  // TVM_FFI_EXTRA_CUDA_INTERNAL_IMAGE_H_

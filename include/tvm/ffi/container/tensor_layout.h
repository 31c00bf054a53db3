// SPDX-License-Identifier: Apache-2.0
/*!
 * \file tvm/ffi/container/tensor_layout.h
 * \brief The layout of a DLTensor: sizes, contiguity, alignment and valid strides.
 */
#ifndef TVM_FFI_CONTAINER_TENSOR_LAYOUT_H_
#define TVM_FFI_CONTAINER_TENSOR_LAYOUT_H_

#include <tvm/ffi/container/shape.h>

#include <optional>

namespace tvm {
namespace ffi TVM_FFI_HIDDEN {

/*! \brief Whether addresses in the device's memory support arithmetic on the host. */
inline bool IsDirectAddressDevice(const DLDevice& device) { return HasPlainAddresses(device); }

/*! \brief Number of elements: the product of the extents, 1 for a 0-dim tensor. */
inline int64_t GetNumel(const DLTensor& tensor) {
  return ShapeView(tensor.shape, static_cast<size_t>(tensor.ndim)).Product();
}

/*! \brief Size in bytes of the elements without gaps; sub-byte elements are packed. */
inline size_t GetDataSize(const DLTensor& tensor) {
  return GetDataSize(GetNumel(tensor), tensor.dtype);
}

/*!
 * \brief Bytes from the first element to the end of the last one, gaps included.
 *
 * An allocator of strided tensors must allocate this much. Strides must not be negative.
 */
inline size_t GetSpanSize(const DLTensor& tensor) {
  if (tensor.strides == nullptr) return GetDataSize(tensor);
  int64_t last = 0;
  for (int32_t i = 0; i < tensor.ndim; ++i) {
    if (tensor.shape[i] == 0) return 0;
    last += (tensor.shape[i] - 1) * tensor.strides[i];
  }
  return GetDataSize(last + 1, tensor.dtype);
}

/*!
 * \brief Whether the elements are in row-major order without gaps.
 *
 * The stride of a dimension of extent 1 does not matter, and an empty tensor is contiguous.
 */
inline bool IsContiguous(const DLTensor& tensor) {
  if (tensor.strides == nullptr) return true;
  int64_t expected = 1;
  bool compact = true;
  for (int32_t i = tensor.ndim - 1; i >= 0; --i) {
    if (tensor.shape[i] == 0) return true;
    if (tensor.shape[i] != 1) {
      compact = compact && tensor.strides[i] == expected;
      expected *= tensor.shape[i];
    }
  }
  return compact;
}

/*! \brief Whether the address of the first element is a multiple of `alignment` bytes. */
inline bool IsAligned(const DLTensor& tensor, size_t alignment) {
  return (reinterpret_cast<uintptr_t>(tensor.data) + tensor.byte_offset) % alignment == 0;
}

namespace detail {

[[noreturn]] TVM_FFI_COLD inline void ThrowBadSize(const char* function, ShapeView shape,
                                                   DLDataType dtype) {
  for (int64_t extent : shape) {
    TVM_FFI_CHECK(extent >= 0, ValueError)
        << function << ": shape: expected extents that are not negative, got " << shape;
  }
  TVM_FFI_THROW(MemoryError) << function << ": expected a size that fits in memory, got shape "
                             << shape << " of " << dtype;
}

// Number of elements of a row-major tensor to be created. Rejects sizes that no memory can hold.
inline int64_t CheckedNumel(const char* function, ShapeView shape, DLDataType dtype) {
  int64_t numel = 1;
  int64_t signs = 0;
  bool empty = false;
  bool too_large = false;
  for (int64_t extent : shape) {
    signs |= extent;
    empty |= extent == 0;
    // Strides are products of extents, so these must fit even if another extent is 0.
    too_large |= __builtin_mul_overflow(numel, extent == 0 ? 1 : extent, &numel);
  }
  int64_t bits;
  too_large |= __builtin_mul_overflow(numel, int64_t{dtype.bits} * dtype.lanes, &bits);
  if (signs < 0 || too_large || bits > INT64_MAX - 7) ThrowBadSize(function, shape, dtype);
  return empty ? 0 : numel;
}

// Number of elements from the first to the last, gaps included, of a tensor to be created.
// Rejects sizes that no memory can hold.
inline int64_t CheckedSpan(const char* function, ShapeView shape, ShapeView strides,
                           DLDataType dtype) {
  TVM_FFI_CHECK(strides.size() == shape.size(), ValueError)
      << function << ": strides: expected " << shape.size() << " strides, one for each extent, got "
      << strides.size();
  const int64_t numel = CheckedNumel(function, shape, dtype);
  int64_t last = 0;
  bool fits = true;
  for (size_t i = 0; i < shape.size(); ++i) {
    TVM_FFI_CHECK(strides[i] >= 0, ValueError)
        << function << ": strides: expected strides that are not negative, got " << strides;
    const int64_t steps = shape[i] == 0 ? 0 : shape[i] - 1;
    int64_t reach = 0;
    fits = fits && !__builtin_mul_overflow(steps, strides[i], &reach) &&
           !__builtin_add_overflow(last, reach, &last);
  }
  int64_t bits = 0;
  if (!fits || last == INT64_MAX ||
      __builtin_mul_overflow(last + 1, int64_t{dtype.bits} * dtype.lanes, &bits) ||
      bits > INT64_MAX - 7) {
    ThrowBadSize(function, shape, dtype);
  }
  return numel == 0 ? 0 : last + 1;
}

// Rejects strides with which two indices could share an element: each dimension must step over
// everything inside it.
TVM_FFI_COLD inline void CheckNoOverlap(const char* function, ShapeView shape, ShapeView strides) {
  for (size_t i = 0; i < shape.size(); ++i) {
    int64_t inside = 0;
    for (size_t j = 0; j < shape.size(); ++j) {
      if (j == i || shape[j] == 1 || strides[j] > strides[i]) continue;
      if (strides[j] < strides[i] || j > i) inside += (shape[j] - 1) * strides[j];
    }
    TVM_FFI_CHECK(shape[i] == 1 || strides[i] > inside, ValueError)
        << function << ": strides: expected strides without overlapping elements, got " << strides
        << " for shape " << shape;
  }
}

// Returns `tensor` with another shape and strides, to which the result refers, and with its first
// element shifted by `element_offset` elements.
inline DLTensor AsStrided(DLTensor tensor, ShapeView shape, ShapeView strides,
                          std::optional<int64_t> element_offset) {
  TVM_FFI_CHECK(strides.size() == shape.size(), ValueError)
      << "as_strided: strides: expected " << shape.size() << " strides, one for each extent, got "
      << strides.size();
  for (int64_t extent : shape) {
    TVM_FFI_CHECK(extent >= 0, ValueError)
        << "as_strided: shape: expected extents that are not negative, got " << shape;
  }
  const int64_t bits =
      element_offset.value_or(0) * static_cast<int64_t>(tensor.dtype.bits) * tensor.dtype.lanes;
  TVM_FFI_CHECK(bits % 8 == 0, ValueError)
      << "as_strided: element_offset: expected whole bytes, got " << *element_offset
      << " elements of " << tensor.dtype;
  tensor.ndim = static_cast<int32_t>(shape.size());
  tensor.shape = const_cast<int64_t*>(shape.data());
  tensor.strides = const_cast<int64_t*>(strides.data());
  if (HasPlainAddresses(tensor.device)) {
    tensor.data = static_cast<char*>(tensor.data) + bits / 8;
  } else {
    tensor.byte_offset += static_cast<uint64_t>(bits / 8);
  }
  return tensor;
}

}  // namespace detail
}  // namespace ffi TVM_FFI_HIDDEN
}  // namespace tvm

#endif  // TVM_FFI_CONTAINER_TENSOR_LAYOUT_H_

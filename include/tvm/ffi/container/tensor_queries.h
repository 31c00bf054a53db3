// SPDX-License-Identifier: Apache-2.0
/*!
 * \file tvm/ffi/container/tensor_queries.h
 * \brief The accessors shared by owned and borrowed tensors.
 */
#ifndef TVM_FFI_CONTAINER_TENSOR_QUERIES_H_
#define TVM_FFI_CONTAINER_TENSOR_QUERIES_H_

#include <tvm/ffi/container/shape.h>
#include <tvm/ffi/container/tensor_layout.h>
#include <tvm/ffi/error.h>

#include <cstddef>

namespace tvm {
namespace ffi TVM_FFI_HIDDEN {

/*!
 * \brief The accessors shared by Tensor and TensorView. Derived has `GetDLTensorPtr()`.
 *
 * No member checks that there is a tensor, because kernels call them often: call `defined()` on a
 * Tensor that may be a null handle.
 */
template <typename Derived>
class TensorQueries {
 public:
  /*! \brief Address of the data on device(); add byte_offset() to reach the first element. */
  void* data_ptr() const { return dl().data; }
  /*! \brief Device that holds the data. */
  DLDevice device() const { return dl().device; }
  /*! \brief Number of dimensions. */
  int32_t ndim() const { return dl().ndim; }
  /*! \brief Number of dimensions. */
  int32_t dim() const { return dl().ndim; }
  /*! \brief Element type. */
  DLDataType dtype() const { return dl().dtype; }
  /*! \brief Extents; valid while the tensor lives. */
  ShapeView shape() const { return ShapeView(dl().shape, static_cast<size_t>(dl().ndim)); }
  /*! \brief Extents; valid while the tensor lives. */
  ShapeView sizes() const { return shape(); }
  /*! \brief Extent of a dimension; -1 is the last one. Throws an IndexError if out of range. */
  int64_t size(int64_t dimension) const { return dl().shape[Index("size", dimension)]; }
  /*!
   * \brief Strides in elements; valid while the tensor lives.
   *
   * Every tensor passed as an argument has strides. Throws a ValueError for a view that was
   * constructed from a DLTensor without strides; stride() works in that case too.
   */
  ShapeView strides() const {
    TVM_FFI_CHECK(dl().strides != nullptr || dl().ndim == 0, ValueError)
        << "strides: expected a tensor with strides, got NULL, which means row-major; use "
           "stride(i)";
    return ShapeView(dl().strides, static_cast<size_t>(dl().ndim));
  }
  /*! \brief Stride of a dimension in elements; -1 is the last one. Throws an IndexError if out of
   * range. */
  int64_t stride(int64_t dimension) const {
    const int32_t i = Index("stride", dimension);
    if (dl().strides != nullptr) return dl().strides[i];
    int64_t step = 1;
    for (int32_t j = dl().ndim - 1; j > i; --j) step *= dl().shape[j];
    return step;
  }
  /*! \brief Number of elements. */
  int64_t numel() const { return GetNumel(dl()); }
  /*! \brief Distance in bytes from data_ptr() to the first element; 0 for most devices, see
   * TensorView. */
  uint64_t byte_offset() const { return dl().byte_offset; }
  /*! \brief Whether the elements are in row-major order without gaps. */
  bool IsContiguous() const { return ffi::IsContiguous(dl()); }
  /*! \brief Whether the elements are in row-major order without gaps. */
  bool is_contiguous() const { return ffi::IsContiguous(dl()); }
  /*! \brief Whether the address of the first element is a multiple of `alignment` bytes. */
  bool IsAligned(size_t alignment) const { return ffi::IsAligned(dl(), alignment); }

 private:
  const DLTensor& dl() const { return *static_cast<const Derived*>(this)->GetDLTensorPtr(); }

  int32_t Index(const char* function, int64_t dimension) const {
    const int32_t n = dl().ndim;
    TVM_FFI_CHECK(dimension >= -n && dimension < n, IndexError)
        << function << ": expected a dimension from " << -n << " to " << n - 1 << ", got "
        << dimension;
    return static_cast<int32_t>(dimension < 0 ? dimension + n : dimension);
  }
};

}  // namespace ffi TVM_FFI_HIDDEN
}  // namespace tvm

#endif  // TVM_FFI_CONTAINER_TENSOR_QUERIES_H_

// SPDX-License-Identifier: Apache-2.0
/*!
 * \file tvm/ffi/container/tensor_object.h
 * \brief A tensor object, and one whose memory comes from an allocator.
 */
#ifndef TVM_FFI_CONTAINER_TENSOR_OBJECT_H_
#define TVM_FFI_CONTAINER_TENSOR_OBJECT_H_

#include <tvm/ffi/container/shape.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/object.h>

#include <type_traits>
#include <utility>

namespace tvm {
namespace ffi TVM_FFI_HIDDEN {

/*! \brief A tensor object: an object header, then a DLTensor. */
class TensorObj : public Object, public DLTensor {
 public:
  /*! \brief Fixed type index. */
  static constexpr int32_t _type_index = kTVMFFITensor;
  /*! \brief No other type derives from it. */
  static constexpr bool _type_final = true;
  /*! \brief The data of a tensor can be written through any of its handles. */
  static constexpr bool _type_mutable = true;
  TVM_FFI_DECLARE_OBJECT_INFO_STATIC("ffi.Tensor", TensorObj, Object)
};

static_assert(sizeof(TensorObj) == sizeof(TVMFFIObject) + sizeof(DLTensor),
              "a tensor object is an object head and a DLTensor");

namespace detail {

// A tensor with memory from an allocator; a copy of that, the shape and the strides follow it.
template <typename Alloc>
class NDAllocObj : public TensorObj {
 public:
  static constexpr bool _type_ends_no_object = std::is_trivially_destructible<Alloc>::value;
  // `steps` is NULL for row-major order.
  template <typename... ExtraArgs>
  NDAllocObj(Alloc&& alloc, ShapeView extents, const int64_t* steps, DLDataType element_type,
             DLDevice on, ExtraArgs&&... extra_args)
      : alloc_(std::move(alloc)) {
    data = nullptr;
    device = on;
    ndim = static_cast<int32_t>(extents.size());
    dtype = element_type;
    shape = reinterpret_cast<int64_t*>(this + 1);
    strides = shape + ndim;
    byte_offset = 0;
    int64_t step = 1;
    for (int32_t i = ndim - 1; i >= 0; --i) {
      const int64_t extent = extents[static_cast<size_t>(i)];
      shape[i] = extent;
      strides[i] = steps == nullptr ? step : steps[i];
      step *= extent;
    }
    alloc_.AllocData(this, std::forward<ExtraArgs>(extra_args)...);
  }
  NDAllocObj(const NDAllocObj&) = delete;
  NDAllocObj& operator=(const NDAllocObj&) = delete;
  ~NDAllocObj() {
    try {
      alloc_.FreeData(this);
    } catch (...) {
      LogCurrentException("Tensor::FromNDAlloc: FreeData");
    }
  }

 private:
  Alloc alloc_;
};

}  // namespace detail
}  // namespace ffi TVM_FFI_HIDDEN
}  // namespace tvm

#endif  // TVM_FFI_CONTAINER_TENSOR_OBJECT_H_

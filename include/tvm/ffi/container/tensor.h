// SPDX-License-Identifier: Apache-2.0
/*!
 * \file tvm/ffi/container/tensor.h
 * \brief Tensors: TensorView borrows one for a kernel, Tensor owns one.
 */
#ifndef TVM_FFI_CONTAINER_TENSOR_H_
#define TVM_FFI_CONTAINER_TENSOR_H_

#include <tvm/ffi/container/array.h>  // for libraries that include this header only
#include <tvm/ffi/container/shape.h>
#include <tvm/ffi/container/tensor_layout.h>
#include <tvm/ffi/container/tensor_object.h>
#include <tvm/ffi/container/tensor_queries.h>
#include <tvm/ffi/keep_library.h>
#include <tvm/ffi/optional.h>
#include <tvm/ffi/string.h>

#include <new>
#include <optional>
#include <string>
#include <utility>

namespace tvm {
namespace ffi TVM_FFI_HIDDEN {

namespace detail {

// Returns `tensor`; throws a ValueError if it is NULL.
inline const DLTensor* NotNull(const char* function, const DLTensor* tensor) {
  TVM_FFI_CHECK(tensor != nullptr, ValueError)
      << function << ": expected a tensor, got a null handle";
  return tensor;
}

// Extents on the heap. (std::unique_ptr would bring all of <memory> into every kernel file.)
class OwnedExtents {
 public:
  OwnedExtents() = default;
  explicit OwnedExtents(size_t count) : data_(new int64_t[count]) {}
  OwnedExtents(const OwnedExtents&) = delete;
  OwnedExtents& operator=(const OwnedExtents&) = delete;
  ~OwnedExtents() { delete[] data_; }
  int64_t* get() const { return data_; }
  void reset(size_t count) { delete[] std::exchange(data_, new int64_t[count]); }

 private:
  int64_t* data_ = nullptr;
};

}  // namespace detail

/*!
 * \brief A handle that shares ownership of a tensor.
 *
 * Use it to return or store a tensor; for kernel parameters, use TensorView.
 */
class Tensor : public ObjectRef, public TensorQueries<Tensor> {
 public:
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(Tensor, ObjectRef, TensorObj);

  /*! \brief The tensor, valid while this object lives. */
  const DLTensor* GetDLTensorPtr() const { return get(); }

  /*!
   * \brief Allocates through the framework that made the current call, as `torch.empty` would.
   * \param env_alloc TVMFFIEnvTensorAlloc.
   * \param shape Extents.
   * \param dtype Element type.
   * \param device Device.
   * \return A contiguous tensor; its contents are undefined.
   * \throws Error Whatever the allocator raises, for example when out of memory.
   */
  static Tensor FromEnvAlloc(int (*env_alloc)(DLTensor*, TVMFFIObjectHandle*), ShapeView shape,
                             DLDataType dtype, DLDevice device) {
    DLTensor prototype{};
    prototype.device = device;
    prototype.ndim = static_cast<int32_t>(shape.size());
    prototype.dtype = dtype;
    prototype.shape = const_cast<int64_t*>(shape.data());
    TVMFFIObjectHandle handle = nullptr;
    TVM_FFI_CHECK_SAFE_CALL(env_alloc(&prototype, &handle));
    return Tensor(ObjectUnsafe::PtrFromOwned<TensorObj>(handle));
  }

  /*!
   * \brief FromEnvAlloc with the given strides. This runtime only: the published headers lack it.
   * \param env_alloc TVMFFIEnvTensorAlloc.
   * \param shape Extents.
   * \param strides Strides in elements: not negative, and such that no two elements overlap.
   * \param dtype Element type.
   * \param device Device.
   * \return A tensor whose memory spans the first to the last element, gaps included.
   * \throws Error A ValueError for invalid strides; whatever the allocator raises.
   */
  static Tensor FromEnvAllocStrided(int (*env_alloc)(DLTensor*, TVMFFIObjectHandle*),
                                    ShapeView shape, ShapeView strides, DLDataType dtype,
                                    DLDevice device) {
    const int64_t span = detail::CheckedSpan("FromEnvAllocStrided", shape, strides, dtype);
    if (span != 0) detail::CheckNoOverlap("FromEnvAllocStrided", shape, strides);
    return FromEnvAlloc(env_alloc, ShapeView(&span, 1), dtype, device).as_strided(shape, strides);
  }

  /*!
   * \brief Allocates with the library's own allocator, for example one over `malloc`.
   *
   * The calling library then stays loaded, because its code frees the tensor.
   *
   * With `malloc`:
   * \snippet kernel_library/allocators/allocators_kernel.cc aligned_malloc
   * \snippet kernel_library/allocators/allocators_kernel.cc empty
   *
   * With `cudaMalloc`, and with `cudaMallocAsync` on the caller's stream:
   * \snippet kernel_library/allocators/allocators_kernel.cu cuda_malloc
   * \snippet kernel_library/allocators/allocators_kernel.cu cuda_malloc_async
   * \snippet kernel_library/allocators/allocators_kernel.cu empty_async
   *
   * With `nvshmem_malloc`, which all processes of a job call together:
   * \snippet kernel_library/allocators/nvshmem_allocator.cu nvshmem_malloc
   *
   * \param alloc Has `AllocData(DLTensor* tensor, extra_args...)`, which sets `tensor->data` to
   *        memory for `GetDataSize(*tensor)` bytes or throws, and `FreeData(DLTensor* tensor)`. A
   *        copy is kept with the tensor. FreeData must not throw: no caller could catch the
   *        exception, so it is written to stderr.
   * \param shape Extents.
   * \param dtype Element type.
   * \param device Device.
   * \param extra_args Forwarded to AllocData.
   * \return A contiguous tensor.
   * \throws Error A ValueError or MemoryError for an impossible shape; whatever AllocData throws.
   */
  template <typename Alloc, typename... ExtraArgs>
  static Tensor FromNDAlloc(Alloc alloc, ShapeView shape, DLDataType dtype, DLDevice device,
                            ExtraArgs&&... extra_args) {
    detail::CheckedNumel("FromNDAlloc", shape, dtype);
    return Allocate(std::move(alloc), shape, nullptr, dtype, device,
                    std::forward<ExtraArgs>(extra_args)...);
  }

  /*!
   * \brief FromNDAlloc with the given strides, which must not be negative.
   *
   * AllocData must allocate all bytes that `tensor->shape` and `tensor->strides` span, gaps
   * included: GetSpanSize().
   * \snippet kernel_library/allocators/allocators_kernel.cc empty_strided
   *
   * \param alloc As for FromNDAlloc.
   * \param shape Extents.
   * \param strides Strides in elements.
   * \param dtype Element type.
   * \param device Device.
   * \param extra_args Forwarded to AllocData.
   * \return A tensor with these strides.
   * \throws Error A ValueError or MemoryError for an impossible shape; whatever AllocData throws.
   */
  template <typename Alloc, typename... ExtraArgs>
  static Tensor FromNDAllocStrided(Alloc alloc, ShapeView shape, ShapeView strides,
                                   DLDataType dtype, DLDevice device, ExtraArgs&&... extra_args) {
    detail::CheckedSpan("FromNDAllocStrided", shape, strides, dtype);
    return Allocate(std::move(alloc), shape, strides.data(), dtype, device,
                    std::forward<ExtraArgs>(extra_args)...);
  }

  /*!
   * \brief A tensor with another shape and strides on the same memory, which it keeps alive.
   *
   * The bounds of the memory are not checked.
   * \param shape Extents.
   * \param strides Strides in elements.
   * \param element_offset Elements from the first element of this tensor to that of the new one.
   * \throws Error A ValueError for a null handle, or if the numbers of extents and strides differ,
   *         an extent is negative, or the offset is not a whole number of bytes.
   */
  Tensor as_strided(ShapeView shape, ShapeView strides,
                    std::optional<int64_t> element_offset = std::nullopt) const {
    const DLTensor& from = *detail::NotNull("as_strided", GetDLTensorPtr());
    const DLTensor prototype = detail::AsStrided(from, shape, strides, element_offset);
    TVMFFIObjectHandle handle = nullptr;
    TVM_FFI_CHECK_SAFE_CALL(
        TVMFFITensorCreateUnsafeView(ObjectUnsafe::Borrow(*this), &prototype, &handle));
    return Tensor(ObjectUnsafe::PtrFromOwned<TensorObj>(handle));
  }

  /*!
   * \brief Takes ownership of a managed tensor in the pre-1.0 DLPack format; its deleter runs when
   * the last owner is destroyed.
   * \param from The tensor; on failure, the caller keeps ownership.
   * \param require_alignment Required alignment of the data in bytes; 0 for any.
   * \param require_contiguous Whether to reject a tensor that is not contiguous.
   * \throws Error A ValueError if a requirement is not met.
   */
  static Tensor FromDLPack(DLManagedTensor* from, size_t require_alignment = 0,
                           bool require_contiguous = false) {
    TVMFFIObjectHandle handle = nullptr;
    TVM_FFI_CHECK_SAFE_CALL(TVMFFITensorFromDLPack(from, static_cast<int32_t>(require_alignment),
                                                   require_contiguous, &handle));
    return Tensor(ObjectUnsafe::PtrFromOwned<TensorObj>(handle));
  }
  /*! \brief FromDLPack for DLPack 1.x; throws a ValueError for another major version. */
  static Tensor FromDLPackVersioned(DLManagedTensorVersioned* from, size_t require_alignment = 0,
                                    bool require_contiguous = false) {
    TVMFFIObjectHandle handle = nullptr;
    TVM_FFI_CHECK_SAFE_CALL(TVMFFITensorFromDLPackVersioned(
        from, static_cast<int32_t>(require_alignment), require_contiguous, &handle));
    return Tensor(ObjectUnsafe::PtrFromOwned<TensorObj>(handle));
  }
  /*! \brief Exports a reference in the pre-1.0 DLPack format; the receiver calls its deleter. */
  DLManagedTensor* ToDLPack() const {
    DLManagedTensor* out = nullptr;
    TVM_FFI_CHECK_SAFE_CALL(TVMFFITensorToDLPack(data_.get(), &out));
    return out;
  }
  /*! \brief Exports a reference in the DLPack 1.x format; the receiver calls its deleter. */
  DLManagedTensorVersioned* ToDLPackVersioned() const {
    DLManagedTensorVersioned* out = nullptr;
    TVM_FFI_CHECK_SAFE_CALL(TVMFFITensorToDLPackVersioned(data_.get(), &out));
    return out;
  }

 private:
  // `strides` is NULL for row-major order.
  template <typename Alloc, typename... ExtraArgs>
  static Tensor Allocate(Alloc&& alloc, ShapeView shape, const int64_t* strides, DLDataType dtype,
                         DLDevice device, ExtraArgs&&... extra_args) {
    detail::KeepLibrary();
    using Obj = detail::NDAllocObj<Alloc>;
    static_assert(alignof(Obj) >= alignof(int64_t), "the extents behind it are aligned");
    return Tensor(detail::MakeObjectWithTail<Obj>(2 * shape.size() * sizeof(int64_t),
                                                  std::move(alloc), shape, strides, dtype, device,
                                                  std::forward<ExtraArgs>(extra_args)...));
  }
};

/*!
 * \brief A borrowed tensor, laid out like DLTensor: the parameter type of kernels.
 *
 * A view must not outlive its owner. If addresses in device memory support arithmetic, the byte
 * offset is added to the address when the view is created, so that data_ptr() points to the first
 * element.
 */
class TensorView : public TensorQueries<TensorView> {
 public:
  /*! \brief Refers to `tensor`, which must not be NULL; valid while its shape, strides and data
   * live. */
  TensorView(const DLTensor* tensor) : tensor_(*tensor) {  // NOLINT(runtime/explicit)
    if (tensor->byte_offset != 0) AddByteOffset();
  }
  /*! \brief Refers to an owned tensor; throws a ValueError for a null handle. */
  TensorView(const Tensor& tensor)  // NOLINT(runtime/explicit)
      : TensorView(detail::NotNull("TensorView", tensor.GetDLTensorPtr())) {}
  /*! \brief A view of a temporary would outlive its owner. */
  TensorView(Tensor&& tensor) = delete;  // NOLINT(runtime/explicit)

  /*!
   * \brief A view with another shape and strides on the same memory.
   *
   * The view refers to the given extents and strides, which must outlive it. The bounds of the
   * memory are not checked.
   * \param shape Extents.
   * \param strides Strides in elements.
   * \param element_offset Elements from the first element of this view to that of the new one.
   * \throws Error As for Tensor::as_strided.
   */
  TensorView as_strided(ShapeView shape, ShapeView strides,
                        std::optional<int64_t> element_offset = std::nullopt) const {
    const DLTensor view = detail::AsStrided(tensor_, shape, strides, element_offset);
    return TensorView(&view);
  }

  /*! \brief The tensor, valid while this object and the owner live. */
  const DLTensor* GetDLTensorPtr() const { return &tensor_; }

 private:
  friend class detail::ArgumentHolder<TensorView>;

  TVM_FFI_COLD void AddByteOffset() {
    if (!HasPlainAddresses(tensor_.device)) return;
    tensor_.data = static_cast<char*>(tensor_.data) + tensor_.byte_offset;
    tensor_.byte_offset = 0;
  }

  DLTensor tensor_;
};

static_assert(sizeof(TensorView) == sizeof(DLTensor), "TensorView is laid out like DLTensor");

/*! \brief Size in bytes of the elements without gaps; throws a ValueError for a null handle. */
inline size_t GetDataSize(const Tensor& tensor) {
  return GetDataSize(*detail::NotNull("GetDataSize", tensor.GetDLTensorPtr()));
}
/*! \brief Size in bytes of the elements without gaps. */
inline size_t GetDataSize(const TensorView& tensor) {
  return GetDataSize(*tensor.GetDLTensorPtr());
}

template <>
struct TypeTraits<Tensor> : public ObjectRefTraits<Tensor> {
  // None is not a tensor, although a handle may be null.
  static bool CheckAnyStrict(const TVMFFIAny* any) {
    return any->type_index != kTVMFFINone && ObjectRefTraits<Tensor>::CheckAnyStrict(any);
  }
  static std::optional<Tensor> TryCastFromAnyView(const TVMFFIAny* any) {
    if (!CheckAnyStrict(any)) return std::nullopt;
    return CopyFromAnyViewAfterCheck(any);
  }
  static std::string TypeStr() { return "Tensor"; }
  static std::string TypeSchema() { return detail::SchemaText("ffi.Tensor"); }
};

/*! \brief Borrowed tensors: an owned tensor converts to them, never the reverse. */
template <>
struct TypeTraits<DLTensor*> : public detail::InPlaceTraits<DLTensor*, TypeTraits<DLTensor*>> {
  static void CopyToAnyView(DLTensor* value, TVMFFIAny* out) {
    Set(out, value == nullptr ? kTVMFFINone : kTVMFFIDLTensorPtr);
    out->v_ptr = value;
  }
  static void MoveToAny(DLTensor* value, TVMFFIAny* out) = delete;  // It would have no owner.
  static bool CheckAnyStrict(const TVMFFIAny* any) {
    return any->type_index == kTVMFFIDLTensorPtr || any->type_index == kTVMFFITensor;
  }
  static DLTensor* CopyFromAnyViewAfterCheck(const TVMFFIAny* any) {
    if (any->type_index == kTVMFFIDLTensorPtr) return static_cast<DLTensor*>(any->v_ptr);
    return static_cast<TensorObj*>(reinterpret_cast<Object*>(any->v_obj));
  }
  static std::string TypeStr() { return "Tensor"; }
  static std::string TypeSchema() { return detail::SchemaText("DLTensor*"); }
};

template <>
struct TypeTraits<TensorView> : public detail::TypeTraitsBase {
  static void CopyToAnyView(const TensorView& value, TVMFFIAny* out) {
    Set(out, kTVMFFIDLTensorPtr);
    out->v_ptr = const_cast<DLTensor*>(value.GetDLTensorPtr());
  }
  // A NULL pointer is not a tensor, nor is one with a negative number of dimensions.
  static bool CheckAnyStrict(const TVMFFIAny* any) {
    return TypeTraits<DLTensor*>::CheckAnyStrict(any) && any->v_ptr != nullptr &&
           TypeTraits<DLTensor*>::CopyFromAnyViewAfterCheck(any)->ndim >= 0;
  }
  static TensorView CopyFromAnyViewAfterCheck(const TVMFFIAny* any) {
    return TensorView(TypeTraits<DLTensor*>::CopyFromAnyViewAfterCheck(any));
  }
  static std::optional<TensorView> TryCastFromAnyView(const TVMFFIAny* any) {
    if (!CheckAnyStrict(any)) return std::nullopt;
    return CopyFromAnyViewAfterCheck(any);
  }
  static std::string TypeStr() { return "Tensor"; }
  static std::string TypeSchema() { return detail::SchemaText("DLTensor*"); }
};

namespace detail {

// Provides a borrowed tensor without strides with row-major ones for the duration of the call.
template <>
class ArgumentHolder<TensorView> {
 public:
  explicit ArgumentHolder(const TVMFFIAny* any) {
    if (!TypeTraits<TensorView>::CheckAnyStrict(any)) return;
    const DLTensor* given = TypeTraits<DLTensor*>::CopyFromAnyViewAfterCheck(any);
    new (&view_) TensorView(given);
    if (given->strides == nullptr) FillStrides();
    has_value_ = true;
  }
  bool has_value() const { return has_value_; }
  const TensorView& operator*() const& { return view_; }
  TensorView&& operator*() && { return std::move(view_); }

 private:
  TVM_FFI_COLD void FillStrides() {
    DLTensor& tensor = view_.tensor_;
    int64_t* strides = few_;
    if (tensor.ndim > kFew) {
      many_.reset(static_cast<size_t>(tensor.ndim));
      strides = many_.get();
    }
    int64_t step = 1;
    for (int32_t i = tensor.ndim - 1; i >= 0; --i) {
      strides[i] = step;
      step *= tensor.shape[i];
    }
    tensor.strides = strides;
  }

  union {
    TensorView view_;  // constructed if a tensor is given
  };
  bool has_value_ = false;
  static constexpr int32_t kFew = 8;
  int64_t few_[kFew];
  OwnedExtents many_;
};

}  // namespace detail
}  // namespace ffi TVM_FFI_HIDDEN
}  // namespace tvm

#endif  // TVM_FFI_CONTAINER_TENSOR_H_

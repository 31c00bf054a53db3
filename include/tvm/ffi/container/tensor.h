// SPDX-License-Identifier: Apache-2.0
/*!
 * \file tvm/ffi/container/tensor.h
 * \brief Tensors: TensorView lends one to a kernel, Tensor owns one.
 */
#ifndef TVM_FFI_CONTAINER_TENSOR_H_
#define TVM_FFI_CONTAINER_TENSOR_H_

#include <tvm/ffi/container/shape.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace tvm {
namespace ffi TVM_FFI_HIDDEN {

/*! \brief Number of elements: the product of the extents, 1 for a 0-dim tensor. */
inline int64_t GetNumel(const DLTensor& tensor) {
  return ShapeView(tensor.shape, static_cast<size_t>(tensor.ndim)).Product();
}

/*! \brief Size in bytes of the elements without gaps; sub-byte elements are packed. */
inline size_t GetDataSize(const DLTensor& tensor) {
  return GetDataSize(GetNumel(tensor), tensor.dtype);
}

/*!
 * \brief Whether the elements stand without gaps in row-major order.
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

/*! \brief What Tensor and TensorView tell about a tensor. Derived has `GetDLTensorPtr()`. */
template <typename Derived>
class TensorQueries {
 public:
  /*! \brief Address of the data on device(); add byte_offset() for the first element. */
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
  /*! \brief Extent of a dimension; -1 is the last one. An IndexError is thrown beyond the ends. */
  int64_t size(int64_t dimension) const { return dl().shape[Index("size", dimension)]; }
  /*!
   * \brief Steps in elements; valid while the tensor lives.
   *
   * Every tensor that comes as an argument has them. A ValueError is thrown for a view that was
   * made by hand of a DLTensor without strides; stride() answers for that too.
   */
  ShapeView strides() const {
    TVM_FFI_CHECK(dl().strides != nullptr || dl().ndim == 0, ValueError)
        << "strides: expected a tensor with strides, got NULL, which means row-major; use "
           "stride(i)";
    return ShapeView(dl().strides, static_cast<size_t>(dl().ndim));
  }
  /*! \brief Step of a dimension in elements; -1 is the last one. An IndexError is thrown beyond the
   * ends. */
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
  /*! \brief Whether the elements stand without gaps in row-major order. */
  bool IsContiguous() const { return ffi::IsContiguous(dl()); }
  /*! \brief Whether the elements stand without gaps in row-major order. */
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

/*! \brief A tensor object: the head of an object, then a DLTensor. */
class TensorObj : public Object, public DLTensor {
 public:
  /*! \brief Fixed index of the type. */
  static constexpr int32_t _type_index = kTVMFFITensor;
  /*! \brief No other type derives from it. */
  static constexpr bool _type_final = true;
  /*! \brief The data of a tensor can be written through any handle of it. */
  static constexpr bool _type_mutable = true;
  TVM_FFI_DECLARE_OBJECT_INFO_STATIC("ffi.Tensor", TensorObj, Object)
};

/*!
 * \brief A tensor that this object owns a share of.
 *
 * Use it to return a tensor or to store one; parameters of kernels are TensorView.
 */
class Tensor : public ObjectRef, public TensorQueries<Tensor> {
 public:
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(Tensor, ObjectRef, TensorObj);

  /*! \brief The tensor, valid while this object lives. */
  const DLTensor* GetDLTensorPtr() const { return get(); }

  /*!
   * \brief Allocates by the framework that made the current call, as `torch.empty` would.
   * \param env_alloc TVMFFIEnvTensorAlloc.
   * \param shape Extents.
   * \param dtype Element type.
   * \param device Device.
   * \return A contiguous tensor; its contents are undefined.
   * \throws Error What the allocator raised, for example that memory is short.
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
   * \brief Takes over a tensor from before DLPack 1.0; its deleter runs when the last owner is
   * gone.
   * \param from The tensor; on failure it stays with the caller.
   * \param require_alignment Alignment in bytes that the data must have; 0 for any.
   * \param require_contiguous Whether to refuse a tensor that is not contiguous.
   * \throws Error A ValueError when a requirement does not hold.
   */
  static Tensor FromDLPack(DLManagedTensor* from, size_t require_alignment = 0,
                           bool require_contiguous = false) {
    TVMFFIObjectHandle handle = nullptr;
    TVM_FFI_CHECK_SAFE_CALL(TVMFFITensorFromDLPack(from, static_cast<int32_t>(require_alignment),
                                                   require_contiguous, &handle));
    return Tensor(ObjectUnsafe::PtrFromOwned<TensorObj>(handle));
  }
  /*! \brief FromDLPack for DLPack 1.x; a tensor of another major version is refused. */
  static Tensor FromDLPackVersioned(DLManagedTensorVersioned* from, size_t require_alignment = 0,
                                    bool require_contiguous = false) {
    TVMFFIObjectHandle handle = nullptr;
    TVM_FFI_CHECK_SAFE_CALL(TVMFFITensorFromDLPackVersioned(
        from, static_cast<int32_t>(require_alignment), require_contiguous, &handle));
    return Tensor(ObjectUnsafe::PtrFromOwned<TensorObj>(handle));
  }
  /*! \brief Exports a share in the form from before DLPack 1.0; the receiver calls its deleter. */
  DLManagedTensor* ToDLPack() const {
    DLManagedTensor* out = nullptr;
    TVM_FFI_CHECK_SAFE_CALL(TVMFFITensorToDLPack(data_.get(), &out));
    return out;
  }
  /*! \brief Exports a share in the form of DLPack 1.x; the receiver calls its deleter. */
  DLManagedTensorVersioned* ToDLPackVersioned() const {
    DLManagedTensorVersioned* out = nullptr;
    TVM_FFI_CHECK_SAFE_CALL(TVMFFITensorToDLPackVersioned(data_.get(), &out));
    return out;
  }
};

/*!
 * \brief A tensor that somebody else owns, laid out like DLTensor: what a kernel takes.
 *
 * Never keep one longer than its owner. Where addresses of the device's memory allow arithmetic,
 * the byte offset is added to the address when the view is made, so that data_ptr() is the first
 * element.
 */
class TensorView : public TensorQueries<TensorView> {
 public:
  /*! \brief A view of `tensor`, valid while its shape, its strides and its data live. */
  TensorView(const DLTensor* tensor) : tensor_(*tensor) {  // NOLINT(runtime/explicit)
    if (tensor_.byte_offset != 0 && HasPlainAddresses(tensor_.device)) {
      tensor_.data = static_cast<char*>(tensor_.data) + tensor_.byte_offset;
      tensor_.byte_offset = 0;
    }
  }
  /*! \brief A view of an owned tensor; never of a temporary. */
  TensorView(const Tensor& tensor) : TensorView(tensor.GetDLTensorPtr()) {}  // NOLINT

  /*! \brief The tensor, valid while this object and the owner live. */
  const DLTensor* GetDLTensorPtr() const { return &tensor_; }

 private:
  friend class detail::ArgumentHolder<TensorView>;

  DLTensor tensor_;
};

static_assert(sizeof(TensorView) == sizeof(DLTensor), "TensorView is laid out like DLTensor");
static_assert(sizeof(TensorObj) == sizeof(TVMFFIObject) + sizeof(DLTensor),
              "a tensor object is an object head and a DLTensor");

template <>
struct TypeTraits<Tensor> : public ObjectRefTraits<Tensor> {
  // None is no tensor, although a handle may be null.
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

/*! \brief Lent tensors: an owned tensor converts to them, never the reverse. */
template <>
struct TypeTraits<DLTensor*> : public detail::InPlaceTraits<DLTensor*, TypeTraits<DLTensor*>> {
  static void CopyToAnyView(DLTensor* value, TVMFFIAny* out) {
    Set(out, value == nullptr ? kTVMFFINone : kTVMFFIDLTensorPtr);
    out->v_ptr = value;
  }
  static void MoveToAny(DLTensor* value, TVMFFIAny* out) = delete;  // Nobody would own it.
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
  static bool CheckAnyStrict(const TVMFFIAny* any) {
    return TypeTraits<DLTensor*>::CheckAnyStrict(any);
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

// Gives a lent tensor without strides its row-major ones for the length of the call.
template <>
class ArgumentHolder<TensorView> : public std::optional<TensorView> {
 public:
  explicit ArgumentHolder(const TVMFFIAny* any)
      : std::optional<TensorView>(TypeTraits<TensorView>::TryCastFromAnyView(any)) {
    if (has_value() && (*this)->tensor_.strides == nullptr) FillStrides();
  }

 private:
  TVM_FFI_COLD void FillStrides() {
    DLTensor& tensor = (*this)->tensor_;
    int64_t* strides = few_;
    if (tensor.ndim > kFew) {
      many_ = std::make_unique<int64_t[]>(static_cast<size_t>(tensor.ndim));
      strides = many_.get();
    }
    int64_t step = 1;
    for (int32_t i = tensor.ndim - 1; i >= 0; --i) {
      strides[i] = step;
      step *= tensor.shape[i];
    }
    tensor.strides = strides;
  }

  static constexpr int32_t kFew = 8;
  int64_t few_[kFew];
  std::unique_ptr<int64_t[]> many_;
};

}  // namespace detail
}  // namespace ffi TVM_FFI_HIDDEN
}  // namespace tvm

#endif  // TVM_FFI_CONTAINER_TENSOR_H_

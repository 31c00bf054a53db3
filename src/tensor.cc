// SPDX-License-Identifier: Apache-2.0
// Conversion between Tensor objects and DLPack.
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/function.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "arguments.h"
#include "env_host.h"

namespace ffi = tvm::ffi;

namespace {

// The size of the strides of a tensor without its own; they follow the object.
size_t StridesTail(const DLTensor& from) {
  return from.strides == nullptr ? static_cast<size_t>(from.ndim) * sizeof(int64_t) : 0;
}

// Folds the byte offset into the address where possible, and fills in missing strides.
void Normalize(DLTensor* tensor, int64_t* tail) {
  if (tensor->byte_offset != 0 && ffi::HasPlainAddresses(tensor->device)) {
    tensor->data = static_cast<char*>(tensor->data) + tensor->byte_offset;
    tensor->byte_offset = 0;
  }
  if (tensor->strides != nullptr) return;
  int64_t step = 1;
  for (int32_t i = tensor->ndim - 1; i >= 0; --i) {
    tail[i] = step;
    step *= tensor->shape[i];
  }
  tensor->strides = tail;
}

// Rejects extents for which strides, the products of the extents after them, exceed 64 bits.
void CheckExtents(const char* function, const char* argument, const DLTensor& tensor) {
  const ffi::ShapeView shape(tensor.shape, static_cast<size_t>(tensor.ndim));
  int64_t numel = 1;
  bool fits = true;
  for (size_t i = shape.size(); i-- > 0;) {
    TVM_FFI_CHECK(shape[i] >= 0, ValueError)
        << function << ": " << argument << ": expected extents that are not negative, got shape "
        << shape;
    fits = fits && !__builtin_mul_overflow(numel, shape[i], &numel);
  }
  TVM_FFI_CHECK(fits, ValueError) << function << ": " << argument
                                  << ": expected strides that fit in 64 bits, got shape " << shape;
}

// Owns a managed tensor of either DLPack version.
template <typename Managed>
class ManagedTensorObj : public ffi::TensorObj {
 public:
  explicit ManagedTensorObj(Managed* managed) : managed_(managed) {
    static_cast<DLTensor&>(*this) = managed->dl_tensor;
    Normalize(this, reinterpret_cast<int64_t*>(this + 1));
  }
  ~ManagedTensorObj() {
    if (managed_->deleter != nullptr) managed_->deleter(managed_);
  }
  const Managed& managed() const { return *managed_; }

 private:
  Managed* managed_;
};

// A tensor that keeps another object alive.
class ViewTensorObj : public ffi::TensorObj {
 public:
  ViewTensorObj(ffi::ObjectPtr<ffi::Object> source, const DLTensor& prototype)
      : source_(std::move(source)) {
    static_cast<DLTensor&>(*this) = prototype;
    auto* tail = reinterpret_cast<int64_t*>(this + 1);
    shape = std::copy_n(prototype.shape, prototype.ndim, tail) - prototype.ndim;
    if (prototype.strides != nullptr) {
      strides = std::copy_n(prototype.strides, prototype.ndim, tail + ndim) - ndim;
    }
    Normalize(this, tail + ndim);
  }
  ffi::Object* source() const { return source_.get(); }

 private:
  ffi::ObjectPtr<ffi::Object> source_;
};

ffi::ObjectPtr<ffi::TensorObj> TensorFrom(const char* function, TVMFFIObjectHandle handle) {
  auto* object = static_cast<ffi::Object*>(handle);
  TVM_FFI_CHECK(object != nullptr && object->type_index() == kTVMFFITensor, TypeError)
      << function << ": expected a Tensor, got "
      << (object == nullptr ? "NULL" : "an object of another type");
  return ffi::ObjectUnsafe::PtrFromBorrowed<ffi::TensorObj>(handle);
}

template <typename Managed>
TVMFFIObjectHandle Import(const char* function, Managed* from, int32_t require_alignment,
                          int32_t require_contiguous) {
  TVM_FFI_CHECK(from != nullptr, ValueError)
      << function << ": from: expected a managed tensor, got NULL";
  const DLTensor& tensor = from->dl_tensor;
  ffi::CheckDimensions(function, "from", tensor);
  CheckExtents(function, "from", tensor);
  TVM_FFI_CHECK(
      require_alignment == 0 || ffi::IsAligned(tensor, static_cast<size_t>(require_alignment)),
      ValueError)
      << function << ": from: expected data aligned to " << require_alignment
      << " bytes, got address " << tensor.data << " and byte offset " << tensor.byte_offset;
  const ffi::ShapeView shape(tensor.shape, static_cast<size_t>(tensor.ndim));
  TVM_FFI_CHECK(require_contiguous == 0 || ffi::IsContiguous(tensor), ValueError)
      << function << ": from: expected a contiguous tensor, got shape " << shape << " and strides "
      << ffi::ShapeView(tensor.strides, static_cast<size_t>(tensor.ndim));
  return ffi::ObjectUnsafe::MoveToOwned(
      ffi::detail::MakeObjectWithTail<ManagedTensorObj<Managed>>(StridesTail(tensor), from));
}

// A managed tensor that shares ownership of a Tensor object.
template <typename Managed>
struct Export {
  Managed managed{};
  ffi::ObjectPtr<ffi::TensorObj> tensor;

  static Managed* Make(ffi::ObjectPtr<ffi::TensorObj> tensor) {
    auto exported = std::make_unique<Export>();
    exported->managed.dl_tensor = *tensor;
    exported->managed.manager_ctx = exported.get();
    exported->managed.deleter = [](Managed* self) {
      delete static_cast<Export*>(self->manager_ctx);
    };
    exported->tensor = std::move(tensor);
    return &exported.release()->managed;
  }
};

using Versioned = ManagedTensorObj<DLManagedTensorVersioned>;

template <typename T>
bool WasMadeAs(ffi::Object* object) {
  return ffi::detail::IsMadeAs<T>(ffi::ObjectUnsafe::Header(object));
}

// The DLPack flags with which this library or the host imported a tensor, or the one that it is a
// view of; 0 for any other tensor.
uint64_t FlagsOf(ffi::Object* tensor) {
  while (WasMadeAs<ViewTensorObj>(tensor)) tensor = static_cast<ViewTensorObj*>(tensor)->source();
  if (WasMadeAs<Versioned>(tensor)) return static_cast<Versioned*>(tensor)->managed().flags;
  return ffi::HostTensorFlags(tensor);
}

bool IsReadOnly(const ffi::Tensor& tensor) {
  auto* object = const_cast<ffi::Object*>(tensor.ffi::ObjectRef::get());
  return (FlagsOf(object) & DLPACK_FLAG_BITMASK_READ_ONLY) != 0;
}

const bool registered = [] {
  constexpr const char* kName = "ffi.TensorIsReadOnly";
  ffi::Function::SetGlobal(kName, ffi::Function::FromTyped(IsReadOnly, kName));
  return true;
}();

}  // namespace

extern "C" {

int TVMFFITensorFromDLPack(DLManagedTensor* from, int32_t require_alignment,
                           int32_t require_contiguous, TVMFFIObjectHandle* out) {
  TVM_FFI_SAFE_CALL_BEGIN();
  TVMFFIObjectHandle& result = ffi::Given("TVMFFITensorFromDLPack: out", out);
  result = Import("TVMFFITensorFromDLPack", from, require_alignment, require_contiguous);
  TVM_FFI_SAFE_CALL_END();
}

int TVMFFITensorFromDLPackVersioned(DLManagedTensorVersioned* from, int32_t require_alignment,
                                    int32_t require_contiguous, TVMFFIObjectHandle* out) {
  TVM_FFI_SAFE_CALL_BEGIN();
  TVM_FFI_CHECK(from != nullptr, ValueError)
      << "TVMFFITensorFromDLPackVersioned: from: expected a managed tensor, got NULL";
  TVM_FFI_CHECK(from->version.major == DLPACK_MAJOR_VERSION, ValueError)
      << "TVMFFITensorFromDLPackVersioned: from: expected DLPack " << DLPACK_MAJOR_VERSION
      << ".x, got " << from->version.major << "." << from->version.minor;
  TVMFFIObjectHandle& result = ffi::Given("TVMFFITensorFromDLPackVersioned: out", out);
  result = Import("TVMFFITensorFromDLPackVersioned", from, require_alignment, require_contiguous);
  TVM_FFI_SAFE_CALL_END();
}

int TVMFFITensorToDLPack(TVMFFIObjectHandle from, DLManagedTensor** out) {
  TVM_FFI_SAFE_CALL_BEGIN();
  DLManagedTensor*& result = ffi::Given("TVMFFITensorToDLPack: out", out);
  result = Export<DLManagedTensor>::Make(TensorFrom("TVMFFITensorToDLPack: from", from));
  TVM_FFI_SAFE_CALL_END();
}

int TVMFFITensorToDLPackVersioned(TVMFFIObjectHandle from, DLManagedTensorVersioned** out) {
  TVM_FFI_SAFE_CALL_BEGIN();
  ffi::ObjectPtr<ffi::TensorObj> tensor = TensorFrom("TVMFFITensorToDLPackVersioned: from", from);
  const uint64_t flags = FlagsOf(tensor.get());
  DLManagedTensorVersioned*& result = ffi::Given("TVMFFITensorToDLPackVersioned: out", out);
  result = Export<DLManagedTensorVersioned>::Make(std::move(tensor));
  result->version = {DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION};
  result->flags = flags;
  TVM_FFI_SAFE_CALL_END();
}

int TVMFFITensorCreateUnsafeView(TVMFFIObjectHandle source, const DLTensor* prototype,
                                 TVMFFIObjectHandle* out) {
  TVM_FFI_SAFE_CALL_BEGIN();
  TVM_FFI_CHECK(source != nullptr, ValueError)
      << "TVMFFITensorCreateUnsafeView: source: expected an object, got NULL";
  TVM_FFI_CHECK(prototype != nullptr, ValueError)
      << "TVMFFITensorCreateUnsafeView: prototype: expected a tensor, got NULL";
  ffi::CheckDimensions("TVMFFITensorCreateUnsafeView", "prototype", *prototype);
  CheckExtents("TVMFFITensorCreateUnsafeView", "prototype", *prototype);
  TVMFFIObjectHandle& result = ffi::Given("TVMFFITensorCreateUnsafeView: out", out);
  const size_t tail = 2 * static_cast<size_t>(prototype->ndim) * sizeof(int64_t);
  result = ffi::ObjectUnsafe::MoveToOwned(ffi::detail::MakeObjectWithTail<ViewTensorObj>(
      tail, ffi::ObjectUnsafe::PtrFromBorrowed<ffi::Object>(source), *prototype));
  TVM_FFI_SAFE_CALL_END();
}
}

// SPDX-License-Identifier: Apache-2.0
// Helpers shared by structural comparison and structural hashing.
#ifndef SRC_STRUCTURAL_PARTS_H_
#define SRC_STRUCTURAL_PARTS_H_

#include <tvm/ffi/container/tensor.h>

#include <memory>
#include <string>
#include <vector>

#include "reflected.h"

namespace tvm {
namespace ffi TVM_FFI_HIDDEN {

// Which variables the current position defines.
enum Region : int { kNone = 0, kPattern = 1, kSimple = 2 };

inline Region RegionOf(const TVMFFIFieldInfo& field, Region around) {
  if (Has(field, kTVMFFIFieldFlagBitMaskSEqHashDefPattern)) return kPattern;
  if (Has(field, kTVMFFIFieldFlagBitMaskSEqHashDefSimple)) return kSimple;
  return around;
}

// A variable with a simple definition defines no others through its own fields.
inline Region RegionInVariable(Region around) { return around == kSimple ? kNone : around; }

inline TVMFFISEqHashKind KindOf(const char* name, int32_t type) {
  const TVMFFITypeInfo* info = InfoOf(type);
  const TVMFFISEqHashKind kind = info->metadata == nullptr
                                     ? kTVMFFISEqHashKindUnsupported
                                     : info->metadata->structural_eq_hash_kind;
  TVM_FFI_CHECK(kind != kTVMFFISEqHashKindUnsupported, TypeError)
      << name << ": expected types with a structural_eq_hash_kind, got " << TextOf(info->type_key);
  return kind;
}

// The bytes of a host tensor, in row-major order.
inline std::string ContentOf(const char* name, const Tensor& tensor) {
  TVM_FFI_CHECK(tensor.device().device_type == kDLCPU, ValueError)
      << name << ": expected tensors on the CPU, whose content can be read, got one on "
      << DLDeviceToString(tensor.device()) << "; skip_tensor_content leaves it out";
  const DLTensor& dl = *tensor.GetDLTensorPtr();
  const char* data = static_cast<const char*>(dl.data) + dl.byte_offset;
  if (tensor.IsContiguous()) return std::string(data, GetDataSize(dl));
  const size_t bits = static_cast<size_t>(dl.dtype.bits) * dl.dtype.lanes;
  TVM_FFI_CHECK(bits % 8 == 0, ValueError)
      << name << ": expected elements of whole bytes in a tensor that is not contiguous, got "
      << DLDataTypeToString(dl.dtype) << "; skip_tensor_content leaves them out";
  const size_t item = bits / 8;
  std::string content;
  std::vector<int64_t> at(static_cast<size_t>(dl.ndim));
  for (int64_t left = tensor.numel(); left > 0; --left) {
    int64_t place = 0;
    for (size_t i = 0; i < at.size(); ++i) place += at[i] * dl.strides[i];
    content.append(data + place * static_cast<int64_t>(item), item);
    for (size_t i = at.size(); i-- > 0;) {
      if (++at[i] < dl.shape[i]) break;
      at[i] = 0;
    }
  }
  return content;
}

inline bool IsLeaf(int32_t type) {
  return type < kTVMFFIStaticObjectBegin || type == kTVMFFIStr || type == kTVMFFIBytes ||
         type == kTVMFFIBigInt;
}

// A type's own function may keep its callback, but not call it after returning.
struct InUse {
  InUse() : flag(std::make_shared<bool>(true)) {}
  InUse(const InUse&) = delete;
  InUse& operator=(const InUse&) = delete;
  ~InUse() { *flag = false; }

  static void Check(const char* name, bool in_use) {
    TVM_FFI_CHECK(in_use, RuntimeError)
        << name << ": expected a call from the type's own function, got one after it returned";
  }

  std::shared_ptr<bool> flag;
};

}  // namespace ffi TVM_FFI_HIDDEN
}  // namespace tvm

#endif  // SRC_STRUCTURAL_PARTS_H_

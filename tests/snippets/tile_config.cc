// SPDX-License-Identifier: Apache-2.0
// Functions that take objects of a type defined in Python, and an enumeration.
// [include.begin]
#include "tile_config.h"  // written by gen_abi_cpp

#include <tvm/ffi/enum.h>
#include <tvm/ffi/reflection/enum_def.h>
#include <tvm/ffi/tvm_ffi.h>
// [include.end]

namespace {

namespace ffi = tvm::ffi;
namespace refl = tvm::ffi::reflection;

// [mirror.begin]
int64_t shared_bytes(const tile_config::TileConfigObj* config) {
  return config->rows * config->cols * config->stages * config->dtype.bits / 8;
}

TVM_FFI_DLL_EXPORT_TYPED_FUNC(shared_bytes, shared_bytes);
// [mirror.end]

// [enum.begin]
class ActivationObj : public ffi::EnumObj {
 public:
  TVM_FFI_DECLARE_OBJECT_INFO("tile_config.Activation", ActivationObj, ffi::EnumObj);
};

double apply(const ffi::Enum& activation, double x) {
  if (activation->_str_index == "relu") return x > 0 ? x : 0;
  if (activation->_str_index == "square") return x * x;
  TVM_FFI_THROW(ValueError) << "apply: activation: expected relu or square, got "
                            << activation->_str_index;
}

TVM_FFI_STATIC_INIT_BLOCK() {
  refl::ObjectDef<ActivationObj>(refl::init(false));
  refl::EnumDef<ActivationObj>("relu").set_attr("flops", 1);
  refl::EnumDef<ActivationObj>("square").set_attr("flops", 1);
}

TVM_FFI_DLL_EXPORT_TYPED_FUNC(apply, apply);
// [enum.end]

}  // namespace

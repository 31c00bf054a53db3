// SPDX-License-Identifier: Apache-2.0
// A C++ enumeration, for test_enum.py.
#include <tvm/ffi/enum.h>
#include <tvm/ffi/reflection/enum_def.h>
#include <tvm/ffi/tvm_ffi.h>

namespace ffi = tvm::ffi;
namespace refl = tvm::ffi::reflection;

namespace {

class ColourObj : public ffi::EnumObj {
 public:
  TVM_FFI_DECLARE_OBJECT_INFO("colours.Colour", ColourObj, ffi::EnumObj);
};

ffi::Enum Green() { return ffi::EnumObj::_GetByStrIndex<ColourObj>("green"); }

TVM_FFI_STATIC_INIT_BLOCK() {
  refl::ObjectDef<ColourObj>(refl::init(false));
  refl::EnumDef<ColourObj>("red").set_attr("rgb", 0xff0000);
  refl::EnumDef<ColourObj>("green").set_attr("rgb", 0x00ff00);
}

}  // namespace

TVM_FFI_DLL_EXPORT_TYPED_FUNC(green, Green);

// SPDX-License-Identifier: Apache-2.0
// Converts a borrowed value to an owned one.
#include <tvm/ffi/error.h>
#include <tvm/ffi/string.h>

#include <utility>

#include "arguments.h"

namespace ffi = tvm::ffi;

extern "C" int TVMFFIAnyViewToOwnedAny(const TVMFFIAny* any_view, TVMFFIAny* out) {
  TVM_FFI_SAFE_CALL_BEGIN();
  ffi::Given("TVMFFIAnyViewToOwnedAny: any_view", any_view);
  ffi::Given("TVMFFIAnyViewToOwnedAny: out", out);
  switch (any_view->type_index) {
    case kTVMFFIRawStr:
      ffi::TypeTraits<ffi::String>::MoveToAny(
          ffi::String(ffi::GivenText("TVMFFIAnyViewToOwnedAny: any_view", any_view->v_c_str)), out);
      break;
    case kTVMFFIByteArrayPtr: {
      const auto* bytes = static_cast<const TVMFFIByteArray*>(any_view->v_ptr);
      ffi::TypeTraits<ffi::Bytes>::MoveToAny(
          ffi::Bytes(ffi::GivenText("TVMFFIAnyViewToOwnedAny: any_view", bytes)), out);
      break;
    }
    case kTVMFFIObjectRValueRef: {
      // The caller permits moving the object out of its variable.
      auto** variable = static_cast<TVMFFIObject**>(any_view->v_ptr);
      TVMFFIObject* object =
          std::exchange(ffi::Given("TVMFFIAnyViewToOwnedAny: any_view", variable), nullptr);
      out->type_index = object == nullptr ? int32_t{kTVMFFINone} : object->type_index;
      out->zero_padding = 0;
      out->v_uint64 = 0;
      out->v_obj = object;
      break;
    }
    case kTVMFFIDLTensorPtr:
      TVM_FFI_THROW(TypeError)
          << "TVMFFIAnyViewToOwnedAny: any_view: expected a value that can be owned, got a lent "
             "tensor (DLTensor*), whose memory may be gone after the call";
    default:
      *out = *any_view;
      if (out->type_index >= kTVMFFIStaticObjectBegin) {
        TVM_FFI_CHECK_SAFE_CALL(TVMFFIObjectIncRef(out->v_obj));
      }
  }
  TVM_FFI_SAFE_CALL_END();
}

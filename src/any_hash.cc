// SPDX-License-Identifier: Apache-2.0
// Hash and equality functions of the ABI's object types that are keys by content.
#include <tvm/ffi/any_hash.h>

#include <cstring>

namespace ffi = tvm::ffi;

namespace {

TVMFFIAny HashBigInt(const TVMFFIAny* value) {
  const TVMFFIByteArray bytes = TVMFFIBigIntGetContentByteArray(value);
  TVMFFIAny hash{};
  hash.type_index = kTVMFFIInt;
  hash.v_uint64 = ffi::detail::HashOfBytes(bytes.data, bytes.size);
  return hash;
}

TVMFFIAny EqualBigInt(const TVMFFIAny* a, const TVMFFIAny* b) {
  const TVMFFIByteArray x = TVMFFIBigIntGetContentByteArray(a);
  const TVMFFIByteArray y = TVMFFIBigIntGetContentByteArray(b);
  TVMFFIAny equal{};
  equal.type_index = kTVMFFIBool;
  equal.v_int64 = x.size == y.size && std::memcmp(x.data, y.data, x.size) == 0 ? 1 : 0;
  return equal;
}

void Register(const char* name, void* function) {
  const TVMFFIByteArray key{name, std::strlen(name)};
  TVMFFIAny value{};
  value.type_index = kTVMFFIOpaquePtr;
  value.v_ptr = function;
  TVM_FFI_CHECK_SAFE_CALL(TVMFFITypeRegisterAttr(kTVMFFIBigInt, &key, &value));
}

[[maybe_unused]] const bool registered = [] {
  Register("__any_hash__", reinterpret_cast<void*>(HashBigInt));
  Register("__any_equal__", reinterpret_cast<void*>(EqualBigInt));
  return true;
}();

}  // namespace

// SPDX-License-Identifier: Apache-2.0
// Strings, bytes and big integers: in the value itself up to 7 bytes, else an object.
#include <tvm/ffi/error.h>

#include <algorithm>
#include <cstring>

namespace ffi = tvm::ffi;

namespace {

constexpr size_t kSmallMost = 7;

// The contents follow the object, and a zero byte follows them.
template <int32_t kIndex>
class BytesObj : public ffi::Object, public TVMFFIByteArray {
 public:
  static int32_t RuntimeTypeIndex() { return kIndex; }
};

template <int32_t kIndex>
void MakeHeap(const char* function, const TVMFFIByteArray* input, TVMFFIAny* out) {
  TVM_FFI_CHECK(input->data != nullptr || input->size == 0, ValueError)
      << function << ": input: expected " << input->size << " bytes, got NULL";
  auto object = ffi::detail::MakeObjectWithTail<BytesObj<kIndex>>(input->size + 1);
  auto* bytes = reinterpret_cast<char*>(object.get() + 1);
  if (input->size != 0) std::memcpy(bytes, input->data, input->size);
  bytes[input->size] = '\0';
  object->data = bytes;
  object->size = input->size;
  out->type_index = kIndex;
  out->zero_padding = 0;
  out->v_uint64 = 0;
  out->v_obj = ffi::ObjectUnsafe::MoveToOwned(std::move(object));
}

template <int32_t kSmallIndex, int32_t kIndex>
void Make(const char* function, const TVMFFIByteArray* input, TVMFFIAny* out) {
  if (input->size > kSmallMost || (input->data == nullptr && input->size != 0)) {
    MakeHeap<kIndex>(function, input, out);
    return;
  }
  out->type_index = kSmallIndex;
  out->small_str_len = static_cast<uint32_t>(input->size);
  out->v_uint64 = 0;
  std::copy_n(input->data, input->size, out->v_bytes);
}

}  // namespace

extern "C" {

int TVMFFIStringFromByteArray(const TVMFFIByteArray* input, TVMFFIAny* out) {
  TVM_FFI_SAFE_CALL_BEGIN();
  Make<kTVMFFISmallStr, kTVMFFIStr>("TVMFFIStringFromByteArray", input, out);
  TVM_FFI_SAFE_CALL_END();
}

int TVMFFIBytesFromByteArray(const TVMFFIByteArray* input, TVMFFIAny* out) {
  TVM_FFI_SAFE_CALL_BEGIN();
  Make<kTVMFFISmallBytes, kTVMFFIBytes>("TVMFFIBytesFromByteArray", input, out);
  TVM_FFI_SAFE_CALL_END();
}

int TVMFFIBigIntFromByteArray(const TVMFFIByteArray* input, TVMFFIAny* out) {
  TVM_FFI_SAFE_CALL_BEGIN();
  MakeHeap<kTVMFFIBigInt>("TVMFFIBigIntFromByteArray", input, out);
  TVM_FFI_SAFE_CALL_END();
}

TVMFFIByteArray TVMFFIBigIntGetContentByteArray(const TVMFFIAny* value) {
  if (value->type_index != kTVMFFIBigInt) return TVMFFIByteArray{nullptr, 0};
  return *static_cast<const BytesObj<kTVMFFIBigInt>*>(
      reinterpret_cast<const ffi::Object*>(value->v_obj));
}
}

// SPDX-License-Identifier: Apache-2.0
// Strings and bytes, stored inline up to 7 bytes and in an object otherwise; big integers.
#include <tvm/ffi/big_int_words.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/make_object.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include "arguments.h"

namespace ffi = tvm::ffi;

namespace {

constexpr size_t kSmallMost = 7;

// The contents follow the object and end with a zero byte.
template <int32_t kIndex>
class BytesObj : public ffi::Object, public TVMFFIByteArray {
 public:
  explicit BytesObj(std::string_view content)
      : TVMFFIByteArray{reinterpret_cast<char*>(this + 1), content.size()} {
    auto* bytes = reinterpret_cast<char*>(this + 1);
    // Empty contents may be at NULL, which memcpy does not accept.
    if (!content.empty()) std::memcpy(bytes, content.data(), content.size());
    bytes[content.size()] = '\0';
  }

  static int32_t RuntimeTypeIndex() { return kIndex; }
};

using ffi::detail::BigIntObj;

template <typename Obj>
void PutObject(ffi::ObjectPtr<Obj> object, TVMFFIAny* out) {
  out->type_index = Obj::RuntimeTypeIndex();
  out->zero_padding = 0;
  out->v_uint64 = 0;
  out->v_obj = ffi::ObjectUnsafe::MoveToOwned(std::move(object));
}

void MakeBigInt(std::string_view content, TVMFFIAny* out) {
  auto object = ffi::detail::MakeObjectWithTail<BigIntObj>(content.size());
  object->size = content.size() / sizeof(int64_t);
  std::memcpy(object->words(), content.data(), content.size());
  PutObject(std::move(object), out);
}

template <int32_t kSmallIndex, int32_t kIndex>
void Make(std::string_view content, TVMFFIAny* out) {
  if (content.size() > kSmallMost) {
    PutObject(ffi::detail::MakeObjectWithTail<BytesObj<kIndex>>(content.size() + 1, content), out);
    return;
  }
  out->type_index = kSmallIndex;
  out->small_str_len = static_cast<uint32_t>(content.size());
  out->v_uint64 = 0;
  std::copy_n(content.data(), content.size(), out->v_bytes);
}

}  // namespace

extern "C" {

int TVMFFIStringFromByteArray(const TVMFFIByteArray* input, TVMFFIAny* out) {
  TVM_FFI_SAFE_CALL_BEGIN();
  const std::string_view content = ffi::GivenText("TVMFFIStringFromByteArray: input", input);
  ffi::Given("TVMFFIStringFromByteArray: out", out);
  Make<kTVMFFISmallStr, kTVMFFIStr>(content, out);
  TVM_FFI_SAFE_CALL_END();
}

int TVMFFIBytesFromByteArray(const TVMFFIByteArray* input, TVMFFIAny* out) {
  TVM_FFI_SAFE_CALL_BEGIN();
  const std::string_view content = ffi::GivenText("TVMFFIBytesFromByteArray: input", input);
  ffi::Given("TVMFFIBytesFromByteArray: out", out);
  Make<kTVMFFISmallBytes, kTVMFFIBytes>(content, out);
  TVM_FFI_SAFE_CALL_END();
}

int TVMFFIBigIntFromByteArray(const TVMFFIByteArray* input, TVMFFIAny* out) {
  TVM_FFI_SAFE_CALL_BEGIN();
  ffi::GivenText("TVMFFIBigIntFromByteArray: input", input);
  ffi::Given("TVMFFIBigIntFromByteArray: out", out);
  // Reserve all words before reading any byte, so that an impossible size is rejected.
  constexpr size_t kSurelyThere = 4096;
  std::string words;
  if (input->size > kSurelyThere) words.reserve(input->size + sizeof(int64_t));
  const bool negative = input->size != 0 && (input->data[input->size - 1] & 0x80) != 0;
  const char sign = negative ? '\xff' : '\0';
  // Reduce to the shortest form, without bytes that only repeat the sign.
  size_t size = input->size;
  while (size != 0 && input->data[size - 1] == sign &&
         (size == 1 ? !negative : ((input->data[size - 2] & 0x80) != 0) == negative)) {
    --size;
  }
  if (size <= sizeof(int64_t)) {
    uint64_t value = negative ? ~uint64_t{0} : 0;
    if (size != 0) std::memcpy(&value, input->data, size);
    *out = TVMFFIAny{};
    out->type_index = kTVMFFIInt;
    out->v_uint64 = value;
  } else if (input->size % sizeof(int64_t) == 0) {
    // Round up to 8-byte words, so that equal numbers have equal contents.
    MakeBigInt({input->data, (size + 7) / 8 * 8}, out);
  } else {
    words.assign(input->data, size);
    words.resize((size + 7) / 8 * 8, sign);
    MakeBigInt(words, out);
  }
  TVM_FFI_SAFE_CALL_END();
}

TVMFFIByteArray TVMFFIBigIntGetContentByteArray(const TVMFFIAny* value) {
  if (value == nullptr) return TVMFFIByteArray{nullptr, 0};
  if (value->type_index == kTVMFFIInt) return TVMFFIByteArray{value->v_bytes, sizeof(int64_t)};
  if (value->type_index != kTVMFFIBigInt) return TVMFFIByteArray{nullptr, 0};
  const auto* object =
      static_cast<const BigIntObj*>(reinterpret_cast<const ffi::Object*>(value->v_obj));
  return {reinterpret_cast<const char*>(object->words()), object->size * sizeof(int64_t)};
}
}

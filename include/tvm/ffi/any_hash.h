// SPDX-License-Identifier: Apache-2.0
/*!
 * \file tvm/ffi/any_hash.h
 * \brief Hash and equality of values, as used for the keys of Map and Dict.
 *
 * Two values are the same key if they have the same type and content. Strings and bytes compare by
 * their bytes, numbers, devices and element types by their bits, objects by address. So 1, 1.0 and
 * true are distinct keys, and so are 0.0 and -0.0. An object type may define its own hash and
 * equality through the attributes `__any_hash__` and `__any_equal__`, which hold functions; big
 * integers do.
 */
#ifndef TVM_FFI_ANY_HASH_H_
#define TVM_FFI_ANY_HASH_H_

#include <tvm/ffi/any.h>

#include <cstring>

namespace tvm {
namespace ffi TVM_FFI_HIDDEN {

namespace detail {

// Every library of a process must compute the same hashes, because tables cross between libraries.
// The algorithms below match the published runtime, which shares these tables.

// Treats little-endian 8-byte words, the last zero-padded, as digits in a base equal to the FNV-1
// prime, modulo the prime 2^31 - 1. Products wrap at 2^64 before the modulus is taken.
inline uint64_t HashOfBytes(const char* data, size_t size) {
  constexpr uint64_t kBase = 1099511628211u;
  constexpr uint64_t kModulus = 2147483647u;
  uint64_t hash = 0;
  while (size != 0) {
    const size_t count = size < 8 ? size : 8;
    uint64_t word = 0;
    std::memcpy(&word, data, count);
    hash = (hash * kBase + word) % kModulus;
    data += count;
    size -= count;
  }
  return hash;
}

// Mixes the type into the hash of the content.
inline uint64_t HashOfContent(int32_t type_index, uint64_t content) {
  const auto type = static_cast<uint64_t>(type_index);
  return type ^ (content + 0x9e3779b9u + (type << 6) + (type >> 2));
}

// The function that a type has as an attribute, or NULL.
inline const TVMFFIAny* AttributeOf(const TVMFFITypeAttrColumn* column, int32_t type_index) {
  if (column == nullptr) return nullptr;
  const int64_t place = int64_t{type_index} - column->begin_index;
  if (place < 0 || place >= column->size) return nullptr;
  const TVMFFIAny* value = column->data + place;
  const bool is_function =
      value->type_index == kTVMFFIOpaquePtr || value->type_index == kTVMFFIFunction;
  return is_function ? value : nullptr;
}

// Calls a C function, given by its address, or a Function with the values. The result is owned.
template <typename... Values>
TVM_FFI_COLD TVMFFIAny CallAttribute(const TVMFFIAny* function, const Values*... values) {
  if (function->type_index == kTVMFFIOpaquePtr) {
    return reinterpret_cast<TVMFFIAny (*)(const Values*...)>(function->v_ptr)(values...);
  }
  TVMFFIAny args[] = {*values...};
  TVMFFIAny result{};
  TVM_FFI_CHECK_SAFE_CALL(
      TVMFFIFunctionCall(function->v_obj, args, static_cast<int32_t>(sizeof...(Values)), &result));
  return result;
}

inline const TVMFFITypeAttrColumn* AnyHashColumn() {
  static const TVMFFITypeAttrColumn* const column = [] {
    const TVMFFIByteArray name{"__any_hash__", 12};
    return TVMFFIGetTypeAttrColumn(&name);
  }();
  return column;
}

inline const TVMFFITypeAttrColumn* AnyEqualColumn() {
  static const TVMFFITypeAttrColumn* const column = [] {
    const TVMFFIByteArray name{"__any_equal__", 13};
    return TVMFFIGetTypeAttrColumn(&name);
  }();
  return column;
}

// Throws on an unexpected result of an attribute's function, which may be an owned error.
TVM_FFI_COLD inline void ThrowReturned(const TVMFFIAny& returned) {
  const Any owner = Any::MoveFromTVMFFIAny(returned);
  if (returned.type_index == kTVMFFIError) {
    TVMFFIErrorSetRaised(returned.v_obj);
    ThrowRaised(-1);
  }
  TVM_FFI_THROW(TypeError) << "__any_hash__, __any_equal__: expected an int or a bool, got "
                           << TypeName(&returned);
}

// The contents of a string or bytes value, small or on the heap.
inline TVMFFIByteArray BytesOf(const TVMFFIAny& any) {
  if (any.type_index < kTVMFFIStaticObjectBegin) return {any.v_bytes, any.small_str_len};
  return *reinterpret_cast<const TVMFFIByteArray*>(any.v_obj + 1);
}

// kTVMFFIStr or kTVMFFIBytes for strings and bytes of either form; other types are unchanged.
inline int32_t KeyType(const TVMFFIAny& any) {
  if (any.type_index == kTVMFFISmallStr) return kTVMFFIStr;
  if (any.type_index == kTVMFFISmallBytes) return kTVMFFIBytes;
  return any.type_index;
}

// The type's own hash function, or NULL.
inline const TVMFFIAny* OwnHash(int32_t type) { return AttributeOf(AnyHashColumn(), type); }

// The hash of a value, computed by its type's own hash function.
TVM_FFI_COLD inline uint64_t CallOwnHash(const TVMFFIAny& any) {
  const TVMFFIAny hash = CallAttribute(OwnHash(any.type_index), &any);
  if (hash.type_index != kTVMFFIInt) ThrowReturned(hash);
  return HashOfContent(any.type_index, hash.v_uint64);
}

// The hash of a value; `call` computes it for types with their own hash function.
template <typename Call>
inline uint64_t HashOf(const TVMFFIAny& any, Call call) {
  const int32_t type = KeyType(any);
  if (type == kTVMFFIStr || type == kTVMFFIBytes) {
    const TVMFFIByteArray bytes = BytesOf(any);
    return HashOfContent(type, HashOfBytes(bytes.data, bytes.size));
  }
  if (type >= kTVMFFIStaticObjectBegin && OwnHash(type) != nullptr) return call(any);
  return HashOfContent(type, any.v_uint64);
}
inline uint64_t HashOf(const TVMFFIAny& any) { return HashOf(any, CallOwnHash); }

// Whether two values are the same key: no, yes, or defer to their type's own equality.
enum Sameness : int { kNo, kYes, kAsk };
inline Sameness AreSame(const TVMFFIAny& a, const TVMFFIAny& b) {
  const int32_t type = KeyType(a);
  if (type != KeyType(b)) return kNo;
  if (type == kTVMFFIStr || type == kTVMFFIBytes) {
    const TVMFFIByteArray x = BytesOf(a);
    const TVMFFIByteArray y = BytesOf(b);
    const bool same = x.size == y.size && (x.size == 0 || std::memcmp(x.data, y.data, x.size) == 0);
    return same ? kYes : kNo;
  }
  if (a.v_uint64 == b.v_uint64) return kYes;
  if (type < kTVMFFIStaticObjectBegin) return kNo;
  return AttributeOf(AnyEqualColumn(), type) == nullptr ? kNo : kAsk;
}

// Compares two values with their type's own equality function.
TVM_FFI_COLD inline bool CallOwnEqual(const TVMFFIAny& a, const TVMFFIAny& b) {
  const TVMFFIAny equal = CallAttribute(AttributeOf(AnyEqualColumn(), a.type_index), &a, &b);
  if (equal.type_index != kTVMFFIBool) ThrowReturned(equal);
  return equal.v_int64 != 0;
}

inline bool AreEqual(const TVMFFIAny& a, const TVMFFIAny& b) {
  const Sameness same = AreSame(a, b);
  return same == kAsk ? CallOwnEqual(a, b) : same == kYes;
}

}  // namespace detail

/*! \brief Hashes a value identically in every library of the process. */
struct AnyHash {
  /*!
   * \brief The hash of `value`.
   *
   * Exceptions from the type's own hash function propagate.
   */
  uint64_t operator()(const Any& value) const { return detail::HashOf(*detail::Raw(value)); }
};

/*! \brief Compares two values as keys. */
struct AnyEqual {
  /*!
   * \brief Whether `a` and `b` have the same type and the same content.
   *
   * Exceptions from the type's own equality function propagate.
   */
  bool operator()(const Any& a, const Any& b) const {
    return detail::AreEqual(*detail::Raw(a), *detail::Raw(b));
  }
};

}  // namespace ffi TVM_FFI_HIDDEN
}  // namespace tvm

#endif  // TVM_FFI_ANY_HASH_H_

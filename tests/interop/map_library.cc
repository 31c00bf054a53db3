// SPDX-License-Identifier: Apache-2.0
// Fills, changes and reads a Map or a Dict; test_map_exchange.py builds it with each package's
// headers and lets the libraries hand the same object to each other.
#include <tvm/ffi/container/dict.h>
#include <tvm/ffi/container/map.h>
#include <tvm/ffi/tvm_ffi.h>

#include <cstring>
#include <string>

namespace ffi = tvm::ffi;

using Dict = ffi::Dict<ffi::Any, ffi::Any>;
using Map = ffi::Map<ffi::Any, ffi::Any>;

namespace {

// splitmix64: different inputs give different outputs.
uint64_t Mixed(uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

std::string Text(uint64_t i, size_t size) {
  std::string text;
  while (text.size() < size) {
    const uint64_t word = Mixed(i + text.size());
    text.append(reinterpret_cast<const char*>(&word), 8);
  }
  text.resize(size);
  if (size >= 3) std::memcpy(&text[0], &i, 3);
  return text;
}

ffi::Any BigInt(uint64_t i) {
  uint64_t words[3] = {Mixed(i), Mixed(i + 1), i};
  const TVMFFIByteArray bytes{reinterpret_cast<const char*>(words), i % 2 == 0 ? 24u : 16u};
  TVMFFIAny value{};
  TVM_FFI_CHECK_SAFE_CALL(TVMFFIBigIntFromByteArray(&bytes, &value));
  ffi::Any owned(ffi::AnyView::CopyFromTVMFFIAny(value));
  if (value.type_index >= kTVMFFIStaticObjectBegin) TVMFFIObjectDecRef(value.v_obj);
  return owned;
}

// The i-th key of a kind; keys of one kind differ.
ffi::Any Key(const std::string& kind, uint64_t i) {
  const uint64_t mixed = Mixed(i);
  if (kind == "none") return nullptr;
  if (kind == "bool") return i % 2 == 0;
  if (kind == "small int") return static_cast<int64_t>(i) - 100;
  if (kind == "int") return static_cast<int64_t>(mixed);
  if (kind == "float") {
    double value;
    std::memcpy(&value, &mixed, 8);
    return value;
  }
  if (kind == "pointer") return reinterpret_cast<void*>(mixed | 1);
  if (kind == "dtype") {
    return DLDataType{static_cast<uint8_t>(mixed % 7), static_cast<uint8_t>(mixed >> 8),
                      static_cast<uint16_t>(i)};
  }
  if (kind == "device") {
    return DLDevice{static_cast<DLDeviceType>(mixed % 3 + 1), static_cast<int32_t>(i)};
  }
  if (kind == "small str") return ffi::String(Text(i, 3 + i % 5));
  if (kind == "str") return ffi::String(Text(i, 8 + i % 50));
  if (kind == "small bytes") return ffi::Bytes(Text(i, 3 + i % 5));
  if (kind == "bytes") return ffi::Bytes(Text(i, 8 + i % 50));
  if (kind == "big int") return BigInt(i);
  if (kind == "object") return ffi::Shape({static_cast<int64_t>(i)});
  if (kind == "mixed") {
    const char* kinds[] = {"int", "float", "small str", "str", "bytes", "device", "object"};
    return Key(kinds[mixed % 7], i);
  }
  TVM_FFI_THROW(ValueError) << "kind: got " << kind;
}

// Where a key stands among all in the order of insertion counts, and so does every value.
template <typename Pairs>
int64_t DigestOf(const Pairs& pairs) {
  uint64_t digest = 0;
  for (const auto& pair : pairs) {
    digest = digest * 1000003 + static_cast<uint64_t>(pair.second.template cast<int64_t>()) + 1;
  }
  return static_cast<int64_t>(digest >> 1);
}

// How many of the keys begin, begin + step, ... are not as they should be.
template <typename Pairs>
int64_t WrongIn(const Pairs& pairs, const Dict& keys, int64_t begin, int64_t end, int64_t step,
                bool present) {
  int64_t wrong = 0;
  for (int64_t i = begin; i < end; i += step) {
    const ffi::Any key = keys.at(i);
    const bool found = pairs.count(key) == 1;
    wrong += found != present || (found && pairs.at(key).template cast<int64_t>() != i);
  }
  return wrong;
}

Dict Keys(ffi::String kind, int64_t n) {
  Dict keys;
  for (int64_t i = 0; i < n; ++i) keys.Set(i, Key(kind, static_cast<uint64_t>(i)));
  return keys;
}

Dict NewDict() { return Dict(); }
Map NewMap() { return Map(); }

void Fill(Dict dict, Dict keys, int64_t begin, int64_t end, int64_t step) {
  for (int64_t i = begin; i < end; i += step) dict.Set(keys.at(i), i);
}

void Erase(Dict dict, Dict keys, int64_t begin, int64_t end, int64_t step) {
  for (int64_t i = begin; i < end; i += step) dict.erase(keys.at(i));
}

void Clear(Dict dict) { dict.clear(); }

Map FilledMap(Map map, Dict keys, int64_t begin, int64_t end, int64_t step) {
  for (int64_t i = begin; i < end; i += step) map.Set(keys.at(i), i);
  return map;
}

Map ErasedMap(Map map, Dict keys, int64_t begin, int64_t end, int64_t step) {
  for (int64_t i = begin; i < end; i += step) map.erase(keys.at(i));
  return map;
}

int64_t Wrong(Dict dict, Dict keys, int64_t begin, int64_t end, int64_t step, bool present) {
  return WrongIn(dict, keys, begin, end, step, present);
}

int64_t WrongMap(Map map, Dict keys, int64_t begin, int64_t end, int64_t step, bool present) {
  return WrongIn(map, keys, begin, end, step, present);
}

int64_t Size(Dict dict) { return static_cast<int64_t>(dict.size()); }
int64_t SizeOfMap(Map map) { return static_cast<int64_t>(map.size()); }
int64_t Digest(Dict dict) { return DigestOf(dict); }
int64_t DigestOfMap(Map map) { return DigestOf(map); }

}  // namespace

TVM_FFI_DLL_EXPORT_TYPED_FUNC(keys, Keys);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(new_dict, NewDict);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(new_map, NewMap);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(fill, Fill);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(erase, Erase);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(clear, Clear);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(filled_map, FilledMap);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(erased_map, ErasedMap);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(wrong, Wrong);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(wrong_map, WrongMap);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(size, Size);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(size_of_map, SizeOfMap);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(digest, Digest);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(digest_of_map, DigestOfMap);

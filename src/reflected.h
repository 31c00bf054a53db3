// SPDX-License-Identifier: Apache-2.0
// The parts of values: elements, pairs and registered fields, for functions that take any
// value.
#ifndef SRC_REFLECTED_H_
#define SRC_REFLECTED_H_

#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/dict.h>
#include <tvm/ffi/container/list.h>
#include <tvm/ffi/container/map.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/reflection/accessor.h>

#include <cstring>
#include <optional>
#include <string>
#include <vector>

namespace tvm {
namespace ffi TVM_FFI_HIDDEN {

inline bool IsSequence(int32_t type) { return type == kTVMFFIArray || type == kTVMFFIList; }
inline bool IsMapping(int32_t type) { return type == kTVMFFIMap || type == kTVMFFIDict; }

inline const Object* ObjectOf(const Any& value) {
  return reinterpret_cast<const Object*>(value.CopyToTVMFFIAny().v_obj);
}

// Returns copies, as code that runs meanwhile may change a List.
inline std::vector<Any> ElementsOf(const Any& sequence) {
  const auto* elements = static_cast<const SeqBaseObj*>(ObjectOf(sequence));
  return {elements->begin(), elements->end()};
}

// Alternating keys and values, also copied.
inline std::vector<Any> PairsOf(const Any& mapping) {
  std::vector<Any> pairs;
  for (const auto& pair : *static_cast<const MapBaseObj*>(ObjectOf(mapping))) {
    pairs.push_back(pair.first);
    pairs.push_back(pair.second);
  }
  return pairs;
}

inline const TVMFFITypeInfo* InfoOf(int32_t type_index) {
  const TVMFFITypeInfo* info = TVMFFIGetTypeInfo(type_index);
  if (info == nullptr) detail::ThrowRaised(-1);
  return info;
}

inline std::string TextOf(const TVMFFIByteArray& bytes) {
  return bytes.size == 0 ? std::string() : std::string(bytes.data, bytes.size);
}

inline bool Has(const TVMFFIFieldInfo& field, int64_t flag) { return (field.flags & flag) != 0; }

inline Any ReadField(const Object* object, const TVMFFIFieldInfo& field) {
  auto* place = const_cast<char*>(reinterpret_cast<const char*>(object)) + field.offset;
  Any value;
  TVM_FFI_CHECK_SAFE_CALL(field.getter(place, value.Reset()));
  return value;
}

// A function that a type registers as an attribute.
inline std::optional<Function> TypeFunction(int32_t type_index, const char* name) {
  const TVMFFIByteArray key{name, std::strlen(name)};
  const TVMFFIAny* value = detail::AttributeOf(TVMFFIGetTypeAttrColumn(&key), type_index);
  if (value == nullptr || value->type_index != kTVMFFIFunction) return std::nullopt;
  return AnyView::CopyFromTVMFFIAny(*value).cast<Function>();
}

// Limits how deep types' own functions call back into the function that called them, so that deep
// data results in an error rather than a stack overflow.
class CallBackDepth {
 public:
  explicit CallBackDepth(const char* function) {
    constexpr int kMost = 200;
    TVM_FFI_CHECK(depth_ < kMost, ValueError)
        << function << ": expected at most " << kMost
        << " nested callbacks of types' own functions, got more";
    ++depth_;
  }
  CallBackDepth(const CallBackDepth&) = delete;
  CallBackDepth& operator=(const CallBackDepth&) = delete;
  ~CallBackDepth() { --depth_; }

 private:
  static inline thread_local int depth_ = 0;
};

}  // namespace ffi TVM_FFI_HIDDEN
}  // namespace tvm

#endif  // SRC_REFLECTED_H_

// SPDX-License-Identifier: Apache-2.0
// Registers an object type with few, simple fields, in less code than ObjectDef.
#ifndef TVM_FFI_SRC_PLAIN_TYPE_H_
#define TVM_FFI_SRC_PLAIN_TYPE_H_

#include <tvm/ffi/reflection/registry.h>

#include <cstring>
#include <initializer_list>
#include <string>

namespace tvm {
namespace ffi TVM_FFI_HIDDEN {

struct PlainField {
  const char* name;
  const char* doc;
  int64_t offset;
  int64_t size;
  int64_t alignment;
  TVMFFIFieldGetter getter;
  TVMFFIFieldSetter setter;  // for code that creates an object; or null
  const char* schema;
  int64_t flags = 0;
};

inline TVMFFIByteArray BytesOfText(const char* text) { return {text, std::strlen(text)}; }

// A field that is a T in memory. Other languages may only read it.
template <typename T>
PlainField PlainFieldOf(const char* name, const char* doc, int64_t offset, const char* schema,
                        TVMFFIFieldSetter setter = nullptr) {
  return {name,   doc,   offset, sizeof(T), alignof(T), reflection::detail::GetField<T>,
          setter, schema};
}

// If `creator` is null, only C++ can create objects.
inline void RegisterPlainType(int32_t type_index, const char* doc, int32_t size,
                              TVMFFISEqHashKind kind, TVMFFIObjectCreator creator,
                              std::initializer_list<PlainField> fields) {
  TVMFFITypeMetadata metadata{};
  metadata.doc = BytesOfText(doc);
  metadata.total_size = size;
  metadata.structural_eq_hash_kind = kind;
  metadata.creator = creator;
  TVM_FFI_CHECK_SAFE_CALL(TVMFFITypeRegisterMetadata(type_index, &metadata));
  for (const PlainField& field : fields) {
    // The schema is JSON text within JSON text.
    const std::string text =
        std::string(R"({"type_schema":"{\"type\":\")") + field.schema + R"(\"}"})";
    TVMFFIFieldInfo info{};
    info.name = BytesOfText(field.name);
    info.doc = BytesOfText(field.doc);
    info.metadata = {text.data(), text.size()};
    info.flags = field.flags;
    info.size = field.size;
    info.alignment = field.alignment;
    info.offset = field.offset;
    info.getter = field.getter;
    info.setter = reinterpret_cast<void*>(field.setter);
    info.field_static_type_index = kTVMFFIAny;
    TVM_FFI_CHECK_SAFE_CALL(TVMFFITypeRegisterField(type_index, &info));
  }
}

}  // namespace ffi TVM_FFI_HIDDEN
}  // namespace tvm

#endif  // TVM_FFI_SRC_PLAIN_TYPE_H_

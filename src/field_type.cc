// SPDX-License-Identifier: Apache-2.0
#include "field_type.h"

#include <tvm/ffi/container/dict.h>
#include <tvm/ffi/container/list.h>
#include <tvm/ffi/container/map.h>

#include <string>
#include <utility>
#include <vector>

#include "enum.h"
#include "reflected.h"

namespace tvm {
namespace ffi TVM_FFI_HIDDEN {

namespace {

using Kind = FieldType::Kind;

struct KindName {
  const char* name;
  Kind kind;
};

constexpr KindName kNames[] = {
    {"Any", Kind::kAny},       {"None", Kind::kNone},      {"bool", Kind::kBool},
    {"int", Kind::kInt},       {"float", Kind::kFloat},    {"str", Kind::kStr},
    {"bytes", Kind::kBytes},   {"dtype", Kind::kDataType}, {"Device", Kind::kDevice},
    {"void*", Kind::kPointer}, {"object", Kind::kObject},  {"Array", Kind::kArray},
    {"List", Kind::kList},     {"tuple", Kind::kTuple},    {"Map", Kind::kMap},
    {"Dict", Kind::kDict},     {"Union", Kind::kUnion},
};

const char* NameOf(Kind kind) {
  for (const KindName& known : kNames) {
    if (known.kind == kind) return known.name;
  }
  return "";
}

template <typename T>
bool TryScalar(const Any& value, bool as_is, Any* out) {
  const TVMFFIAny raw = value.CopyToTVMFFIAny();
  if (as_is && !TypeTraits<T>::CheckAnyStrict(&raw)) return false;
  auto converted = TypeTraits<T>::TryCastFromAnyView(&raw);
  if (!converted.has_value()) return false;
  *out = *std::move(converted);
  return true;
}

bool DerivesFrom(const TVMFFITypeInfo* type, const TVMFFITypeInfo* base) {
  return type->type_depth > base->type_depth && type->type_ancestors[base->type_depth] == base;
}

std::string GotText(const Any& value) {
  const TVMFFIAny raw = value.CopyToTVMFFIAny();
  return detail::MismatchText<Any>(&raw);
}

}  // namespace

FieldType::FieldType(const Array<Any>& description) {
  constexpr const char* kFunction = "ffi._DefineType";
  TVM_FFI_CHECK(!description.empty(), ValueError)
      << kFunction << ": fields: expected the description of a type, got an empty one";
  const auto name = description[0].cast<std::string>();
  bool found = false;
  for (const KindName& known : kNames) {
    if (name != known.name) continue;
    kind_ = known.kind;
    found = true;
  }
  TVM_FFI_CHECK(found, ValueError)
      << kFunction << ": fields: expected the name of a type, got \"" << name << "\"";
  const size_t given = description.size() - 1;
  if (kind_ == Kind::kObject) {
    TVM_FFI_CHECK(given == 1, ValueError)
        << kFunction << ": fields: expected one type index after \"object\", got " << given;
    type_index_ = description[1].cast<int32_t>();
    InfoOf(type_index_);
    return;
  }
  for (int64_t i = 1; i <= static_cast<int64_t>(given); ++i) {
    parts_.emplace_back(description[i].cast<Array<Any>>());
  }
  size_t most = 0;
  if (kind_ == Kind::kArray || kind_ == Kind::kList) most = 1;
  if (kind_ == Kind::kMap || kind_ == Kind::kDict) most = 2;
  const bool any_number = kind_ == Kind::kTuple || kind_ == Kind::kUnion;
  TVM_FFI_CHECK(any_number || given == 0 || given == most, ValueError)
      << kFunction << ": fields: " << name << ": expected " << most << " types in it, got "
      << given;
}

Any FieldType::Convert(const Any& value) const {
  Any converted;
  Problem problem;
  if (Try(value, false, &converted, &problem)) return converted;
  TVM_FFI_THROW(TypeError) << problem.path << "expected " << problem.expected << ", got "
                           << problem.got;
}

std::string FieldType::Text() const {
  if (kind_ == Kind::kObject) {
    std::string key = TextOf(InfoOf(type_index_)->type_key);
    return key.rfind("ffi.", 0) == 0 ? key.substr(4) : key;
  }
  const bool is_union = kind_ == Kind::kUnion;
  std::string text = is_union ? "" : NameOf(kind_);
  for (size_t i = 0; i < parts_.size(); ++i) {
    text += is_union ? (i == 0 ? "" : " | ") : (i == 0 ? "[" : ", ");
    text += parts_[i].Text();
  }
  return is_union || parts_.empty() ? text : text + "]";
}

bool FieldType::Fail(const Any& value, Problem* problem) const {
  *problem = {"", Text(), GotText(value)};
  return false;
}

bool FieldType::Try(const Any& value, bool as_is, Any* out, Problem* problem) const {
  bool fits = false;
  switch (kind_) {
    case Kind::kAny:
      *out = value;
      return true;
    case Kind::kNone:
      fits = value == nullptr;
      if (fits) *out = value;
      break;
    case Kind::kBool:
      fits = TryScalar<bool>(value, as_is, out);
      break;
    case Kind::kInt:
      fits = TryScalar<int64_t>(value, as_is, out);
      break;
    case Kind::kFloat:
      fits = TryScalar<double>(value, as_is, out);
      break;
    case Kind::kStr:
      fits = TryScalar<String>(value, as_is, out);
      break;
    case Kind::kBytes:
      fits = TryScalar<Bytes>(value, as_is, out);
      break;
    case Kind::kDataType:
      fits = TryScalar<DLDataType>(value, as_is, out);
      break;
    case Kind::kDevice:
      fits = TryScalar<DLDevice>(value, as_is, out);
      break;
    case Kind::kPointer:
      fits = TryScalar<void*>(value, as_is, out);
      break;
    case Kind::kObject: {
      const int32_t type = value.type_index();
      fits = type >= kTVMFFIStaticObjectBegin &&
             (type == type_index_ || DerivesFrom(InfoOf(type), InfoOf(type_index_)));
      if (fits) {
        *out = value;
      } else {
        fits = !as_is && FindEnumOfValue(type_index_, value, out);
      }
      break;
    }
    case Kind::kArray:
    case Kind::kList:
    case Kind::kTuple:
      return TrySequence(value, as_is, out, problem);
    case Kind::kMap:
    case Kind::kDict:
      return TryMapping(value, as_is, out, problem);
    case Kind::kUnion:
      return TryUnion(value, as_is, out, problem);
  }
  return fits || Fail(value, problem);
}

// Converts one part of a container in place.
bool FieldType::TryInto(const FieldType& type, Any* value, bool as_is, bool* changed,
                        const char* part, const std::string& name, Problem* problem) const {
  Any converted;
  if (!type.Try(*value, as_is, &converted, problem)) {
    problem->path = std::string(part) + " " + name + ": " + problem->path;
    return false;
  }
  if (!converted.same_as(*value)) *changed = true;
  *value = std::move(converted);
  return true;
}

bool FieldType::TrySequence(const Any& value, bool as_is, Any* out, Problem* problem) const {
  if (!IsSequence(value.type_index())) return Fail(value, problem);
  std::vector<Any> elements = ElementsOf(value);
  const bool is_tuple = kind_ == Kind::kTuple;
  if (is_tuple && elements.size() != parts_.size()) {
    *problem = {"", Text(), std::to_string(elements.size()) + " elements"};
    return false;
  }
  bool changed = value.type_index() != (kind_ == Kind::kList ? kTVMFFIList : kTVMFFIArray);
  for (size_t i = 0; i < elements.size() && !parts_.empty(); ++i) {
    const FieldType& type = parts_[is_tuple ? i : 0];
    if (!TryInto(type, &elements[i], as_is, &changed, "element", std::to_string(i), problem)) {
      return false;
    }
  }
  if (!changed) {
    *out = value;
  } else if (as_is) {
    return Fail(value, problem);
  } else if (kind_ == Kind::kList) {
    *out = List<Any>(elements.begin(), elements.end());
  } else {
    *out = Array<Any>(elements.begin(), elements.end());
  }
  return true;
}

bool FieldType::TryMapping(const Any& value, bool as_is, Any* out, Problem* problem) const {
  if (!IsMapping(value.type_index())) return Fail(value, problem);
  std::vector<Any> pairs = PairsOf(value);
  bool changed = value.type_index() != (kind_ == Kind::kDict ? kTVMFFIDict : kTVMFFIMap);
  for (size_t i = 0; i < pairs.size() && !parts_.empty(); i += 2) {
    const std::string place = std::to_string(i / 2);
    if (!TryInto(parts_[0], &pairs[i], as_is, &changed, "key", place, problem) ||
        !TryInto(parts_[1], &pairs[i + 1], as_is, &changed, "value", place, problem)) {
      return false;
    }
  }
  if (!changed) {
    *out = value;
  } else if (as_is) {
    return Fail(value, problem);
  } else {
    Any made = kind_ == Kind::kDict ? Any(Dict<Any, Any>()) : Any(Map<Any, Any>());
    auto* filled = static_cast<MapBaseObj*>(const_cast<Object*>(ObjectOf(made)));
    for (size_t i = 0; i < pairs.size(); i += 2) filled->Set(pairs[i], pairs[i + 1]);
    *out = std::move(made);
  }
  return true;
}

// A type that the value already has takes precedence over one that it converts to.
bool FieldType::TryUnion(const Any& value, bool as_is, Any* out, Problem* problem) const {
  for (const FieldType& type : parts_) {
    if (type.Try(value, true, out, problem)) return true;
  }
  if (!as_is) {
    for (const FieldType& type : parts_) {
      if (type.Try(value, false, out, problem)) return true;
    }
  }
  // A union is often one type and None: the type reports which part of a container is wrong.
  if (parts_.size() == 2 && parts_[1].kind_ == Kind::kNone) {
    if (parts_[0].Try(value, as_is, out, problem)) return true;
    if (!problem->path.empty()) return false;
  }
  return Fail(value, problem);
}

}  // namespace ffi TVM_FFI_HIDDEN
}  // namespace tvm

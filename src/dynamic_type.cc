// SPDX-License-Identifier: Apache-2.0
// Object types whose fields are declared at run time, such as those of Python classes.
#include <tvm/ffi/enum.h>
#include <tvm/ffi/reflection/creator.h>
#include <tvm/ffi/reflection/registry.h>

#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "field_type.h"
#include "reflected.h"

namespace ffi = tvm::ffi;
namespace refl = tvm::ffi::reflection;

namespace {

using Kind = ffi::FieldType::Kind;

constexpr const char* kDeclare = "ffi._DeclareType";
constexpr const char* kDefine = "ffi._DefineType";
constexpr int64_t kHeadSize = sizeof(TVMFFIObject);
constexpr int64_t kWord = 8;

// How an object stores a field: as a member of a C++ type.
struct Storage {
  int64_t size;
  int64_t alignment;
  TVMFFIFieldGetter getter;
  TVMFFIFieldSetter setter;
  int32_t static_type_index;
};

template <typename T>
Storage StorageOf() {
  return {sizeof(T), alignof(T), refl::detail::GetField<T>, refl::detail::SetField<T>,
          refl::detail::StaticTypeIndexOf<T>()};
}

// An unset member reads as None.
Storage StorageOfText(const Storage& text) {
  Storage storage = text;
  storage.getter = refl::detail::GetField<ffi::Any>;
  return storage;
}

Storage StorageFor(Kind kind) {
  switch (kind) {
    case Kind::kBool:
      return StorageOf<bool>();
    case Kind::kInt:
      return StorageOf<int64_t>();
    case Kind::kFloat:
      return StorageOf<double>();
    case Kind::kStr:
      return StorageOfText(StorageOf<ffi::String>());
    case Kind::kBytes:
      return StorageOfText(StorageOf<ffi::Bytes>());
    case Kind::kDataType:
      return StorageOf<DLDataType>();
    case Kind::kDevice:
      return StorageOf<DLDevice>();
    case Kind::kPointer:
      return StorageOf<void*>();
    case Kind::kAny:
    case Kind::kNone:
    case Kind::kUnion:
      return StorageOf<ffi::Any>();
    default:
      return StorageOf<ffi::ObjectRef>();
  }
}

bool HoldsAny(const TVMFFIFieldInfo& field) {
  return field.getter == refl::detail::GetField<ffi::Any> ||
         field.getter == refl::detail::GetField<ffi::String>;
}
bool HoldsObject(const TVMFFIFieldInfo& field) {
  return field.getter == refl::detail::GetField<ffi::ObjectRef>;
}

// Visits the members of an object that refer to others; all of them are fields. Two fields may
// share a member, such as the name and the value of a StrEnum.
template <typename Visit>
void ForEachReference(char* object, int32_t type_index, Visit visit) {
  int64_t end = kHeadSize;
  refl::ForEachFieldInfo(ffi::InfoOf(type_index), [&](const TVMFFIFieldInfo* field) {
    if (field->offset < end) return;
    end = field->offset + field->size;
    TVMFFIObject* held = nullptr;
    char* place = object + field->offset;
    if (HoldsObject(*field)) {
      std::memcpy(&held, place, sizeof(held));
    } else if (HoldsAny(*field)) {
      TVMFFIAny value;
      std::memcpy(&value, place, sizeof(value));
      if (value.type_index >= kTVMFFIStaticObjectBegin) held = value.v_obj;
    }
    if (held != nullptr) visit(held);
  });
}

// An object of such a type. Its fields follow its header, in zero-initialised memory.
class DynamicObj : public ffi::Object {
 public:
  ~DynamicObj() {
    ForEachReference(reinterpret_cast<char*>(this), type_index(),
                     [](TVMFFIObject* held) { ffi::ObjectUnsafe::DecRef(held); });
  }
};

int64_t SizeOf(int32_t type_index) {
  const TVMFFITypeInfo* info = ffi::InfoOf(type_index);
  return info->metadata == nullptr ? kHeadSize : info->metadata->total_size;
}

ffi::ObjectPtr<DynamicObj> Make(int32_t type_index) {
  const auto tail = static_cast<size_t>(SizeOf(type_index) - kHeadSize);
  ffi::ObjectPtr<DynamicObj> object = ffi::detail::MakeObjectWithTail<DynamicObj>(tail);
  std::memset(static_cast<void*>(object.get() + 1), 0, tail);
  ffi::ObjectUnsafe::Header(object.get())->type_index = type_index;
  return object;
}

ffi::ObjectRef Copy(int32_t type_index, const ffi::ObjectRef& from) {
  TVM_FFI_CHECK(from.defined() && from->type_index() == type_index, TypeError)
      << "__ffi_shallow_copy__: expected " << ffi::TextOf(ffi::InfoOf(type_index)->type_key)
      << ", got " << ffi::AnyView(from).GetTypeKey();
  ffi::ObjectPtr<DynamicObj> object = Make(type_index);
  const auto* source = reinterpret_cast<const char*>(from.get());
  std::memcpy(static_cast<void*>(object.get() + 1), source + kHeadSize,
              static_cast<size_t>(SizeOf(type_index) - kHeadSize));
  ForEachReference(reinterpret_cast<char*>(object.get()), type_index,
                   [](TVMFFIObject* held) { ffi::ObjectUnsafe::IncRef(held); });
  return ffi::ObjectRef(std::move(object));
}

// Converts a value to a field's type and stores it.
void Store(const ffi::FieldType& type, void* place, const ffi::AnyView& value) {
  const ffi::Any converted = type.Convert(ffi::Any(value));
  const TVMFFIAny raw = converted.CopyToTVMFFIAny();
  const int code = StorageFor(type.kind()).setter(place, &raw);
  if (code != 0) ffi::detail::ThrowRaised(code);
}

// The functions of a type and its fields; one class, as each separate one generates much code.
struct Behaviour {
  enum Does { kNew, kCopy, kSet };

  int32_t type_index;
  Does does;
  std::shared_ptr<ffi::FieldType> field_type;

  void operator()(ffi::PackedArgs args, ffi::Any* result) const {
    const int32_t expected = does == kNew ? 0 : does == kCopy ? 1 : 2;
    TVM_FFI_CHECK(args.size() == expected, TypeError)
        << ffi::TextOf(ffi::InfoOf(type_index)->type_key) << ": expected " << expected
        << " arguments, got " << args.size();
    if (does == kNew) {
      *result = ffi::ObjectRef(Make(type_index));
    } else if (does == kCopy) {
      *result = Copy(type_index, args[0].cast<ffi::ObjectRef>());
    } else {
      Store(*field_type, args[0].cast<void*>(), args[1]);
    }
  }
};

// Whether the runtime sets a field of this type without FieldType::Convert.
bool SetsItself(Kind kind) {
  switch (kind) {
    case Kind::kAny:
    case Kind::kBool:
    case Kind::kInt:
    case Kind::kFloat:
    case Kind::kStr:
    case Kind::kBytes:
    case Kind::kDataType:
    case Kind::kDevice:
    case Kind::kPointer:
      return true;
    default:
      return false;
  }
}

// A field as passed by the caller: its name, documentation, metadata as JSON text, flags, type
// description, and default value or factory.
struct GivenField {
  std::string name;
  std::string doc;
  std::string metadata;
  int64_t flags;
  std::shared_ptr<ffi::FieldType> type;
  ffi::Any default_value;
  int64_t offset = 0;

  explicit GivenField(const ffi::Array<ffi::Any>& given)
      : name(given[0].cast<std::string>()),
        doc(given[1].cast<std::string>()),
        metadata(given[2].cast<std::string>()),
        flags(given[3].cast<int64_t>()),
        type(std::make_shared<ffi::FieldType>(given[4].cast<ffi::Array<ffi::Any>>())),
        default_value(given[5]) {}
};

TVMFFIByteArray BytesOf(const std::string& text) { return {text.data(), text.size()}; }

// Objects are freed according to their registered fields, so every member must be a field of a type
// known here: one of the headers' enumerations, or a type with this attribute, which is false until
// the fields are defined.
constexpr const char* kIsDefined = "__ffi_is_dynamic__";

const TVMFFIAny* MarkOf(int32_t type_index) {
  const TVMFFIByteArray name{kIsDefined, std::strlen(kIsDefined)};
  const TVMFFITypeAttrColumn* column = TVMFFIGetTypeAttrColumn(&name);
  if (column == nullptr) return nullptr;
  const int64_t place = int64_t{type_index} - column->begin_index;
  if (place < 0 || place >= column->size) return nullptr;
  const TVMFFIAny* mark = &column->data[place];
  return mark->type_index == kTVMFFIBool ? mark : nullptr;
}

bool HasKnownMembers(int32_t type_index) {
  return type_index == kTVMFFIObject || type_index == ffi::EnumObj::RuntimeTypeIndex() ||
         type_index == ffi::IntEnumObj::RuntimeTypeIndex() ||
         type_index == ffi::StrEnumObj::RuntimeTypeIndex() || MarkOf(type_index) != nullptr;
}

void CheckParent(const TVMFFITypeInfo* parent) {
  TVM_FFI_CHECK(HasKnownMembers(parent->type_index), TypeError)
      << kDeclare
      << ": parent: expected ffi.Object, the type of an enumeration, or a type that was "
      << "defined while the program runs, got " << ffi::TextOf(parent->type_key);
}

void CheckCount(const char* function, ffi::PackedArgs args, int32_t expected) {
  TVM_FFI_CHECK(args.size() == expected, TypeError)
      << function << ": expected " << expected << " arguments, got " << args.size();
}

// Allocates the index of a new type. Its fields may refer to it, so they are defined later.
int32_t Declare(const std::string& type_key, int32_t parent_index) {
  const TVMFFITypeInfo* parent = ffi::InfoOf(parent_index);
  CheckParent(parent);
  const TVMFFIByteArray key = BytesOf(type_key);
  const int32_t type_index =
      TVMFFITypeGetOrAllocIndex(&key, -1, parent->type_depth + 1, 0, 1, parent_index);
  if (type_index < 0) ffi::detail::ThrowRaised(-1);
  TVM_FFI_CHECK(ffi::InfoOf(type_index)->metadata == nullptr, ValueError)
      << kDeclare << ": type_key: expected a new name, got \"" << type_key
      << "\", which is already registered; types last until the process ends";
  // A derived type may be declared before this one is defined.
  refl::detail::SetAttribute(type_index, kIsDefined, false);
  return type_index;
}

void RegisterField(int32_t type_index, const GivenField& given) {
  const Storage storage = StorageFor(given.type->kind());
  TVMFFIFieldInfo info{};
  info.name = BytesOf(given.name);
  info.doc = BytesOf(given.doc);
  info.metadata = BytesOf(given.metadata);
  info.flags = given.flags;
  info.size = storage.size;
  info.alignment = storage.alignment;
  info.offset = given.offset;
  info.getter = storage.getter;
  info.field_static_type_index = storage.static_type_index;
  info.default_value_or_factory = ffi::AnyView(given.default_value).CopyToTVMFFIAny();
  ffi::Function setter;
  if (SetsItself(given.type->kind())) {
    info.setter = reinterpret_cast<void*>(storage.setter);
  } else {
    setter = ffi::Function::FromPacked(Behaviour{type_index, Behaviour::kSet, given.type});
    info.setter = const_cast<ffi::FunctionObj*>(setter.get());
    info.flags |= kTVMFFIFieldFlagBitSetterIsFunctionObj;
  }
  TVM_FFI_CHECK_SAFE_CALL(TVMFFITypeRegisterField(type_index, &info));
}

// Defines a type declared by Declare.
void Define(int32_t type_index, const std::string& doc, int32_t structural_kind,
            const ffi::Array<ffi::Any>& fields) {
  const TVMFFITypeInfo* info = ffi::InfoOf(type_index);
  const bool is_declared = info->metadata == nullptr && info->num_fields == 0 &&
                           info->type_depth > 0 && type_index >= kTVMFFIDynObjectBegin;
  TVM_FFI_CHECK(is_declared, ValueError)
      << kDefine << ": type_index: expected a type that is not defined yet, got "
      << ffi::TextOf(info->type_key);
  const TVMFFITypeInfo* parent = info->type_ancestors[info->type_depth - 1];
  CheckParent(parent);
  const TVMFFIAny* mark = MarkOf(parent->type_index);
  TVM_FFI_CHECK(mark == nullptr || mark->v_int64 != 0, ValueError)
      << kDefine << ": type_index: expected a type whose parent is defined, got that of "
      << ffi::TextOf(parent->type_key) << ", which is only declared";
  TVM_FFI_CHECK(structural_kind >= kTVMFFISEqHashKindUnsupported &&
                    structural_kind <= kTVMFFISEqHashKindUniqueInstance,
                ValueError)
      << kDefine << ": structural_kind: expected a TVMFFISEqHashKind, got " << structural_kind;
  constexpr size_t kParts = 6;
  std::vector<GivenField> given;
  for (const ffi::Any& field : fields) {
    const auto parts = field.cast<ffi::Array<ffi::Any>>();
    TVM_FFI_CHECK(parts.size() == kParts, ValueError)
        << kDefine << ": fields: expected " << kParts << " parts of a field, got " << parts.size();
    given.emplace_back(parts);
  }
  int64_t end = SizeOf(parent->type_index);
  for (GivenField& field : given) {
    const Storage storage = StorageFor(field.type->kind());
    field.offset = (end + storage.alignment - 1) / storage.alignment * storage.alignment;
    end = field.offset + storage.size;
  }
  const int64_t size = (end + kWord - 1) / kWord * kWord;
  TVM_FFI_CHECK(size <= INT32_MAX, ValueError)
      << kDefine << ": fields: expected at most " << INT32_MAX << " bytes in total, got " << size;
  for (const GivenField& field : given) RegisterField(type_index, field);
  TVMFFITypeMetadata metadata{};
  metadata.doc = BytesOf(doc);
  metadata.total_size = static_cast<int32_t>(size);
  metadata.structural_eq_hash_kind = static_cast<TVMFFISEqHashKind>(structural_kind);
  TVM_FFI_CHECK_SAFE_CALL(TVMFFITypeRegisterMetadata(type_index, &metadata));
  refl::detail::SetAttribute(
      type_index, "__ffi_new__",
      ffi::Function::FromPacked(Behaviour{type_index, Behaviour::kNew, nullptr}));
  refl::detail::SetAttribute(
      type_index, "__ffi_shallow_copy__",
      ffi::Function::FromPacked(Behaviour{type_index, Behaviour::kCopy, nullptr}));
  ffi::Function::GetGlobalRequired("ffi._RegisterFFIInit")(type_index);
  refl::detail::SetAttribute(type_index, kIsDefined, true);
}

const bool registered = [] {
  ffi::Function::SetGlobal(
      kDeclare, ffi::Function::FromPacked([](ffi::PackedArgs args, ffi::Any* result) {
        CheckCount(kDeclare, args, 2);
        *result = Declare(args[0].cast<std::string>(), args[1].cast<int32_t>());
      }));
  ffi::Function::SetGlobal(
      kDefine, ffi::Function::FromPacked([](ffi::PackedArgs args, ffi::Any* /*result*/) {
        CheckCount(kDefine, args, 4);
        Define(args[0].cast<int32_t>(), args[1].cast<std::string>(), args[2].cast<int32_t>(),
               args[3].cast<ffi::Array<ffi::Any>>());
      }));
  return true;
}();

}  // namespace

// SPDX-License-Identifier: Apache-2.0
// Creates objects from the values of their fields.
#include <tvm/ffi/container/map.h>
#include <tvm/ffi/reflection/accessor.h>
#include <tvm/ffi/reflection/creator.h>

#include <string>
#include <utility>
#include <vector>

namespace ffi = tvm::ffi;
namespace refl = tvm::ffi::reflection;

namespace {

std::string Text(const TVMFFIByteArray& bytes) { return std::string(bytes.data, bytes.size); }

bool Has(const TVMFFIFieldInfo& field, int64_t flag) { return (field.flags & flag) != 0; }

// Precedes the keyword arguments, which are alternating names and values.
const ffi::ObjectRef& KeywordMark() {
  static const auto* mark = new ffi::ObjectRef(ffi::make_object<ffi::Object>());
  return *mark;
}

// Creates an object and sets its fields, those of the ancestors first.
class Constructor {
 public:
  explicit Constructor(const TVMFFITypeInfo* info)
      : name_(Text(info->type_key) + ".__ffi_init__"), info_(info) {
    refl::ForEachFieldInfo(info,
                           [this](const TVMFFIFieldInfo* field) { fields_.push_back(*field); });
    // Positional arguments: fields without a default come first, whichever type declares them.
    for (bool with_default : {false, true}) {
      for (size_t i = 0; i < fields_.size(); ++i) {
        const TVMFFIFieldInfo& field = fields_[i];
        if (Has(field, kTVMFFIFieldFlagBitMaskInitOff | kTVMFFIFieldFlagBitMaskKwOnly)) continue;
        if (Has(field, kTVMFFIFieldFlagBitMaskHasDefault) == with_default) order_.push_back(i);
      }
    }
  }

  void operator()(ffi::PackedArgs args, ffi::Any* result) const {
    const int32_t marked = FindMark(args);
    TVM_FFI_CHECK(static_cast<size_t>(marked) <= order_.size(), TypeError)
        << name_ << ": expected at most " << order_.size() << " arguments by position, got "
        << marked;
    TVM_FFI_CHECK(marked == args.size() || (args.size() - marked) % 2 == 1, TypeError)
        << name_ << ": expected alternating names and values, got a name without a value";
    std::vector<const ffi::AnyView*> given(fields_.size());
    for (int32_t i = 0; i < marked; ++i) {
      given[order_[static_cast<size_t>(i)]] = args.data() + i;
    }
    for (int32_t i = marked + 1; i + 1 < args.size(); i += 2) {
      const size_t place = Find(args[i].cast<std::string>());
      TVM_FFI_CHECK(given[place] == nullptr, TypeError)
          << name_ << ": " << Text(fields_[place].name) << ": expected one value, got two";
      given[place] = args.data() + i + 1;
    }
    ffi::ObjectRef object(ffi::CreateEmptyObject(info_));
    for (size_t i = 0; i < fields_.size(); ++i) Fill(object, fields_[i], given[i]);
    *result = std::move(object);
  }

 private:
  static int32_t FindMark(ffi::PackedArgs args) {
    for (int32_t i = 0; i < args.size(); ++i) {
      if (args[i].same_as(ffi::AnyView(KeywordMark()))) return i;
    }
    return args.size();
  }

  size_t Find(const std::string& name) const {
    for (size_t i = 0; i < fields_.size(); ++i) {
      if (Text(fields_[i].name) == name && !Has(fields_[i], kTVMFFIFieldFlagBitMaskInitOff)) {
        return i;
      }
    }
    TVM_FFI_THROW(TypeError) << name_ << ": expected the name of a field, got \"" << name << "\"";
  }

  void Fill(const ffi::ObjectRef& object, const TVMFFIFieldInfo& field,
            const ffi::AnyView* value) const {
    ffi::Any made;
    if (value == nullptr) {
      if (!Has(field, kTVMFFIFieldFlagBitMaskHasDefault)) {
        // Left as the creator initialised it.
        if (Has(field, kTVMFFIFieldFlagBitMaskInitOff)) return;
        TVM_FFI_THROW(TypeError) << name_ << ": " << Text(field.name)
                                 << ": expected a value, got none";
      }
      made = ffi::AnyView::CopyFromTVMFFIAny(field.default_value_or_factory);
      if (Has(field, kTVMFFIFieldFlagBitMaskDefaultFromFactory))
        made = made.cast<ffi::Function>()();
    }
    // Read-only fields too: this is their initial value.
    refl::detail::FieldOfType(&field).Set(object.get(),
                                          value == nullptr ? ffi::AnyView(made) : *value,
                                          [&] { return name_ + ": " + Text(field.name); });
  }

  std::string name_;
  const TVMFFITypeInfo* info_;
  std::vector<TVMFFIFieldInfo> fields_;
  std::vector<size_t> order_;
};

// Libraries call this when all fields of a type are registered.
void RegisterInit(int32_t type_index) {
  const TVMFFITypeInfo* info = TVMFFIGetTypeInfo(type_index);
  if (info == nullptr) ffi::detail::ThrowRaised(-1);
  TVM_FFI_CHECK(ffi::HasCreator(info), ValueError)
      << "ffi._RegisterFFIInit: type_index: expected a type whose objects can be made without "
      << "arguments, got " << Text(info->type_key);
  const TVMFFIByteArray name{"__ffi_init__", 12};
  const ffi::Function construct = ffi::Function::FromPacked(Constructor(info));
  const TVMFFIAny value = ffi::AnyView(construct).CopyToTVMFFIAny();
  TVM_FFI_CHECK_SAFE_CALL(TVMFFITypeRegisterAttr(type_index, &name, &value));
}

// The arguments are a type index and alternating field names and values.
void MakeOfFields(ffi::PackedArgs args, ffi::Any* result) {
  constexpr const char* kName = "ffi.MakeObjectFromPackedArgs";
  TVM_FFI_CHECK(args.size() % 2 == 1, TypeError)
      << kName << ": expected a type's index and pairs of a field's name and its value, got "
      << args.size() << " arguments";
  const auto type_index = args[0].try_cast<int32_t>();
  TVM_FFI_CHECK(type_index.has_value(), TypeError)
      << kName << ": argument 0: expected a type's index, got " << args[0].GetTypeKey();
  const TVMFFITypeInfo* info = TVMFFIGetTypeInfo(*type_index);
  if (info == nullptr) ffi::detail::ThrowRaised(-1);
  ffi::Map<ffi::String, ffi::Any> fields;
  for (int32_t i = 1; i < args.size(); i += 2) {
    const auto name = args[i].try_cast<ffi::String>();
    TVM_FFI_CHECK(name.has_value(), TypeError)
        << kName << ": argument " << i << ": expected the name of a field, got "
        << args[i].GetTypeKey();
    fields.Set(*name, args[i + 1]);
  }
  *result = refl::ObjectCreator(info)(fields);
}

const bool registered = [] {
  ffi::Function::SetGlobal("ffi.MakeObjectFromPackedArgs", ffi::Function::FromPacked(MakeOfFields));
  KeywordMark();  // see locks.h
  ffi::Function::SetGlobal("ffi._RegisterFFIInit",
                           ffi::Function::FromTyped(RegisterInit, "ffi._RegisterFFIInit"));
  ffi::Function::SetGlobal("ffi.GetKwargsObject",
                           ffi::Function::FromTyped(KeywordMark, "ffi.GetKwargsObject"));
  return true;
}();

}  // namespace

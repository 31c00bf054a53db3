// SPDX-License-Identifier: Apache-2.0
// Deep copies of values.
#include <tvm/ffi/reflection/access_path.h>
#include <tvm/ffi/reflection/registry.h>

#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "enum.h"
#include "reflected.h"
#include "structural.h"

namespace ffi = tvm::ffi;

using ffi::Any;

namespace {

constexpr const char* kName = "ffi.DeepCopy";

// An empty Array whose elements are added one by one, as it may contain itself indirectly.
class GrowingArray : public ffi::ArrayObj {
 public:
  static void Add(ffi::ArrayObj* array, Any value) {
    static_cast<GrowingArray*>(array)->Append(std::move(value));
  }
};

// Traverses a value without recursion, as it may be deeply nested. An object reached twice is
// copied once, so that the copy has the sharing of the original, and may contain itself.
class Copier {
 public:
  Any Copy(const Any& root) {
    Begin(root);
    while (!open_.empty()) {
      // Copy the parts of the innermost object first.
      if (open_.back().next < open_.back().parts.size()) {
        const Any part = open_.back().parts[open_.back().next++];
        Begin(part);
      } else {
        const Open done = std::move(open_.back());
        open_.pop_back();
        Fill(done);
      }
    }
    return CopyOf(root);
  }

 private:
  struct Open {
    Any from;
    Any to;
    std::vector<Any> parts;
    size_t next = 0;
    std::vector<TVMFFIFieldInfo> fields;  // of the parts, for an object of a library
  };

  // The original is kept alive: a getter may return a new object, whose address may be reused.
  struct Copied {
    Any from;
    Any to;
  };

  // Creates the copy without its parts.
  void Begin(const Any& value) {
    const int32_t type = value.type_index();
    if (IsShared(type) || copies_.count(ffi::ObjectOf(value)) != 0) return;
    Open open;
    open.from = value;
    if (ffi::IsSequence(type)) {
      open.parts = ffi::ElementsOf(value);
      if (type == kTVMFFIList) {
        open.to = ffi::List<Any>();
      } else {
        open.to = ffi::Array<Any>(ffi::ArrayObj::Empty(static_cast<int64_t>(open.parts.size())));
      }
    } else if (ffi::IsMapping(type)) {
      open.parts = ffi::PairsOf(value);
      if (type == kTVMFFIDict) {
        open.to = ffi::Dict<Any, Any>();
      } else {
        open.to = ffi::Map<Any, Any>();
      }
    } else {
      const auto copy = ffi::TypeFunction(type, "__ffi_shallow_copy__");
      TVM_FFI_CHECK(copy.has_value(), RuntimeError)
          << kName << ": expected a value whose objects can be copied, got " << value.GetTypeKey()
          << ", whose library registers no copy function";
      open.to = (*copy)(value);
      ffi::reflection::ForEachFieldInfo(ffi::InfoOf(type), [&](const TVMFFIFieldInfo* field) {
        Any part = ffi::ReadField(ffi::ObjectOf(value), *field);
        if (IsShared(part.type_index())) return;
        open.parts.push_back(std::move(part));
        open.fields.push_back(*field);
      });
    }
    copies_.emplace(ffi::ObjectOf(value), Copied{value, open.to});
    open_.push_back(std::move(open));
  }

  void Fill(const Open& open) {
    const int32_t type = open.from.type_index();
    auto* object = const_cast<ffi::Object*>(ffi::ObjectOf(open.to));
    if (type == kTVMFFIList) {
      auto list = open.to.cast<ffi::List<Any>>();
      for (const Any& part : open.parts) list.push_back(CopyOf(part));
    } else if (type == kTVMFFIArray) {
      for (const Any& part : open.parts) {
        GrowingArray::Add(static_cast<ffi::ArrayObj*>(object), CopyOf(part));
      }
    } else if (ffi::IsMapping(type)) {
      for (size_t i = 0; i + 1 < open.parts.size(); i += 2) {
        static_cast<ffi::MapBaseObj*>(object)->Set(CopyOf(open.parts[i]),
                                                   CopyOf(open.parts[i + 1]));
      }
    } else {
      for (size_t i = 0; i < open.fields.size(); ++i) {
        // Read-only fields too: the copy is not in use yet.
        ffi::reflection::detail::FieldOfType(&open.fields[i])
            .Set(object, CopyOf(open.parts[i]), [&] {
              return std::string(kName) + ": " + open.from.GetTypeKey() + "." +
                     ffi::TextOf(open.fields[i].name);
            });
      }
      ffi::UpdateStructuralKey(object);  // values equal only to themselves hash by address
    }
  }

  // Immutable values and unique instances stay shared.
  static bool IsShared(int32_t type) {
    return type < kTVMFFIStaticObjectBegin || type == kTVMFFIStr || type == kTVMFFIBytes ||
           type == kTVMFFIShape || type == kTVMFFIBigInt || ffi::IsEnum(type) ||
           type == ffi::reflection::AccessPathObj::RuntimeTypeIndex() ||
           type == ffi::reflection::AccessStepObj::RuntimeTypeIndex();
  }

  Any CopyOf(const Any& value) const {
    return IsShared(value.type_index()) ? value : copies_.at(ffi::ObjectOf(value)).to;
  }

  std::vector<Open> open_;
  std::unordered_map<const ffi::Object*, Copied> copies_;
};

Any DeepCopy(const Any& value) { return Copier().Copy(value); }

[[maybe_unused]] const bool registered = [] {
  ffi::reflection::GlobalDef().def(kName, DeepCopy, "A copy of a value with all that it contains.");
  return true;
}();

}  // namespace

// SPDX-License-Identifier: Apache-2.0
// The types of paths to nested values, for every language.
#include <tvm/ffi/reflection/access_path.h>

#include <string>

#include "plain_type.h"

namespace tvm {
namespace ffi TVM_FFI_HIDDEN {

namespace refl = reflection;

namespace {

std::string StepText(const refl::AccessStep& step, const Function& print) {
  if (step->kind == refl::AccessKind::kAttr) return "." + step->key.cast<std::string>();
  const std::string key = print(step->key).cast<std::string>();
  const bool is_there = step->kind < refl::AccessKind::kAttrMissing;
  return is_there ? "[" + key + "]" : "[<missing:" + key + ">]";
}

std::string PathText(const refl::AccessPath& path, const Function& print) {
  std::string text = "<root>";
  for (const refl::AccessStep& step : path->ToSteps()) text += StepText(step, print);
  return text;
}

// The operations of the methods; the first six match the AccessKind of the steps they add.
enum class Does : int {
  kAttr,
  kItem,
  kPair,
  kNoAttr,
  kNoItem,
  kNoPair,
  kSteps,
  kEqual,
  kPrefix,
  kText,
  kStepText
};

// One class for all methods, as each separate function type generates much code.
class PathMethod {
 public:
  PathMethod(const char* name, Does does) : name_(name), does_(does) {}

  void operator()(PackedArgs args, Any* result) const {
    const int32_t expected = does_ == Does::kSteps ? 1 : 2;
    TVM_FFI_CHECK(args.size() == expected, TypeError)
        << "AccessPath." << name_ << ": expected " << expected - 1 << " arguments, got "
        << args.size() - 1;
    if (does_ == Does::kStepText) {
      *result = StepText(Take<refl::AccessStep>(args[0]), Take<Function>(args[1]));
      return;
    }
    const auto path = Take<refl::AccessPath>(args[0]);
    switch (does_) {
      case Does::kSteps:
        *result = path->ToSteps();
        return;
      case Does::kText:
        *result = PathText(path, Take<Function>(args[1]));
        return;
      case Does::kEqual:
        *result = path->PathEqual(Take<refl::AccessPath>(args[1]));
        return;
      case Does::kPrefix:
        *result = path->IsPrefixOf(Take<refl::AccessPath>(args[1]));
        return;
      case Does::kAttr:
      case Does::kNoAttr:
        *result = path->Extend(refl::AccessStep(Kind(), Take<String>(args[1])));
        return;
      case Does::kItem:
      case Does::kNoItem:
        *result = path->Extend(refl::AccessStep(Kind(), Take<int64_t>(args[1])));
        return;
      default:
        *result = path->Extend(refl::AccessStep(Kind(), Any(args[1])));
    }
  }

 private:
  refl::AccessKind Kind() const { return static_cast<refl::AccessKind>(does_); }

  template <typename T>
  T Take(const AnyView& value) const {
    const auto taken = value.try_cast<T>();
    TVM_FFI_CHECK(taken.has_value(), TypeError)
        << "AccessPath." << name_ << ": expected " << TypeTraits<T>::TypeStr() << ", got "
        << value.GetTypeKey();
    return *taken;
  }

  const char* name_;
  Does does_;
};

// C++ code uses the fields unchecked, so nothing else may set them.
const bool registered = [] {
  constexpr TVMFFISEqHashKind kKind = kTVMFFISEqHashKindConstTreeNode;
  const int32_t step = refl::AccessStepObj::RuntimeTypeIndex();
  const int32_t path = refl::AccessPathObj::RuntimeTypeIndex();
  static_assert(sizeof(refl::AccessStepObj) == 48 && sizeof(refl::AccessPathObj) == 48,
                "offsets of fields are below");
  RegisterPlainType(
      step, "A step of a path.", sizeof(refl::AccessStepObj), kKind, nullptr,
      {PlainFieldOf<int32_t>("kind", "What the step goes to.", 24, "int"),
       PlainFieldOf<Any>("key", "The name of a field, an index or a key.", 32, "Any")});
  RegisterPlainType(
      path, "A path to a value inside a value.", sizeof(refl::AccessPathObj), kKind, nullptr,
      {PlainFieldOf<ObjectRef>("parent", "The path without its last step.", 24, "ffi.Object"),
       PlainFieldOf<ObjectRef>("step", "The last step.", 32, "ffi.Object"),
       PlainFieldOf<int32_t>("depth", "Number of steps.", 40, "int")});
  constexpr struct {
    const char* name;
    Does does;
  } kMethods[] = {{"_attr", Does::kAttr},
                  {"_array_item", Does::kItem},
                  {"_map_item", Does::kPair},
                  {"_attr_missing", Does::kNoAttr},
                  {"_array_item_missing", Does::kNoItem},
                  {"_map_item_missing", Does::kNoPair},
                  {"_to_steps", Does::kSteps},
                  {"_path_equal", Does::kEqual},
                  {"_is_prefix_of", Does::kPrefix}};
  for (const auto& method : kMethods) {
    const Function function = Function::FromPacked(PathMethod(method.name, method.does));
    TVMFFIMethodInfo info{};
    info.name = BytesOfText(method.name);
    info.doc = info.metadata = BytesOfText("");
    info.method = AnyView(function).CopyToTVMFFIAny();
    TVM_FFI_CHECK_SAFE_CALL(TVMFFITypeRegisterMethod(path, &info));
  }
  Function::SetGlobal("ffi._AccessPathRoot", Function::FromPacked([](PackedArgs, Any* result) {
                        *result = refl::AccessPath::Root();
                      }));
  constexpr const char* kRepr = "__ffi_repr__";
  refl::detail::SetAttribute(step, kRepr, Function::FromPacked(PathMethod(kRepr, Does::kStepText)));
  refl::detail::SetAttribute(path, kRepr, Function::FromPacked(PathMethod(kRepr, Does::kText)));
  return true;
}();

}  // namespace
}  // namespace ffi TVM_FFI_HIDDEN
}  // namespace tvm

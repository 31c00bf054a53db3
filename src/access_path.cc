// SPDX-License-Identifier: Apache-2.0
// The types of paths to values inside values, for every language.
#include <tvm/ffi/reflection/access_path.h>
#include <tvm/ffi/reflection/registry.h>

#include <string>

namespace tvm {
namespace ffi TVM_FFI_HIDDEN {
namespace reflection {

namespace {

std::string StepText(const AccessStepObj* step, const Function& print) {
  const auto key = [&] { return std::string(print(step->key).cast<String>()); };
  switch (step->kind) {
    case AccessKind::kAttr:
      return "." + std::string(step->key.cast<String>());
    case AccessKind::kArrayItem:
    case AccessKind::kMapItem:
      return "[" + key() + "]";
    default:
      return "[<missing:" + key() + ">]";
  }
}

std::string PathText(const AccessPathObj* path, const Function& print) {
  std::string text = "<root>";
  for (const AccessStep& step : path->ToSteps()) text += StepText(step.get(), print);
  return text;
}

// A step comes from a path, or is made by C++, which makes no other kinds and keys.
const bool registered = [] {
  ObjectDef<AccessStepObj>(init(false))
      .def_ro("kind", &AccessStepObj::kind, "What the step goes to.")
      .def_ro("key", &AccessStepObj::key, "The name of a field, an index or a key.")
      .def_type_attr("__ffi_repr__", StepText);
  ObjectDef<AccessPathObj>(init(false))
      .def_ro("parent", &AccessPathObj::parent, "The path without the last step.")
      .def_ro("step", &AccessPathObj::step, "The last step.")
      .def_ro("depth", &AccessPathObj::depth, "Number of steps.")
      .def_static("_root", &AccessPath::Root)
      .def("_extend", &AccessPathObj::Extend)
      .def("_attr", &AccessPathObj::Attr)
      .def("_attr_missing", &AccessPathObj::AttrMissing)
      .def("_array_item", &AccessPathObj::ArrayItem)
      .def("_array_item_missing", &AccessPathObj::ArrayItemMissing)
      .def("_map_item", &AccessPathObj::MapItem)
      .def("_map_item_missing", &AccessPathObj::MapItemMissing)
      .def("_to_steps", &AccessPathObj::ToSteps)
      .def("_path_equal", &AccessPathObj::PathEqual)
      .def("_is_prefix_of", &AccessPathObj::IsPrefixOf)
      .def_type_attr("__ffi_repr__", PathText);
  return true;
}();

}  // namespace
}  // namespace reflection
}  // namespace ffi TVM_FFI_HIDDEN
}  // namespace tvm

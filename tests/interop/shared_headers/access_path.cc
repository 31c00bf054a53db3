// SPDX-License-Identifier: Apache-2.0
// reflection/access_path.h: paths from a value to a value inside it.
#include <tvm/ffi/reflection/access_path.h>
#include <tvm/ffi/tvm_ffi.h>

#include <type_traits>

#include "print.h"

namespace ffi = tvm::ffi;
namespace refl = tvm::ffi::reflection;
using refl::AccessPath;
using refl::AccessStep;

static void Show(const AccessPath& path) {
  for (const AccessStep& step : path->ToSteps()) {
    std::cout << static_cast<int>(step->kind) << ":";
    if (auto name = step->key.as<ffi::String>()) std::cout << std::string(*name);
    if (auto index = step->key.as<int64_t>()) std::cout << *index;
    std::cout << " ";
  }
  std::cout << path->depth << path->GetParent().has_value() << path->step.has_value() << "\n";
}

int main() {
  std::cout << refl::AccessStepObj::_type_key << refl::AccessPathObj::_type_key
            << refl::AccessPathObj::_type_s_eq_hash_kind << refl::AccessStepObj::_type_final
            << sizeof(refl::AccessPathObj) << sizeof(refl::AccessStepObj)
            << std::is_default_constructible_v<AccessPath> << AccessPath::_type_is_nullable << "\n";
  const AccessPath root = AccessPath::Root();
  const AccessPath path = root->Attr("a")->ArrayItem(2)->MapItem("k");
  const AccessPath missing = root->AttrMissing("a")->ArrayItemMissing(2)->MapItemMissing(nullptr);
  for (const AccessPath& each : {root, path, missing, path->Extend(AccessStep::MapItem(1.5))}) {
    Show(each);
  }
  Show(*path->GetParent());
  const ffi::Array<AccessStep> steps = path->ToSteps();
  const AccessPath again = AccessPath::FromSteps(steps);
  Show(AccessPath::FromSteps(steps.begin(), steps.end()));
  std::cout << path->PathEqual(again) << path->PathEqual(missing) << path->PathEqual(root)
            << path->IsPrefixOf(again) << root->IsPrefixOf(path) << path->IsPrefixOf(root)
            << path->GetParent().value()->IsPrefixOf(again) << missing->IsPrefixOf(path) << "\n";
  const auto item = [](const ffi::Any& key) { return AccessStep::MapItem(key); };
  std::cout << item("a long text")->StepEqual(item("a long text")) << item(1)->StepEqual(item(1.0))
            << item(1)->StepEqual(item(true)) << item(1)->StepEqual(AccessStep::ArrayItem(1))
            << AccessStep::MapItemMissing()->StepEqual(AccessStep::MapItemMissing(nullptr)) << "\n";
  const refl::AccessPathPair pair(path, missing);
  Show(pair.get<1>());
}

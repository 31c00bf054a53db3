// SPDX-License-Identifier: Apache-2.0
// Rows: R5, R7
// reflection/access_path.h: paths from a value to a value nested in it.
#include <tvm/ffi/reflection/access_path.h>
#include <tvm/ffi/tvm_ffi.h>

#include <cstddef>
#include <string>
#include <type_traits>

#include "expect.h"

namespace ffi = tvm::ffi;
namespace refl = tvm::ffi::reflection;
using refl::AccessKind;
using refl::AccessPath;
using refl::AccessStep;

namespace {

// Same as in the published headers, so that paths can cross between libraries.
static_assert(sizeof(refl::AccessStepObj) == 48 && sizeof(refl::AccessPathObj) == 48, "");
static_assert(!std::is_default_constructible<AccessPath>::value, "");
static_assert(!AccessPath::_type_is_nullable && !AccessStep::_type_is_nullable, "");

size_t OffsetOf(const ffi::Object* object, const void* field) {
  return static_cast<size_t>(static_cast<const char*>(field) -
                             reinterpret_cast<const char*>(object));
}

std::string Text(const AccessPath& path) {
  std::string text;
  for (const AccessStep& step : path->ToSteps()) {
    (text += std::to_string(static_cast<int>(step->kind))) += ':';
    if (auto name = step->key.as<ffi::String>()) text += *name;
    if (auto index = step->key.as<int64_t>()) text += std::to_string(*index);
    text += ' ';
  }
  return text;
}

}  // namespace

// A path has its steps in order, and extending it leaves it unchanged.
void steps() {
  const AccessPath root = AccessPath::Root();
  EXPECT_EQ(root->depth, 0);
  EXPECT(!root->step.has_value() && !root->parent.has_value());
  EXPECT(!root->GetParent().has_value());
  EXPECT_EQ(root->ToSteps().size(), 0u);
  const AccessPath path = root->Attr("rows")->ArrayItem(2)->MapItem("key");
  EXPECT_EQ(Text(path), "0:rows 1:2 2:key ");
  EXPECT_EQ(Text(path->AttrMissing("a")->ArrayItemMissing(5)->MapItemMissing(7)),
            "0:rows 1:2 2:key 3:a 4:5 5:7 ");
  EXPECT_EQ(path->depth, 3);
  EXPECT_EQ(Text(*path->GetParent()), "0:rows 1:2 ");
  EXPECT_EQ(Text(path->Extend(AccessStep::MapItemMissing())), "0:rows 1:2 2:key 5: ");
  EXPECT_EQ(Text(root), "");
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_steps, steps);

// The steps of a path recreate it.
void from_steps() {
  const AccessPath path = AccessPath::Root()->Attr("a")->MapItem(1);
  const AccessPath again = AccessPath::FromSteps(path->ToSteps());
  EXPECT(again->PathEqual(path));
  EXPECT(!again.same_as(path));
  const AccessStep one[] = {AccessStep::Attr("a")};
  EXPECT_EQ(Text(AccessPath::FromSteps(one, one + 1)), "0:a ");
  EXPECT_EQ(AccessPath::FromSteps(one, one)->depth, 0);
  EXPECT_EQ(Text(AccessPath::FromSteps({AccessStep(AccessKind::kArrayItem, 3)})), "1:3 ");
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_from_steps, from_steps);

// Steps are equal by kind and key; keys are compared like keys of a Map.
void equal_steps() {
  EXPECT(AccessStep::Attr("a long name")->StepEqual(AccessStep::Attr("a long name")));
  EXPECT(!AccessStep::Attr("a")->StepEqual(AccessStep::Attr("b")));
  EXPECT(!AccessStep::Attr("a")->StepEqual(AccessStep::AttrMissing("a")));
  EXPECT(!AccessStep::MapItem(1)->StepEqual(AccessStep::MapItem(true)));
  EXPECT(!AccessStep::MapItem(1)->StepEqual(AccessStep::ArrayItem(1)));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_equal_steps, equal_steps);

// Paths are equal by their steps, wherever they differ and whatever they share.
void equal_paths() {
  const AccessPath root = AccessPath::Root(), a = root->Attr("a"), ab = a->Attr("b");
  EXPECT(ab->PathEqual(ab));
  EXPECT(ab->PathEqual(AccessPath::Root()->Attr("a")->Attr("b")));
  EXPECT(root->PathEqual(AccessPath::Root()));
  EXPECT(!ab->PathEqual(a));
  EXPECT(!a->PathEqual(ab));
  EXPECT(!root->PathEqual(a));
  EXPECT(!root->Attr("b")->PathEqual(ab));
  EXPECT(!ab->PathEqual(a->Attr("c")));
  EXPECT(!ab->PathEqual(root->Attr("c")->Attr("b")));
  EXPECT(root->IsPrefixOf(ab) && a->IsPrefixOf(ab) && ab->IsPrefixOf(ab));
  EXPECT(AccessPath::Root()->Attr("a")->IsPrefixOf(ab));
  EXPECT(!ab->IsPrefixOf(a) && !a->IsPrefixOf(root));
  EXPECT(!root->Attr("b")->IsPrefixOf(ab));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_equal_paths, equal_paths);

// The fields have the same offsets as in the published headers.
void layout() {
  const AccessPath path = AccessPath::Root()->Attr("a");
  EXPECT_EQ(OffsetOf(path.get(), &path->parent), 24u);
  EXPECT_EQ(OffsetOf(path.get(), &path->step), 32u);
  EXPECT_EQ(OffsetOf(path.get(), &path->depth), 40u);
  const AccessStep step = AccessStep::Attr("a");
  EXPECT_EQ(OffsetOf(step.get(), &step->kind), 24u);
  EXPECT_EQ(OffsetOf(step.get(), &step->key), 32u);
  const refl::AccessPathPair pair(path, path->Attr("b"));
  EXPECT_EQ(Text(pair.get<1>()), "0:a 0:b ");
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_layout, layout);

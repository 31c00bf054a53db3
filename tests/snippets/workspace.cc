// SPDX-License-Identifier: Apache-2.0
// The library that registers the type, creates objects of it and uses them.
#include "workspace.h"

#include <string>

namespace {

// [object_registration.begin]
using workspaces::Workspace;
using workspaces::WorkspaceObj;

TVM_FFI_STATIC_INIT_BLOCK() {
  refl::ObjectDef<WorkspaceObj>("Memory that outlives a call.")
      .def_rw("bytes", &WorkspaceObj::bytes, "Its size.")
      .def_ro("name", &WorkspaceObj::name, refl::default_value("unnamed"))
      .def_rw("zeroed", &WorkspaceObj::zeroed, refl::default_value(true), refl::kw_only(true))
      .def("megabytes", &WorkspaceObj::megabytes, "Its size in megabytes.")
      .def("grow", &WorkspaceObj::grow)
      .def_static("largest", [](const Workspace& a, const Workspace& b) {
        return a->bytes < b->bytes ? b : a;
      });
}
// [object_registration.end]

// [exports.begin]
Workspace make_workspace(int64_t bytes, const ffi::String& name) { return Workspace(bytes, name); }
int64_t bytes_of(const Workspace& w) { return w->bytes; }
void grow(const Workspace& w, int64_t more) { w->grow(more); }

TVM_FFI_DLL_EXPORT_TYPED_FUNC(make_workspace, make_workspace);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(bytes_of, bytes_of);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(grow, grow);
// [exports.end]

// [global_def.begin]
TVM_FFI_STATIC_INIT_BLOCK() {
  refl::GlobalDef()
      .def(
          "workspaces.padded", [](int64_t bytes) { return (bytes + 255) / 256 * 256; },
          "The size, rounded up to 256 bytes.")
      .def_method("workspaces.megabytes", &WorkspaceObj::megabytes, "The size in megabytes.");
}
// [global_def.end]

void Check(bool condition) { TVM_FFI_CHECK(condition, AssertionError); }

// The methods and fields by name, and the constructor, from C++ that does not know the class.
void use_by_name() {
  // [method_call.begin]
  Workspace workspace(3000000, "scratch");
  ffi::Function megabytes = refl::GetMethod("workspaces.Workspace", "megabytes");
  Check(megabytes(workspace).cast<int64_t>() == 3);
  refl::GetMethod("workspaces.Workspace", "grow")(workspace, 1000000);
  Check(workspace->bytes == 4000000);
  // [method_call.end]
  // [field_access.begin]
  refl::FieldSetter set_bytes("workspaces.Workspace", "bytes");
  refl::FieldGetter get_bytes("workspaces.Workspace", "bytes");
  set_bytes(workspace, 5);
  Check(get_bytes(workspace).cast<int64_t>() == 5);
  // [field_access.end]
  // [constructor.begin]
  refl::TypeAttrColumn constructors("__ffi_init__");
  auto construct = constructors[WorkspaceObj::RuntimeTypeIndex()].cast<ffi::Function>();
  Workspace made = construct(7, "seven").cast<Workspace>();
  Check(made->bytes == 7 && made->name == "seven" && made->zeroed);
  // [constructor.end]
  Check(construct(7).cast<Workspace>()->name == "unnamed");
}

// [set_field.begin]
void set_field(const ffi::Any& object, const std::string& name, const ffi::Any& value) {
  refl::FieldSetter("workspaces.Workspace", name.c_str())(object.cast<ffi::ObjectRef>(), value);
}
// [set_field.end]

}  // namespace

TVM_FFI_DLL_EXPORT_TYPED_FUNC(use_by_name, use_by_name);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(set_field, set_field);

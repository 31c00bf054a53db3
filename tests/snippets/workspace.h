// SPDX-License-Identifier: Apache-2.0
// An object type and its handle, for the library that registers the type and those that use it.
#ifndef TESTS_SNIPPETS_WORKSPACE_H_
#define TESTS_SNIPPETS_WORKSPACE_H_

// [includes.begin]
#include <tvm/ffi/reflection/registry.h>
#include <tvm/ffi/tvm_ffi.h>

#include <utility>

namespace ffi = tvm::ffi;
namespace refl = tvm::ffi::reflection;
// [includes.end]

// [object_type.begin]
namespace [[gnu::visibility("hidden")]] workspaces {

class WorkspaceObj : public ffi::Object {
 public:
  int64_t bytes = 0;
  ffi::String name;
  bool zeroed = false;

  int64_t megabytes() const { return bytes / 1000000; }
  void grow(int64_t more) { bytes += more; }

  static constexpr bool _type_mutable = true;
  TVM_FFI_DECLARE_OBJECT_INFO("workspaces.Workspace", WorkspaceObj, ffi::Object);
};

class Workspace : public ffi::ObjectRef {
 public:
  Workspace(int64_t bytes, const ffi::String& name) {
    ffi::ObjectPtr<WorkspaceObj> object = ffi::make_object<WorkspaceObj>();
    object->bytes = bytes;
    object->name = name;
    data_ = std::move(object);
  }
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NOTNULLABLE(Workspace, ffi::ObjectRef, WorkspaceObj);
};

}  // namespace workspaces
// [object_type.end]

#endif  // TESTS_SNIPPETS_WORKSPACE_H_

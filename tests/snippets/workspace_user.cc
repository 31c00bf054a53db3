// SPDX-License-Identifier: Apache-2.0
// Another library: it declares the type with the same header, and uses it.
#include "workspace.h"

// [declared_only.begin]
workspaces::Workspace double_bytes(const workspaces::Workspace& w) {
  w->grow(w->bytes);
  return w;
}

TVM_FFI_DLL_EXPORT_TYPED_FUNC(double_bytes, double_bytes);
// [declared_only.end]

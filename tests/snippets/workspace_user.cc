// SPDX-License-Identifier: Apache-2.0
// Another library: it declares the type by the same header, and uses it.
#include "workspace.h"

// [declared_only.begin]
TVM_FFI_DLL_EXPORT_TYPED_FUNC(double_bytes, [](const workspaces::Workspace& w) {
  w->grow(w->bytes);
  return w;
});
// [declared_only.end]

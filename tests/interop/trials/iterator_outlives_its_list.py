# SPDX-License-Identifier: Apache-2.0
"""An iterator is read after its List was deleted."""

import tvm_ffi

values = tvm_ffi.List(["first", "second"])
iterator = iter(values)
del values
print(", ".join(iterator))

# SPDX-License-Identifier: Apache-2.0
"""A List that is nested 200,000 levels deep is freed."""

import tvm_ffi

nested = tvm_ffi.List([])
for _ in range(200_000):
    nested = tvm_ffi.List([nested])
del nested
print("freed")

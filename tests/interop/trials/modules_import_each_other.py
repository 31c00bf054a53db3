# SPDX-License-Identifier: Apache-2.0
"""A module imports another one that imports it."""

import tvm_ffi

one, other = tvm_ffi.system_lib("one_"), tvm_ffi.system_lib("other_")
one.import_module(other)
other.import_module(one)
print(one.implements_function("missing", query_imports=True))

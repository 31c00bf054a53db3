# SPDX-License-Identifier: Apache-2.0
"""JSON is read that is nested 200,000 levels deep."""

import tvm_ffi

parse = tvm_ffi.get_global_func("ffi.json.Parse")
print(len(parse("[" * 200_000 + "]" * 200_000)), "element")

# SPDX-License-Identifier: Apache-2.0
"""Calls the library, and reads its documentation and metadata."""

import json

import numpy
import tvm_ffi

mod = tvm_ffi.load_module("./many_kernels.so")

# [optional.begin]
x = numpy.array([1.0, 2.0], dtype="float32")
y = numpy.empty_like(x)
mod.shift(x, y, 0.5)
assert y.tolist() == [1.5, 2.5]
mod.shift(x, y, None)
assert y.tolist() == [2.0, 3.0]
# [optional.end]

assert mod.total(y) == 5.0

# [describe.begin]
assert mod.get_function_doc("shift") == "y = x + by; by is 1 if it is not given."
assert mod.get_function_doc("total") is None
metadata = mod.get_function_metadata("total")
schema = json.loads(metadata["type_schema"])
assert schema["named_args"] == {"params": [{"type": "DLTensor*"}], "return": [{"type": "float"}]}
# [describe.end]

# SPDX-License-Identifier: Apache-2.0
"""Loads a scale library that was built elsewhere and checks it: call_scale.py LIBRARY."""

import hashlib
import platform
import sys
from pathlib import Path

import numpy as np
import tvm_ffi

library = Path(sys.argv[1])
mod = tvm_ffi.load_module(library)
rng = np.random.default_rng(0)
for dtype, wide in (("float32", np.float32), ("float64", np.float64), ("float16", np.float32)):
    for shape in ((), (0,), (1,), (257,), (33, 65)):
        x = np.asarray(rng.standard_normal(shape)).astype(dtype)
        y = np.full_like(x, np.nan)
        mod.scale(x, y, 1.1)
        np.testing.assert_array_equal(y, (x.astype(wide) * wide(1.1)).astype(dtype))
message = "no error"
try:
    mod.scale(x, x[:1], 1.1)
except ValueError as error:
    message = str(error)
assert message == "scale: y must be of shape (33, 65) like x, got (1, 65)", message
print(
    f"Python {platform.python_version()}: right results from {library.name}, SHA-256 "
    f"{hashlib.sha256(library.read_bytes()).hexdigest()[:16]}"
)

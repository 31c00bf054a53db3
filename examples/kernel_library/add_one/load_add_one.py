# SPDX-License-Identifier: Apache-2.0
"""Loads the add_one library, calls it, and checks the result: python load_add_one.py [cpu|cuda]."""

# [load.begin]
import sys

import torch
import tvm_ffi

device = sys.argv[1] if len(sys.argv) > 1 else "cpu"
mod = tvm_ffi.load_module(f"./add_one_{device}.so")
# [load.end]

# [call.begin]
x = torch.arange(5, dtype=torch.float32, device=device)
y = torch.empty_like(x)
mod.add_one(x, y)
print(y)
# [call.end]

for n in (0, 1, 255, 256, 257, 100_003):
    x = torch.randn(n, device=device)
    y = torch.full_like(x, float("nan"))  # Unwritten elements stay NaN.
    mod.add_one(x, y)
    torch.testing.assert_close(y, x + 1, rtol=0, atol=0)
print(f"add_one_{device}.so gives the right results")

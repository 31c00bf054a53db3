# SPDX-License-Identifier: Apache-2.0
"""Loads the library in C, calls it, and checks the result: python load_c_abi.py [cpu|cuda]."""

# [load.begin]
import sys

import torch
import tvm_ffi

device = sys.argv[1] if len(sys.argv) > 1 else "cpu"
mod = tvm_ffi.load_module(f"./c_abi_{device}.so")
# [load.end]

for dtype in (torch.float32, torch.float64):
    for shape in ((), (0,), (1,), (257,), (33, 65), (7, 1, 129)):
        x = torch.randn(shape, device=device, dtype=dtype)
        y = torch.full_like(x, float("nan"))  # Unwritten elements stay NaN.
        mod.scale(x, y, 2.5)
        torch.testing.assert_close(y, x * 2.5, rtol=0, atol=0)
matrix = torch.randn(33, 65, device=device)
y = torch.empty(65, 33, device=device)
mod.scale(matrix.t(), y, 3)
torch.testing.assert_close(y, matrix.t() * 3, rtol=0, atol=0)
print(f"c_abi_{device}.so gives the right results")

# SPDX-License-Identifier: Apache-2.0
"""Loads the softmax library, calls it, checks the result: python load_softmax.py [cpu|cuda]."""

# [load.begin]
import sys

import torch
import tvm_ffi

device = sys.argv[1] if len(sys.argv) > 1 else "cpu"
mod = tvm_ffi.load_module(f"./softmax_{device}.so")
# [load.end]

# [call.begin]
x = torch.randn(8, 16, 50257, device=device, dtype=torch.float16)  # (batch, token, vocabulary)
y = torch.empty_like(x)
mod.softmax(x, y)
# [call.end]

# [check.begin]
for dtype in (torch.float32, torch.float64, torch.float16, torch.bfloat16):
    for shape in ((), (0, 8), (3, 1), (5, 257), (2, 3, 64)):
        x = torch.randn(shape, device=device, dtype=dtype)
        y = torch.full_like(x, float("nan"))  # Unwritten elements stay NaN.
        mod.softmax(x, y)
        # The same in float64, rounded once.
        torch.testing.assert_close(y, torch.softmax(x.double(), -1).to(dtype))
# [check.end]
print(f"softmax_{device}.so gives the right results")

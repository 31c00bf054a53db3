# SPDX-License-Identifier: Apache-2.0
"""Loads the scale library, calls it, and checks the result: python load_scale.py [cpu|cuda]."""

# [load.begin]
import sys

import torch
import tvm_ffi

device = sys.argv[1] if len(sys.argv) > 1 else "cpu"
mod = tvm_ffi.load_module(f"./scale_{device}.so")
# [load.end]

# [call.begin]
x = torch.randn(1000, 1000, device=device, dtype=torch.bfloat16)
y = torch.empty_like(x)
mod.scale(x, y, 2.5)
# [call.end]

# [check.begin]
for dtype in (torch.float32, torch.float64, torch.float16, torch.bfloat16):
    for shape in ((), (0,), (1,), (257,), (33, 65), (7, 1, 129)):
        x = torch.randn(shape, device=device, dtype=dtype)
        y = torch.full_like(x, float("nan"))  # Unwritten elements stay NaN.
        mod.scale(x, y, 2.5)
        # The product in float64, rounded once: the kernel may differ by one rounding.
        torch.testing.assert_close(y, (x.double() * 2.5).to(dtype))
# [check.end]
print(f"scale_{device}.so gives the right results")

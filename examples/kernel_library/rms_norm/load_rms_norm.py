# SPDX-License-Identifier: Apache-2.0
"""Loads the rms_norm library, calls it, checks the result: python load_rms_norm.py [cpu|cuda]."""

# [load.begin]
import sys

import torch
import tvm_ffi

device = sys.argv[1] if len(sys.argv) > 1 else "cpu"
mod = tvm_ffi.load_module(f"./rms_norm_{device}.so")
# [load.end]

# [call.begin]
x = torch.randn(8, 128, 4096, device=device, dtype=torch.bfloat16)  # (batch, token, hidden)
weight = torch.randn(4096, device=device, dtype=torch.bfloat16)
y = torch.empty_like(x)
mod.rms_norm(x, y, 1e-6, weight, None)
# [call.end]

# [check.begin]
for dtype in (torch.float32, torch.float64, torch.float16, torch.bfloat16):
    for shape in ((), (0, 8), (3, 1), (5, 257), (2, 3, 64)):
        x = torch.randn(shape, device=device, dtype=dtype)
        weight = torch.randn(shape[-1:] or (1,), device=device, dtype=dtype)
        bias = torch.randn_like(weight)
        y = torch.full_like(x, float("nan"))  # Unwritten elements stay NaN.
        mod.rms_norm(x, y, 1e-6, weight, bias)
        # The same in float64, rounded once.
        wide = x.double()
        size = torch.sqrt(wide.square().mean(-1, keepdim=bool(shape)) + 1e-6)
        expected = wide / size * weight.double() + bias.double()
        torch.testing.assert_close(y, expected.reshape(shape).to(dtype))
# [check.end]
print(f"rms_norm_{device}.so gives the right results")

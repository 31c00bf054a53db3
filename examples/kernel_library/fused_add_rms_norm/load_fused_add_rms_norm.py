# SPDX-License-Identifier: Apache-2.0
"""Loads the fused_add_rms_norm library, calls and checks it: load_fused_add_rms_norm.py [cpu|cuda].

It runs in the folder that holds the library.
"""

# [load.begin]
import sys

import torch
import tvm_ffi

device = sys.argv[1] if len(sys.argv) > 1 else "cpu"
mod = tvm_ffi.load_module(f"./fused_add_rms_norm_{device}.so")
# [load.end]

# [call.begin]
x = torch.randn(64, 4096, device=device, dtype=torch.bfloat16)  # (token, hidden)
residual = torch.randn_like(x)
weight = torch.randn(4096, device=device, dtype=torch.bfloat16)
mod.fused_add_rms_norm(x, residual, x, 1e-6, weight, None)  # in place

y = torch.empty(x.shape, device=device, dtype=torch.float8_e4m3fn)
scale = torch.tensor([0.05], device=device)
mod.fused_add_rms_norm(x, residual, y, 1e-6, weight, scale)
# [call.end]

# [check.begin]
for dtype in (torch.float32, torch.float16, torch.bfloat16):
    for shape in ((), (0, 8), (3, 1), (5, 257), (2, 3, 64)):
        x = torch.randn(shape, device=device, dtype=dtype)
        residual = torch.randn_like(x)
        weight = torch.randn(shape[-1:] or (1,), device=device, dtype=dtype)
        y = torch.full_like(x, float("nan"))  # Unwritten elements stay NaN.
        total = x + residual
        mod.fused_add_rms_norm(x, residual, y, 1e-6, weight, None)
        torch.testing.assert_close(residual, total, rtol=0, atol=0)
        # The same in float64, rounded once.
        wide = total.double()
        size = torch.sqrt(wide.square().mean(-1, keepdim=bool(shape)) + 1e-6)
        expected = (wide / size * weight.double()).reshape(shape)
        torch.testing.assert_close(y, expected.to(dtype))
# [check.end]
print(f"fused_add_rms_norm_{device}.so gives the right results")

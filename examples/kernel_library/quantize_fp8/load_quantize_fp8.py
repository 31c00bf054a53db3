# SPDX-License-Identifier: Apache-2.0
"""Loads the quantize_fp8 library, calls it, checks it: python load_quantize_fp8.py [cpu|cuda]."""

# [load.begin]
import sys

import torch
import tvm_ffi

device = sys.argv[1] if len(sys.argv) > 1 else "cpu"
mod = tvm_ffi.load_module(f"./quantize_fp8_{device}.so")
# [load.end]

# [call.begin]
x = torch.randn(1024, 4096, device=device, dtype=torch.bfloat16)
y = torch.empty(x.shape, device=device, dtype=torch.float8_e4m3fn)
scale = torch.empty(x.shape[:-1], device=device)  # float32, one per row
mod.quantize_fp8(x, y, scale)

back = torch.empty_like(x)
mod.dequantize_fp8(y, scale, back)
# [call.end]

# [check.begin]
for dtype in (torch.float32, torch.float64, torch.float16, torch.bfloat16):
    for shape in ((), (0, 8), (3, 1), (5, 257), (2, 3, 64)):
        x = torch.randn(shape, device=device, dtype=dtype)
        scale = torch.empty(shape[:-1], device=device)
        y = mod.quantized_fp8(x, scale)
        back = torch.full_like(x, float("nan"))
        mod.dequantize_fp8(y, scale, back)
        # Half a unit in the last of 4 bits, and half the smallest number times the scale.
        step = scale.unsqueeze(-1).double() if shape else scale.double()
        error = (back.double() - x.double()).abs()
        assert bool((error <= 0.0626 * x.double().abs() + 0.001 * step).all())
# [check.end]
print(f"quantize_fp8_{device}.so gives the right results")

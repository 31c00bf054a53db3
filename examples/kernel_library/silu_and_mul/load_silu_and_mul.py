# SPDX-License-Identifier: Apache-2.0
"""Loads the silu_and_mul library, calls it, checks it: python load_silu_and_mul.py [cpu|cuda]."""

# [load.begin]
import sys

import torch
import tvm_ffi

device = sys.argv[1] if len(sys.argv) > 1 else "cpu"
mod = tvm_ffi.load_module(f"./silu_and_mul_{device}.so")
# [load.end]

# [call.begin]
x = torch.randn(64, 2 * 14336, device=device, dtype=torch.bfloat16)  # (token, gate and value)
y = torch.empty(64, 14336, device=device, dtype=torch.bfloat16)
mod.silu_and_mul(x, y)
# [call.end]

# [check.begin]
for dtype in (torch.float32, torch.float64, torch.float16, torch.bfloat16):
    for shape in ((0,), (0, 8), (3, 2), (5, 514), (2, 3, 64)):
        x = torch.randn(shape, device=device, dtype=dtype)
        a, b = x.double().chunk(2, -1)
        y = torch.full(a.shape, float("nan"), device=device, dtype=dtype)  # Unwritten.
        mod.silu_and_mul(x, y)
        # The same in float64, rounded once.
        torch.testing.assert_close(y, (torch.nn.functional.silu(a) * b).to(dtype))
# [check.end]
print(f"silu_and_mul_{device}.so gives the right results")

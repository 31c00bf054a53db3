# SPDX-License-Identifier: Apache-2.0
"""Loads the dispatch library, adds each dtype, checks: python load_dispatch.py [cpu|cuda]."""

# [load.begin]
import sys

import torch
import tvm_ffi

device = sys.argv[1] if len(sys.argv) > 1 else "cpu"
mod = tvm_ffi.load_module(f"./dispatch_{device}.so")
# [load.end]

# [call.begin]
FLOATING = (torch.float32, torch.float64, torch.float16, torch.bfloat16)
FLOAT8 = (torch.float8_e4m3fn, torch.float8_e5m2)
SIGNED = (torch.int8, torch.int16, torch.int32, torch.int64)
UNSIGNED = (torch.uint8, torch.uint16, torch.uint32, torch.uint64)

for dtype in (*FLOATING, *FLOAT8, *SIGNED, *UNSIGNED, torch.bool):
    # Small numbers, which all of these dtypes represent; PyTorch itself cannot add all dtypes.
    a = torch.tensor([0, 1, 0, 1] * 25, device=device).to(dtype)
    b = torch.tensor([0, 0, 1, 1] * 25, device=device).to(dtype)
    y = torch.empty_like(a)
    mod.add(a, b, y)
    both = 1 if dtype == torch.bool else 2
    assert y.tolist() == [0, 1, 1, both] * 25
# [call.end]
print(f"dispatch_{device}.so gives the right results")

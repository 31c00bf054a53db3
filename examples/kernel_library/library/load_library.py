# SPDX-License-Identifier: Apache-2.0
"""Loads the library, calls its kernels, and checks the results: python load_library.py [cpu|cuda].

A library for CUDA serves both devices.
"""

# [load.begin]
import sys

import torch
import tvm_ffi

device = sys.argv[1] if len(sys.argv) > 1 else "cpu"
mod = tvm_ffi.load_module(f"./library_{device}.so")
# [load.end]

for where in {"cpu", device}:
    for dtype in (torch.float32, torch.float64, torch.float16, torch.bfloat16):
        for shape in ((0,), (1,), (257,), (33, 65), (7, 1, 128)):
            x = torch.randn(shape, device=where, dtype=dtype)
            y = torch.randn(shape, device=where, dtype=dtype)
            near = {"rtol": 3 * torch.finfo(dtype).eps, "atol": 3 * torch.finfo(dtype).eps}
            want = y.double() + 2.5 * x.double()
            mod.axpy(2.5, x, y)
            torch.testing.assert_close(y.double(), want, **near)
            want = y.double() + 0.25 * (x.double() - y.double())
            mod.lerp(x, y, 0.25)
            torch.testing.assert_close(y.double(), want, **near)
            out = torch.full(shape[:-1], float("nan"), device=where, dtype=dtype)
            mod.vecdot(x, y, out)
            want = (x.double() * y.double()).sum(-1)
            torch.testing.assert_close(out, want.to(dtype), rtol=1e-2, atol=1e-2)
print(f"library_{device}.so gives the right results")

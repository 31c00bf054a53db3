# SPDX-License-Identifier: Apache-2.0
"""Loads the matrix multiplication, calls it, checks it: python load_gemm.py [cpu|cuda]."""

# [load.begin]
import sys

import torch
import tvm_ffi

device = sys.argv[1] if len(sys.argv) > 1 else "cpu"
mod = tvm_ffi.load_module(f"./gemm_{device}.so")
# [load.end]

# [call.begin]
# A network layer: 100 tokens of 512 numbers, weights stored as in torch.nn.Linear.
x = torch.randn(100, 512, device=device, dtype=torch.bfloat16)
weight = torch.randn(256, 512, device=device, dtype=torch.bfloat16) / 16
bias = torch.randn(256, device=device, dtype=torch.bfloat16)

out = torch.empty(100, 256, device=device, dtype=torch.bfloat16)
size = mod.gemm_workspace_size(x, weight.T, out)
workspace = torch.empty(size, device=device, dtype=torch.uint8)
mod.gemm(x, weight.T, out, workspace, 1.0, "silu", bias, None, None)
# [call.end]

# [float8.begin]
# 8-bit numbers, each tensor with the scale that it was divided by; not every GPU has them.
finest = torch.cuda.get_device_capability() if device == "cuda" else (9, 0)
if finest == (9, 0):
    scale_x, scale_weight = (each.abs().amax().float() / 448 for each in (x, weight))
    x8 = (x / scale_x).to(torch.float8_e4m3fn)
    weight8 = (weight / scale_weight).to(torch.float8_e4m3fn)
    out8 = torch.empty_like(out)
    size = mod.gemm_workspace_size(x8, weight8.T, out8)
    workspace = torch.empty(size, device=device, dtype=torch.uint8)
    mod.gemm(x8, weight8.T, out8, workspace, 1.0, "silu", bias, scale_x, scale_weight)
    torch.testing.assert_close(out8, out, rtol=0.1, atol=0.5)
# [float8.end]

# [check.begin]
for dtype in (torch.float16, torch.bfloat16):
    x, weight, bias = x.to(dtype), weight.to(dtype), bias.to(dtype)
    for b in (weight.T, weight.T.contiguous()):
        out = torch.full((100, 256), float("nan"), device=device, dtype=dtype)
        size = mod.gemm_workspace_size(x, b, out)
        workspace = torch.full((size,), 0xA5, device=device, dtype=torch.uint8)
        mod.gemm(x, b, out, workspace, 0.5, "relu", bias, None, None)
        # The same in float64, rounded once.
        expected = (0.5 * (x.double() @ b.double()) + bias.double()).relu()
        torch.testing.assert_close(out, expected.to(dtype))
# [check.end]
print(f"gemm_{device}.so gives the right results")

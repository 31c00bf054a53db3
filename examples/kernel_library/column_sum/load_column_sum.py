# SPDX-License-Identifier: Apache-2.0
"""Loads the column_sum library, calls it, checks it: python load_column_sum.py [cpu|cuda]."""

# [load.begin]
import sys

import torch
import tvm_ffi

device = sys.argv[1] if len(sys.argv) > 1 else "cpu"
mod = tvm_ffi.load_module(f"./column_sum_{device}.so")
# [load.end]


# [wrapper.begin]
def column_sum(x: torch.Tensor, weight: torch.Tensor | None = None) -> torch.Tensor:
    """Add the rows of x, each times its weight."""
    y = torch.empty(x.shape[1], dtype=x.dtype, device=x.device)
    size = mod.column_sum_workspace_size(x, weight)
    workspace = torch.empty(size, dtype=torch.uint8, device=x.device)
    mod.column_sum(x, weight, y, workspace)
    return y


# [wrapper.end]

# [call.begin]
layer = torch.nn.Linear(32, 48, device=device)
output = layer(torch.randn(1000, 32, device=device))
gradient = torch.rand_like(output)
output.backward(gradient)
torch.testing.assert_close(column_sum(gradient), layer.bias.grad)
# [call.end]

# [check.begin]
for dtype in (torch.float32, torch.float64, torch.float16, torch.bfloat16):
    for rows, columns in ((0, 8), (1, 3), (5, 257), (1003, 64), (70001, 2)):
        x = torch.rand(rows, columns, device=device, dtype=dtype)
        weight = torch.rand(rows, device=device, dtype=dtype)
        # The same in float64, rounded once.
        expected = (weight.double() @ x.double()).to(dtype)
        torch.testing.assert_close(column_sum(x, weight), expected)
# [check.end]
print(f"column_sum_{device}.so gives the right results")

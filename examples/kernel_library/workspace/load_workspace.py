# SPDX-License-Identifier: Apache-2.0
"""Loads the histogram, calls it in one workspace: python load_workspace.py [cpu|cuda]."""

# [load.begin]
import sys

import torch
import tvm_ffi

device = sys.argv[1] if len(sys.argv) > 1 else "cpu"
mod = tvm_ffi.load_module(f"./workspace_{device}.so")
# [load.end]

# [call.begin]
x = torch.randint(0, 100, (1000, 1000), device=device)
counts = torch.empty(100, dtype=torch.int64, device=device)
size = mod.histogram_workspace_size(x, counts)
workspace = torch.empty(size, dtype=torch.uint8, device=device)
for _ in range(3):  # the same memory for every call
    mod.histogram(x, counts, workspace)
# [call.end]

# [check.begin]
for dtype in (torch.uint8, torch.int32, torch.int64):
    for shape in ((), (0,), (1,), (257,), (33, 65), (7, 1, 129)):
        x = torch.randint(0, 100, shape, device=device).to(dtype)
        counts.fill_(-1)
        workspace.fill_(0xA5)  # Its contents do not matter.
        mod.histogram(x, counts, workspace)
        assert torch.equal(counts, torch.bincount(x.flatten(), minlength=100))
# [check.end]
print(f"workspace_{device}.so gives the right results")

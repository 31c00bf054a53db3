# SPDX-License-Identifier: Apache-2.0
"""Loads the nonzero library and compares it with PyTorch: python load_nonzero.py [cpu|cuda]."""

# [load.begin]
import sys

import torch
import tvm_ffi

device = sys.argv[1] if len(sys.argv) > 1 else "cpu"
mod = tvm_ffi.load_module(f"./nonzero_{device}.so")
# [load.end]

# [call.begin]
x = torch.randn(1000, 1000, device=device).relu()
indices = mod.nonzero(x)  # int64, of shape (count, 2)
assert bool((x[indices[:, 0], indices[:, 1]] > 0).all())
# [call.end]

# [check.begin]
for dtype in (torch.bool, torch.uint8, torch.int64, torch.float16, torch.float64):
    for shape in ((), (0,), (1,), (257,), (33, 65), (7, 1, 129)):
        x = torch.randint(0, 2, shape, device=device).to(dtype)
        assert torch.equal(mod.nonzero(x), x.nonzero())
        turned = x.permute(tuple(reversed(range(x.ndim))))
        assert torch.equal(mod.nonzero(turned), turned.nonzero())
# [check.end]

# [allocator.begin]
# PyTorch's profiler records the memory that its allocator provides.
with torch.profiler.profile(profile_memory=True) as profile:
    indices = mod.nonzero(x)
taken = [
    max(event.self_cpu_memory_usage, event.self_device_memory_usage)
    for event in profile.events()
    if event.name == "aten::empty"
]
assert max(taken) >= indices.nbytes
# [allocator.end]
print(f"nonzero_{device}.so gives the right results")

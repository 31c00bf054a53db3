# SPDX-License-Identifier: Apache-2.0
"""Loads the histogram, calls it from many threads: python load_storage.py [cpu|cuda]."""

# [load.begin]
import sys
from concurrent.futures import ThreadPoolExecutor

import torch
import tvm_ffi

device = sys.argv[1] if len(sys.argv) > 1 else "cpu"
mod = tvm_ffi.load_module(f"./storage_{device}.so")
# [load.end]


# [call.begin]
def count(bins):
    """Count in a thread, and compare with PyTorch."""
    x = torch.arange(100_000, device=device) % (bins + 1)
    counts = torch.empty(bins, dtype=torch.int64, device=device)
    mod.histogram(x, counts)
    return torch.equal(counts, torch.bincount(x)[:bins])


with ThreadPoolExecutor(8) as pool:
    assert all(pool.map(count, [3, 500, 77, 1, 8192, 10] * 20))
# [call.end]
print(f"storage_{device}.so gives the right results")

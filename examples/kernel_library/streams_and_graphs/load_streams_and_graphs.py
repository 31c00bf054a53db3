# SPDX-License-Identifier: Apache-2.0
"""Runs kernels on streams and in a graph: python load_streams_and_graphs.py [cpu|cuda]."""

# [load.begin]
import sys

import torch
import tvm_ffi
from streams_and_graphs import Lent, Normalizer, on_two_streams

device = sys.argv[1] if len(sys.argv) > 1 else "cpu"
mod = tvm_ffi.load_module(f"./streams_and_graphs_{device}.so")
x = torch.rand(100_000, device=device)
y = torch.empty_like(x)
workspace = torch.empty(mod.workspace_size(), device=device)
# [load.end]

# [two_streams.begin]
on_two_streams(mod, x, workspace, y)
near = {"rtol": 1e-5, "atol": 0}  # The numbers are small: relative errors count.
torch.testing.assert_close(y, x / x.sum(), **near)
# [two_streams.end]

# [graph.begin]
normalized = Normalizer(mod, 1000, device)
for _ in range(3):
    x = torch.rand(1000, device=device)
    torch.testing.assert_close(normalized(x), x / x.sum(), **near)
# [graph.end]

# [explicit.begin]
if device == "cuda":
    x, y = torch.rand(1000, device=device), torch.zeros(1000, device=device)
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    here = tvm_ffi.device("cuda", x.device.index)
    for explicit in (
        tvm_ffi.use_torch_stream(torch.cuda.stream(side)),
        tvm_ffi.use_raw_stream(here, side.cuda_stream),
    ):
        with explicit:
            assert tvm_ffi.get_raw_stream(here) == side.cuda_stream
            mod.normalize(Lent(x), Lent(workspace), Lent(y))
        side.synchronize()
        torch.testing.assert_close(y, x / x.sum(), **near)
# [explicit.end]

# [guard.begin]
if device == "cuda" and torch.cuda.device_count() > 1:
    other = torch.rand(1000, device="cuda:1")
    result, parts = torch.empty_like(other), torch.empty_like(workspace, device="cuda:1")
    mod.normalize(other, parts, result)
    torch.testing.assert_close(result, other / other.sum(), **near)
    assert torch.cuda.current_device() == 0
else:
    print("not run: a kernel on the second of two GPUs")
# [guard.end]
print(f"streams_and_graphs_{device}.so gives the right results")

# SPDX-License-Identifier: Apache-2.0
"""Rows of allocators: allocate, fill and free, beside torch.full."""

from collections.abc import Iterator

import torch
import tvm_ffi
from rows import Row, named, sizes


def filled(allocate, size, where):
    """New memory, written once."""
    return torch.from_dlpack(allocate((size,), tvm_ffi.dtype("uint8"), where)).fill_(1)


def rows(mod, device: str) -> Iterator[Row]:
    """Give the rows of one device."""
    where = tvm_ffi.device(device)
    for name in ("empty", "empty_async") if device == "cuda" else ("empty",):
        allocate = getattr(mod, name)
        for size in sizes(device):
            yield Row(
                case=f"{name}, {named(size)}",
                moved=size,
                run=lambda allocate=allocate, size=size: filled(allocate, size, where),
                # On a GPU, PyTorch caches its allocations, so the comparison would be unfair.
                torch=None
                if device == "cuda"
                else lambda size=size: torch.full((size,), 1, dtype=torch.uint8),
                memory_bound=False,  # The driver's own work adds to it.
                captured=False,  # A graph capture cannot call cudaMalloc.
            )

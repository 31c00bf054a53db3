# SPDX-License-Identifier: Apache-2.0
"""A row of the kernels' benchmark: one kernel on one input. kernels_worker.py measures them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch

KIB, MIB = 1 << 10, 1 << 20
# Sizes of an input on a GPU: larger than any L2 cache, within that of an A100 or newer, and so
# small that the launch dominates the time.
LARGE, CACHED, SMALL = 256 * MIB, 4 * MIB, 64 * KIB
# Row lengths: less than a warp's vectors, and odd, so that most rows are misaligned.
SHORT, ODD = 64, 50257
PADDING = 64  # elements between two rows of a tensor that is not contiguous


@dataclass(frozen=True)
class Row:
    """One kernel on one input, beside PyTorch's own operator on the same."""

    case: str  # dtype and size: "float32, 16 MiB"
    moved: int  # bytes that the problem must read and write, counted as for a copy
    run: Callable[[], object]  # does the work once
    # PyTorch's own operator, one call, into a preallocated output if it takes one.
    torch: Callable[[], object] | None = None
    # The speed relative to PyTorch's that is required on a CPU: 1.0 is as fast. On a GPU, each
    # large row that has a PyTorch operator must be as fast as that.
    least: float | None = None
    # Whether memory is the limit: then 0.9 of a copy's speed is required of a large row on a GPU.
    memory_bound: bool = True
    # Whether a CUDA graph can capture `run` and `torch`: neither waits for the GPU or calls
    # cudaMalloc.
    captured: bool = True


rehearsed = False  # whether a CPU gets a GPU's rows, on inputs small enough for it


def for_gpu(device: str) -> bool:
    """Whether to give the rows of a GPU."""
    return rehearsed or device == "cuda"


def large() -> int:
    """Give the size of a GPU's large inputs."""
    return 2 * MIB if rehearsed else LARGE


def sizes(device: str) -> tuple[int, ...]:
    """Give the sizes of an input in bytes at which a device is measured."""
    if for_gpu(device):
        return (large(), MIB if rehearsed else CACHED, SMALL)
    return (16 * MIB, 64 * MIB)


def named(size: int) -> str:
    """Give a size in words."""
    return f"{size // MIB} MiB" if size >= MIB else f"{size // KIB} KiB"


def counts(device: str, itemsize: int) -> list[tuple[int, str]]:
    """Give numbers of elements, each with its words, for a kernel that takes them one by one."""
    found = [(size // itemsize, named(size)) for size in sizes(device)]
    return [*found, (ODD, f"{ODD} elements")] if for_gpu(device) else found


def shapes(device: str, itemsize: int, *usual: int) -> list[tuple[int, int, str]]:
    """Give numbers and lengths of rows, and both in words, for a kernel that works on rows."""
    found = [
        (size // itemsize // length, length, named(size))
        for length in usual
        for size in sizes(device)
        if size >= itemsize * length
    ]
    if for_gpu(device):
        size = large()
        found += [(size // itemsize // n, n, named(size)) for n in (SHORT, ODD)]
    return found


def padded(rows: int, length: int, dtype: torch.dtype, device: str) -> torch.Tensor:
    """Give rows that are dense, but not side by side."""
    return torch.randn(rows, length + PADDING, device=device).to(dtype)[:, :length]

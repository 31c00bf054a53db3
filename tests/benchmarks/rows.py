# SPDX-License-Identifier: Apache-2.0
"""A row of the kernels' benchmark: one kernel on one input. kernels.py measures them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

MIB = 1 << 20


@dataclass(frozen=True)
class Row:
    """One kernel on one input, beside PyTorch's own operator on the same."""

    case: str  # dtype and size: "float32, 16 MiB"
    moved: int  # bytes that the problem needs read and written, as a copy reads and writes
    run: Callable[[], object]  # does the work once
    # PyTorch's own operator, one call, into an output that is there already where it takes one.
    torch: Callable[[], object] | None = None
    # The speed beside PyTorch's that is required on a CPU: 1.0 is as fast. On a GPU each row that
    # has an operator of PyTorch's must be as fast as that.
    least: float | None = None
    # Whether memory is the limit: then 0.9 of a copy's speed is required on a GPU.
    memory_bound: bool = True


def sizes(device: str) -> tuple[int, ...]:
    """Give the sizes of an input in bytes at which a device is measured."""
    return (256 * MIB,) if device == "cuda" else (16 * MIB, 64 * MIB)

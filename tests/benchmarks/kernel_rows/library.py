# SPDX-License-Identifier: Apache-2.0
"""Rows of library: axpy beside torch.add, lerp beside torch.lerp, vecdot beside linalg.vecdot."""

from collections.abc import Iterator

import torch
from rows import Row, counts, shapes

DTYPES = (torch.float32, torch.float64, torch.bfloat16)
WIDE = (torch.float32, torch.float64)
LENGTH = 4096  # elements of a row of vecdot


def rows(mod, device: str) -> Iterator[Row]:
    """Give the rows of one device."""
    for dtype in DTYPES:
        name = str(dtype).removeprefix("torch.")
        least = 1.0 if dtype in WIDE else None
        for n, size in counts(device, dtype.itemsize):
            x = torch.randn(n, device=device).to(dtype)
            y = torch.zeros_like(x)
            # The very same tensor is read and written.
            yield Row(
                case=f"axpy, {name}, {size}",
                moved=3 * x.nbytes,
                run=lambda x=x, y=y: mod.axpy(0.5, x, y),
                torch=lambda x=x, y=y: torch.add(y, x, alpha=0.5, out=y),
                least=least,
            )
            yield Row(
                case=f"lerp, {name}, {size}",
                moved=3 * x.nbytes,
                run=lambda x=x, y=y: mod.lerp(x, y, 0.25),
                torch=lambda x=x, y=y: torch.lerp(y, x, 0.25, out=y),
                least=least,
            )
        for count, length, size in shapes(device, dtype.itemsize, LENGTH):
            left = torch.randn(count, length, device=device).to(dtype)
            right = torch.ones_like(left)
            out = torch.empty(count, dtype=dtype, device=device)
            yield Row(
                case=f"vecdot of {length}, {name}, {size}",
                moved=2 * left.nbytes,
                run=lambda x=left, y=right, out=out: mod.vecdot(x, y, out),
                torch=lambda x=left, y=right, out=out: torch.linalg.vecdot(x, y, out=out),
            )

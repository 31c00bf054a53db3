# SPDX-License-Identifier: Apache-2.0
"""Rows of library: axpy beside torch.add, lerp beside torch.lerp, vecdot beside linalg.vecdot."""

from collections.abc import Iterator

import torch
from rows import MIB, Row, sizes

DTYPES = (torch.float32, torch.float64, torch.bfloat16)
WIDE = (torch.float32, torch.float64)
ROW = 4096  # elements of a row of vecdot


def rows(mod, device: str) -> Iterator[Row]:
    """Give the rows of one device."""
    for dtype in DTYPES:
        for size in sizes(device):
            x = torch.randn(size // dtype.itemsize, device=device).to(dtype)
            y = torch.zeros_like(x)
            where = f"{str(dtype).removeprefix('torch.')}, {size // MIB} MiB"
            # The very same tensor is read and written.
            yield Row(
                case=f"axpy, {where}",
                moved=3 * size,
                run=lambda x=x, y=y: mod.axpy(0.5, x, y),
                torch=lambda x=x, y=y: torch.add(y, x, alpha=0.5, out=y),
                least=1.0 if dtype in WIDE else None,
            )
            yield Row(
                case=f"lerp, {where}",
                moved=3 * size,
                run=lambda x=x, y=y: mod.lerp(x, y, 0.25),
                torch=lambda x=x, y=y: torch.lerp(y, x, 0.25, out=y),
                least=1.0 if dtype in WIDE else None,
            )
            left, right = x.view(-1, ROW), torch.ones_like(x).view(-1, ROW)
            out = torch.empty(left.shape[0], dtype=dtype, device=device)
            yield Row(
                case=f"vecdot of {ROW}, {where}",
                moved=2 * size,
                run=lambda x=left, y=right, out=out: mod.vecdot(x, y, out),
                torch=lambda x=left, y=right, out=out: torch.linalg.vecdot(x, y, out=out),
            )

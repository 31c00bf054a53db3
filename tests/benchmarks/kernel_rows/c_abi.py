# SPDX-License-Identifier: Apache-2.0
"""Rows of c_abi: scale in C, beside torch.mul."""

from collections.abc import Iterator

import torch
from rows import Row, counts


def rows(mod, device: str) -> Iterator[Row]:
    """Give the rows of one device."""
    for dtype in (torch.float32, torch.float64):
        for n, size in counts(device, dtype.itemsize):
            x = torch.randn(n, device=device).to(dtype)
            y = torch.empty_like(x)
            yield Row(
                case=f"{str(dtype).removeprefix('torch.')}, {size}",
                moved=2 * x.nbytes,
                run=lambda x=x, y=y: mod.scale(x, y, 2.5),
                torch=lambda x=x, y=y: torch.mul(x, 2.5, out=y),
                least=1.0,
            )

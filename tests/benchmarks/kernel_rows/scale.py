# SPDX-License-Identifier: Apache-2.0
"""Rows of scale: each dtype, beside torch.mul."""

from collections.abc import Iterator

import torch
from rows import MIB, Row, sizes

DTYPES = (torch.float32, torch.float64, torch.float16, torch.bfloat16)
WIDE = (torch.float32, torch.float64)


# [rows.begin]
def rows(mod, device: str) -> Iterator[Row]:
    """Give the rows of one device."""
    for dtype in DTYPES:
        for size in sizes(device):
            x = torch.randn(size // dtype.itemsize, device=device).to(dtype)
            y = torch.empty_like(x)
            yield Row(
                case=f"{str(dtype).removeprefix('torch.')}, {size // MIB} MiB",
                moved=2 * size,
                run=lambda x=x, y=y: mod.scale(x, y, 2.5),
                torch=lambda x=x, y=y: torch.mul(x, 2.5, out=y),
                least=1.0 if dtype in WIDE else None,
            )


# [rows.end]

# SPDX-License-Identifier: Apache-2.0
"""Rows of rms_norm: rows of 4096 elements with a weight, beside torch.nn.functional.rms_norm."""

from collections.abc import Iterator

import torch
from rows import MIB, Row, sizes

DTYPES = (torch.float32, torch.float64, torch.float16, torch.bfloat16)
LENGTH = 4096


def rows(mod, device: str) -> Iterator[Row]:
    """Give the rows of one device."""
    for dtype in DTYPES:
        for size in sizes(device):
            x = torch.randn(size // dtype.itemsize, device=device).to(dtype).view(-1, LENGTH)
            weight = torch.randn(LENGTH, device=device).to(dtype)
            y = torch.empty_like(x)
            yield Row(
                case=f"{str(dtype).removeprefix('torch.')}, {size // MIB} MiB",
                moved=2 * size + weight.nbytes,
                run=lambda x=x, y=y, w=weight: mod.rms_norm(x, y, 1e-6, w, None),
                torch=lambda x=x, w=weight: torch.nn.functional.rms_norm(x, (LENGTH,), w, 1e-6),
            )

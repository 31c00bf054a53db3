# SPDX-License-Identifier: Apache-2.0
"""Rows of softmax: short ones and as long as a vocabulary, beside torch.softmax."""

from collections.abc import Iterator

import torch
from rows import MIB, Row, sizes

DTYPES = (torch.float32, torch.float64, torch.float16, torch.bfloat16)
LENGTHS = (4096, 131072)


def rows(mod, device: str) -> Iterator[Row]:
    """Give the rows of one device."""
    for length in LENGTHS:
        for dtype in DTYPES:
            for size in sizes(device):
                x = torch.randn(size // dtype.itemsize, device=device).to(dtype).view(-1, length)
                y = torch.empty_like(x)
                name = str(dtype).removeprefix("torch.")
                yield Row(
                    case=f"{name}, {size // MIB} MiB, rows of {length}",
                    moved=2 * size,
                    run=lambda x=x, y=y: mod.softmax(x, y),
                    torch=lambda x=x, y=y: torch.softmax(x, -1, out=y),
                    # A longer row is read twice by one block, and not always from a cache.
                    memory_bound=length == LENGTHS[0],
                )

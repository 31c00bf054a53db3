# SPDX-License-Identifier: Apache-2.0
"""Rows of softmax: short ones and as long as a vocabulary, beside torch.softmax."""

from collections.abc import Iterator

import torch
from rows import Row, for_gpu, large, named, padded, shapes

DTYPES = (torch.float32, torch.float64, torch.float16, torch.bfloat16)
LENGTHS = (4096, 131072)


def row_of(mod, x, name: str) -> Row:
    """Give the row of one input."""
    y = torch.empty(x.shape, dtype=x.dtype, device=x.device)
    return Row(
        case=name,
        moved=2 * y.nbytes,
        run=lambda: mod.softmax(x, y),
        torch=lambda: torch.softmax(x, -1, out=y),
        # A longer row is read twice by one block, and not always from a cache.
        memory_bound=x.shape[1] <= LENGTHS[0],
    )


def rows(mod, device: str) -> Iterator[Row]:
    """Give the rows of one device."""
    for dtype in DTYPES:
        name = str(dtype).removeprefix("torch.")
        for count, length, size in shapes(device, dtype.itemsize, *LENGTHS):
            x = torch.randn(count, length, device=device).to(dtype)
            yield row_of(mod, x, f"{name}, {size}, rows of {length}")
        if for_gpu(device):
            x = padded(large() // dtype.itemsize // LENGTHS[0], LENGTHS[0], dtype, device)
            yield row_of(mod, x, f"{name}, {named(large())}, rows of {LENGTHS[0]} with gaps")

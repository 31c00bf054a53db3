# SPDX-License-Identifier: Apache-2.0
"""Rows of storage: a histogram of 256 bins, beside torch.bincount."""

from collections.abc import Iterator

import torch
from rows import Row, counts


def rows(mod, device: str) -> Iterator[Row]:
    """Give the rows of one device."""
    for dtype in (torch.uint8, torch.int32, torch.int64):
        for n, size in counts(device, dtype.itemsize):
            x = torch.randint(0, 256, (n,), device=device).to(dtype)
            bins = torch.empty(256, dtype=torch.int64, device=device)
            yield Row(
                case=f"{str(dtype).removeprefix('torch.')}, {size}",
                moved=x.nbytes,
                run=lambda x=x, c=bins: mod.histogram(x, c),
                torch=lambda x=x: torch.bincount(x, minlength=256),
                memory_bound=False,  # Many threads add to few bins.
                captured=False,  # torch.bincount waits for the largest value.
            )

# SPDX-License-Identifier: Apache-2.0
"""Rows of add_one, beside torch.add."""

from collections.abc import Iterator

import torch
from rows import Row, counts


def rows(mod, device: str) -> Iterator[Row]:
    """Give the rows of one device."""
    for n, size in counts(device, torch.float32.itemsize):
        x = torch.randn(n, device=device)
        y = torch.empty_like(x)
        yield Row(
            case=f"float32, {size}",
            moved=2 * x.nbytes,
            run=lambda x=x, y=y: mod.add_one(x, y),
            torch=lambda x=x, y=y: torch.add(x, 1, out=y),
            least=1.0,
        )

# SPDX-License-Identifier: Apache-2.0
"""Rows of add_one, beside torch.add."""

from collections.abc import Iterator

import torch
from rows import MIB, Row, sizes


def rows(mod, device: str) -> Iterator[Row]:
    """Give the rows of one device."""
    for size in sizes(device):
        x = torch.randn(size // 4, device=device)
        y = torch.empty_like(x)
        yield Row(
            case=f"float32, {size // MIB} MiB",
            moved=2 * size,
            run=lambda x=x, y=y: mod.add_one(x, y),
            torch=lambda x=x, y=y: torch.add(x, 1, out=y),
            least=1.0,
        )

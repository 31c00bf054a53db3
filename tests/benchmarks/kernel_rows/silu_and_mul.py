# SPDX-License-Identifier: Apache-2.0
"""Rows of silu_and_mul: halves as long as in a model, beside torch.nn.functional.silu and mul_."""

from collections.abc import Iterator

import torch
from rows import Row, for_gpu, large, named, padded, shapes

DTYPES = (torch.float32, torch.float64, torch.float16, torch.bfloat16)
LENGTH = 2 * 14336


def row_of(mod, x, name: str) -> Row:
    """Give the row of one input."""
    a, b = x.chunk(2, -1)
    y = torch.empty(a.shape, dtype=x.dtype, device=x.device)
    return Row(
        case=name,
        moved=3 * y.nbytes,
        run=lambda: mod.silu_and_mul(x, y),
        # PyTorch has no operator for both; the product is in place, to move the fewest bytes.
        torch=lambda: torch.nn.functional.silu(a).mul_(b),
    )


def rows(mod, device: str) -> Iterator[Row]:
    """Give the rows of one device."""
    for dtype in DTYPES:
        name = str(dtype).removeprefix("torch.")
        for count, length, size in shapes(device, dtype.itemsize, LENGTH):
            even = length - length % 2
            x = torch.randn(count, even, device=device).to(dtype)
            others = "" if even == LENGTH else f", rows of {even}"
            yield row_of(mod, x, f"{name}, {size}{others}")
        if for_gpu(device):
            x = padded(large() // dtype.itemsize // LENGTH, LENGTH, dtype, device)
            yield row_of(mod, x, f"{name}, {named(large())}, rows with gaps")

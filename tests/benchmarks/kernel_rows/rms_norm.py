# SPDX-License-Identifier: Apache-2.0
"""Rows of rms_norm: rows of 4096 elements with a weight, beside torch.nn.functional.rms_norm."""

from collections.abc import Iterator

import torch
from rows import Row, for_gpu, large, named, padded, shapes

DTYPES = (torch.float32, torch.float64, torch.float16, torch.bfloat16)
LENGTH = 4096


def row_of(mod, x, name: str) -> Row:
    """Give the row of one input."""
    length = x.shape[1]
    weight = torch.randn(length, device=x.device).to(x.dtype)
    y = torch.empty(x.shape, dtype=x.dtype, device=x.device)
    return Row(
        case=name,
        moved=2 * y.nbytes + weight.nbytes,
        run=lambda: mod.rms_norm(x, y, 1e-6, weight, None),
        torch=lambda: torch.nn.functional.rms_norm(x, (length,), weight, 1e-6),
    )


def rows(mod, device: str) -> Iterator[Row]:
    """Give the rows of one device."""
    for dtype in DTYPES:
        name = str(dtype).removeprefix("torch.")
        for count, length, size in shapes(device, dtype.itemsize, LENGTH):
            x = torch.randn(count, length, device=device).to(dtype)
            others = "" if length == LENGTH else f", rows of {length}"
            yield row_of(mod, x, f"{name}, {size}{others}")
        if for_gpu(device):
            x = padded(large() // dtype.itemsize // LENGTH, LENGTH, dtype, device)
            yield row_of(mod, x, f"{name}, {named(large())}, rows with gaps")

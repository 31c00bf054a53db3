# SPDX-License-Identifier: Apache-2.0
"""Rows of column_sum: rows of 4096 elements, beside torch.sum and a matrix product."""

from collections.abc import Iterator

import torch
from rows import Row, for_gpu, large, named, padded, shapes

DTYPES = (torch.float32, torch.float64, torch.float16, torch.bfloat16)
LENGTH = 4096


def row_of(mod, x, name: str, *, weighted: bool = False) -> Row:
    """Give the row of one input."""
    count, length = x.shape
    weight = torch.randn(count, device=x.device).to(x.dtype) if weighted else None
    y, theirs = (torch.empty(length, dtype=x.dtype, device=x.device) for _ in range(2))
    size = mod.column_sum_workspace_size(x, weight)
    workspace = torch.empty(size, dtype=torch.uint8, device=x.device)

    def peer():
        if weight is None:
            return torch.sum(x, 0, out=theirs)
        return torch.mv(x.t(), weight, out=theirs)

    read = count * length * x.itemsize + (0 if weight is None else weight.nbytes)
    return Row(
        case=name,
        moved=read + y.nbytes,
        run=lambda: mod.column_sum(x, weight, y, workspace),
        torch=peer,
    )


def rows(mod, device: str) -> Iterator[Row]:
    """Give the rows of one device."""
    for dtype in DTYPES:
        name = str(dtype).removeprefix("torch.")
        for count, length, size in shapes(device, dtype.itemsize, LENGTH):
            x = torch.randn(count, length, device=device).to(dtype)
            others = "" if length == LENGTH else f", rows of {length}"
            yield row_of(mod, x, f"{name}, {size}{others}")
            if length == LENGTH:
                yield row_of(mod, x, f"{name}, {size}, with a weight", weighted=True)
        if for_gpu(device):
            x = padded(large() // dtype.itemsize // LENGTH, LENGTH, dtype, device)
            yield row_of(mod, x, f"{name}, {named(large())}, rows with gaps")

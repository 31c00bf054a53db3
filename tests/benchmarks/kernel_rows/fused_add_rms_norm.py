# SPDX-License-Identifier: Apache-2.0
"""Rows of fused_add_rms_norm: rows of 4096 elements with a weight, beside PyTorch's two calls."""

from collections.abc import Iterator

import torch
from rows import Row, for_gpu, large, named, padded, shapes

DTYPES = (torch.float32, torch.float16, torch.bfloat16)
FP8 = torch.float8_e4m3fn
LENGTH = 4096


def by_pytorch(x, residual, weight):
    """Add in place, then normalize; PyTorch has no operator that does both."""
    residual.add_(x)
    return torch.nn.functional.rms_norm(residual, (x.shape[1],), weight, 1e-6)


def row_of(mod, x, name: str) -> Row:
    """Give the row of one input, into the dtype of the input."""
    residual = torch.zeros(x.shape, dtype=x.dtype, device=x.device)
    weight = torch.randn(x.shape[1], device=x.device).to(x.dtype)
    y = torch.empty_like(residual)
    return Row(
        case=name,
        moved=4 * y.nbytes + weight.nbytes,
        run=lambda: mod.fused_add_rms_norm(x, residual, y, 1e-6, weight, None),
        torch=lambda: by_pytorch(x, residual, weight),
    )


def quantized_row_of(mod, x, name: str) -> Row:
    """Give the row of one input, into float8; PyTorch has no one operator that it compares with."""
    residual = torch.zeros(x.shape, dtype=x.dtype, device=x.device)
    weight = torch.randn(x.shape[1], device=x.device).to(x.dtype)
    scale = torch.tensor([0.05], device=x.device)
    y = torch.empty(x.shape, dtype=FP8, device=x.device)
    return Row(
        case=name,
        moved=3 * residual.nbytes + y.nbytes + weight.nbytes,
        run=lambda: mod.fused_add_rms_norm(x, residual, y, 1e-6, weight, scale),
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
                yield quantized_row_of(mod, x, f"{name} to float8, {size}")
        if for_gpu(device):
            x = padded(large() // dtype.itemsize // LENGTH, LENGTH, dtype, device)
            yield row_of(mod, x, f"{name}, {named(large())}, rows with gaps")

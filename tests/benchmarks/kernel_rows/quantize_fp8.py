# SPDX-License-Identifier: Apache-2.0
"""Rows of quantize_fp8: rows of 4096 elements there and back, beside PyTorch's conversions."""

from collections.abc import Iterator

import torch
from rows import Row, for_gpu, large, named, padded, shapes

DTYPES = (torch.float32, torch.float16, torch.bfloat16)
LENGTH = 4096
FP8 = torch.float8_e4m3fn


def by_pytorch(x, scale, quotient, y):
    """Quantize with a scale that is known; PyTorch has no operator that finds it too.

    Dividing into float8 would leave the conversion to the operator, and on a GPU one that does not
    know the dtype asserts there, which ends the process. A copy from float32 always knows it.
    """
    torch.div(x, scale.unsqueeze(-1), out=quotient)
    y.copy_(quotient)


def rows_of(mod, x, name: str) -> Iterator[Row]:
    """Give the rows of one input: there and back."""
    y = torch.empty(x.shape, dtype=FP8, device=x.device)
    scale = torch.empty(len(x), device=x.device)
    quotient = torch.empty(x.shape, device=x.device)
    mod.quantize_fp8(x, y, scale)
    back = torch.empty(x.shape, dtype=x.dtype, device=x.device)
    moved = back.nbytes + y.nbytes + scale.nbytes
    yield Row(
        case=f"quantize {name}",
        moved=moved,
        run=lambda: mod.quantize_fp8(x, y, scale),
        torch=lambda: by_pytorch(x, scale, quotient, y),
    )
    if x.is_contiguous():
        yield Row(
            case=f"dequantize {name}",
            moved=moved,
            run=lambda: mod.dequantize_fp8(y, scale, back),
            torch=lambda: torch.mul(y.to(back.dtype), scale.unsqueeze(-1), out=back),
        )


def rows(mod, device: str) -> Iterator[Row]:
    """Give the rows of one device."""
    for dtype in DTYPES:
        name = str(dtype).removeprefix("torch.")
        for count, length, size in shapes(device, dtype.itemsize, LENGTH):
            x = torch.randn(count, length, device=device).to(dtype)
            others = "" if length == LENGTH else f", rows of {length}"
            yield from rows_of(mod, x, f"{name}, {size}{others}")
        if for_gpu(device):
            x = padded(large() // dtype.itemsize // LENGTH, LENGTH, dtype, device)
            yield from rows_of(mod, x, f"{name}, {named(large())}, rows with gaps")

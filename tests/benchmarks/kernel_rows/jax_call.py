# SPDX-License-Identifier: Apache-2.0
"""Rows of jax_call: a rotation, which PyTorch has no operator for."""

import math
from collections.abc import Iterator

import torch
from rows import Row, counts

DTYPES = (torch.float32, torch.float64, torch.float16, torch.bfloat16)
WIDE = (torch.float32, torch.float64)
ANGLE = 0.7


def by_pytorch(x, y, x_out, y_out):
    """Rotate by four operators that write into the outputs."""
    torch.mul(x, math.cos(ANGLE), out=x_out).add_(y, alpha=math.sin(ANGLE))
    torch.mul(y, math.cos(ANGLE), out=y_out).sub_(x, alpha=math.sin(ANGLE))


def rows(mod, device: str) -> Iterator[Row]:
    """Give the rows of one device; the size is that of one input."""
    for dtype in DTYPES:
        for n, size in counts(device, dtype.itemsize):
            x, y = (torch.randn(n, device=device).to(dtype) for _ in range(2))
            out = torch.empty_like(x), torch.empty_like(y)
            yield Row(
                case=f"{str(dtype).removeprefix('torch.')}, {size}",
                moved=4 * x.nbytes,
                run=lambda x=x, y=y, out=out: mod.rotate(x, y, *out, ANGLE),
                torch=lambda x=x, y=y, out=out: by_pytorch(x, y, *out),
                least=1.0 if dtype in WIDE else None,
            )

# SPDX-License-Identifier: Apache-2.0
"""Rows of torch_op: forward and backward, beside the two operators that PyTorch needs for each."""

from collections.abc import Iterator

import torch
from rows import Row, counts

DTYPES = (torch.float32, torch.float64, torch.float16, torch.bfloat16)
WIDE = (torch.float32, torch.float64)


def rows(mod, device: str) -> Iterator[Row]:
    """Give the rows of one device."""
    for dtype in DTYPES:
        for n, size in counts(device, dtype.itemsize):
            x = torch.randn(n, device=device).to(dtype)
            dy = torch.randn_like(x)
            out = torch.empty_like(x)
            zero = x.new_zeros(())
            name = f"{str(dtype).removeprefix('torch.')}, {size}"
            least = 1.0 if dtype in WIDE else None
            yield Row(
                case=f"forward, {name}",
                moved=2 * x.nbytes,
                run=lambda x=x, y=out: mod.relu_squared(x, y),
                torch=lambda x=x, y=out: torch.square(torch.clamp(x, min=0, out=y), out=y),
                least=least,
            )
            yield Row(
                case=f"backward, {name}",
                moved=3 * x.nbytes,
                run=lambda x=x, dy=dy, dx=out: mod.relu_squared_backward(dy, x, dx),
                torch=lambda x=x, dy=dy, dx=out, zero=zero: torch.addcmul(
                    zero, torch.clamp(x, min=0, out=dx), dy, value=2, out=dx
                ),
                least=least,
            )

# SPDX-License-Identifier: Apache-2.0
"""Rows of scale: each dtype, and inputs that are not contiguous, beside torch.mul."""

from collections.abc import Iterator

import torch
from rows import Row, counts, for_gpu, large, named

DTYPES = (torch.float32, torch.float64, torch.float16, torch.bfloat16)
WIDE = (torch.float32, torch.float64)


# [rows.begin]
def rows(mod, device: str) -> Iterator[Row]:
    """Give the rows of one device."""
    for dtype in DTYPES:
        for n, size in counts(device, dtype.itemsize):
            x = torch.randn(n, device=device).to(dtype)
            y = torch.empty_like(x)
            yield Row(
                case=f"{str(dtype).removeprefix('torch.')}, {size}",
                moved=2 * x.nbytes,
                run=lambda x=x, y=y: mod.scale(x, y, 2.5),
                torch=lambda x=x, y=y: torch.mul(x, 2.5, out=y),
                least=1.0 if dtype in WIDE else None,
            )
    # [rows.end]
    yield from strided_rows(mod, device)


def strided_rows(mod, device: str) -> Iterator[Row]:
    """Give rows of a GPU whose inputs have gaps, or start between two vectors."""
    if not for_gpu(device):
        return
    for dtype in (torch.float32, torch.float16):
        n = large() // dtype.itemsize
        base = torch.randn(2 * n, device=device).to(dtype)
        y = torch.empty(n, dtype=dtype, device=device)
        inputs = {
            "each second element": base[::2],
            "one element beyond a vector": base[1 : n + 1],
            "transposed": base[:n].view(1024, -1).t(),
        }
        for name, x in inputs.items():
            out = y.view(x.shape)
            yield Row(
                case=f"{str(dtype).removeprefix('torch.')}, {named(large())}, {name}",
                moved=2 * y.nbytes,
                run=lambda x=x, y=out: mod.scale(x, y, 2.5),
                torch=lambda x=x, y=out: torch.mul(x, 2.5, out=y),
                memory_bound=False,  # The memory delivers whole sectors, used or not.
            )

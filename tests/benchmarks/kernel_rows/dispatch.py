# SPDX-License-Identifier: Apache-2.0
"""Rows of dispatch: a sum in several dtypes, beside torch.add where it has them."""

from collections.abc import Iterator

import torch
from rows import Row, counts

WIDE = (torch.float32, torch.float64)
OTHERS = (torch.float16, torch.bfloat16, torch.int8, torch.int64, torch.bool)
WITHOUT_TORCH = (torch.float8_e4m3fn,)


def rows(mod, device: str) -> Iterator[Row]:
    """Give the rows of one device."""
    for dtype in (*WIDE, *OTHERS, *WITHOUT_TORCH):
        for n, size in counts(device, dtype.itemsize):
            # Through float32: on a GPU, few other dtypes become float8 without a failed assertion.
            a = torch.randint(0, 2, (n,), device=device).float().to(dtype)
            b = a.clone()
            y = torch.empty_like(a)
            both = dtype not in WITHOUT_TORCH
            yield Row(
                case=f"{str(dtype).removeprefix('torch.')}, {size}",
                moved=3 * a.nbytes,
                run=lambda a=a, b=b, y=y: mod.add(a, b, y),
                torch=(lambda a=a, b=b, y=y: torch.add(a, b, out=y)) if both else None,
                least=1.0 if dtype in WIDE else None,
            )

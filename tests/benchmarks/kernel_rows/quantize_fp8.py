# SPDX-License-Identifier: Apache-2.0
"""Rows of quantize_fp8: rows of 4096 elements there and back, beside PyTorch's conversions."""

from collections.abc import Iterator

import torch
from rows import MIB, Row, sizes

DTYPES = (torch.float32, torch.float16, torch.bfloat16)
LENGTH = 4096
FP8 = torch.float8_e4m3fn


def rows(mod, device: str) -> Iterator[Row]:
    """Give the rows of one device."""
    for dtype in DTYPES:
        for size in sizes(device):
            x = torch.randn(size // dtype.itemsize, device=device).to(dtype).view(-1, LENGTH)
            y = torch.empty_like(x, dtype=FP8)
            scale = torch.empty(len(x), device=device)
            mod.quantize_fp8(x, y, scale)
            back = torch.empty_like(x)
            case = f"{str(dtype).removeprefix('torch.')}, {size // MIB} MiB"
            moved = x.nbytes + y.nbytes + scale.nbytes
            yield Row(
                case=f"quantize {case}",
                moved=moved,
                run=lambda x=x, y=y, s=scale: mod.quantize_fp8(x, y, s),
                # With a scale that is known; PyTorch has no operator that finds it too.
                torch=lambda x=x, s=scale, y=y: torch.div(x, s.unsqueeze(-1), out=y),
            )
            yield Row(
                case=f"dequantize {case}",
                moved=moved,
                run=lambda y=y, s=scale, b=back: mod.dequantize_fp8(y, s, b),
                torch=lambda y=y, s=scale, b=back: torch.mul(y.to(b.dtype), s.unsqueeze(-1), out=b),
            )

# SPDX-License-Identifier: Apache-2.0
"""Rows of gemm, beside addmm: large products, and those of a few tokens with a layer's weights.

The rate in GB/s is of what a product reads and writes at least. Arithmetic limits the large ones.
"""

from collections.abc import Iterator

import torch
from rows import LARGE, Row, for_gpu, large


def row_of(mod, dtype, device: str, m: int, side: int, by: str) -> Row:
    """Give the row of (m, side) by (side, side), whose rows or columns are dense."""
    a = torch.randn(m, side, device=device).to(dtype)
    b = torch.randn(side, side, device=device).to(dtype)
    b = b.T if by == "columns" else b
    bias = torch.randn(side, device=device).to(dtype)
    out = torch.empty(m, side, device=device, dtype=dtype)
    needed = mod.gemm_workspace_size(a, b, out)
    workspace = torch.empty(needed, dtype=torch.uint8, device=device)
    name = str(dtype).removeprefix("torch.")
    return Row(
        case=f"{name}, {m} x {side} x {side}, dense {by} of b",
        moved=a.nbytes + b.nbytes + bias.nbytes + out.nbytes,
        run=lambda: mod.gemm(a, b, out, workspace, 1.0, "none", bias),
        torch=lambda: torch.addmm(bias, a, b, out=out),
        memory_bound=False,
    )


def rows(mod, device: str) -> Iterator[Row]:
    """Give the rows of one device."""
    side = 4096 if for_gpu(device) and large() == LARGE else 256
    for dtype in (torch.float16, torch.bfloat16):
        for by in ("columns", "rows"):
            for m in sorted({side, side // 16, 16}, reverse=True):
                yield row_of(mod, dtype, device, m, side, by)

# SPDX-License-Identifier: Apache-2.0
"""Rows of streams_and_graphs: both steps and each of them; float32 is all that they take."""

from collections.abc import Iterator

import torch
from rows import Row, counts


def rows(mod, device: str) -> Iterator[Row]:
    """Give the rows of one device."""
    for n, size in counts(device, torch.float32.itemsize):
        x = torch.rand(n, device=device)
        y = torch.empty_like(x)
        workspace = torch.empty(mod.workspace_size(), device=device)
        total = torch.empty((), device=device)
        mod.partial_sums(x, workspace)
        name = f"float32, {size}"
        yield Row(
            case=f"normalize, {name}",
            moved=3 * x.nbytes,
            run=lambda x=x, w=workspace, y=y: mod.normalize(x, w, y),
            torch=lambda x=x, t=total, y=y: torch.div(x, torch.sum(x, dim=0, out=t), out=y),
        )
        yield Row(
            case=f"partial_sums, {name}",
            moved=x.nbytes,
            run=lambda x=x, w=workspace: mod.partial_sums(x, w),
            torch=lambda x=x, t=total: torch.sum(x, dim=0, out=t),
            memory_bound=False,  # A copy writes as much as it reads; a sum only reads.
        )
        yield Row(
            case=f"divide_by_sum, {name}",
            moved=2 * x.nbytes,
            run=lambda x=x, w=workspace, y=y: mod.divide_by_sum(x, w, y),
            torch=lambda x=x, t=total, y=y: torch.div(x, t, out=y),
            least=1.0,
        )

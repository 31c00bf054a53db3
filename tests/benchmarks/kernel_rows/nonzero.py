# SPDX-License-Identifier: Apache-2.0
"""Rows of nonzero: a half and a hundredth of the elements, beside torch.nonzero."""

from collections.abc import Iterator

import torch
from rows import Row, counts


def rows(mod, device: str) -> Iterator[Row]:
    """Give the rows of one device."""
    for dtype, share in ((torch.float32, 0.5), (torch.float32, 0.01), (torch.bool, 0.01)):
        for n, size in counts(device, dtype.itemsize):
            x = (torch.rand(n, device=device) < share).to(dtype)
            name = str(dtype).removeprefix("torch.")
            yield Row(
                case=f"{name}, {share:.0%} not zero, {size}",
                moved=x.nbytes + 8 * int(x.count_nonzero()),
                run=lambda x=x: mod.nonzero(x),
                torch=lambda x=x: torch.nonzero(x),
                memory_bound=False,  # It reads twice: to count, and to write.
                captured=False,  # Both wait for the count.
            )

# SPDX-License-Identifier: Apache-2.0
"""Rows of decode_attention, beside scaled_dot_product_attention on pages that are in order.

PyTorch has no operator over a page table, so its keys and values are gathered beforehand.
"""

from collections.abc import Iterator

import torch
from rows import Row, named, sizes

PAGE_SIZE = 16
DIM = 128
KV_HEADS = 8
TOKENS = 4096  # per sequence, if the size has room for that many


def row_of(mod, dtype, device: str, size: int, group: int) -> Row:
    """Give the row of caches that take `size` bytes together."""
    tokens_in_all = size // (2 * KV_HEADS * DIM * dtype.itemsize)
    length = min(TOKENS, tokens_in_all)
    batch = tokens_in_all // length
    page_size = min(PAGE_SIZE, length)
    pages = tokens_in_all // page_size
    k, v = (torch.randn(pages, page_size, KV_HEADS, DIM, device=device).to(dtype) for _ in range(2))
    table = torch.randperm(pages, device=device).int().view(batch, -1)
    lengths = torch.full((batch,), length, dtype=torch.int32, device=device)
    q = torch.randn(batch, KV_HEADS * group, DIM, device=device).to(dtype)
    out = torch.empty_like(q)
    needed = mod.decode_attention_workspace_size(q, k, table)
    workspace = torch.empty(needed, dtype=torch.uint8, device=device)
    scale = DIM**-0.5
    # (batch, heads, tokens, dim), as PyTorch expects
    keys, values = (
        cache[table.long()].flatten(1, 2).transpose(1, 2).contiguous() for cache in (k, v)
    )
    attend = torch.nn.functional.scaled_dot_product_attention
    name = str(dtype).removeprefix("torch.")
    return Row(
        case=f"{name}, {named(size)}, {group} query heads for each of the cache",
        moved=k.nbytes + v.nbytes + q.nbytes + out.nbytes,
        run=lambda: mod.decode_attention(q, k, v, table, lengths, scale, out, workspace),
        torch=lambda: attend(q.unsqueeze(2), keys, values, scale=scale, enable_gqa=group > 1),
        memory_bound=group <= 4,  # In a larger group, each token is read more than once.
    )


def rows(mod, device: str) -> Iterator[Row]:
    """Give the rows of one device."""
    for dtype in (torch.float32, torch.float16, torch.bfloat16):
        for size in sizes(device):
            for group in (1, 4, 8):
                yield row_of(mod, dtype, device, size, group)

# SPDX-License-Identifier: Apache-2.0
"""Loads the attention kernel, calls it, checks it: python load_decode_attention.py [cpu|cuda]."""

# [load.begin]
import sys

import torch
import tvm_ffi

device = sys.argv[1] if len(sys.argv) > 1 else "cpu"
mod = tvm_ffi.load_module(f"./decode_attention_{device}.so")
# [load.end]

# [call.begin]
# Two sequences of 1000 and 37 tokens, 8 query heads, 2 KV heads, 66 pages of 16 tokens.
q = torch.randn(2, 8, 128, device=device, dtype=torch.bfloat16)
k_cache = torch.randn(66, 16, 2, 128, device=device, dtype=torch.bfloat16)
v_cache = torch.randn_like(k_cache)
page_table = torch.zeros(2, 63, device=device, dtype=torch.int32)
pages = torch.randperm(66, device=device, dtype=torch.int32)
page_table[0], page_table[1, :3] = pages[:63], pages[63:]
lengths = torch.tensor([1000, 37], device=device, dtype=torch.int32)

out = torch.empty_like(q)
size = mod.decode_attention_workspace_size(q, k_cache, page_table)
workspace = torch.empty(size, device=device, dtype=torch.uint8)
scale = 128**-0.5
mod.decode_attention(q, k_cache, v_cache, page_table, lengths, scale, out, workspace)
# [call.end]

# [check.begin]
for dtype in (torch.float32, torch.float16, torch.bfloat16):
    q, k_cache, v_cache = q.to(dtype), k_cache.to(dtype), v_cache.to(dtype)
    out = torch.full_like(q, float("nan"))  # Unwritten elements stay NaN.
    workspace.fill_(0xA5)  # Its contents do not matter.
    mod.decode_attention(q, k_cache, v_cache, page_table, lengths, scale, out, workspace)
    for b, length in enumerate(lengths.tolist()):
        # The same in float64, rounded once: the pages in order, each KV head for four query heads.
        k, v = (
            cache.double()[page_table[b]].flatten(0, 1)[:length].repeat_interleave(4, 1)
            for cache in (k_cache, v_cache)
        )
        scores = torch.einsum("hd,thd->ht", q[b].double(), k) * scale
        expected = torch.einsum("ht,thd->hd", torch.softmax(scores, -1), v)
        torch.testing.assert_close(out[b], expected.to(dtype))
# [check.end]
print(f"decode_attention_{device}.so gives the right results")

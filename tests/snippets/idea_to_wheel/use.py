# SPDX-License-Identifier: Apache-2.0
"""Use the wheel on the CPU, and on a GPU if PyTorch finds one."""

# [use.begin]
import torch
from gated_kernels import silu_and_mul

devices = ["cuda", "cpu"] if torch.cuda.is_available() else ["cpu"]
for device in devices:
    x = torch.randn(8, 2 * 4096, device=device)
    y = torch.empty(8, 4096, device=device)
    silu_and_mul(x, y)
    a, b = x.chunk(2, dim=-1)
    torch.testing.assert_close(y, torch.nn.functional.silu(a) * b)
    print(f"the wheel gives the right results on {device}")
# [use.end]

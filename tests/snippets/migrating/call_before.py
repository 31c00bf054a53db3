# SPDX-License-Identifier: Apache-2.0
"""The caller of the extension."""

# [call.begin]
import torch

torch.ops.load_library("./silu_extension.so")
x = torch.tensor([[0.0, 1.0, 10.0, 10.0]])
y = torch.ops.silu.silu_and_mul(x)
# [call.end]
assert y.shape == (1, 2)
assert y[0, 0] == 0
assert torch.allclose(y, torch.nn.functional.silu(x[:, :2]) * x[:, 2:])

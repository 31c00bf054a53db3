# SPDX-License-Identifier: Apache-2.0
"""The caller of the kernel library."""

import numpy

# [call.begin]
import torch
import tvm_ffi

mod = tvm_ffi.load_module("./silu.so")
x = torch.tensor([[0.0, 1.0, 10.0, 10.0]])
y = x.new_empty(1, 2)
mod.silu_and_mul(x, y)
# [call.end]
assert y[0, 0] == 0
assert torch.allclose(y, torch.nn.functional.silu(x[:, :2]) * x[:, 2:])
# [others.begin]
rows = numpy.array([[0.0, 1.0, 10.0, 10.0]])
out = numpy.empty((1, 2))
mod.silu_and_mul(rows, out)
# [others.end]
numpy.testing.assert_allclose(out, y.numpy(), rtol=1e-6)

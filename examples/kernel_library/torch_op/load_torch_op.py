# SPDX-License-Identifier: Apache-2.0
"""Uses the operators, and checks them as PyTorch does: python load_torch_op.py [cpu|cuda]."""

# [use.begin]
import sys

import torch
import tvm_ffi
from torch_op import relu_squared, relu_squared_backward, relu_squared_out

device = sys.argv[1] if len(sys.argv) > 1 else "cpu"
x = torch.randn(64, 128, device=device, requires_grad=True)
loss = relu_squared(x).sum()
loss.backward()
torch.testing.assert_close(x.grad, 2 * torch.relu(x))
# [use.end]

# [opcheck.begin]
for dtype in (torch.float32, torch.float64, torch.float16, torch.bfloat16):
    some = torch.randn(3, 5, device=device, dtype=dtype)
    torch.library.opcheck(relu_squared, (some.clone().requires_grad_(),))
    torch.library.opcheck(relu_squared_backward, (torch.ones_like(some), some))
    torch.library.opcheck(relu_squared_out, (some, torch.empty_like(some)))
for other in (some[0, 0], some[:0], some.t(), some[:, ::2]):  # 0-dimensional, empty, strided
    torch.library.opcheck(relu_squared, (other,))
# [opcheck.end]

# [gradcheck.begin]
exact = torch.randn(7, 5, dtype=torch.float64, device=device, requires_grad=True)
assert torch.autograd.gradcheck(relu_squared, exact)
# [gradcheck.end]


# [compile.begin]
@torch.compile(fullgraph=True)  # An operator that breaks the graph is an error.
def gated(x: torch.Tensor, gate: torch.Tensor) -> torch.Tensor:
    """A step of a model, with the operator in its midst."""
    return relu_squared(x * 2) * torch.sigmoid(gate)


gate = torch.randn(64, 128, device=device)
result = gated(x, gate)
torch.testing.assert_close(result, torch.relu(x * 2) ** 2 * torch.sigmoid(gate))
with torch.compiler.set_stance("force_eager"):  # The same without the compiler.
    torch.testing.assert_close(gated(x, gate), result)
x.grad = None
result.sum().backward()
torch.testing.assert_close(x.grad, 8 * torch.relu(x) * torch.sigmoid(gate))
# [compile.end]

# [numpy.begin]
if device == "cpu":
    import numpy

    mod = tvm_ffi.load_module("./torch_op_cpu.so")
    y = numpy.empty(3, dtype="float32")
    mod.relu_squared(numpy.array([-1, 2, 3], dtype="float32"), y)
    assert y.tolist() == [0, 4, 9]
# [numpy.end]
print(f"torch_op_{device}.so gives the right results")

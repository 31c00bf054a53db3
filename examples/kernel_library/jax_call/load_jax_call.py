# SPDX-License-Identifier: Apache-2.0
"""Calls one library from JAX, PyTorch and NumPy: python load_jax_call.py [cpu|cuda]."""

# [load.begin]
import math
import os
import sys
from importlib.util import find_spec
from pathlib import Path

import torch
import tvm_ffi

device = sys.argv[1] if len(sys.argv) > 1 else "cpu"
mod = tvm_ffi.load_module(f"./jax_call_{device}.so")
# [load.end]

# [torch.begin]
x, y = torch.tensor([1.0, 3.0], device=device), torch.tensor([0.0, 4.0], device=device)
turned = torch.empty_like(x), torch.empty_like(y)
mod.rotate(x, y, *turned, math.pi / 2)
torch.testing.assert_close(turned[0].cpu(), torch.tensor([0.0, 4.0]))
torch.testing.assert_close(turned[1].cpu(), torch.tensor([-1.0, -3.0]))
# [torch.end]

adapter = Path(f"jax_call_{device}_adapter.so")
if find_spec("jax") is None or not adapter.exists():
    print(f"jax_call_{device}.so gives the right results; no JAX here, or when {adapter} was built")
    sys.exit()

# By default, XLA takes most of a GPU's memory, and PyTorch needs some.
os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
import jax  # noqa: E402  (the variable counts when JAX is imported)

if device == "cuda" and not any(each.platform == "gpu" for each in jax.devices()):
    print(f"jax_call_{device}.so gives the right results; not called from JAX: it has no GPU here")
    sys.exit()

# [jit.begin]
from jax_call import register, register_functions, rotate  # noqa: E402

register(adapter)
register_functions(Path(f"jax_call_{device}.so"))


@jax.jit
def moved(x, y):
    """Rotate after a step that XLA compiles itself."""
    x_out, y_out = rotate(x + 1, y, math.pi / 2)
    return x_out * 2, y_out


here = jax.devices("gpu" if device == "cuda" else "cpu")[0]
with jax.default_device(here):
    x, y = jax.numpy.array([0.0, 2.0]), jax.numpy.array([0.0, 4.0])
    x_out, y_out = moved(x, y)
    assert jax.numpy.allclose(x_out, jax.numpy.array([0.0, 8.0]), atol=1e-6)
    assert jax.numpy.allclose(y_out, jax.numpy.array([-1.0, -3.0]), atol=1e-6)
    # [jit.end]

    # [transforms.begin]
    # A batch is one call, since the kernel is elementwise: vmap_method="broadcast_all".
    x_out, _ = jax.vmap(lambda x: rotate(x, y, 0.5))(jax.numpy.ones((3, 2)))
    assert x_out.shape == (3, 2)

    # The gradient of x cos + y sin with respect to x is cos, and with respect to y, sin.
    by_x, by_y = jax.grad(lambda x, y: rotate(x, y, 0.5)[0].sum(), argnums=(0, 1))(x, y)
    assert jax.numpy.allclose(by_x, math.cos(0.5))
    assert jax.numpy.allclose(by_y, math.sin(0.5))
    # [transforms.end]

    # [error.begin]
    message = ""
    try:
        jax.block_until_ready(rotate(x.astype("int32"), y.astype("int32"), 0.5))
    except jax.errors.JaxRuntimeError as error:
        message = str(error)
    assert "TypeError: rotate: x must be float32, float64, float16 or bfloat16" in message
    # [error.end]
print(f"jax_call_{device}.so gives the right results")

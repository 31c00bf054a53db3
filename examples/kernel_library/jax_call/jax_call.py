# SPDX-License-Identifier: Apache-2.0
"""Calls functions of TVM FFI inside of jax.jit, by JAX's foreign function interface."""

# [register.begin]
import ctypes
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import jax
import numpy as np
import tvm_ffi

TARGET = "kernel_library.tvm_ffi_call"  # what compiled programs call the adapter


def register(adapter: Path) -> None:
    """Tell XLA where the adapter is, for both platforms."""
    library = ctypes.CDLL(str(adapter.resolve()))
    for platform, handler in (("cpu", "xla_adapter_on_cpu"), ("CUDA", "xla_adapter_on_cuda")):
        capsule = jax.ffi.pycapsule(getattr(library, handler))
        jax.ffi.register_ffi_target(TARGET, capsule, platform=platform)


# [register.end]


# [call.begin]
def call(
    function: str,
    outputs: Sequence[jax.ShapeDtypeStruct],
    *inputs: jax.Array,
    numbers: Sequence[float | bool | str] = (),
    vmap_method: str | None = None,
    aliases: dict[int, int] | None = None,
) -> list[jax.Array]:
    """Call function(inputs..., outputs..., numbers...), a global function, and give its outputs.

    The numbers become part of the compiled program. `aliases` says which input's memory may become
    that of which output.
    """
    for each in numbers:
        if not isinstance(each, (bool, int, float, str, np.generic)):
            raise TypeError(
                "call: numbers: expected float, int, bool or str, got "
                f"{type(each).__name__}: use float(...), or pass an array as an input"
            )
    types = {bool: np.bool_, int: np.int64, float: np.float64}
    # The name includes the type: 1, 1.0 and True are equal, and JAX would share one program.
    attributes = {
        f"argument_{i:03}_{type(each).__name__}": types.get(type(each), lambda same: same)(each)
        for i, each in enumerate(numbers)
    }
    foreign = jax.ffi.ffi_call(
        TARGET, list(outputs), vmap_method=vmap_method, input_output_aliases=aliases
    )
    return foreign(*inputs, function=function, **attributes)


# [call.end]


# [functions.begin]
def register_functions(library: Path) -> None:
    """Give the library's functions the names by which compiled programs find them."""
    mod = tvm_ffi.load_module(str(library.resolve()))
    tvm_ffi.register_global_func("jax_call.rotate", mod.rotate, override=True)


# [functions.end]


# [rotate.begin]
@partial(jax.custom_vjp, nondiff_argnums=(2,))
def rotate(x: jax.Array, y: jax.Array, angle: float) -> list[jax.Array]:
    """Rotate the points (x, y) by an angle, clockwise."""
    like = jax.ShapeDtypeStruct(x.shape, x.dtype)
    return call("jax_call.rotate", [like, like], x, y, numbers=[angle], vmap_method="broadcast_all")


# [rotate.end]


# [gradient.begin]
def forward(x: jax.Array, y: jax.Array, angle: float):
    """Compute the result; the gradient needs nothing of it."""
    return rotate(x, y, angle), None


def backward(angle: float, _, gradients):
    """Rotate the gradients back."""
    return tuple(rotate(*gradients, -angle))


rotate.defvjp(forward, backward)
# [gradient.end]

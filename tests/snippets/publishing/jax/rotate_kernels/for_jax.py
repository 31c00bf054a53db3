# SPDX-License-Identifier: Apache-2.0
"""Rotations as a function of JAX; this module alone imports JAX."""

# [for_jax.begin]
from pathlib import Path

import jax
import tvm_ffi

from . import _LIB, jax_call

jax_call.TARGET = "rotate_kernels.tvm_ffi_call"  # No other package may have this name.
jax_call.register(Path(__file__).with_name("librotate_kernels_adapter.so"))
tvm_ffi.register_global_func("rotate_kernels.rotate", _LIB.rotate)


def rotate(x: jax.Array, y: jax.Array, angle: float) -> list[jax.Array]:
    """Rotate the points (x, y) by an angle, clockwise."""
    like = jax.ShapeDtypeStruct(x.shape, x.dtype)
    return jax_call.call("rotate_kernels.rotate", [like, like], x, y, numbers=[angle])


# [for_jax.end]

# SPDX-License-Identifier: Apache-2.0
"""Rotations of points, for every framework; rotate_kernels.for_jax is for jax.jit."""

# [init.begin]
from tvm_ffi.libinfo import load_lib_module

_LIB = load_lib_module("rotate-kernels", "rotate_kernels")
rotate = _LIB.rotate
# [init.end]

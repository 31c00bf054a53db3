# SPDX-License-Identifier: Apache-2.0
"""Kernels on vectors, for CPU and GPU, for the tensors of every framework."""

# [package.begin]
from typing import Any, Protocol

# [load.begin]
from tvm_ffi.libinfo import load_lib_module

# The name of the distribution, then that of the library: libvector_kernels.so.
_LIB = load_lib_module("vector-kernels", "vector_kernels")
# [load.end]


class Tensor(Protocol):
    """A tensor of any framework: what can be lent by DLPack."""

    @property
    def __dlpack__(self) -> Any:
        """Method that lends the tensor."""

    @property
    def __dlpack_device__(self) -> Any:
        """Method that tells its device."""


def axpy(a: float, x: Tensor, y: Tensor) -> None:
    """Add a * x to y, in place."""
    _LIB.axpy(a, x, y)


def lerp(x: Tensor, y: Tensor, weight: float) -> None:
    """Move y towards x by a part of the way, in place: y += weight * (x - y)."""
    _LIB.lerp(x, y, weight)


def vecdot(x: Tensor, y: Tensor, out: Tensor) -> None:
    """Sum x * y over the last dimension into out, which has one number for each row."""
    _LIB.vecdot(x, y, out)


# [package.end]

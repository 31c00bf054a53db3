# SPDX-License-Identifier: Apache-2.0
"""Kernels on vectors, for CPU and GPU, for the tensors of every framework."""

# [package.begin]
from typing import Any, Protocol

# [load.begin]
from tvm_ffi.libinfo import load_lib_module

# The name of the distribution, then of the library: libvector_kernels.so.
_LIB = load_lib_module("vector-kernels", "vector_kernels")
# [load.end]


class Tensor(Protocol):
    """A tensor of any framework that supports DLPack."""

    @property
    def __dlpack__(self) -> Any:
        """Method that exports the tensor."""

    @property
    def __dlpack_device__(self) -> Any:
        """Method that returns its device."""


# tvm-ffi-stubgen writes the functions between begin and end; the library provides types and
# documentation, and these lines the parameter names.
# tvm-ffi-stubgen-library(names): axpy(a, x, y)
# tvm-ffi-stubgen-library(names): lerp(x, y, weight)
# tvm-ffi-stubgen-library(names): vecdot(x, y, out)
# tvm-ffi-stubgen-library(begin): _LIB
# fmt: off
def axpy(a: float, x: Tensor, y: Tensor) -> None:
    """y += a * x, in place."""
    _LIB.axpy(a, x, y)


def lerp(x: Tensor, y: Tensor, weight: float) -> None:
    """y += weight * (x - y), in place."""
    _LIB.lerp(x, y, weight)


def vecdot(x: Tensor, y: Tensor, out: Tensor) -> None:
    """out = sum of x * y over the last dimension."""
    _LIB.vecdot(x, y, out)
# fmt: on
# tvm-ffi-stubgen-library(end)
# [package.end]

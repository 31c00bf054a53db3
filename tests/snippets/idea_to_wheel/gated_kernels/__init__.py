# SPDX-License-Identifier: Apache-2.0
# [package.begin]
"""The gated activation of language models, for tensors of any framework."""

from functools import cache

import tvm_ffi.libinfo

CPU, CUDA = 1, 2  # DLPack's numbers of these kinds of devices


@cache
def library(kind):
    """Load the library for a kind of device."""
    return tvm_ffi.libinfo.load_lib_module("gated-kernels", f"gated_{kind}")


def silu_and_mul(x, y):
    """Write silu(a) * b into y, where a and b are the halves of each row of x."""
    # Anything else goes to a library too, whose error names the function and the argument.
    kind = x.__dlpack_device__()[0] if hasattr(x, "__dlpack_device__") else CPU
    library("cuda" if kind == CUDA else "cpu").silu_and_mul(x, y)


# [package.end]

# SPDX-License-Identifier: Apache-2.0
"""Loads the library of whichever wheel is installed."""

# [load.begin]
from tvm_ffi import Module
from tvm_ffi.libinfo import load_lib_module


def _load() -> Module:
    for cuda in ("cu13", "cu12"):
        try:
            return load_lib_module(f"vector-kernels-{cuda}", "vector_kernels")
        except RuntimeError:  # It is not installed.
            pass
    raise ImportError("vector_kernels: install vector-kernels[cu12] or vector-kernels[cu13]")


LIB = _load()
# [load.end]

# SPDX-License-Identifier: Apache-2.0
"""Loads the library from the list of installed files, or from the folder of this file."""

# [load.begin]
from pathlib import Path

from tvm_ffi.libinfo import load_lib_module

HERE = Path(__file__).parent
_LIB = load_lib_module("vector-kernels", "vector_kernels", extra_lib_paths=[HERE])
# [load.end]

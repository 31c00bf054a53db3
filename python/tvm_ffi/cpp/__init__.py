# SPDX-License-Identifier: Apache-2.0
"""Kernel libraries built from Python."""

from .dtype import to_cpp_dtype
from .extension import build, build_inline, load, load_inline
from .ninja import CompileError

__all__ = ["CompileError", "build", "build_inline", "load", "load_inline", "to_cpp_dtype"]

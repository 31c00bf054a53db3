# SPDX-License-Identifier: Apache-2.0
"""Calls of the global functions that libtvm_ffi itself registers."""

from __future__ import annotations

from typing import Any

from . import _core


def call(name: str, *args: Any) -> Any:
    """Call the function of this name; a NotImplementedError if libtvm_ffi.so has none."""
    function = _core.get_global_func(name)
    if function is None:
        raise NotImplementedError(f"{name}: this libtvm_ffi.so has no such global function")
    return function(*args)

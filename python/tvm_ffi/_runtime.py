# SPDX-License-Identifier: Apache-2.0
"""Calls to the global functions that libtvm_ffi itself registers."""

from __future__ import annotations

from typing import Any

from . import _core


def call(name: str, *args: Any) -> Any:
    """Call the function of this name; raise a NotImplementedError if libtvm_ffi.so has none."""
    function = _core.get_global_func(name)
    if function is None:
        raise NotImplementedError(f"{name}: this libtvm_ffi.so has no such global function")
    return function(*args)


def read(name: str, *args: Any) -> Any:
    """Call a function that reads containers, with the GIL held so that no thread changes them."""
    function = _core.get_global_func(name)
    if function is None:
        raise NotImplementedError(f"{name}: this libtvm_ffi.so has no such global function")
    function.release_gil = False
    return function(*args)

# SPDX-License-Identifier: Apache-2.0
# Rows: R6
"""Messages of the extension's own functions about wrong calls."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
import tvm_ffi
from tvm_ffi import _core


def delete_name() -> None:
    """Delete a function's name."""
    del tvm_ffi.Function(len).__name__


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: tvm_ffi.from_dlpack(1, 0), "from_dlpack: expected 1 argument by position, got 2"),
        (lambda: tvm_ffi.from_dlpack(), "from_dlpack: expected 1 argument by position, got 0"),
        (
            lambda: tvm_ffi.from_dlpack(1, ext_tensor=1),
            "from_dlpack: ext_tensor: expected it once, got it by keyword too",
        ),
        (
            lambda: tvm_ffi.from_dlpack(1, copy=True),
            "from_dlpack: expected require_alignment, require_contiguous or allow_read_only as a "
            "keyword, got copy",
        ),
        (
            lambda: tvm_ffi.from_dlpack(1, require_alignment=16.0),
            "from_dlpack: require_alignment: expected an integer, got float",
        ),
        (
            lambda: _core.register_object_class("ffi.Module", int),
            "register_object_class: type: expected a class derived from tvm_ffi.Object, got int",
        ),
        (
            lambda: _core.set_global_func("tests.core", 3, True),
            "set_global_func: function: expected a tvm_ffi.Function, got int",
        ),
        (
            lambda: setattr(tvm_ffi.Function(len), "__name__", 3),
            "Function.__name__: expected a str, got int",
        ),
        (delete_name, "Function.__name__: expected a str, got its deletion"),
        (
            lambda: _core.ndarray_from_tensor(3),
            "ndarray_from_tensor: expected a tvm_ffi.Tensor, got int",
        ),
    ],
)
def test_messages_say_what_came(call: Callable[[], Any], message: str) -> None:
    """A wrong argument is a TypeError that states what was expected and what was passed."""
    with pytest.raises(TypeError, match=f"^{re.escape(message)}$"):
        call()

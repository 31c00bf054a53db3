# SPDX-License-Identifier: Apache-2.0
# Rows: R5
"""Global functions."""

from __future__ import annotations

import pytest
import tvm_ffi


def test_registered_functions_are_found() -> None:
    """A function is found under its name, and the decorator leaves it as it is."""

    @tvm_ffi.register_global_func("tests.registry.add", override=True)
    def add(x: int, y: int) -> int:
        return x + y

    assert add(1, 2) == 3
    found = tvm_ffi.get_global_func("tests.registry.add")
    assert found(1, 2) == 3
    assert found.__name__ == "tests.registry.add"


def test_names_are_taken_once() -> None:
    """A second function under a name needs override."""
    tvm_ffi.register_global_func("tests.registry.once", lambda: 1, override=True)
    with pytest.raises(ValueError, match=r"tests\.registry\.once"):
        tvm_ffi.register_global_func("tests.registry.once", lambda: 2)
    tvm_ffi.register_global_func("tests.registry.once", lambda: 3, override=True)
    assert tvm_ffi.get_global_func("tests.registry.once")() == 3


def test_missing_functions() -> None:
    """A name that nobody registered is a ValueError, or None where that is allowed."""
    with pytest.raises(ValueError, match=r"expected a registered function, got 'tests\.missing'"):
        tvm_ffi.get_global_func("tests.missing")
    assert tvm_ffi.get_global_func("tests.missing", allow_missing=True) is None


def test_only_callables_are_registered() -> None:
    """Anything else is a TypeError."""
    with pytest.raises(TypeError, match="expected a callable, got int"):
        tvm_ffi.register_global_func("tests.registry.number", 3)

# SPDX-License-Identifier: Apache-2.0
# Rows: R5
"""Global functions."""

from __future__ import annotations

import gc
import json
import weakref
from typing import Any

import pytest
import tvm_ffi


def test_registered_functions_are_found() -> None:
    """A function is found under its name, and the decorated name refers to the same function."""

    @tvm_ffi.register_global_func("tests.registry.add", override=True)
    def add(x: int, y: int) -> int:
        return x + y

    assert type(add) is tvm_ffi.Function
    assert add(1, y=2) == 3
    found = tvm_ffi.get_global_func("tests.registry.add")
    assert found(1, 2) == 3
    assert found.__name__ == "tests.registry.add"
    assert found == add


def test_names_are_taken_once() -> None:
    """Registering a second function under a name needs override."""
    tvm_ffi.register_global_func("tests.registry.once", lambda: 1, override=True)
    with pytest.raises(ValueError, match=r"tests\.registry\.once"):
        tvm_ffi.register_global_func("tests.registry.once", lambda: 2)
    tvm_ffi.register_global_func("tests.registry.once", lambda: 3, override=True)
    assert tvm_ffi.get_global_func("tests.registry.once")() == 3


def test_missing_functions() -> None:
    """An unregistered name is a ValueError, or None if that is allowed."""
    with pytest.raises(ValueError, match=r"expected a registered function, got 'tests\.missing'"):
        tvm_ffi.get_global_func("tests.missing")
    assert tvm_ffi.get_global_func("tests.missing", allow_missing=True) is None


def test_only_callables_are_registered() -> None:
    """A value that is not callable is a TypeError."""
    with pytest.raises(TypeError, match="expected a callable, got int"):
        tvm_ffi.register_global_func("tests.registry.number", 3)


def test_a_callable_may_name_itself() -> None:
    """Without a name the callable's own is used, even as a decorator without parentheses."""

    @tvm_ffi.register_global_func
    def tests_registry_self(x: int) -> int:
        return x + 1

    assert tvm_ffi.get_global_func("tests_registry_self")(1) == 2
    tvm_ffi.remove_global_func("tests_registry_self")

    class Nameless:
        """Has no name."""

        def __call__(self) -> None:
            """Do nothing."""

    with pytest.raises(TypeError, match="func_name: expected a callable with a name"):
        tvm_ffi.register_global_func(Nameless())


def test_functions_are_removed() -> None:
    """A removed function is no longer found but stays usable; removing it again is allowed."""
    made = tvm_ffi.register_global_func("tests.registry.gone", lambda: 4)
    tvm_ffi.remove_global_func("tests.registry.gone")
    assert tvm_ffi.get_global_func("tests.registry.gone", allow_missing=True) is None
    assert made() == 4
    tvm_ffi.remove_global_func("tests.registry.gone")


def test_names_are_listed() -> None:
    """The list has each name once, in sorted order."""
    tvm_ffi.register_global_func("tests.registry.listed", lambda: 4, override=True)
    names = tvm_ffi.registry.list_global_func_names()
    assert names == sorted(set(names))
    assert {"tests.registry.listed", "ffi.ModuleLoadFromFile"} <= set(names)
    tvm_ffi.remove_global_func("tests.registry.listed")
    assert "tests.registry.listed" not in tvm_ffi.registry.list_global_func_names()


@pytest.mark.usefixtures("described")
def test_metadata() -> None:
    """C++ functions have metadata about their types; Python functions have none."""
    told = tvm_ffi.get_global_func_metadata("tests.described.affine")
    schema = json.loads(told["type_schema"])
    assert schema["named_args"]["params"][:2] == [{"type": "int"}, {"type": "float"}]
    assert told["arg_names"] == "x, factor, shift, unit"
    tvm_ffi.register_global_func("tests.registry.silent", lambda: 4, override=True)
    assert tvm_ffi.get_global_func_metadata("tests.registry.silent") == {}
    with pytest.raises(ValueError, match=r'expected a registered name, got "tests\.missing"'):
        tvm_ffi.get_global_func_metadata("tests.missing")


@pytest.mark.parametrize("name", [None, 3, b"bytes"])
@pytest.mark.parametrize(
    "function",
    [
        *(tvm_ffi.get_global_func, tvm_ffi.remove_global_func),
        *(tvm_ffi.get_global_func_metadata, tvm_ffi.register_global_func),
    ],
)
def test_names_are_text(function: Any, name: Any) -> None:
    """A name that is not a str is a TypeError that says so."""
    with pytest.raises(TypeError, match=f"{function.__name__}: name: expected a str, got"):
        function(name)


def test_callables_that_are_replaced_are_freed() -> None:
    """The table holds one callable per name and releases it when the name is removed."""
    owners = [set(), set()]  # type: list[set[int]]
    gone = []
    for owner in owners:
        function = owner.union
        gone.append(weakref.ref(owner))
        tvm_ffi.register_global_func("tests.registry.owned", function, override=True)
        del function, owner
    owners.clear()
    gc.collect()
    assert [each() is None for each in gone] == [True, False]
    tvm_ffi.remove_global_func("tests.registry.owned")
    assert gone[1]() is None


def test_classes_are_registered_from_here_too() -> None:
    """Code for the published package imports ``register_object`` from here."""
    assert tvm_ffi.registry.register_object is tvm_ffi.register_object

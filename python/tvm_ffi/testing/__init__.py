# SPDX-License-Identifier: Apache-2.0
"""Functions and object types for the tests of other projects, with the published names.

They are written in C++ and registered when this module is imported, like those of any library.
"""

from __future__ import annotations

from typing import Any

from .. import _core, libinfo
from .._core import Object
from .._runtime import call
from ..dataclasses import c_class
from ..module import load_module
from ..registry import get_global_func

_library = load_module(f"{libinfo.find_library_path()}/libtvm_ffi_testing.so")

#: Return the first argument. Without one, raise a ``TypeError``.
echo = get_global_func("testing.echo")
#: Accept any arguments and do nothing, to measure the cost of a call.
nop = get_global_func("testing.nop")
#: Call the first argument with the others. If it is not a function, raise a ``TypeError``.
apply = get_global_func("testing.apply")
#: Count the references to an object, including the argument's own.
object_use_count = get_global_func("testing.object_use_count")
#: Raise an error in C++, given its kind, for example ``"ValueError"``, and its message.
test_raise_error = get_global_func("testing.test_raise_error")


def add_one(x: int) -> int:
    """Add one to an integer, in C++.

    Raises
    ------
    TypeError
        The argument is not an integer.
    """
    result: int = call("testing.add_one", x)
    return result


def make_unregistered_object() -> Object:
    """Create an object of a type for which no class is registered."""
    made: Object = call("testing.make_unregistered_object")
    return made


def create_object(type_key: str, **kwargs: Any) -> Object:
    """Create an object of a registered type from its fields.

    Raises
    ------
    ValueError
        No class is registered for such a type.
    TypeError
        A field is missing or unknown, or has a value of the wrong type.
    """
    index = _core.find_type(type_key)
    cls = None if index is None else _core.registered_class(index)
    if cls is None:
        raise ValueError(
            f"create_object: type_key: expected a type that has a class in Python, got {type_key!r}"
        )
    made: Object = cls(**kwargs)
    return made


@c_class("testing.TestIntPair")
class TestIntPair(Object):
    """Two read-only integers, ``a`` and ``b``; ``sum()`` adds them."""

    __test__ = False  # otherwise pytest collects it as a test class

    a: int
    b: int


@c_class("testing.TestObjectBase")
class TestObjectBase(Object):
    """Fields with defaults: ``v_i64``, ``v_f64``, ``v_str``; ``add_i64(n)`` adds to the first."""

    __test__ = False

    v_i64: int
    v_f64: float
    v_str: str


@c_class("testing.TestObjectDerived")
class TestObjectDerived(TestObjectBase):
    """A derived type with a map, ``v_map``, and an array, ``v_array``."""

    v_map: Any
    v_array: Any


__all__ = [
    "TestIntPair",
    "TestObjectBase",
    "TestObjectDerived",
    "add_one",
    "apply",
    "create_object",
    "echo",
    "make_unregistered_object",
    "nop",
    "object_use_count",
    "test_raise_error",
]

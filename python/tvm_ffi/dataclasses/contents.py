# SPDX-License-Identifier: Apache-2.0
"""Field values as Python dictionaries and tuples."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..container import Array, Dict, List, Map
from .fields import fields, is_instance


def asdict(obj: Any, *, dict_factory: Callable[..., Any] = dict) -> Any:
    """Return the fields of an instance as a dictionary.

    Nested dataclass instances, including those in containers, become dictionaries too, and
    containers become Python lists and dictionaries. Container keys and all other values are left
    unchanged.

    Parameters
    ----------
    obj
        The instance.
    dict_factory
        Called with a list of (name, value) pairs for each instance.

    Raises
    ------
    TypeError
        ``obj`` is not an instance of a dataclass.

    Examples
    --------
    >>> from tvm_ffi.dataclasses import asdict
    >>> from tvm_ffi.testing import TestIntPair
    >>> asdict(TestIntPair(1, 2))
    {'a': 1, 'b': 2}
    """
    _check("asdict", obj)
    return _convert(obj, dict_factory)


def astuple(obj: Any, *, tuple_factory: Callable[..., Any] = tuple) -> Any:
    """Return the values of the fields of an instance as a tuple.

    Field values are treated as in :func:`tvm_ffi.dataclasses.asdict`.

    Parameters
    ----------
    obj
        The instance.
    tuple_factory
        Called with a list of values for each instance.

    Raises
    ------
    TypeError
        ``obj`` is not an instance of a dataclass.

    Examples
    --------
    >>> from tvm_ffi.dataclasses import astuple
    >>> from tvm_ffi.testing import TestIntPair
    >>> astuple(TestIntPair(1, 2))
    (1, 2)
    """
    _check("astuple", obj)
    return _convert(obj, lambda pairs: tuple_factory([value for _, value in pairs]))


def _check(function: str, obj: Any) -> None:
    if not is_instance(obj):
        given = f"the class {obj.__name__}" if isinstance(obj, type) else type(obj).__name__
        raise TypeError(
            f"{function}: obj: expected an instance of a class that c_class or py_class decorates, "
            f"got {given}"
        )


def _convert(value: Any, make: Callable[[list[tuple[str, Any]]], Any]) -> Any:
    if is_instance(value):
        return make(
            [
                (field.name, _convert(field._descriptor.__get__(value), make))
                for field in fields(value)
            ]
        )
    if isinstance(value, (Array, List)):
        return [_convert(element, make) for element in value]
    if isinstance(value, (Map, Dict)):
        return {key: _convert(element, make) for key, element in value.items()}
    return value

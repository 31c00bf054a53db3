# SPDX-License-Identifier: Apache-2.0
"""Methods of dataclasses, all of which work on the registered fields."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import _core
from .._core import Object
from .._runtime import read
from ..copying import _copy, _own_state
from ..printing import object_repr
from ..type_info import all_fields


def repr_of(self: Object) -> str:
    """Return the printed form, which is the same in every language."""
    if self.__chandle__() == 0:
        return object_repr(self)
    text: str = read("ffi.ReprPrint", self)
    return text


def _same_type(self: Object, other: object) -> bool:
    return isinstance(other, Object) and _core.type_index_of(self) == _core.type_index_of(other)


def equal(self: Object, other: object) -> Any:
    """Return whether the fields of two objects of the same type are equal."""
    return read("ffi.RecursiveEq", self, other) if _same_type(self, other) else NotImplemented


def not_equal(self: Object, other: object) -> Any:
    """Return whether the fields of two objects of the same type differ."""
    return not read("ffi.RecursiveEq", self, other) if _same_type(self, other) else NotImplemented


def _make_order(name: str, function: str) -> Callable[[Object, object], Any]:
    def compare(self: Object, other: object) -> Any:
        return read(function, self, other) if _same_type(self, other) else NotImplemented

    compare.__name__ = name
    return compare


#: The four ordering comparisons.
ORDER = {
    "__lt__": _make_order("__lt__", "ffi.RecursiveLt"),
    "__le__": _make_order("__le__", "ffi.RecursiveLe"),
    "__gt__": _make_order("__gt__", "ffi.RecursiveGt"),
    "__ge__": _make_order("__ge__", "ffi.RecursiveGe"),
}


def hash_of(self: Object) -> int:
    """Return a hash of the fields."""
    return hash(read("ffi.RecursiveHash", self))


def deep_copy(self: Object, memo: dict[int, Any] | None = None) -> Object:
    """Copy an object and everything that its fields refer to."""
    import copy

    memo = {} if memo is None else memo
    made: Object = read("ffi.DeepCopy", self)
    if type(made) is not type(self):
        made = _core.adopt(type(self), made)
    memo[id(self)] = made
    attributes, slots = _own_state(self)
    if attributes:
        made.__dict__.update(copy.deepcopy(attributes, memo))
    for name, value in slots.items():
        setattr(made, name, copy.deepcopy(value, memo))
    return made


def replaced(self: Object, /, **changes: Any) -> Object:
    """Copy an object with new values for some fields."""
    type_index = _core.type_index_of(self)
    descriptors = {field.__name__: field for field in all_fields(type_index)}
    for name in changes:
        if name not in descriptors:
            raise TypeError(
                f"replace: {_core.describe_type(type_index)[0]}: expected the name of a field, one "
                f"of {', '.join(descriptors) or 'none'}; got {name!r}"
            )
    made = _copy(self)
    for name, value in changes.items():
        descriptors[name].store(made, value)
    return made


def make_setattr(cls: type[Object], type_key: str, names: frozenset[str]) -> Callable[..., None]:
    """Return the ``__setattr__`` of a class whose fields cannot be assigned to."""

    def __setattr__(self: Object, name: str, value: Any) -> None:
        if name in names:
            raise AttributeError(f"{type_key}.{name}: the class is frozen, so it can only be read")
        super(cls, self).__setattr__(name, value)

    return __setattr__

# SPDX-License-Identifier: Apache-2.0
"""Paths from a value to the values inside it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import IntEnum
from typing import TYPE_CHECKING, Any

from ._core import Object
from ._runtime import call, read
from .object import register_object


class AccessKind(IntEnum):
    """The kinds of path steps."""

    #: A field of an object.
    ATTR = 0
    #: An element of an :class:`tvm_ffi.Array` or a :class:`tvm_ffi.List`.
    ARRAY_ITEM = 1
    #: A value of a :class:`tvm_ffi.Map` or a :class:`tvm_ffi.Dict`.
    MAP_ITEM = 2
    #: A missing field.
    ATTR_MISSING = 3
    #: A missing element.
    ARRAY_ITEM_MISSING = 4
    #: A missing key.
    MAP_ITEM_MISSING = 5


def repr_of(self: Object) -> str:
    """Return the printed form, which is the same in every language."""
    text: str = read("ffi.ReprPrint", self)
    return text


@register_object("ffi.reflection.AccessStep", init=False)
class AccessStep(Object):
    """A step of an :class:`AccessPath`."""

    key: Any  #: The name of the field, the index, or the key.

    def __init__(self) -> None:
        raise TypeError("AccessStep: expected a step of an AccessPath, got a call of the class")

    @property
    def kind(self) -> AccessKind:
        """The kind of the step."""
        return AccessKind(_KIND.__get__(self, None))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, AccessStep):
            return NotImplemented
        same = type(self.key) is type(other.key)  # 1, 1.0 and True are distinct keys
        return self.kind == other.kind and same and bool(self.key == other.key)

    def __hash__(self) -> int:
        return hash((self.kind, self.key))

    def __repr__(self) -> str:
        return repr_of(self)


_KIND = next(
    field.descriptor
    for field in AccessStep.__tvm_ffi_type_info__.fields  # type: ignore[attr-defined]
    if field.name == "kind"
)


@register_object("ffi.reflection.AccessPath", init=False)
class AccessPath(Object):
    """An immutable path: the steps from a value, the root, to a value inside it.

    Examples
    --------
    >>> from tvm_ffi.access_path import AccessPath
    >>> path = AccessPath.root().attr("body").array_item(2)
    >>> path
    <root>.body[2]
    >>> path.depth, path.parent, path.step
    (2, <root>.body, [2])
    """

    depth: int  #: Number of steps.
    parent: AccessPath | None  #: The path without its last step; ``None`` for the root.
    step: AccessStep | None  #: The last step; ``None`` for the root.

    if TYPE_CHECKING:
        # Methods that C++ registers.
        _attr: Any
        _attr_missing: Any
        _array_item: Any
        _array_item_missing: Any
        _map_item: Any
        _map_item_missing: Any
        _is_prefix_of: Any
        _path_equal: Any
        _to_steps: Any

    def __init__(self) -> None:
        raise ValueError("AccessPath: expected AccessPath.root(), got a call of the class")

    @staticmethod
    def root() -> AccessPath:
        """Return the root path, which has no steps."""
        path: AccessPath = call("ffi._AccessPathRoot")
        return path

    def attr(self, attr_key: str) -> AccessPath:
        """Return this path extended by a step to a field."""
        return self._attr(attr_key)

    def attr_missing(self, attr_key: str) -> AccessPath:
        """Return this path extended by a step to a missing field."""
        return self._attr_missing(attr_key)

    def array_item(self, index: int) -> AccessPath:
        """Return this path extended by a step to an element of a sequence."""
        return self._array_item(index)

    def array_item_missing(self, index: int) -> AccessPath:
        """Return this path extended by a step to a missing element."""
        return self._array_item_missing(index)

    def map_item(self, key: Any) -> AccessPath:
        """Return this path extended by a step to the value of a key."""
        return self._map_item(key)

    def map_item_missing(self, key: Any) -> AccessPath:
        """Return this path extended by a step to a missing key."""
        return self._map_item_missing(key)

    def is_prefix_of(self, other: AccessPath) -> bool:
        """Return whether this path is a prefix of the other one, or equal to it."""
        return self._is_prefix_of(other)

    def to_steps(self) -> Sequence[AccessStep]:
        """Return the steps in order from the root."""
        return self._to_steps()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, AccessPath):
            return NotImplemented
        return bool(self._path_equal(other))

    def __hash__(self) -> int:
        return hash(tuple(self.to_steps()))

    def __copy__(self) -> AccessPath:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> AccessPath:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return _path_of, ([(step.kind, step.key) for step in self.to_steps()],)

    def __repr__(self) -> str:
        return repr_of(self)


_METHODS: dict[AccessKind, Callable[[AccessPath, Any], AccessPath]] = {
    AccessKind.ATTR: AccessPath.attr,
    AccessKind.ARRAY_ITEM: AccessPath.array_item,
    AccessKind.MAP_ITEM: AccessPath.map_item,
    AccessKind.ATTR_MISSING: AccessPath.attr_missing,
    AccessKind.ARRAY_ITEM_MISSING: AccessPath.array_item_missing,
    AccessKind.MAP_ITEM_MISSING: AccessPath.map_item_missing,
}


def _path_of(steps: list[tuple[AccessKind, Any]]) -> AccessPath:
    """Rebuild a pickled path."""
    path = AccessPath.root()
    for kind, key in steps:
        path = _METHODS[kind](path, key)
    return path


__all__ = ["AccessKind", "AccessPath", "AccessStep"]

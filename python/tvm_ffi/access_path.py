# SPDX-License-Identifier: Apache-2.0
"""Paths from a value to what it contains."""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from typing import Any

from ._runtime import read


class AccessKind(IntEnum):
    """What a step of a path leads to."""

    #: A field of an object.
    ATTR = 0
    #: An element of an :class:`tvm_ffi.Array` or a :class:`tvm_ffi.List`.
    ARRAY_ITEM = 1
    #: A value of a :class:`tvm_ffi.Map` or a :class:`tvm_ffi.Dict`.
    MAP_ITEM = 2
    #: A field that is not there.
    ATTR_MISSING = 3
    #: An element that is not there.
    ARRAY_ITEM_MISSING = 4
    #: A key that is not there.
    MAP_ITEM_MISSING = 5


class AccessStep:
    """A step of an :class:`AccessPath`."""

    __slots__ = ("_key", "_kind")

    _kind: AccessKind
    _key: Any

    def __init__(self) -> None:
        raise TypeError("AccessStep: expected a step of an AccessPath, got a call of the class")

    @classmethod
    def _of(cls, kind: AccessKind, key: Any) -> AccessStep:
        step = cls.__new__(cls)
        step._kind, step._key = kind, key
        return step

    @property
    def kind(self) -> AccessKind:
        """What it leads to."""
        return self._kind

    @property
    def key(self) -> Any:
        """The name of the field, the index, or the key."""
        return self._key

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, AccessStep):
            return NotImplemented
        same = type(self._key) is type(other._key)  # 1, 1.0 and True are three keys
        return self._kind == other._kind and same and self._key == other._key

    def __hash__(self) -> int:
        return hash((self._kind, self._key))

    def __repr__(self) -> str:
        if self._kind == AccessKind.ATTR:
            return f".{self._key}"
        key = read("ffi.ReprPrint", self._key)
        return f"[{key}]" if self._kind < AccessKind.ATTR_MISSING else f"[<missing:{key}>]"


class AccessPath:
    """The steps from a value, the root, to what it contains. It never changes.

    Examples
    --------
    >>> from tvm_ffi.access_path import AccessPath
    >>> path = AccessPath.root().attr("body").array_item(2)
    >>> path
    <root>.body[2]
    >>> path.depth, path.parent, path.step
    (2, <root>.body, [2])
    """

    __slots__ = ("_depth", "_parent", "_step")

    _depth: int
    _parent: AccessPath | None
    _step: AccessStep | None

    def __init__(self) -> None:
        raise ValueError("AccessPath: expected AccessPath.root(), got a call of the class")

    @staticmethod
    def root() -> AccessPath:
        """Give the path without steps."""
        path = AccessPath.__new__(AccessPath)
        path._depth, path._parent, path._step = 0, None, None
        return path

    @property
    def depth(self) -> int:
        """Number of steps."""
        return self._depth

    @property
    def parent(self) -> AccessPath | None:
        """The path without its last step; ``None`` for the root."""
        return self._parent

    @property
    def step(self) -> AccessStep | None:
        """The last step; ``None`` for the root."""
        return self._step

    def attr(self, attr_key: str) -> AccessPath:
        """Add the step to a field."""
        return self._extend(AccessKind.ATTR, attr_key)

    def attr_missing(self, attr_key: str) -> AccessPath:
        """Add the step to a field that is not there."""
        return self._extend(AccessKind.ATTR_MISSING, attr_key)

    def array_item(self, index: int) -> AccessPath:
        """Add the step to an element of a sequence."""
        return self._extend(AccessKind.ARRAY_ITEM, index)

    def array_item_missing(self, index: int) -> AccessPath:
        """Add the step to an element that is not there."""
        return self._extend(AccessKind.ARRAY_ITEM_MISSING, index)

    def map_item(self, key: Any) -> AccessPath:
        """Add the step to the value of a key."""
        return self._extend(AccessKind.MAP_ITEM, key)

    def map_item_missing(self, key: Any) -> AccessPath:
        """Add the step to a key that is not there."""
        return self._extend(AccessKind.MAP_ITEM_MISSING, key)

    def is_prefix_of(self, other: AccessPath) -> bool:
        """Return whether the other path begins with the steps of this one, or is equal."""
        return self.to_steps() == other.to_steps()[: self._depth]

    def to_steps(self) -> Sequence[AccessStep]:
        """Give the steps, the one from the root first."""
        steps = []
        path: AccessPath | None = self
        while path is not None and path._step is not None:
            steps.append(path._step)
            path = path._parent
        return tuple(reversed(steps))

    def _extend(self, kind: AccessKind, key: Any) -> AccessPath:
        path = AccessPath.__new__(AccessPath)
        path._depth, path._parent, path._step = self._depth + 1, self, AccessStep._of(kind, key)
        return path

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, AccessPath):
            return NotImplemented
        return self._depth == other._depth and self.to_steps() == other.to_steps()

    def __hash__(self) -> int:
        return hash(self.to_steps())

    def __repr__(self) -> str:
        return "<root>" + "".join(map(repr, self.to_steps()))


def path_of(steps: Sequence[Any]) -> AccessPath:
    """Make a path of kinds and keys by turns."""
    path = AccessPath.root()
    for i in range(0, len(steps), 2):
        path = path._extend(AccessKind(steps[i]), steps[i + 1])
    return path


__all__ = ["AccessKind", "AccessPath", "AccessStep"]

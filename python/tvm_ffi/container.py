# SPDX-License-Identifier: Apache-2.0
"""Sequences and mappings shared by all languages."""

from __future__ import annotations

# The classes of collections.abc, which is slower to import.
from _collections_abc import (
    ItemsView,
    KeysView,
    Mapping,
    MutableMapping,
    MutableSequence,
    Sequence,
    ValuesView,
)
from typing import TYPE_CHECKING

from . import _core

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any, SupportsIndex

_GenericAlias = type(list[int])


class _SequenceMethods:
    """Methods of Array and List written in Python."""

    __slots__ = ()
    __class_getitem__ = classmethod(_GenericAlias)

    def count(self, value: Any) -> int:
        """Return the number of elements equal to the value."""
        return Sequence.count(self, value)

    def index(self, value: Any, start: int = 0, stop: int | None = None) -> int:
        """Return the index of the first equal element in ``[start, stop)``.

        Raises
        ------
        ValueError
            No element is equal to the value.
        """
        try:
            return Sequence.index(self, value, start, stop)
        except ValueError:
            name = type(self).__name__
            raise ValueError(f"{name}.index: expected one of the elements, got {value!r}") from None

    def __add__(self, other: Iterable[Any]) -> Any:
        """Return a new container with these elements followed by those of ``other``."""
        if not hasattr(type(other), "__iter__"):
            return NotImplemented
        return type(self)([*self, *other])

    def __radd__(self, other: Iterable[Any]) -> Any:
        """Return a new container with the elements of ``other`` followed by these."""
        if not hasattr(type(other), "__iter__"):
            return NotImplemented
        return type(self)([*other, *self])

    def __reduce_ex__(self, protocol: SupportsIndex, /) -> Any:
        """Reduce to the type and a list of the elements, for pickle and copy."""
        return type(self), (list(self),)

    def _as_literal(self) -> str:
        return repr((list if isinstance(self, List) else tuple)(self))


class _MappingMethods:
    """Methods of Map and Dict written in Python."""

    __slots__ = ()
    __class_getitem__ = classmethod(_GenericAlias)

    def keys(self) -> Any:
        """Return a live view of the keys."""
        return _Keys(self)

    def values(self) -> Any:
        """Return a live view of the values."""
        return _Values(self)

    def items(self) -> Any:
        """Return a live view of the key-value pairs."""
        return _Items(self)

    def __reversed__(self) -> Iterator[Any]:
        """Iterate over the keys from last to first."""
        return reversed(self._keys())

    def __reduce_ex__(self, protocol: SupportsIndex, /) -> Any:
        """Reduce to the type and a list of the pairs, for pickle and copy."""
        return _from_pairs, (type(self), self._items())

    def _as_literal(self) -> str:
        pairs = [f"{key!r}: {value!r}" for key, value in self._items()]
        return "{" + ", ".join(pairs) + "}"


class Array(_SequenceMethods, _core.ArrayBase):
    """An immutable sequence; a list or a tuple becomes one when it is passed to a function.

    Parameters
    ----------
    input_list
        The elements: any values that functions accept.

    Raises
    ------
    TypeError, ValueError
        An element has a type that functions do not accept.

    Examples
    --------
    >>> import tvm_ffi
    >>> array = tvm_ffi.Array([1, "two", [3.0]])
    >>> array
    (1, 'two', (3.0,))
    >>> array[-1][0]
    3.0
    """

    __slots__ = ()

    def __copy__(self) -> Array:
        """Return the object itself, which is immutable."""
        return self

    def __deepcopy__(self, memo: dict[Any, Any]) -> Array:
        """Return a copy with copied elements."""
        return _deepcopy(self, memo, lambda copied: type(self)(list(map(copied, self))))


class List(_SequenceMethods, _core.ListBase):
    """A mutable sequence, shared by reference across languages.

    Parameters
    ----------
    input_list
        The initial elements: any values that functions accept.

    Raises
    ------
    TypeError, ValueError
        An element has a type that functions do not accept.

    Examples
    --------
    >>> import tvm_ffi
    >>> numbers = tvm_ffi.List([1, 2])
    >>> numbers.append(3)
    >>> numbers
    [1, 2, 3]
    """

    __slots__ = ()
    __iadd__ = MutableSequence.__iadd__

    def remove(self, value: Any) -> None:
        """Remove the first element equal to the value.

        Raises
        ------
        ValueError
            No element is equal to the value.
        """
        del self[self.index(value)]

    def __copy__(self) -> List:
        """Return a new List with the same elements."""
        return type(self)(self)

    copy = __copy__

    def __deepcopy__(self, memo: dict[Any, Any]) -> List:
        """Return a copy with copied elements."""
        copy = type(self)()

        def fill(copied: Callable[[Any], Any]) -> List:
            for element in self:
                copy.append(copied(element))
            return copy

        return _deepcopy(self, memo, fill, copy)


class Map(_MappingMethods, _core.MapBase):
    """An immutable mapping; a dict becomes one when it is passed to a function.

    Keys are distinguished as in C++: ``1``, ``1.0`` and ``True`` are three keys. Insertion order is
    preserved.

    Parameters
    ----------
    input_dict
        The pairs: a mapping, or an iterable of pairs.

    Raises
    ------
    TypeError, ValueError
        A key or a value has a type that functions do not accept.

    Examples
    --------
    >>> import tvm_ffi
    >>> sizes = tvm_ffi.Map({"rows": 2, "columns": 3})
    >>> sizes["columns"]
    3
    >>> list(sizes.items())
    [('rows', 2), ('columns', 3)]
    """

    __slots__ = ()

    def __copy__(self) -> Map:
        """Return the object itself, which is immutable."""
        return self

    def __deepcopy__(self, memo: dict[Any, Any]) -> Map:
        """Return a copy with copied keys and values."""

        def fill(copied: Callable[[Any], Any]) -> Map:
            return _from_pairs(
                type(self), [(copied(key), copied(value)) for key, value in self._items()]
            )

        return _deepcopy(self, memo, fill)


class Dict(_MappingMethods, _core.DictBase):
    """A mutable mapping, shared by reference across languages.

    Keys are distinguished and ordered as in :class:`tvm_ffi.Map`. Iterating over a Dict visits a
    snapshot of it.

    Parameters
    ----------
    input_dict
        The initial pairs: a mapping, or an iterable of pairs.

    Raises
    ------
    TypeError, ValueError
        A key or a value has a type that functions do not accept.

    Examples
    --------
    >>> import tvm_ffi
    >>> sizes = tvm_ffi.Dict({"rows": 2})
    >>> sizes["columns"] = 3
    >>> sizes
    {'rows': 2, 'columns': 3}
    """

    __slots__ = ()

    def setdefault(self, key: Any, default: Any = None) -> Any:
        """Return the value of a key; insert ``default`` first if the key is missing."""
        return MutableMapping.setdefault(self, key, default)

    def update(self, other: Any = (), /, **more: Any) -> None:
        """Set the pairs of a mapping or an iterable of pairs, and those given as keywords."""
        self._update(other)
        if more:
            self._update(more)

    def __copy__(self) -> Dict:
        """Return a new Dict with the same pairs."""
        return type(self)(self)

    copy = __copy__

    def __deepcopy__(self, memo: dict[Any, Any]) -> Dict:
        """Return a copy with copied keys and values."""
        copy = type(self)()

        def fill(copied: Callable[[Any], Any]) -> Dict:
            for key, value in self._items():
                copy[copied(key)] = copied(value)
            return copy

        return _deepcopy(self, memo, fill, copy)


class _Keys(KeysView):
    __slots__ = ()

    def __repr__(self) -> str:
        return f"KeysView({self._mapping!r})"


class _Values(ValuesView):
    __slots__ = ()

    def __iter__(self) -> Iterator[Any]:
        return iter(self._mapping._values())

    def __repr__(self) -> str:
        return f"ValuesView({self._mapping!r})"


class _Items(ItemsView):
    __slots__ = ()

    def __iter__(self) -> Iterator[tuple[Any, Any]]:
        return iter(self._mapping._items())

    def __repr__(self) -> str:
        return f"ItemsView({self._mapping!r})"


def _from_pairs(cls: type, pairs: list[tuple[Any, Any]]) -> Any:
    # Not through a dict, in which 1 and True are one key.
    made = Dict()
    for key, value in pairs:
        made[key] = value
    return made if cls is Dict else cls(made)


def _deepcopy(
    container: Any,
    memo: dict[Any, Any],
    fill: Callable[[Callable[[Any], Any]], Any],
    empty: Any = None,
) -> Any:
    # Reading an element creates a new Python object each time, so the memo is keyed by handle. It
    # keeps the container alive, whose address could be reused otherwise.
    from copy import deepcopy

    key = ("tvm_ffi", container.__chandle__())
    if key not in memo:
        if empty is not None:
            memo[key] = empty, container
        copy = fill(lambda value: deepcopy(value, memo))
        # In a cycle, copying an element may already have copied an Array or a Map, as with a tuple.
        memo.setdefault(key, (copy, container))
    return memo[key][0]


Sequence.register(Array)
MutableSequence.register(List)
Mapping.register(Map)
MutableMapping.register(Dict)
_core.register_object_class("ffi.Array", Array)
_core.register_object_class("ffi.List", List)
_core.register_object_class("ffi.Map", Map)
_core.register_object_class("ffi.Dict", Dict)

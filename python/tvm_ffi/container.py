# SPDX-License-Identifier: Apache-2.0
"""Sequences and mappings that every language shares."""

from __future__ import annotations

# The classes of collections.abc, whose own import takes longer.
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
    """What Array and List do in Python."""

    __slots__ = ()
    __class_getitem__ = classmethod(_GenericAlias)

    def count(self, value: Any) -> int:
        """Return how many elements are equal to the value."""
        return Sequence.count(self, value)

    def index(self, value: Any, start: int = 0, stop: int | None = None) -> int:
        """Return the index of the first equal element in ``[start, stop)``.

        Raises
        ------
        ValueError
            There is none.
        """
        try:
            return Sequence.index(self, value, start, stop)
        except ValueError:
            name = type(self).__name__
            raise ValueError(
                f"{name}.index: expected a value that is there, got {value!r}"
            ) from None

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
        """Make a copy of the elements: pickle and copy use it."""
        return type(self), (list(self),)

    def _as_literal(self) -> str:
        return repr((list if isinstance(self, List) else tuple)(self))


class _MappingMethods:
    """What Map and Dict do in Python."""

    __slots__ = ()
    __class_getitem__ = classmethod(_GenericAlias)

    def keys(self) -> Any:
        """Return a live view of the keys."""
        return _Keys(self)

    def values(self) -> Any:
        """Return a live view of the values."""
        return _Values(self)

    def items(self) -> Any:
        """Return a live view of the pairs of a key and its value."""
        return _Items(self)

    def __reversed__(self) -> Iterator[Any]:
        """Go from the last key to the first."""
        return reversed(self._keys())

    def __reduce_ex__(self, protocol: SupportsIndex, /) -> Any:
        """Make a copy of the pairs: pickle and copy use it."""
        return _from_pairs, (type(self), self._items())

    def _as_literal(self) -> str:
        pairs = [f"{key!r}: {value!r}" for key, value in self._items()]
        return "{" + ", ".join(pairs) + "}"


class Array(_SequenceMethods, _core.ArrayBase):
    """A sequence that never changes; a list or a tuple becomes one when a function gets it.

    Parameters
    ----------
    input_list
        The elements: any values that a function takes.

    Raises
    ------
    TypeError, ValueError
        An element is of a type that no function takes.

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
        """Return this object itself, which cannot change."""
        return self

    def __deepcopy__(self, memo: dict[Any, Any]) -> Array:
        """Make a copy of the elements too."""
        return _deepcopy(self, memo, lambda copied: type(self)(list(map(copied, self))))


class List(_SequenceMethods, _core.ListBase):
    """A sequence that changes for all who share it, in every language.

    Parameters
    ----------
    input_list
        The first elements: any values that a function takes.

    Raises
    ------
    TypeError, ValueError
        An element is of a type that no function takes.

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
        """Remove the first element that is equal to the value.

        Raises
        ------
        ValueError
            There is none.
        """
        del self[self.index(value)]

    def __copy__(self) -> List:
        """Make a List of the same elements."""
        return type(self)(self)

    copy = __copy__

    def __deepcopy__(self, memo: dict[Any, Any]) -> List:
        """Make a copy of the elements too."""
        copy = type(self)()

        def fill(copied: Callable[[Any], Any]) -> List:
            for element in self:
                copy.append(copied(element))
            return copy

        return _deepcopy(self, memo, fill, copy)


class Map(_MappingMethods, _core.MapBase):
    """A mapping that never changes; a dict becomes one when a function gets it.

    Keys are told apart as in C++: ``1``, ``1.0`` and ``True`` are three keys. The order is that of
    insertion.

    Parameters
    ----------
    input_dict
        The pairs: a mapping, or an iterable of pairs.

    Raises
    ------
    TypeError, ValueError
        A key or a value is of a type that no function takes.

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
        """Return this object itself, which cannot change."""
        return self

    def __deepcopy__(self, memo: dict[Any, Any]) -> Map:
        """Make a copy of the keys and the values too."""

        def fill(copied: Callable[[Any], Any]) -> Map:
            return _from_pairs(
                type(self), [(copied(key), copied(value)) for key, value in self._items()]
            )

        return _deepcopy(self, memo, fill)


class Dict(_MappingMethods, _core.DictBase):
    """A mapping that changes for all who share it, in every language.

    Keys are told apart, and ordered, as in :class:`tvm_ffi.Map`. Going through a Dict goes through
    what was there at the beginning.

    Parameters
    ----------
    input_dict
        The first pairs: a mapping, or an iterable of pairs.

    Raises
    ------
    TypeError, ValueError
        A key or a value is of a type that no function takes.

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
        """Set the pairs of a mapping, or of an iterable of pairs, and those of keywords."""
        self._update(other)
        if more:
            self._update(more)

    def __copy__(self) -> Dict:
        """Make a Dict of the same pairs."""
        return type(self)(self)

    copy = __copy__

    def __deepcopy__(self, memo: dict[Any, Any]) -> Dict:
        """Make a copy of the keys and the values too."""
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
    # Not through a dict, to which 1 and True are one key.
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
    # Each reading of an element makes a new Python object, so that the memo is by handle. It
    # keeps the container, whose address would be used again otherwise.
    from copy import deepcopy

    key = ("tvm_ffi", container.__chandle__())
    if key not in memo:
        if empty is not None:
            memo[key] = empty, container
        copy = fill(lambda value: deepcopy(value, memo))
        # In a cycle, a part has copied an Array or a Map meanwhile, as it does a tuple.
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

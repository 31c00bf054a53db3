# SPDX-License-Identifier: Apache-2.0
# Rows: R5, R7
"""Map and Dict, read and changed from Python."""

from __future__ import annotations

import collections.abc
import copy
import pickle
from typing import Any

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tvm_ffi import Array, Dict, Map, Shape

MAPPINGS = [Map, Dict]


@pytest.mark.parametrize("cls", MAPPINGS)
@pytest.mark.parametrize("size", [0, 1, 4, 5, 300])
def test_mappings_read_like_a_dict(cls: Any, size: int) -> None:
    """Length, truth value, order, values, pairs and look-up match the dict's."""
    source = {f"key number {i}" if i % 2 else i: i * i for i in range(size)}
    made = cls(source)
    assert len(made) == size
    assert bool(made) is bool(source)
    assert list(made) == list(made.keys()) == list(source)
    assert list(reversed(made)) == list(source)[::-1]
    assert list(made.values()) == list(source.values())
    assert list(made.items()) == list(source.items())
    for key, value in source.items():
        assert key in made
        assert made[key] == made.get(key) == value
    assert "no" not in made
    assert made.get("no") is None
    assert made.get("no", 5) == 5
    assert {1} not in made
    assert dict(made) == source


@pytest.mark.parametrize("cls", MAPPINGS)
def test_mappings_are_made_of_pairs(cls: Any) -> None:
    """A mapping is created from a mapping, an iterable of pairs or another container."""
    pairs = [("a", 1), ("b", 2)]
    for source in (dict(pairs), pairs, iter(pairs), Map(dict(pairs)), Dict(dict(pairs))):
        assert list(cls(source).items()) == pairs
    assert list(cls(collections.OrderedDict(pairs)).items()) == pairs
    order = collections.OrderedDict(pairs)
    order.move_to_end("a")
    assert list(cls(order)) == ["b", "a"]
    with pytest.raises(TypeError):
        cls(3)


@pytest.mark.parametrize("cls", MAPPINGS)
def test_missing_keys(cls: Any) -> None:
    """A missing key is a KeyError that names it."""
    with pytest.raises(KeyError, match=f"{cls.__name__}: expected an existing key, got 'zz'"):
        cls({"a": 1})["zz"]
    with pytest.raises(TypeError, match=rf"{cls.__name__}: key: set: expected a single value"):
        cls({"a": 1})[{1}]


def test_keys_have_types() -> None:
    """1, 1.0 and True are distinct keys, and one is not found as another."""
    made = Dict()
    made[1], made[1.0], made[True] = "int", "float", "bool"
    assert list(made.items()) == [(1, "int"), (1.0, "float"), (True, "bool")]
    assert repr(made) == "{1: 'int', 1.0: 'float', True: 'bool'}"
    assert copy.deepcopy(made) == made
    assert pickle.loads(pickle.dumps(made)) == made
    with pytest.raises(KeyError):
        Map({1: 1})[True]


@given(st.lists(st.tuples(st.sampled_from(range(8)), st.integers(0, 9), st.integers())))
def test_dict_is_like_a_dict(steps: list[Any]) -> None:
    """Any change to a dict has the same effect on a Dict, including order and errors."""
    ours, theirs = Dict(), {}
    for kind, key, value in steps:
        outcome = [_change_mapping(each, kind, f"k{key}", value) for each in (ours, theirs)]
        assert outcome[0] == outcome[1], (kind, key)
        assert list(ours.items()) == list(theirs.items())


def _change_mapping(target: Any, kind: int, key: str, value: int) -> Any:
    changes: list[Any] = [
        lambda: target.__setitem__(key, value),
        lambda: target.__delitem__(key),
        lambda: target.pop(key),
        lambda: target.pop(key, value),
        lambda: target.setdefault(key, value),
        lambda: target.update({key: value, "k1": 0}),
        lambda: target.update([(key, value)]),
        lambda: target.update(k2=value),
    ]
    try:
        return changes[kind]()
    except KeyError:
        return KeyError


def test_pairs_keep_keys_that_python_takes_for_one() -> None:
    """An iterable of pairs is not converted to a dict first; other elements are errors."""
    pairs = [(1, "a"), (1.0, "b"), (True, "c"), (1, "d")]
    expected = [(1, "d"), (1.0, "b"), (True, "c")]
    updated = Dict()
    updated.update(iter(pairs))
    for made in (Map(pairs), Dict(iter(pairs)), updated, Map(pair for pair in pairs)):
        assert list(map(repr, made.items())) == list(map(repr, expected))
    for wrong in ([1], [(1, 2), (1, 2, 3)], "ab"):
        with pytest.raises(TypeError, match=r"Map: element \d .*: expected a pair of a key and"):
            Map(wrong)

    def failing() -> Any:
        yield 1, 2
        raise OSError("no more")

    with pytest.raises(OSError, match="no more"):
        Map(failing())


def test_popitem_takes_a_key_that_cannot_be_looked_up() -> None:
    """A Python object as a key cannot be looked up, but popitem needs no look-up."""
    key = object()
    made = Dict({key: 1})
    assert made.popitem() == (key, 1)
    assert len(made) == 0


def test_popitem_takes_the_first() -> None:
    """Pairs are removed in insertion order, as in the published package."""
    made = Dict({"a": 1, "b": 2})
    assert made.popitem() == ("a", 1)
    assert list(made) == ["b"]
    made.update(made)
    assert list(made.items()) == [("b", 2)]
    made.clear()
    assert len(made) == 0


def test_views_are_live() -> None:
    """keys, values and items show later changes and compare like Python's."""
    made = Dict({"a": 1})
    keys, values, items = made.keys(), made.values(), made.items()
    made["b"] = 2
    assert list(keys) == ["a", "b"]
    assert list(values) == [1, 2]
    assert list(items) == [("a", 1), ("b", 2)]
    assert len(keys) == len(values) == len(items) == 2
    assert "b" in keys
    assert 2 in values
    assert ("b", 2) in items
    assert ("b", 3) not in items
    assert keys & {"b", "c"} == {"b"}
    assert repr(keys) == "KeysView({'a': 1, 'b': 2})"
    assert isinstance(items, collections.abc.ItemsView)


def test_changing_a_dict_while_going_through_it() -> None:
    """A loop visits the keys that existed when it began."""
    made = Dict({i: i for i in range(10)})
    seen = []
    for key in made:
        seen.append(key)
        made.pop(key)
        made[key + 100] = key
    assert seen == list(range(10))
    assert list(made) == list(range(100, 110))


@pytest.mark.parametrize("key", [object(), len, numpy.zeros(2), [1]], ids=type)
def test_a_wrapped_key_is_never_found(key: Any) -> None:
    """Each use of a Python object, callable, array or list as a key creates a new object."""
    made = Dict([(key, 1)])
    made[key] = 2
    assert len(made) == 2
    assert key not in made


def test_containers_as_keys() -> None:
    """The same container finds its entry, an equal one does not, and a Shape never does."""
    key = Array([1])
    made = Dict({key: "array"})
    assert made[key] == "array"
    assert Array([1]) not in made
    shape = Shape((1,))
    made[shape] = "shape"
    assert shape not in made
    assert len(made) == 2


def test_wrong_numbers_of_arguments() -> None:
    """Dict.pop states the arguments it expects."""
    made: Any = Dict({"a": 1})
    for arguments in ((), ("a", 1, 2)):
        message = (
            f"Dict.pop: expected a key and an optional default, got {len(arguments)} arguments"
        )
        with pytest.raises(TypeError, match=message):
            made.pop(*arguments)
    assert dict(made) == {"a": 1}


@pytest.mark.parametrize("cls", MAPPINGS)
def test_views_are_printed(cls: Any) -> None:
    """A view shows its mapping."""
    made = cls({"a": 1})
    assert repr(made.values()) == f"ValuesView({made!r})"
    assert repr(made.items()) == f"ItemsView({made!r})"

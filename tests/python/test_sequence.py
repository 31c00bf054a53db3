# SPDX-License-Identifier: Apache-2.0
# Rows: R5, R7
"""Array and List, read and changed from Python."""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tvm_ffi import Array, Dict, List, Map

NUMBERS = st.lists(st.integers(-5, 5), max_size=12)
INDICES = st.one_of(st.none(), st.integers(-15, 15))
SLICES = st.builds(slice, INDICES, INDICES, st.one_of(st.none(), st.integers(-4, 4).filter(bool)))
SEQUENCES = [Array, List]


@pytest.mark.parametrize("cls", SEQUENCES)
@pytest.mark.parametrize("elements", [[], [1], list(range(1000))])
def test_sequences_read_like_a_tuple(cls: Any, elements: list[int]) -> None:
    """Length, truth value, order, both ends and the reverse match the elements."""
    made = cls(elements)
    assert len(made) == len(elements)
    assert bool(made) is bool(elements)
    assert list(made) == elements
    assert list(reversed(made)) == elements[::-1]
    for i in {0, len(elements) // 2, len(elements) - 1} & set(range(len(elements))):
        assert made[i] == elements[i]
        assert made[i - len(elements)] == elements[i]


@pytest.mark.parametrize("cls", SEQUENCES)
@pytest.mark.parametrize(
    "source",
    [(1, 2), [1, 2], range(1, 3), {1: 0, 2: 0}, {1: 0, 2: 0}.keys(), Array([1, 2]), List([1, 2])],
)
def test_sequences_are_made_of_iterables(cls: Any, source: Any) -> None:
    """Any iterable of elements can be converted to a sequence."""
    assert list(cls(source)) == [1, 2]


@pytest.mark.parametrize("cls", SEQUENCES)
def test_a_generator_makes_a_sequence(cls: Any) -> None:
    """A generator is exhausted."""
    assert list(cls(x * x for x in range(5))) == [0, 1, 4, 9, 16]


def test_the_text_is_a_literal() -> None:
    """The repr is a Python literal that recreates the container."""
    assert repr(Array([1, "a", None, [2.5], b"x"])) == "(1, 'a', None, (2.5,), b'x')"
    assert repr(Array([1])) == "(1,)"
    assert repr(List([1, List(["a"])])) == "[1, ['a']]"
    assert repr(Map({"a": 1, 2: [True]})) == "{'a': 1, 2: (True,)}"
    assert str(Dict({"a": {}})) == "{'a': {}}"


@pytest.mark.parametrize("cls", SEQUENCES)
@given(NUMBERS, SLICES)
def test_slices_are_lists(cls: Any, elements: list[int], part: slice) -> None:
    """A slice is a list of the same elements as a list's slice."""
    taken = cls(elements)[part]
    assert type(taken) is list
    assert taken == elements[part]


@pytest.mark.parametrize("cls", SEQUENCES)
def test_bad_indices(cls: Any) -> None:
    """An index out of range is an IndexError with the range; a wrong type is a TypeError."""
    name = cls.__name__
    with pytest.raises(IndexError, match=f"^{name}: expected an index from -2 to 1, got 2$"):
        cls([1, 2])[2]
    with pytest.raises(IndexError, match=f"^{name}: expected an index from -2 to 1, got -3$"):
        cls([1, 2])[-3]
    with pytest.raises(IndexError, match=f"^{name}: expected an element, got index 0 of an empty"):
        cls([])[0]
    with pytest.raises(IndexError):
        cls([1])[1 << 70]
    with pytest.raises(TypeError, match=f"{name}: index: expected an integer or a slice, got str"):
        cls([1])["a"]
    assert cls([1, 2])[numpy.int64(1)] == 2


@pytest.mark.parametrize("cls", SEQUENCES)
def test_search(cls: Any) -> None:
    """`in` compares contents and types; index and count compare as Python does."""
    made = cls([1, "a", None, [2], 1.0, math.nan])
    assert 1 in made
    assert "a" in made
    assert None in made
    assert [2] in made
    assert (2,) in made
    assert math.nan in made
    for absent in ("b", True, [3], {1}):
        assert absent not in made
    assert made.index("a") == 1
    assert made.index(1, 1) == 4
    assert made.count(1) == 2
    name = cls.__name__
    with pytest.raises(ValueError, match=f"{name}.index: expected one of the elements, got 'b'"):
        made.index("b")


@pytest.mark.parametrize("cls", SEQUENCES)
def test_addition(cls: Any) -> None:
    """`+` accepts any iterable on either side and returns the same class."""
    made = cls([1, 2])
    for total, expected in [
        (operator.add(made, [3]), [1, 2, 3]),
        (operator.add(made, (3,)), [1, 2, 3]),
        (made + Array([3]), [1, 2, 3]),
        (operator.add([0], made), [0, 1, 2]),
        (operator.add((0,), made), [0, 1, 2]),
    ]:
        assert type(total) is cls
        assert list(total) == expected
    assert list(made) == [1, 2]
    with pytest.raises(TypeError):
        made + 3


def test_an_array_never_changes() -> None:
    """Array and Map have no mutating methods."""
    array: Any = Array([1])
    mapping: Any = Map({"a": 1})
    with pytest.raises(TypeError):
        array[0] = 2
    with pytest.raises(TypeError):
        del array[0]
    with pytest.raises(TypeError):
        mapping["a"] = 2
    assert not hasattr(array, "append")
    assert not hasattr(mapping, "pop")
    with pytest.raises(AttributeError):
        array.anything = 1
    added = array
    added += [2]
    assert list(array) == [1]
    assert list(added) == [1, 2]


@given(
    NUMBERS, st.lists(st.tuples(st.sampled_from(range(12)), st.integers(-8, 8), SLICES, NUMBERS))
)
def test_list_is_like_a_list(elements: list[int], steps: list[Any]) -> None:
    """Any change to a list has the same effect on a List, including errors."""
    ours, theirs = List(elements), list(elements)
    for kind, n, part, values in steps:
        outcome = [_change(each, kind, n, part, values) for each in (ours, theirs)]
        assert outcome[0] == outcome[1], (kind, n, part, values)
        assert list(ours) == theirs


def _change(target: Any, kind: int, n: int, part: slice, values: list[int]) -> Any:
    changes: list[Any] = [
        lambda: target.append(n),
        lambda: target.insert(n, 7),
        lambda: target.extend(values),
        lambda: target.pop(),
        lambda: target.pop(n),
        lambda: target.remove(n),
        lambda: target.reverse(),
        lambda: target.__setitem__(n, 9),
        lambda: target.__delitem__(n),
        lambda: target.__setitem__(part, values),
        lambda: target.__delitem__(part),
        lambda: target.__iadd__(values) is target,
    ]
    try:
        return changes[kind]()
    except (IndexError, ValueError) as error:
        return type(error)


def test_a_list_may_take_itself() -> None:
    """A List used as the source of its own change is read first."""
    made = List([1, 2, 3])
    made[0:1] = made
    assert list(made) == [1, 2, 3, 2, 3]
    made.extend(made)
    assert list(made) == [1, 2, 3, 2, 3] * 2
    made[:] = []
    assert not made
    made += [1]
    assert list(made) == [1]
    made.clear()
    assert list(made) == []


def test_empty_lists_have_nothing_to_pop() -> None:
    """Popping from an empty List or Dict is an error that says so."""
    with pytest.raises(IndexError, match=r"^List\.pop: expected an element, got an empty List$"):
        List().pop()
    with pytest.raises(KeyError, match=r"Dict\.popitem: expected a pair, got an empty Dict"):
        Dict().popitem()


def test_slices_of_another_step_keep_the_size() -> None:
    """An extended slice must be assigned exactly as many elements as it has."""
    made = List([1, 2, 3, 4])
    with pytest.raises(ValueError, match="List: slice: expected 2 elements, one per index, got 1"):
        made[::2] = [9]
    made[::-2] = [8, 9]
    assert list(made) == [1, 9, 3, 8]


def test_iterators_see_changes() -> None:
    """Iterating over a List visits elements added meanwhile and stops at its current end."""
    made = List([1, 2])
    seen = []
    for value in made:
        seen.append(value)
        if len(made) < 4:
            made.append(value + 10)
    assert seen == [1, 2, 11, 12]
    steps = iter(made)
    assert next(steps) == 1
    made.clear()
    assert list(steps) == []
    made.append(1)
    assert list(steps) == []


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda made: made.insert(1), "List.insert: expected an index and a value, got 1 argument"),
        (lambda made: made.pop(0, 1), "List.pop: expected at most one index, got 2 arguments"),
    ],
)
def test_wrong_numbers_of_arguments(call: Any, message: str) -> None:
    """The methods that change a List state the arguments they expect."""
    made = List([1, 2])
    with pytest.raises(TypeError, match=message):
        call(made)
    assert list(made) == [1, 2]


@pytest.mark.parametrize("cls", [Array, List])
def test_what_cannot_be_added(cls: Any) -> None:
    """Only a sequence can be added to a sequence."""
    for call in (lambda: cls([1]) + 1, lambda: 1 + cls([1])):
        with pytest.raises(TypeError, match="unsupported operand"):
            call()

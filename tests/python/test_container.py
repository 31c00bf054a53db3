# SPDX-License-Identifier: Apache-2.0
# Rows: R5, R7
"""Array, List, Map and Dict as Python sees them."""

from __future__ import annotations

import collections.abc
import copy
import gc
import math
import operator
import pickle
import subprocess
import sys
import threading
import weakref
from typing import Any

import numpy
import pytest
import tvm_ffi
from hypothesis import given
from hypothesis import strategies as st
from tvm_ffi import Array, Dict, List, Map

NUMBERS = st.lists(st.integers(-5, 5), max_size=12)
INDICES = st.one_of(st.none(), st.integers(-15, 15))
SLICES = st.builds(slice, INDICES, INDICES, st.one_of(st.none(), st.integers(-4, 4).filter(bool)))
SEQUENCES = [Array, List]
MAPPINGS = [Map, Dict]


# ---- Sequences ----


@pytest.mark.parametrize("cls", SEQUENCES)
@pytest.mark.parametrize("elements", [[], [1], list(range(1000))])
def test_sequences_read_like_a_tuple(cls: Any, elements: list[int]) -> None:
    """Length, truth, order, both ends and the reverse are those of the elements."""
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
    """Whatever gives the elements one by one makes a sequence."""
    assert list(cls(source)) == [1, 2]


@pytest.mark.parametrize("cls", SEQUENCES)
def test_a_generator_makes_a_sequence(cls: Any) -> None:
    """A generator is run to its end."""
    assert list(cls(x * x for x in range(5))) == [0, 1, 4, 9, 16]


def test_the_text_is_a_literal() -> None:
    """The repr is that of the Python value that makes the same container."""
    assert repr(Array([1, "a", None, [2.5], b"x"])) == "(1, 'a', None, (2.5,), b'x')"
    assert repr(Array([1])) == "(1,)"
    assert repr(List([1, List(["a"])])) == "[1, ['a']]"
    assert repr(Map({"a": 1, 2: [True]})) == "{'a': 1, 2: (True,)}"
    assert str(Dict({"a": {}})) == "{'a': {}}"


@pytest.mark.parametrize("cls", SEQUENCES)
@given(NUMBERS, SLICES)
def test_slices_are_lists(cls: Any, elements: list[int], part: slice) -> None:
    """A slice gives a list of the elements that it would take of a list."""
    taken = cls(elements)[part]
    assert type(taken) is list
    assert taken == elements[part]


@pytest.mark.parametrize("cls", SEQUENCES)
def test_bad_indices(cls: Any) -> None:
    """A place beyond the ends is an IndexError that tells the range, a wrong type a TypeError."""
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
    """`in` compares contents with their types; index and count compare as Python does."""
    made = cls([1, "a", None, [2], 1.0, math.nan])
    assert 1 in made
    assert "a" in made
    assert None in made
    assert [2] in made
    assert (2,) in made
    assert math.nan in made
    assert "b" not in made
    assert True not in made
    assert [3] not in made
    assert {1} not in made
    assert made.index("a") == 1
    assert made.index(1, 1) == 4
    assert made.count(1) == 2
    name = cls.__name__
    with pytest.raises(ValueError, match=f"{name}.index: expected a value that is there, got 'b'"):
        made.index("b")


@pytest.mark.parametrize("cls", SEQUENCES)
def test_addition(cls: Any) -> None:
    """`+` takes any iterable on either side and gives the same class."""
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
    """Array and Map have no methods that change them."""
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
    """Whatever changes a Python list changes a List alike, errors included."""
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
    """A List as the source of its own change is read first."""
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
    """An empty List says so."""
    with pytest.raises(IndexError, match=r"^List\.pop: expected an element, got an empty List$"):
        List().pop()
    with pytest.raises(KeyError, match=r"Dict\.popitem: expected a pair, got an empty Dict"):
        Dict().popitem()


def test_slices_of_another_step_keep_the_size() -> None:
    """An extended slice takes as many elements as it has."""
    made = List([1, 2, 3, 4])
    with pytest.raises(ValueError, match="List: slice: expected 2 elements, one for each, got 1"):
        made[::2] = [9]
    made[::-2] = [8, 9]
    assert list(made) == [1, 9, 3, 8]


def test_iterators_see_changes() -> None:
    """Going through a List sees elements that were added, and ends where it ends."""
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


# ---- Mappings ----


@pytest.mark.parametrize("cls", MAPPINGS)
@pytest.mark.parametrize("size", [0, 1, 4, 5, 300])
def test_mappings_read_like_a_dict(cls: Any, size: int) -> None:
    """Length, truth, order, values, pairs and look-up are those of the dict."""
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
    """A mapping, an iterable of pairs and another container make one."""
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
    """A key that is not there is a KeyError that names it."""
    with pytest.raises(KeyError, match=f"{cls.__name__}: expected a key that is there, got 'zz'"):
        cls({"a": 1})["zz"]
    with pytest.raises(TypeError, match=rf"{cls.__name__}: key: set: expected a single value"):
        cls({"a": 1})[{1}]


def test_keys_have_types() -> None:
    """1, 1.0 and True are three keys, and a key is not found as another."""
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
    """Whatever changes a Python dict changes a Dict alike, order and errors included."""
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
    """An iterable of pairs does not go by way of a dict; other things in it are errors."""
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
    """A Python object as a key is found by no other reading of it; popitem needs none."""
    key = object()
    made = Dict({key: 1})
    assert made.popitem() == (key, 1)
    assert len(made) == 0


def test_popitem_takes_the_first() -> None:
    """Pairs go in the order in which they came, as in the published package."""
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
    """A loop goes through what was there when it began."""
    made = Dict({i: i for i in range(10)})
    seen = []
    for key in made:
        seen.append(key)
        made.pop(key)
        made[key + 100] = key
    assert seen == list(range(10))
    assert list(made) == list(range(100, 110))


# ---- Equality, hash, copies ----


@pytest.mark.parametrize("cls", SEQUENCES)
def test_equal_sequences(cls: Any) -> None:
    """Sequences are equal when their elements are, and compare with lists and tuples."""
    made = cls([1, "a", [2]])
    for other in (Array([1, "a", [2]]), List([1, "a", (2,)]), [1, "a", [2]], (1, "a", (2,))):
        assert made == other
        assert other == made
    for other in ([1, "a"], [1, "a", [3]], [1.0, "a", [2]], {1}, None, 3, "a", Map({})):
        assert made != other
    with pytest.raises(TypeError):
        operator.lt(made, cls([1]))


def test_equal_numbers_have_equal_types() -> None:
    """1, 1.0 and True differ; a NaN equals itself, and the zeros are equal."""
    assert Array([1]) != Array([1.0]) != Array([True])
    assert Array([math.nan]) == Array([math.nan])
    assert Array([0.0]) == Array([-0.0])
    assert Array([2**70]) == Array([2**70]) != Array([2**71])


@pytest.mark.parametrize("cls", MAPPINGS)
def test_equal_mappings(cls: Any) -> None:
    """Mappings are equal when their pairs are, in any order."""
    made = cls({"a": 1, "b": [2]})
    for other in (Map({"b": [2], "a": 1}), Dict({"b": (2,), "a": 1}), {"b": [2], "a": 1}):
        assert made == other
        assert other == made
    for other in ({"a": 1}, {"a": 1, "b": [3]}, {"a": 1, "c": [2]}, [("a", 1)], None):
        assert made != other


@pytest.mark.parametrize("value", [[], [1, "a", None], [math.nan, 0.0], [[1], [[2]]], [{"a": 1}]])
def test_equal_containers_have_equal_hashes(value: Any) -> None:
    """The hash is that of the contents, also for a tuple that is equal."""
    assert hash(Array(value)) == hash(Array(value)) == hash(List(value))
    assert hash(Map({"a": value, "b": 1})) == hash(Dict({"b": 1, "a": value}))
    assert {Array(value): 1}[Array(value)] == 1


def test_every_nan_has_one_hash() -> None:
    """A NaN is hashed as such, not by its address as Python does."""
    first = hash(Array([math.nan]))
    others = [0.5 * i for i in range(100)]  # which take the places of floats that were freed
    assert hash(Array([math.nan])) == first
    assert len(others) == 100


def test_an_equal_tuple_has_an_equal_hash() -> None:
    """A tuple finds an Array in a dict, and the other way round."""
    assert {(1, "a"): 5}[Array([1, "a"])] == 5
    assert {Array([-0.0, (2,)]): 5}[(0.0, (2,))] == 5


def test_hash_of_what_has_no_hash_in_python() -> None:
    """Tensors, opaque objects and addresses count by identity."""
    import ctypes

    class Unhashable:
        __hash__ = None  # type: ignore[assignment]

    value = Unhashable()
    made = Array([value, ctypes.c_void_p(5), tvm_ffi.from_dlpack(numpy.zeros(3)), len])
    assert hash(made) == hash(made)
    assert made == made
    assert Array([value]) == Array([value]) != Array([Unhashable()])
    assert hash(Array([value])) == hash(Array([value]))


@pytest.mark.parametrize("made", [Array([1, [2]]), Map({"a": [2]})])
def test_copies_of_constants_are_shared(made: Any) -> None:
    """A copy of what cannot change is the same object."""
    assert copy.copy(made) is made
    assert type(made)(made) == made


@pytest.mark.parametrize("made", [List([1, [2]]), Dict({"a": [2]})])
def test_copies_of_lists_change_alone(made: Any) -> None:
    """A copy shares the elements, not the changes."""
    for copied in (copy.copy(made), made.copy()):
        assert copied == made
        assert not copied.same_as(made)
        copied.clear()
        assert len(made) > 0


@pytest.mark.parametrize(
    "made", [Array([[1]]), List([List([1])]), Map({"a": List()}), Dict({1: 2})]
)
def test_deep_copies_and_pickles(made: Any) -> None:
    """Both give a new container of the same class and contents, all the way down."""
    for other in (copy.deepcopy(made), pickle.loads(pickle.dumps(made))):
        assert type(other) is type(made)
        assert other == made
        assert not other.same_as(made)


def test_deep_copies_keep_what_is_shared() -> None:
    """An inner List that two places share is shared in the copy, and one that holds itself too."""
    inner = List([1])
    outer = copy.deepcopy(List([inner, inner]))
    assert outer[0].same_as(outer[1])
    assert not outer[0].same_as(inner)
    loop = List()
    loop.append(loop)
    copied = copy.deepcopy(loop)
    assert copied[0].same_as(copied)
    loop.clear()
    copied.clear()


# ---- Types ----


def test_abstract_base_classes() -> None:
    """The four count as the collections that they are."""
    abc = collections.abc
    assert isinstance(Array([]), abc.Sequence)
    assert not isinstance(Array([]), abc.MutableSequence)
    assert isinstance(List(), abc.MutableSequence)
    assert isinstance(Map({}), abc.Mapping)
    assert not isinstance(Map({}), abc.MutableMapping)
    assert isinstance(Dict(), abc.MutableMapping)
    match Array([1, 2]):
        case [first, *_]:
            assert first == 1
        case _:
            pytest.fail("an Array matches no sequence pattern")


@pytest.mark.parametrize("cls", [*SEQUENCES, *MAPPINGS])
def test_subscripted_classes(cls: Any) -> None:
    """A class with element types makes the plain container."""
    alias = cls[str, int] if cls in MAPPINGS else cls[int]
    assert type(alias({} if cls in MAPPINGS else [])) is cls
    assert alias.__origin__ is cls


def test_arguments_of_the_constructors() -> None:
    """The parameters have the published names, and a wrong one is a TypeError that tells."""
    assert Array(input_list=[1]) == List(input_list=[1])
    assert Map(input_dict={}) == Dict(input_dict={}) == Dict(None) == Dict()
    with pytest.raises(TypeError, match="Array: expected an iterable, got int"):
        Array(3)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        Array()  # type: ignore[call-arg]
    with pytest.raises(TypeError, match=r"^List: list: element 1 \(set\): expected a single value"):
        List([1, {2}])
    with pytest.raises(TypeError, match=r"^Dict: dict: key 'a' \(set\): expected a single value"):
        Dict({"a": {2}})
    with pytest.raises(TypeError, match=r"^List\.append: value: set: expected a single value"):
        List().append({1})
    with pytest.raises(TypeError, match=r"^Dict: value: set: expected a single value"):
        Dict()["a"] = {1}


def test_subclasses() -> None:
    """A subclass keeps its class through what makes new ones."""

    class Sizes(List):
        def total(self) -> int:
            return sum(self)

    made = Sizes([1, 2])
    made.append(3)
    assert made.total() == 6
    assert type(operator.add(made, [1])) is type(copy.copy(made)) is Sizes


@pytest.mark.parametrize("cls", [*SEQUENCES, *MAPPINGS])
def test_no_container_class_stands_for_another_type(cls: Any) -> None:
    """A class that reads a container cannot be registered for objects that are none."""
    derived = type("Derived", (cls,), {})
    for key in ("ffi.Object", "ffi.Shape"):
        with pytest.raises(TypeError, match=f"expected a class that reads objects of type {key}"):
            tvm_ffi.register_object(key)(derived)


# ---- What must not crash ----


def test_containers_that_hold_themselves() -> None:
    """A List in itself has a text and equals itself; others recurse no further than Python does."""
    made = List([1])
    made.append(made)
    assert repr(made) == "[1, [...]]"
    assert made == made
    other = List([1])
    other.append(other)
    with pytest.raises(RecursionError):
        _ = made == other
    with pytest.raises(RecursionError):
        hash(made)
    with pytest.raises(RecursionError):
        pickle.dumps(made)
    table = Dict()
    table["me"] = table
    assert repr(table) == "{'me': {...}}"
    for each in (made, other, table):
        each.clear()


def test_deep_nesting() -> None:
    """A million containers in each other are made and freed; what recurses raises."""
    code = """
import tvm_ffi
for cls in (lambda x: tvm_ffi.Array([x]), lambda x: tvm_ffi.List([x]),
            lambda x: tvm_ffi.Map({"a": x}), lambda x: tvm_ffi.Dict({"a": x})):
    made = cls(1)
    for _ in range(250_000):
        made = cls(made)
    for recurse in (repr, hash, lambda x: x == cls(x), lambda x: tvm_ffi.List([made]).index(x)):
        try:
            recurse(made)
        except RecursionError:
            pass
    del made
nested = []
for _ in range(100_000):
    nested = [nested]
try:
    tvm_ffi.Array(nested)
except RecursionError:
    print("done")
while nested:
    nested = nested[0]
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (run.returncode, run.stdout) == (0, "done\n"), run.stderr[-500:]


def test_changes_while_an_element_is_packed() -> None:
    """A list that an element's own code shortens is read no further than it goes."""

    class Shortens:
        def __tvm_ffi_object__(self) -> Any:
            source.clear()
            return Array([7])

    source: list[Any] = [1, Shortens(), 3, 4]
    assert Array(source) == [1, [7]]
    target = List([1, 2, 3])

    class Clears:
        def __tvm_ffi_int__(self) -> int:
            target.clear()
            return 5

    with pytest.raises(IndexError):
        target[2] = Clears()
    target[:] = [1, 2, 3]
    target[1:2] = [Clears()]
    assert list(target) == [5]


def test_elements_end_with_their_container() -> None:
    """A Python object in a container lives as long as that, and no reference is lost."""

    class Value:
        pass

    value = Value()
    alive = weakref.ref(value)
    count = sys.getrefcount(value)
    made = [Array([value]), List([value]), Map({"a": value}), Dict({"a": value})]
    assert made[0][0] is value
    assert made[2]["a"] is value
    del made[0], made[0]
    made[0].get("a")
    made[1].clear()
    made.clear()
    gc.collect()
    assert sys.getrefcount(value) == count
    del value
    gc.collect()
    assert alive() is None


def test_cycles_through_a_container() -> None:
    """What holds itself by way of a List is freed after the List is cleared."""

    class Owner:
        pass

    owner = Owner()
    owner.numbers = List([owner])  # type: ignore[attr-defined]
    numbers, alive = owner.numbers, weakref.ref(owner)  # type: ignore[attr-defined]
    del owner
    gc.collect()
    assert alive() is not None
    numbers.clear()
    gc.collect()
    assert alive() is None


def test_an_element_may_end_its_container() -> None:
    """Code that runs when an element ends may change the container that it was in."""
    target = List()

    class Clears:
        def __del__(self) -> None:
            target.clear()

    target.extend([Clears(), 1, 2])
    gc.collect()
    target[0] = 5
    assert list(target) == []
    table = Dict()

    class ClearsTable:
        def __del__(self) -> None:
            table.clear()

    table["a"] = ClearsTable()
    table["b"] = 1
    table["a"] = 2
    assert len(table) == 0


def test_many_threads() -> None:
    """Threads that change one List and one Dict lose nothing."""
    numbers, table = List(), Dict()

    def work(start: int) -> None:
        for i in range(start, start + 1000):
            numbers.append(i)
            table[i] = i
            assert table[i] == i
            list(table.items())[:3]
            if i % 3 == 0:
                table.pop(i)

    threads = [threading.Thread(target=work, args=(1000 * n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(numbers) == list(range(4000))
    assert sorted(table) == [i for i in range(4000) if i % 3 != 0]

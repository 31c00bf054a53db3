# SPDX-License-Identifier: Apache-2.0
# Rows: R5, R7
"""Copies, classes and limits of containers."""

from __future__ import annotations

import collections.abc
import copy
import gc
import operator
import pickle
import subprocess
import sys
import threading
import weakref
from typing import Any

import pytest
import tvm_ffi
from tvm_ffi import Array, Dict, List, Map

SEQUENCES = [Array, List]
MAPPINGS = [Map, Dict]


@pytest.mark.parametrize("made", [Array([1, [2]]), Map({"a": [2]})])
def test_copies_of_constants_are_shared(made: Any) -> None:
    """A copy of an immutable container is the same object."""
    assert copy.copy(made) is made
    assert type(made)(made) == made


@pytest.mark.parametrize("made", [List([1, [2]]), Dict({"a": [2]})])
def test_copies_of_lists_change_alone(made: Any) -> None:
    """A copy shares the elements but changes independently."""
    for copied in (copy.copy(made), made.copy()):
        assert copied == made
        assert not copied.same_as(made)
        copied.clear()
        assert len(made) > 0


@pytest.mark.parametrize(
    "made", [Array([[1]]), List([List([1])]), Map({"a": List()}), Dict({1: 2})]
)
def test_deep_copies_and_pickles(made: Any) -> None:
    """Both create a new container of the same class and contents, all the way down."""
    for other in (copy.deepcopy(made), pickle.loads(pickle.dumps(made))):
        assert type(other) is type(made)
        assert other == made
        assert not other.same_as(made)


def test_deep_copies_keep_what_is_shared() -> None:
    """The copy preserves sharing, both of an inner List and of a List that contains itself."""
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


def test_deep_copies_of_cycles_through_fixed_containers() -> None:
    """An Array or Map that contains itself through a List or Dict is copied as a tuple is."""
    shared = List()
    array = Array([shared])
    shared.append(array)
    copied = copy.deepcopy(array)
    assert copied[0][0].same_as(copied)
    table = Dict()
    mapping = Map({"down": table})
    table["up"] = mapping
    again = copy.deepcopy(mapping)
    assert again["down"]["up"].same_as(again)
    for ends in (shared, copied[0], table, again["down"]):
        ends.clear()


# ---- Types ----


def test_abstract_base_classes() -> None:
    """The four containers are instances of the matching abstract collections."""
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
    """A class subscripted with element types creates the plain container."""
    alias = cls[str, int] if cls in MAPPINGS else cls[int]
    assert type(alias({} if cls in MAPPINGS else [])) is cls
    assert alias.__origin__ is cls


def test_arguments_of_the_constructors() -> None:
    """Parameters have the published names; a wrong argument is a TypeError that describes it."""
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
    """A subclass instance keeps its class through copies and concatenation."""

    class Sizes(List):
        def total(self) -> int:
            return sum(self)

    made = Sizes([1, 2])
    made.append(3)
    assert made.total() == 6
    assert type(operator.add(made, [1])) is type(copy.copy(made)) is Sizes


@pytest.mark.parametrize("cls", [*SEQUENCES, *MAPPINGS])
def test_no_container_class_stands_for_another_type(cls: Any) -> None:
    """A class that reads containers cannot be registered for other objects."""
    derived = type("Derived", (cls,), {})
    for key in ("ffi.Object", "ffi.Shape"):
        with pytest.raises(TypeError, match=f"expected a class that reads objects of type {key}"):
            tvm_ffi.register_object(key)(derived)


# ---- What must not crash ----


def test_containers_that_hold_themselves() -> None:
    """A List in itself has a repr and equals itself; other recursion ends as in Python."""
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
    """A million nested containers are created and freed; recursive operations raise."""
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
    """A list shortened by an element's own code is not read past its end."""

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
    """A Python object in a container is released with the container; no reference leaks."""

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


def test_an_element_may_end_its_container() -> None:
    """Code that runs when an element is destroyed may change its former container."""
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
    """Threads that change one List and one Dict lose no updates."""
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

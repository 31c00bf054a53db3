# SPDX-License-Identifier: Apache-2.0
# Rows: R5, R7
"""Equality and hashes of containers."""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy
import pytest
import tvm_ffi
from tvm_ffi import Array, Dict, List, Map
from tvm_ffi.testing import TestIntPair

SEQUENCES = [Array, List]
MAPPINGS = [Map, Dict]


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
    """The hash depends on the contents, and an equal tuple has the same hash."""
    assert hash(Array(value)) == hash(Array(value)) == hash(List(value))
    assert hash(Map({"a": value, "b": 1})) == hash(Dict({"b": 1, "a": value}))
    assert {Array(value): 1}[Array(value)] == 1


def test_every_nan_has_one_hash() -> None:
    """A NaN is hashed by value, not by identity as in Python."""
    first = hash(Array([math.nan]))
    others = [0.5 * i for i in range(100)]  # these reuse the memory of freed floats
    assert hash(Array([math.nan])) == first
    assert len(others) == 100


def test_an_equal_tuple_has_an_equal_hash() -> None:
    """An equal tuple finds an Array in a dict, and vice versa."""
    assert {(1, "a"): 5}[Array([1, "a"])] == 5
    assert {Array([-0.0, (2,)]): 5}[(0.0, (2,))] == 5


def test_objects_are_hashed_as_in_a_tuple() -> None:
    """Objects, functions, Python objects and structural keys each use their own hash."""
    function = tvm_ffi.convert(len)
    for value in (TestIntPair(1, 2), function, object(), tvm_ffi.StructuralKey([1])):
        assert Array([value]) == (value,)
        assert hash(Array([value])) == hash((value,))
    one, other = (tvm_ffi.StructuralKey([1]) for _ in range(2))
    assert Map({one: 1}) == Map({other: 1})
    assert hash(Map({one: 1})) == hash(Map({other: 1}))


def test_hash_of_what_has_no_hash_in_python() -> None:
    """Tensors, opaque objects and addresses are compared by identity."""
    import ctypes

    class Unhashable:
        __hash__ = None  # type: ignore[assignment]

    value = Unhashable()
    made = Array([value, ctypes.c_void_p(5), tvm_ffi.from_dlpack(numpy.zeros(3)), len])
    assert hash(made) == hash(made)
    assert made == made
    assert Array([value]) == Array([value]) != Array([Unhashable()])
    assert hash(Array([value])) == hash(Array([value]))


def test_equal_shapes() -> None:
    """Shapes in containers are equal if their extents are, as with Shape itself."""
    one, same, other, longer = (tvm_ffi.Shape(s) for s in ((1, 2), (1, 2), (1, 3), (1, 2, 3)))
    assert Array([one]) == Array([same])
    assert Array([one]) != Array([other])
    assert Array([one]) != Array([longer])

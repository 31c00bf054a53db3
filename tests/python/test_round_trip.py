# SPDX-License-Identifier: Apache-2.0
# Rows: R5, R7
"""Every value passed to a function comes back unchanged, both directly and in containers."""

from __future__ import annotations

import copy
import ctypes
import math
import pickle
from typing import Any

import numpy
import pytest
import tvm_ffi
from hypothesis import given
from hypothesis import strategies as st

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
EDGES = [0, 1, -1, 2**63 - 1, -(2**63), 2**63, -(2**63) - 1, 2**64 - 1, 2**64, 2**127, -(2**127)]
INTEGERS = st.one_of(st.integers(), st.integers(-(2**300), 2**300), st.sampled_from(EDGES))
DTYPES = st.builds(
    lambda name, lanes: tvm_ffi.dtype(name + lanes),
    st.sampled_from(["int8", "uint64", "float16", "bfloat16", "float8_e4m3fn", "bool"]),
    st.sampled_from(["", "x4"]),
)
DEVICES = st.builds(tvm_ffi.device, st.sampled_from(["cpu", "cuda", "vulkan"]), st.integers(0, 99))
SHAPES = st.builds(tvm_ffi.Shape, st.lists(st.integers(-(2**63), 2**63 - 1), max_size=9))
ADDRESSES = st.builds(ctypes.c_void_p, st.integers(0, 2**64 - 1))
OPAQUE = st.builds(object)
KEYS = st.one_of(st.integers(-(2**63), 2**63 - 1), TEXT, st.binary(max_size=40), st.booleans())
SCALARS = st.one_of(
    st.none(), st.booleans(), INTEGERS, st.floats(), TEXT, st.binary(max_size=40), DTYPES, DEVICES
)
NESTED = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=9),
        st.lists(inner, max_size=9).map(tuple),
        st.dictionaries(KEYS, inner, max_size=9),
    ),
    max_leaves=40,
)


def same(result: Any, value: Any) -> bool:
    """Return whether a value came back with its type, all the way down."""
    if isinstance(value, list | tuple) and not isinstance(value, tvm_ffi.Shape):
        pairs = zip(result, value, strict=True)
        return isinstance(result, tvm_ffi.Array) and all(same(*pair) for pair in pairs)
    if isinstance(value, dict):
        keys = [(type(key), key) for key in result] == [(type(key), key) for key in value]
        return (
            isinstance(result, tvm_ffi.Map)
            and keys
            and all(same(result[key], value[key]) for key in value)
        )
    if isinstance(value, float) and math.isnan(value):
        return math.isnan(result)
    if isinstance(value, ctypes.c_void_p):
        return type(result) is type(value) and (result.value or 0) == (value.value or 0)
    if isinstance(value, float):
        return result == value and math.copysign(1, result) == math.copysign(1, value)
    return type(result) is type(value) and result == value


@given(st.one_of(SCALARS, SHAPES, ADDRESSES, OPAQUE))
def test_single_values(functions: Any, value: Any) -> None:
    """A value comes back equal and of the same type: directly, in containers, from a callback."""
    assert same(functions.echo(value), value)
    assert same(tvm_ffi.Array([value])[0], value)
    assert same(tvm_ffi.List([value]).pop(), value)
    assert same(tvm_ffi.Map({"a": value})["a"], value)
    table = tvm_ffi.Dict()
    table[1] = value
    assert same(table.pop(1), value)
    assert same(functions.call(lambda got: got, value), value)
    assert same(functions.echo([value]), [value])


@given(NESTED)
def test_nested_values(functions: Any, value: Any) -> None:
    """Nested containers come back with every element and every key."""
    assert same(functions.echo(value), value)
    result = functions.echo([value])
    assert result == [value]
    assert functions.echo(result).same_as(result)
    assert copy.deepcopy(result) == result
    assert pickle.loads(pickle.dumps(result)) == result
    assert hash(result) == hash(copy.deepcopy(result))


@given(st.dictionaries(KEYS, st.integers(), max_size=50))
def test_keys(functions: Any, value: dict[Any, int]) -> None:
    """Every key is found again, in insertion order."""
    for made in (functions.echo(value), tvm_ffi.Map(value), tvm_ffi.Dict(value)):
        assert list(made.items()) == list(value.items())
        assert all(made[key] == value[key] for key in value)


@pytest.mark.parametrize("size", [0, 1, 6, 7, 8, 9, 1000])
@pytest.mark.parametrize("unit", ["a", "\0", "é", "\U0001f600", b"a", b"\0", b"\xff"])
def test_sizes_of_text(functions: Any, unit: Any, size: int) -> None:
    """Text and bytes in both representations come back, including NUL characters."""
    value = unit * size
    assert same(functions.echo(value), value)
    assert same(functions.echo([value, {"key" * 5: value}])[1]["key" * 5], value)
    if isinstance(value, bytes):
        assert functions.echo(bytearray(value)) == value


@given(st.text(st.characters(categories=["Cs"]), min_size=1, max_size=9))
def test_surrogates(functions: Any, text: str) -> None:
    """Text without a UTF-8 form is a ValueError, even as an element or a key."""
    for value in (text, [text], {text: 1}, {1: text}):
        with pytest.raises(ValueError, match="surrogates not allowed"):
            functions.echo(value)


@given(
    st.sampled_from(["int8", "float32", "complex64", "bool"]),
    st.lists(st.integers(0, 4), max_size=4),
    st.randoms(),
)
def test_tensors(functions: Any, dtype: str, shape: list[int], random: Any) -> None:
    """An array comes back as the same memory, with shape, strides and dtype, even for views."""
    array = numpy.zeros(shape, dtype)
    if array.ndim and random.random() < 0.5:
        array = array.T[:: random.choice([1, 2, -1])]
    for result in (functions.echo(array), functions.echo([array])[0]):
        assert type(result) is numpy.ndarray
        assert (result.shape, result.dtype) == (array.shape, array.dtype)
        if array.size:
            # NumPy may report other strides where an extent is 1.
            assert result.ctypes.data == array.ctypes.data
            array[...] = random.randint(0, 1)
            assert (result == array).all()


def test_functions(functions: Any) -> None:
    """A callable comes back as a Function that calls it."""

    def twice(value: int) -> int:
        return 2 * value

    for result in (functions.echo(twice), functions.echo([twice])[0]):
        assert type(result) is tvm_ffi.Function
        assert result(21) == 42


def test_buffers_without_a_form_of_their_own(functions: Any) -> None:
    """A memoryview passes through as the same object."""
    view = memoryview(b"text")
    assert functions.echo(view) is view

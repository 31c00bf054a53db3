# SPDX-License-Identifier: Apache-2.0
# Rows: R1
"""Shapes."""

from __future__ import annotations

from typing import Any

import numpy
import pytest
import tvm_ffi
from hypothesis import given
from hypothesis import strategies as st


def test_shapes_are_tuples() -> None:
    """A shape equals the tuple, has its hash and shows its name in its repr."""
    shape = tvm_ffi.Shape([2, numpy.int64(3)])
    assert shape == (2, 3)
    assert hash(shape) == hash((2, 3))
    assert repr(shape) == "Shape((2, 3))"
    assert all(type(extent) is int for extent in shape)


@pytest.mark.parametrize("extents", [[1.5], ["1"], [None], 3])
def test_extents_are_integers(extents: Any) -> None:
    """An extent that is not an integer is a TypeError."""
    with pytest.raises(TypeError, match="Shape: extents: expected an iterable of integers, got"):
        tvm_ffi.Shape(extents)


@pytest.mark.parametrize("extent", [2**63, -(2**63) - 1])
def test_extents_fit(extent: int) -> None:
    """An extent beyond 64 bits is a ValueError."""
    with pytest.raises(ValueError, match="Shape: expected integers that fit in 64 bits"):
        tvm_ffi.Shape([extent])


@given(st.lists(st.integers(-(2**63), 2**63 - 1)))
def test_every_shape_survives_the_crossing(functions: Any, extents: list[int]) -> None:
    """Extents come back unchanged, as a Shape."""
    back = functions.echo(tvm_ffi.Shape(extents))
    assert type(back) is tvm_ffi.Shape
    assert back == tuple(extents)

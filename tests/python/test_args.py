# SPDX-License-Identifier: Apache-2.0
# Rows: R3, R7
"""Python values other than tensors as arguments and results."""

from __future__ import annotations

import ctypes
import enum
import fractions
import math
from typing import Any

import numpy
import pytest
import tvm_ffi
from hypothesis import given
from hypothesis import strategies as st

from .conftest import needs_torch, torch


class Colour(enum.IntEnum):
    """An integer that is not an int."""

    RED = 3


class HasIndex:
    """An object with __index__, which counts as an integer."""

    def __index__(self) -> int:
        return 7


class SubclassOfFloat(float):
    """A subclass of a built-in type, passed as that type."""


# value, type index seen by C, value returned
VALUES = [
    (None, 0, None),
    (True, 2, True),
    (False, 2, False),
    (1, 1, 1),
    (-(2**63), 1, -(2**63)),
    (2**63 - 1, 1, 2**63 - 1),
    (Colour.RED, 1, 3),
    (HasIndex(), 1, 7),
    (numpy.int8(-3), 1, -3),
    (numpy.uint64(5), 1, 5),
    (1.5, 3, 1.5),
    (SubclassOfFloat(2.5), 3, 2.5),
    (fractions.Fraction(1, 4), 3, 0.25),
    (numpy.float32(0.5), 3, 0.5),
    (numpy.float16(0.5), 3, 0.5),
    (numpy.bool_(True), 2, True),
    ("", 11, ""),
    ("seven b", 11, "seven b"),
    ("eight by", 65, "eight by"),
    ("zero \0 inside", 65, "zero \0 inside"),
    (numpy.str_("text"), 11, "text"),
    (b"", 12, b""),
    (b"\0seven\xff", 12, b"\0seven\xff"),
    (b"more than seven", 66, b"more than seven"),
    (tvm_ffi.dtype("float16"), 5, tvm_ffi.dtype("float16")),
    (numpy.dtype("int32"), 5, tvm_ffi.dtype("int32")),
    (tvm_ffi.device("cuda:1"), 6, tvm_ffi.device("cuda:1")),
    (tvm_ffi.Shape((2, 3)), 69, (2, 3)),
    (tvm_ffi.Shape(), 69, ()),
]


@pytest.mark.parametrize(("value", "type_index", "back"), VALUES)
def test_value_crosses_and_comes_back(
    functions: Any, value: Any, type_index: int, back: Any
) -> None:
    """C sees the expected type, and the value returns as the plain Python type."""
    assert functions.type_index(value) == type_index
    result = functions.echo(value)
    assert result == back
    assert type(result) is type(back) or isinstance(result, tuple)


@needs_torch
def test_torch_dtypes_and_devices_cross(functions: Any) -> None:
    """PyTorch's dtypes and devices arrive as tvm_ffi's."""
    assert functions.echo(torch.bfloat16) == tvm_ffi.dtype("bfloat16")
    assert functions.echo(torch.float8_e4m3fn) == tvm_ffi.dtype("float8_e4m3fn")
    assert functions.echo(torch.device("cuda:2")) == tvm_ffi.device("cuda:2")
    assert functions.echo(torch.device("cpu")) == tvm_ffi.device("cpu")


@given(st.integers(-(2**63), 2**63 - 1))
def test_every_integer_of_64_bits_crosses(functions: Any, value: int) -> None:
    """Integers within range come back equal."""
    assert functions.echo(value) == value


@given(st.one_of(st.integers(max_value=-(2**63) - 1), st.integers(min_value=2**63)))
def test_wider_integers_cross(functions: Any, value: int) -> None:
    """An integer beyond 64 bits comes back equal."""
    assert functions.echo(value) == value


@given(st.floats())
def test_every_float_crosses(functions: Any, value: float) -> None:
    """Floats come back equal, including infinities and NaN."""
    result = functions.echo(value)
    assert result == value or (math.isnan(result) and math.isnan(value))


@given(st.text(st.characters(codec="utf-8")))
def test_every_text_crosses(functions: Any, value: str) -> None:
    """Text comes back equal, including NUL characters and all Unicode planes."""
    assert functions.echo(value) == value


@given(st.binary())
def test_all_bytes_cross(functions: Any, value: bytes) -> None:
    """Bytes come back equal."""
    assert functions.echo(value) == value


def test_sets_are_refused(functions: Any) -> None:
    """A set is a TypeError that names the function, argument and type."""
    with pytest.raises(TypeError, match=r"nop: argument 0 \(set\): expected a single value"):
        functions.nop({1})


def test_lone_surrogate_is_refused(functions: Any) -> None:
    """Text without a UTF-8 form is a ValueError that names the argument."""
    with pytest.raises(ValueError, match=r"nop: argument 0 \(str\): .*surrogates not allowed"):
        functions.nop("\ud800")


@pytest.mark.parametrize(
    "value", [numpy.complex64(1j), numpy.datetime64("2020-01-01"), numpy.timedelta64(1, "s")]
)
def test_scalars_without_a_counterpart_are_refused(functions: Any, value: Any) -> None:
    """A NumPy scalar whose conversion would lose information is a TypeError."""
    with pytest.raises(TypeError, match=r"nop: argument 0 .*expected a real number"):
        functions.nop(value)


@pytest.mark.parametrize("address", [None, 1, 2**64 - 1])
def test_void_pointer_crosses(functions: Any, address: int | None) -> None:
    """A ctypes.c_void_p arrives as an opaque pointer."""
    result = functions.echo(ctypes.c_void_p(address))
    assert isinstance(result, ctypes.c_void_p)
    assert result.value == address


def test_other_objects_are_carried(functions: Any) -> None:
    """An object opaque to C comes back as the same object."""
    value = object()
    assert functions.type_index(value) == 74
    assert functions.echo(value) is value


def test_error_of_a_conversion_is_the_cause(functions: Any) -> None:
    """An error raised by a value's own method is kept as the cause."""

    class Broken:
        def __index__(self) -> int:
            raise LookupError("inside")

    with pytest.raises(ValueError, match=r"nop: argument 0 \(Broken\): inside") as caught:
        functions.nop(Broken())
    assert isinstance(caught.value.__cause__, LookupError)


def test_keyboard_interrupt_of_a_conversion_is_not_hidden(functions: Any) -> None:
    """A BaseException that is not an Exception passes unchanged."""

    class Interrupts:
        def __index__(self) -> int:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        functions.nop(Interrupts())

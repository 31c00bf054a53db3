# SPDX-License-Identifier: Apache-2.0
# Rows: R1
"""Element types."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import ml_dtypes
import numpy
import pytest
import tvm_ffi
from hypothesis import given
from hypothesis import strategies as st

from .conftest import needs_torch, torch

# text, code, bits, lanes, bytes
DTYPES = [
    ("int8", 0, 8, 1, 1),
    ("int64", 0, 64, 1, 8),
    ("uint16", 1, 16, 1, 2),
    ("float16", 2, 16, 1, 2),
    ("float32", 2, 32, 1, 4),
    ("float64", 2, 64, 1, 8),
    ("bfloat16", 4, 16, 1, 2),
    ("complex64", 5, 64, 1, 8),
    ("bool", 6, 8, 1, 1),
    ("float8_e4m3fn", 10, 8, 1, 1),
    ("float8_e5m2", 12, 8, 1, 1),
    ("float4_e2m1fnx2", 17, 4, 2, 1),
    ("float32x4", 2, 32, 4, 16),
    ("int8x16", 0, 8, 16, 16),
    ("int4", 0, 4, 1, 1),
]


@pytest.mark.parametrize(("text", "code", "bits", "lanes", "itemsize"), DTYPES)
def test_text_is_read(text: str, code: int, bits: int, lanes: int, itemsize: int) -> None:
    """Each text gives its numbers and is its own printed form."""
    dtype = tvm_ffi.dtype(text)
    assert (dtype.code, dtype.bits, dtype.lanes, dtype.itemsize) == (code, bits, lanes, itemsize)
    assert str(dtype) == text
    assert repr(dtype) == f"dtype('{text}')"


def test_dtypes_are_text() -> None:
    """A dtype equals its text, has its hash, and is accepted by other libraries as a name."""
    dtype = tvm_ffi.dtype("float32")
    assert dtype == "float32"
    assert {dtype: 1}["float32"] == 1
    assert dtype != tvm_ffi.dtype("float64")
    assert numpy.zeros(2, dtype=dtype).dtype == numpy.float32


def test_dtype_of_dtype_is_itself() -> None:
    """A dtype is returned unchanged."""
    dtype = tvm_ffi.dtype("int8")
    assert tvm_ffi.dtype(dtype) is dtype


@pytest.mark.parametrize(
    "remake", [copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))]
)
def test_dtypes_can_be_copied(remake: Any) -> None:
    """Copies and pickles keep the numbers."""
    dtype = remake(tvm_ffi.dtype("int8x4"))
    assert type(dtype) is tvm_ffi.dtype
    assert (dtype, dtype.lanes) == ("int8x4", 4)


def test_numpy_dtypes_are_read() -> None:
    """NumPy's dtypes become tvm_ffi's."""
    assert tvm_ffi.dtype(numpy.dtype("float16")) == "float16"
    assert tvm_ffi.dtype(numpy.zeros(1, dtype=bool).dtype) == "bool"


@needs_torch
def test_torch_dtypes_are_read() -> None:
    """PyTorch's dtypes become tvm_ffi's."""
    assert tvm_ffi.dtype(torch.bfloat16) == "bfloat16"
    assert tvm_ffi.dtype(torch.float4_e2m1fn_x2) == "float4_e2m1fnx2"


@pytest.mark.parametrize("name", ["float32", "int8", "bool", "complex64"])
def test_scalar_types_are_read(name: str) -> None:
    """The scalar types of NumPy and ml_dtypes are converted like their dtypes."""
    scalar = numpy.bool_ if name == "bool" else getattr(numpy, name)
    assert tvm_ffi.dtype(scalar) == tvm_ffi.dtype(numpy.dtype(scalar)) == name


def test_scalar_types_of_ml_dtypes_are_read() -> None:
    """bfloat16 and similar types come from ml_dtypes."""
    for name in ("bfloat16", "float8_e4m3fn", "float8_e5m2"):
        assert tvm_ffi.dtype(getattr(ml_dtypes, name)) == name


def test_named_dtypes() -> None:
    """Each name in dtypes is the element type of that name, and an attribute of the package."""
    named = {
        name: value
        for name, value in vars(tvm_ffi.dtypes).items()
        if isinstance(value, tvm_ffi.dtype)
    }
    assert len(named) == 25
    for name, value in named.items():
        assert value == name
        assert getattr(tvm_ffi, name) is value


def test_codes_have_names() -> None:
    """Compilers look up a kind of number by its code's name, in ``tvm_ffi._dtype``."""
    codes = tvm_ffi._dtype.DataTypeCode
    texts = ("int8", "uint8", "float32", "handle", "bfloat16", "bool", "float8_e4m3fn")
    names = ("INT", "UINT", "FLOAT", "HANDLE", "BFLOAT", "BOOL", "Float8E4M3FN")
    for text, name in zip(texts, names, strict=True):
        assert tvm_ffi.dtype(text).type_code == codes[name]
    assert {code.value for code in codes} == {*range(18)} - {5}
    assert tvm_ffi._dtype.dtype is tvm_ffi.dtype
    # A small float's code is named after its type.
    for code in codes:
        if code > codes.BOOL:
            bits = int(code.name[5])
            name = str(tvm_ffi.dtype.from_dlpack_data_type((code, bits, 1)))
            assert name.replace("_", "").lower() == code.name.lower()


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("float32", "is_float"),
        ("bfloat16", "is_float"),
        ("float8_e4m3fn", "is_float"),
        ("float4_e2m1fnx2", "is_float"),
        ("int8x4", "is_integer"),
        ("uint64", "is_integer"),
        ("bool", "is_bool"),
        ("handle", "is_handle"),
        ("void", "is_handle"),
        ("complex64", ""),
    ],
)
def test_kinds(text: str, kinds: str) -> None:
    """A dtype reports its kind; complex numbers have none."""
    dtype = tvm_ffi.dtype(text)
    asked = ("is_float", "is_integer", "is_bool", "is_handle")
    assert [each for each in asked if getattr(dtype, each)] == kinds.split()
    assert dtype.type_code == dtype.code


@given(st.sampled_from([text for text, *_ in DTYPES]), st.integers(1, 65535))
def test_numbers_of_dlpack(text: str, lanes: int) -> None:
    """DLPack's three numbers restore the dtype they come from."""
    dtype = tvm_ffi.dtype(text).with_lanes(lanes)
    triple = (dtype.type_code, dtype.bits, dtype.lanes)
    assert tvm_ffi.dtype.from_dlpack_data_type(triple) == dtype


@pytest.mark.parametrize(
    "triple", [(2, 16), (2, 16, 1, 1), (-1, 16, 1), (2, 256, 1), (2, 8, 65536)]
)
def test_other_numbers_are_refused(triple: Any) -> None:
    """Numbers that do not fit DLPack's fields are a ValueError that shows them."""
    with pytest.raises(ValueError, match=r"dltype_data_type: expected .*, got \("):
        tvm_ffi.dtype.from_dlpack_data_type(triple)


def test_is_dtype() -> None:
    """Whether a text names an element type can be checked without an exception."""
    assert tvm_ffi.dtype.is_dtype("float8_e5m2")
    for value in ("float", "real32", "", 3, None):
        assert tvm_ffi.dtype.is_dtype(value) is (value in ("", "float"))


@pytest.mark.parametrize("value", [3, None, b"float32", object(), float, numpy.ndarray])
def test_other_values_are_refused(value: Any) -> None:
    """A value that is neither text nor a dtype is a TypeError."""
    with pytest.raises(TypeError, match="dtype: value: expected a str or an element type, got"):
        tvm_ffi.dtype(value)


def test_with_lanes() -> None:
    """A vector type is created from a scalar one."""
    assert tvm_ffi.dtype("float32").with_lanes(4) == "float32x4"
    assert tvm_ffi.dtype("float32x4").with_lanes(1) == "float32"
    with pytest.raises(ValueError, match="lanes: expected 1 to 65535, got 0"):
        tvm_ffi.dtype("float32").with_lanes(0)


@given(
    st.sampled_from(["int", "uint", "float", "bfloat", "complex"]),
    st.sampled_from([1, 4, 8, 16, 32, 64, 128]),
    st.integers(1, 65535),
)
def test_written_text_reads_the_same(kind: str, bits: int, lanes: int) -> None:
    """A dtype's printed form parses back to the same dtype."""
    try:
        dtype = tvm_ffi.dtype(f"{kind}{bits}x{lanes}")
    except ValueError:
        return
    again = tvm_ffi.dtype(str(dtype))
    assert (again.code, again.bits, again.lanes) == (dtype.code, dtype.bits, dtype.lanes)


@given(st.text())
def test_other_text_is_a_value_error(text: str) -> None:
    """Any text is either an element type or a ValueError."""
    try:
        dtype = tvm_ffi.dtype(text)
    except ValueError:
        return
    assert dtype.bits > 0 or dtype == "void"


@given(st.sampled_from([text for text, *_ in DTYPES]), st.integers(1, 65535))
def test_every_value_survives_the_crossing(functions: Any, text: str, lanes: int) -> None:
    """The three numbers come back unchanged."""
    dtype = tvm_ffi.dtype(text).with_lanes(lanes)
    back = functions.echo(dtype)
    assert (back.code, back.bits, back.lanes) == (dtype.code, dtype.bits, lanes)


def test_values_with_the_numbers_of_dlpack() -> None:
    """An object is accepted as a dtype if it gives its code, bits and lanes."""

    class Element:
        def __dlpack_data_type__(self) -> tuple[int, int, int]:
            return (2, 16, 4)

    assert tvm_ffi.dtype(Element()) == tvm_ffi.dtype("float16x4")


@pytest.fixture
def custom_types():
    """The two functions by which a compiler names element types of its own."""
    codes = {"small": 131, "first": 129, "last": 255, "before": 128, "beyond": 256}
    names = {code: name for name, code in codes.items()}
    kinds = {"code": codes.__getitem__, "name": names.__getitem__}
    for kind, function in kinds.items():
        tvm_ffi.register_global_func(f"dtype.get_custom_type_{kind}", function)
    yield
    for kind in kinds:
        tvm_ffi.remove_global_func(f"dtype.get_custom_type_{kind}")


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("custom[small]8", (131, 8, 1)),
        ("custom[small]8x4", (131, 8, 4)),
        ("custom[first]255x65535", (129, 255, 65535)),
        ("custom[last]1", (255, 1, 1)),
    ],
)
def test_custom_types(custom_types, text, numbers) -> None:
    """Two global functions name element types that DLPack does not have; the text parses back."""
    made = tvm_ffi.dtype(text)
    assert (made.code, made.bits, made.lanes) == numbers
    assert made == text
    assert tvm_ffi.dtype.from_dlpack_data_type(numbers) == text


def test_custom_type_without_width(custom_types) -> None:
    """A text without a width means 32 bits, as for the types of DLPack."""
    assert tvm_ffi.dtype("custom[small]") == "custom[small]32"
    assert tvm_ffi.dtype("custom[small]x4") == "custom[small]32x4"


@pytest.mark.parametrize(
    "text",
    [
        "custom",
        "custom[small",
        "custom[small]0",
        "custom[small]256",
        "custom[small]8x",
        "custom[]x",
    ],
)
def test_wrong_custom_text(custom_types, text) -> None:
    """A text that is not complete is refused like any other."""
    with pytest.raises(ValueError, match="dtype: expected an element type"):
        tvm_ffi.dtype(text)


def test_wrong_custom_code(custom_types) -> None:
    """The codes of DLPack cannot be named, and a code must fit; the function's errors arrive."""
    for name, code in (("before", 128), ("beyond", 256)):
        message = f"{name}: expected a code from 129 to 255, got {code}"
        with pytest.raises(ValueError, match=message):
            tvm_ffi.dtype(f"custom[{name}]8")
    with pytest.raises(KeyError, match="nosuch"):
        tvm_ffi.dtype("custom[nosuch]8")


def test_custom_type_without_functions() -> None:
    """Without the two functions there are no such types."""
    with pytest.raises(ValueError, match="dtype: expected an element type"):
        tvm_ffi.dtype("custom[small]8")
    with pytest.raises(ValueError, match="dtype: expected a DLPack code and width, got code 131"):
        tvm_ffi.dtype.from_dlpack_data_type((131, 8, 1))

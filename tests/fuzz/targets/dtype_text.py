# SPDX-License-Identifier: Apache-2.0
"""Strings to element types through Python and through the C ABI, and numbers to strings."""

from __future__ import annotations

import ctypes
import re
from typing import Any

import tvm_ffi
from capi import LIB, AnyValue, Texts, check, release
from hypothesis import strategies as st
from ledger import Ledger
from target import expect

WORDS = [
    "float",
    "int",
    "uint",
    "bool",
    "handle",
    "bfloat",
    "complex",
    "void",
    "float8_e4m3fn",
    "float4_e2m1fn_x2",
    "float6_e2m3fn",
    "float8_e8m0fnu",
    "x",
    "x2",
    "x0",
    "_",
    "8",
    "16",
    "32",
    "64",
    "128",
    "0",
    "4294967328",
    "65536",
    "99999999999999999999",
    "-1",
    "+",
    ".",
    "e",
]
TEXTS = st.lists(st.sampled_from([*WORDS, "", " ", "\0", "\u00e9", "\ud800"]), max_size=4).map(
    "".join
)
VECTORS = st.tuples(
    st.sampled_from(["int8", "float", "uint4294967328", "bfloat16", "float8_e5m2", "complex128"]),
    st.sampled_from([0, 1, 2, 65535, 65536, 65537, 2**32 + 1, 2**64 + 1]),
).map(lambda pair: f"{pair[0]}x{pair[1]}")
NUMBERS = st.integers(0, 2**32 - 1).map(lambda n: [n & 255, n >> 8 & 255, n >> 16])
USUAL = st.tuples(
    st.integers(0, 17), st.sampled_from([4, 6, 8, 16, 32, 64]), st.integers(0, 4)
).map(list)

INPUTS = st.one_of(TEXTS, VECTORS, st.text(max_size=12), NUMBERS, USUAL)
ERRORS = (UnicodeEncodeError,)


def run(given: Any, ledger: Ledger) -> None:
    """Parse a string or format numbers; the result must round-trip through a string."""
    if isinstance(given, list):
        made = tvm_ffi.dtype.from_dlpack_data_type(given)
        agree(made)
        return
    raw = (ctypes.c_uint8 * 8)(*[0xEE] * 8)
    texts, encoded = Texts(), given.encode("utf-8", "surrogatepass")
    try:
        check(LIB.TVMFFIDataTypeFromString(ctypes.byref(texts(encoded)), ctypes.byref(raw)))
        accepted = True
    except ValueError:
        accepted = False
    expect(bytes(raw[4:]) == b"\xee" * 4, "a byte after the element type was written")
    expect(tvm_ffi.dtype.is_dtype(given) == accepted if "\ud800" not in given else True, "two ways")
    made = tvm_ffi.dtype(given)
    expect(accepted, "Python takes what C refuses")
    numbers = [raw[0], raw[1], raw[2] | raw[3] << 8]
    expect(numbers == [made.code, made.bits, made.lanes], f"C reads {numbers}, Python {made}")
    lanes = re.search("(?<!comple)x([0-9]+)$", given)
    if lanes:
        expect(int(lanes[1]) == made.lanes, f"{given} has {made.lanes} lanes")
    agree(made)


def agree(made: Any) -> None:
    """Format an element type in C, and parse its string again."""
    value, raw = AnyValue(), ctypes.c_uint32(made.code | made.bits << 8 | made.lanes << 16)
    check(LIB.TVMFFIDataTypeToString(ctypes.byref(raw), ctypes.byref(value)))
    release(value)
    if made.lanes or str(made) == "void":
        try:
            again = tvm_ffi.dtype(str(made))
        except ValueError:
            return  # a width that only numbers can express
        same = (again.code, again.bits, again.lanes) == (made.code, made.bits, made.lanes)
        expect(same, f"{made!r} is read as {again.code}, {again.bits}, {again.lanes}")

# SPDX-License-Identifier: Apache-2.0
"""Lengths, sizes and indices at their limits: containers, strings, shapes and C structs."""

from __future__ import annotations

import ctypes
from typing import Any

import tvm_ffi
from capi import LIB, AnyValue, ByteArray, Raised, Texts, check, release
from hypothesis import strategies as st
from ledger import Ledger
from target import expect

ERRORS = (IndexError, KeyError, OverflowError, MemoryError, AttributeError, Raised)
NUMBER = st.sampled_from(
    [
        sign * (2**power + off)
        for power in (0, 3, 31, 32, 60, 62, 63, 64)
        for off in (-1, 0, 1)
        for sign in (1, -1)
    ]
) | st.integers(-5, 20)
INPUTS = st.tuples(
    st.sampled_from(
        [
            "reserve",
            "erase",
            "replace",
            "insert",
            "repeat",
            "index",
            "slice",
            "shape",
            "text",
            "bytes",
            "big",
            "type",
            "infos",
            "empty",
            "stride",
            "extents",
            "lanes",
            "stream",
            "alignment",
            "raised",
            "name",
        ]
    ),
    NUMBER,
    NUMBER,
).map(list)


def small(number: int) -> int:
    """A length that fits in memory."""
    return abs(number) % 70


def call(name: str, *args: Any) -> Any:
    """Call a global function."""
    return tvm_ffi.get_global_func(name)(*args)


def run(given: Any, ledger: Ledger) -> None:
    """Perform one operation with two numbers."""
    what, a, b = given
    items = tvm_ffi.List(range(8))
    if what == "reserve":
        call("ffi.ListReserve", items, a)
    elif what == "erase":
        call("ffi.ListEraseRange", items, a, b)
    elif what == "replace":
        call("ffi.ListReplaceSlice", items, a, b, tvm_ffi.List([1] * small(b)))
    elif what == "insert":
        call("ffi.ListInsert", items, a, b)
    elif what == "repeat":
        expect(len(tvm_ffi.Array([a] * small(b))) == small(b), "length")
    elif what == "index":
        expected = [*range(8)][a] if -8 <= a < 8 else "no element"
        for each in (items, tvm_ffi.Array(items)):
            try:
                got = each[a]
            except IndexError:
                got = "no element"
            expect(got == expected, f"element {a}: {got}")
    elif what == "slice":
        expected = [*range(8)][a : b : (a % 5 or 1)]
        expect([*items[a : b : (a % 5 or 1)]] == expected, f"slice {a}:{b}")
    elif what == "shape":
        shape = tvm_ffi.Shape([a, b])
        expect(tuple(shape) == (a, b), f"shape {shape}")
    elif what in ("text", "bytes"):
        content = ("\0" if b % 2 else "y") * small(a)
        sent: Any = content if what == "text" else content.encode()
        expect(tvm_ffi.convert(sent) == sent, f"{what} of length {small(a)}")
        expect(tvm_ffi.Array([sent])[0] == sent, f"{what} of length {small(a)} in an Array")
        raw_text(sent, what)
    elif what == "big":
        digits = a.to_bytes(9, "little", signed=True)[: b % 10]
        texts, out = Texts(), AnyValue()
        check(LIB.TVMFFIBigIntFromByteArray(ctypes.byref(texts(digits)), ctypes.byref(out)))
        release(out)
    elif what == "type":
        number = ctypes.c_int32(a & 0xFFFFFFFF).value
        LIB.TVMFFIGetTypeInfo.restype = ctypes.c_void_p
        LIB.TVMFFIGetTypeInfo(number)
    elif what == "infos":
        texts, index = Texts(), ctypes.c_int32()
        key = texts(b"ffi." + b"T" * small(a))
        check(LIB.TVMFFITypeKeyToIndex(ctypes.byref(key), ctypes.byref(index)))
    elif what == "empty":
        out = AnyValue()
        for make in (LIB.TVMFFIStringFromByteArray, LIB.TVMFFIBytesFromByteArray):
            for content in (ByteArray(None, 0), None):
                status = make(
                    ctypes.byref(content) if content is not None else None, ctypes.byref(out)
                )
                try:
                    check(status)
                    release(out)
                except (TypeError, ValueError) as error:
                    expect(len(str(error)) > 7, repr(error))
    elif what in ("stride", "extents"):
        import numpy

        tensor = tvm_ffi.from_dlpack(numpy.zeros((2, 3), "float32"))
        tensor.size(a)
    elif what == "lanes":
        expect(tvm_ffi.dtype("float32").with_lanes(a).lanes == a, "lanes")
    elif what == "stream":
        with tvm_ffi.use_raw_stream(tvm_ffi.device("cuda", small(a)), b):
            pass
    elif what == "alignment":
        import numpy

        tvm_ffi.from_dlpack(numpy.zeros(3), require_alignment=a)
    elif what == "raised":
        parts = (ctypes.c_char_p * 3)(b"the first part", None, b", the third")
        LIB.TVMFFIErrorSetRaisedFromCStrParts(b"ValueError", parts, 1 + small(a) % 3)
        check(-1)
    else:
        texts = Texts()
        check(
            LIB.TVMFFIFunctionGetGlobal(
                ctypes.byref(texts(b"n" * small(a))), ctypes.byref(ctypes.c_void_p())
            )
        )


def raw_text(sent: Any, what: str) -> None:
    """Create the same in C; up to seven bytes are stored inline in the value."""
    texts, out = Texts(), AnyValue()
    content = texts(sent.encode() if isinstance(sent, str) else sent)
    make = LIB.TVMFFIStringFromByteArray if what == "text" else LIB.TVMFFIBytesFromByteArray
    check(make(ctypes.byref(content), ctypes.byref(out)))
    expect(out.length == (content.size if content.size < 8 else 0), f"length {out.length}")
    expect((out.type_index < 64) == (content.size < 8), f"type index {out.type_index}")
    release(out)

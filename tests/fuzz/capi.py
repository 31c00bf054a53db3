# SPDX-License-Identifier: Apache-2.0
"""The C ABI through ctypes: hand-made values, calls, and errors as exceptions."""

from __future__ import annotations

import ctypes
from typing import Any

import tvm_ffi
from target import Wrong

LIB = tvm_ffi.LIB
FIRST_OBJECT = 64


class ByteArray(ctypes.Structure):
    """TVMFFIByteArray."""

    _fields_ = (("data", ctypes.c_void_p), ("size", ctypes.c_size_t))


class AnyValue(ctypes.Structure):
    """TVMFFIAny; ``bits`` is the payload."""

    _fields_ = (
        ("type_index", ctypes.c_int32),
        ("length", ctypes.c_uint32),
        ("bits", ctypes.c_uint64),
    )


class ErrorCell(ctypes.Structure):
    """The first fields of TVMFFIErrorCell."""

    _fields_ = (("kind", ByteArray), ("message", ByteArray), ("backtrace", ByteArray))


class MethodInfo(ctypes.Structure):
    """TVMFFIMethodInfo."""

    _fields_ = (
        ("name", ByteArray),
        ("doc", ByteArray),
        ("metadata", ByteArray),
        ("flags", ctypes.c_int64),
        ("method", AnyValue),
    )


HEAD = 24  # bytes of TVMFFIObject


class Raised(Exception):
    """An error raised by a C function: its kind and its message."""


class Texts:
    """Creates byte arrays, and keeps the memory that they point to alive."""

    def __init__(self) -> None:
        self.kept: list[Any] = []

    def __call__(self, text: bytes) -> ByteArray:
        """Create a byte array."""
        buffer = ctypes.create_string_buffer(text, len(text) + 1)
        self.kept.append(buffer)
        return ByteArray(ctypes.addressof(buffer), len(text))


def check(status: int) -> None:
    """Raise the error that a failed C function has set."""
    if status == 0:
        return
    if status not in (-1, -2):
        raise Wrong(f"a status of {status}")
    error = ctypes.c_void_p()
    LIB.TVMFFIErrorMoveFromRaised(ctypes.byref(error))
    if error.value is None:
        raise Wrong("a failure that left no error")
    cell = ErrorCell.from_address(error.value + HEAD)
    kind, message = (
        ctypes.string_at(part.data, part.size).decode(errors="replace")
        for part in (cell.kind, cell.message)
    )
    LIB.TVMFFIObjectDecRef(error)
    known = {"TypeError": TypeError, "ValueError": ValueError, "RuntimeError": RuntimeError}
    known |= {"IndexError": IndexError, "KeyError": KeyError, "AttributeError": AttributeError}
    raise known.get(kind, Raised)(message if kind in known else f"{kind}: {message}")


def release(value: AnyValue) -> None:
    """Release an owned value."""
    if value.type_index >= FIRST_OBJECT and value.bits:
        LIB.TVMFFIObjectDecRef(ctypes.c_void_p(value.bits))
    value.type_index = 0


def function(name: str) -> ctypes.c_void_p:
    """A global function, with a reference that the caller must release."""
    texts, found = Texts(), ctypes.c_void_p()
    check(LIB.TVMFFIFunctionGetGlobal(ctypes.byref(texts(name.encode())), ctypes.byref(found)))
    return found


def use_count(address: int) -> int:
    """The strong reference count of an object."""
    return ctypes.c_uint32.from_address(address).value

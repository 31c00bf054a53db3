# SPDX-License-Identifier: Apache-2.0
"""Hand-made DLPack producers of both generations that may lie about all but their pointers.

The contract puts these on the caller, so every input respects them: an address is NULL or valid,
``shape`` and ``strides`` have ``ndim`` numbers, and only an honest producer's data is read.
"""

from __future__ import annotations

import ctypes
from typing import Any

from builds import build_native
from hypothesis import strategies as st
from ledger import Ledger

DATA = bytes(range(64)) * 4


class DLTensor(ctypes.Structure):
    """DLTensor of dlpack.h."""

    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.c_void_p),
        ("strides", ctypes.c_void_p),
        ("byte_offset", ctypes.c_uint64),
    )


class Managed(ctypes.Structure):
    """DLManagedTensor."""

    _fields_ = (("tensor", DLTensor), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p))


class ManagedVersioned(ctypes.Structure):
    """DLManagedTensorVersioned."""

    _fields_ = (
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("context", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
        ("flags", ctypes.c_uint64),
        ("tensor", DLTensor),
    )


api = ctypes.pythonapi
api.PyCapsule_New.restype = ctypes.py_object
api.PyCapsule_New.argtypes = (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
api.PyCapsule_IsValid.argtypes = (ctypes.py_object, ctypes.c_char_p)
api.PyCapsule_GetPointer.restype = ctypes.c_void_p
api.PyCapsule_GetPointer.argtypes = (ctypes.py_object, ctypes.c_char_p)


class Record(ctypes.Structure):
    """Updated by the deleters in native.c."""

    _fields_ = (
        ("released", ctypes.c_int64),
        ("memory", ctypes.c_void_p),
        ("size", ctypes.c_int64),
        ("numbers", ctypes.c_void_p),
        ("count", ctypes.c_int64),
    )


native = ctypes.CDLL(str(build_native()))


def address_of(function: Any) -> int | None:
    """The address of a function."""
    return ctypes.cast(function, ctypes.c_void_p).value


@ctypes.CFUNCTYPE(None, ctypes.POINTER(Managed))
def python_deleter(managed: Any) -> None:
    """A deleter in Python, as users of ctypes write them."""
    native.fuzz_delete(managed)


@ctypes.CFUNCTYPE(None, ctypes.POINTER(ManagedVersioned))
def python_deleter_versioned(managed: Any) -> None:
    """The same for the versioned generation."""
    native.fuzz_delete_versioned(managed)


DELETERS = {
    ("native", False): address_of(native.fuzz_delete),
    ("native", True): address_of(native.fuzz_delete_versioned),
    ("python", False): address_of(python_deleter),
    ("python", True): address_of(python_deleter_versioned),
}


class Producer:
    """A tensor in its own memory, described by JSON values."""

    def __init__(self, given: dict[str, Any], ledger: Ledger) -> None:
        self.given, self.ledger = given, ledger
        self.memory = ctypes.create_string_buffer(DATA, len(DATA))
        shape, strides = given["shape"], given["strides"]
        numbers = [*(shape or []), *(strides or [])]
        self.numbers = (ctypes.c_int64 * max(1, len(numbers)))(*numbers)
        first = ctypes.addressof(self.numbers)
        self.record = Record(0, ctypes.addressof(self.memory), len(DATA), first, len(numbers))
        self.versioned = given["versioned"]
        self.managed: Any = ManagedVersioned() if self.versioned else Managed()
        self.managed.context = ctypes.addressof(self.record)
        if self.versioned:
            self.managed.major, self.managed.minor = given["version"]
            self.managed.flags = given["flags"]
        second = first + 8 * len(shape or [])
        fill(self.managed.tensor, self, given, first, second)
        self.address = ctypes.addressof(self.managed)
        if given["deleter"]:
            self.managed.deleter = DELETERS[given["deleter"], self.versioned]
        if given["deleter"] and not given["name"]:
            ledger.lend(self.record, self)
        else:  # no deleter, or a name that no consumer accepts
            ledger.keep(self)

    def capsule(self) -> Any:
        """Create a capsule that owns the memory."""
        name = self.given["name"].encode() or self.natural_name()
        self.name = ctypes.create_string_buffer(name)  # the capsule keeps the address
        self.ledger.keep(self.name)
        return api.PyCapsule_New(
            self.address, ctypes.addressof(self.name), address_of(native.fuzz_destroy_capsule)
        )

    def natural_name(self) -> bytes:
        """The DLPack name of a capsule of this generation."""
        return b"dltensor_versioned" if self.versioned else b"dltensor"

    def is_honest(self) -> bool:
        """Whether all elements are within the memory."""
        given = self.given
        if given["data"] != "memory" or given["device"][0] != 1 or given["ndim"] is not None:
            return False
        shape, strides = given["shape"] or [], given["strides"]
        if any(not 0 <= extent <= 64 for extent in shape):
            return False
        if strides is None:
            strides, step = [], 1
            for extent in reversed(shape):
                strides.insert(0, step)
                step *= extent
        size = (given["dtype"][1] * given["dtype"][2] + 7) // 8
        spans = [(extent - 1) * stride * size for extent, stride in zip(shape, strides)]  # noqa: B905
        if 0 in shape:
            return given["byte_offset"] < len(DATA)
        first = given["byte_offset"] + sum(span for span in spans if span < 0)
        last = given["byte_offset"] + sum(span for span in spans if span > 0)
        return first >= 0 and last + size <= len(DATA)


def fill(tensor: DLTensor, owner: Any, given: dict[str, Any], shape: int, strides: int) -> None:
    """Fill a DLTensor whose shape and strides are at these addresses."""
    base = ctypes.addressof(owner.memory)
    tensor.data = {"memory": base, "odd": base + 3, "null": None}[given["data"]]
    tensor.device_type, tensor.device_id = given["device"]
    tensor.ndim = len(given["shape"] or []) if given["ndim"] is None else given["ndim"]
    tensor.code, tensor.bits, tensor.lanes = given["dtype"]
    tensor.shape = None if given["shape"] is None else shape
    tensor.strides = None if given["strides"] is None else strides
    tensor.byte_offset = given["byte_offset"]


def rarely(usual: Any, *others: Any) -> st.SearchStrategy[Any]:
    """The usual value three times out of four."""
    return st.sampled_from([usual] * 3 * len(others) + [*others])


EXTENT = st.sampled_from([0, 1, 2, 3, 4] * 3 + [-1, 2**31, 2**62, -(2**63), 2**63 - 1])
STRIDE = st.sampled_from([*range(-4, 10), 2**62, -(2**63), 2**63 - 1])
USUAL_DTYPES = [[2, 32, 1], [0, 8, 1], [1, 8, 1], [6, 8, 1], [4, 16, 1], [17, 4, 1], [5, 64, 1]]
DTYPES = st.sampled_from(USUAL_DTYPES) | st.integers(0, 2**32 - 1).map(
    lambda bits: [bits & 255, bits >> 8 & 255, bits >> 16]
)
ODD_DEVICES = [
    [2, 0],
    [2, -1],
    [3, 0],
    [13, 5],
    [7, 0],
    [99, 0],
    [0, 0],
    [-1, -1],
    [-(2**31), 2**31 - 1],
]
DEVICES = st.sampled_from([[1, 0]] * 12 + ODD_DEVICES)


@st.composite
def tensors(draw: Any) -> dict[str, Any]:
    """Describe a tensor."""
    shape: Any = draw(st.lists(EXTENT, max_size=3)) * draw(rarely(1, 1, 20))
    strides: Any = draw(rarely(None, "some"))
    if strides is not None:
        strides = [draw(STRIDE) for _ in shape[:3]] + [1] * len(shape[3:])
    ndim = draw(rarely(None, -1, -(2**31), "without a shape"))
    if ndim == "without a shape":
        shape, ndim = None, draw(st.sampled_from([0, 1, 5, 2**31 - 1]))
        strides = None
    return {
        "shape": shape,
        "strides": strides,
        "ndim": ndim,
        "data": draw(rarely("memory", "null", "odd")),
        "dtype": draw(DTYPES),
        "device": draw(DEVICES),
        "byte_offset": draw(rarely(0, 1, 8, 2**40, 2**64 - 1)),
    }


@st.composite
def producers(draw: Any) -> dict[str, Any]:
    """Describe a producer."""
    return {
        **draw(tensors()),
        "versioned": draw(st.booleans()),
        "version": draw(rarely([1, 3], [1, 0], [1, 99], [0, 8], [2, 0], [2**32 - 1, 0])),
        "flags": draw(rarely(0, 1, 2, 3, 4, 2**63 + 1)),
        "deleter": draw(rarely("native", "python", "")),
        "name": draw(rarely("", "", "", "", "used_dltensor", "other")),
    }

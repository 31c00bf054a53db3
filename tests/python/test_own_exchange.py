# SPDX-License-Identifier: Apache-2.0
# Rows: R1, R3
"""The function table through which other frameworks exchange tensors with tvm_ffi.Tensor."""

from __future__ import annotations

import ctypes
import sys
from pathlib import Path
from typing import Any

import numpy
import pytest
import tvm_ffi

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "examples"))

from producer import DLTensor as View

READ_ONLY = 1  # DLPACK_FLAG_BITMASK_READ_ONLY
CUDA = 2


class Managed(ctypes.Structure):
    """A DLManagedTensorVersioned."""


Deleter = ctypes.CFUNCTYPE(None, ctypes.POINTER(Managed))
Managed._fields_ = (
    ("version", ctypes.c_uint32 * 2),
    ("context", ctypes.c_void_p),
    ("deleter", Deleter),
    ("flags", ctypes.c_uint64),
    ("tensor", View),
)
ManagedPointer = ctypes.POINTER(Managed)
SetError = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p)
FUNCTIONS = {
    "allocate": ctypes.CFUNCTYPE(
        ctypes.c_int,
        ctypes.POINTER(View),
        ctypes.POINTER(ManagedPointer),
        ctypes.c_void_p,
        SetError,
    ),
    "to_managed": ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.POINTER(ManagedPointer)),
    "from_managed": ctypes.PYFUNCTYPE(
        ctypes.c_int, ManagedPointer, ctypes.POINTER(ctypes.py_object)
    ),
    "to_view": ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.POINTER(View)),
    "current_stream": ctypes.PYFUNCTYPE(
        ctypes.c_int, ctypes.c_int, ctypes.c_int32, ctypes.POINTER(ctypes.c_void_p)
    ),
}


class Table(ctypes.Structure):
    """A DLPackExchangeAPI."""

    _fields_ = (
        ("version", ctypes.c_uint32 * 2),
        ("previous", ctypes.c_void_p),
        *FUNCTIONS.items(),
    )


@pytest.fixture
def table() -> Any:
    """Return the table of tvm_ffi.Tensor."""
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype = ctypes.c_void_p
    pointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
    capsule = tvm_ffi.Tensor.__dlpack_c_exchange_api__  # type: ignore[attr-defined]
    return Table.from_address(pointer(capsule, b"dlpack_exchange_api"))


def managed_tensor(*shape: int, flags: int = 0) -> tuple[Managed, list[int]]:
    """Create a float32 tensor without strides; the list gets an element on each release."""
    released: list[int] = []
    data = (ctypes.c_float * 24)(*range(24))
    extents = (ctypes.c_int64 * len(shape))(*shape)
    made = Managed()
    made.version[:] = (1, 1)
    made.deleter = Deleter(lambda _: released.append(1))
    made.flags = flags
    made.tensor = View(ctypes.addressof(data), 1, 0, len(shape), 2, 32, 1, extents, None, 0)
    made.kept = data, extents
    return made, released


def wrapped(table: Any, managed: Any) -> Any:
    """Create a tensor from a managed one."""
    out = ctypes.py_object()
    assert table.from_managed(managed, out) == 0
    made = out.value
    ctypes.pythonapi.Py_DecRef(ctypes.py_object(made))  # the caller owns the table's reference
    return made


@pytest.mark.parametrize("read_only", [False, True])
def test_there_and_back(table: Any, read_only: bool) -> None:
    """A tensor exported and wrapped again has the same memory and keeps its read-only flag."""
    source = numpy.arange(6, dtype="float32").reshape(2, 3)
    source.setflags(write=not read_only)
    tensor = tvm_ffi.from_dlpack(source, allow_read_only=True)
    managed = ManagedPointer()
    assert table.to_managed(tensor, managed) == 0
    assert bool(managed.contents.flags & READ_ONLY) == read_only
    made = wrapped(table, managed)
    assert type(made) is tvm_ffi.Tensor
    assert made.read_only == read_only
    assert made.data_ptr() == tensor.data_ptr() == source.ctypes.data
    assert (made.shape, made.strides, made.dtype) == ((2, 3), (3, 1), tensor.dtype)


def test_tensors_of_others_are_released_once(table: Any) -> None:
    """A wrapper owns the wrapped tensor; missing strides default to row-major."""
    managed, released = managed_tensor(2, 3, 4)
    made = wrapped(table, managed)
    assert made.strides == (12, 4, 1)
    assert numpy.from_dlpack(made)[1, 2, 3] == 23
    assert released == []
    del made
    assert released == [1]


def test_a_wrong_tensor_stays_with_its_owner(table: Any) -> None:
    """A tensor with a negative extent is refused and not released."""
    managed, released = managed_tensor(2, -3)
    with pytest.raises(ValueError, match="negative"):
        table.from_managed(managed, ctypes.py_object())
    assert released == []


def test_views(table: Any) -> None:
    """A view describes the tensor itself."""
    tensor = tvm_ffi.from_dlpack(numpy.zeros((2, 3), "int16"))
    view = View()
    assert table.to_view(tensor, view) == 0
    assert (view.data, view.device_type) == (tensor.data_ptr(), 1)
    assert (view.code, view.bits, view.lanes) == (0, 16, 1)
    assert view.shape[: view.ndim] == [2, 3]


@pytest.mark.parametrize("name", ["to_managed", "to_view"])
def test_other_objects_are_refused(table: Any, name: str) -> None:
    """An object of another class is a TypeError."""
    out = View() if name == "to_view" else ManagedPointer()
    with pytest.raises(TypeError, match=r"expected a tvm_ffi.Tensor, got list"):
        getattr(table, name)([], out)


def test_the_stream_of_a_device(table: Any) -> None:
    """The stream is the one on which library functions run."""
    found = ctypes.c_void_p()
    with tvm_ffi.use_raw_stream(tvm_ffi.device("cuda", 1), 24):
        assert table.current_stream(CUDA, 1, found) == 0
        assert found.value == 24
        assert table.current_stream(CUDA, 0, found) == 0
        assert found.value is None


@pytest.mark.parametrize(
    ("device", "shape", "kind", "said"),
    [
        ((1, 0), (2, 3), b"", b""),
        ((1, 0), (2, -3), b"ValueError", b"negative"),
        ((1, 0), (1 << 40, 1 << 40), b"MemoryError", b"expected a size that fits in memory"),
    ],
)
def test_allocation(
    table: Any, device: tuple[int, int], shape: tuple[int, ...], kind: bytes, said: bytes
) -> None:
    """The memory has the requested shape; an error goes to the caller's error function."""
    errors: list[tuple[bytes, bytes]] = []
    extents = (ctypes.c_int64 * 2)(*shape)
    prototype = View(None, *device, 2, 2, 32, 1, extents, None, 0)
    managed = ManagedPointer()
    note = SetError(lambda _, *error: errors.append(error))
    status = table.allocate(prototype, managed, None, note)
    if status == 0:
        assert errors == []
        assert managed.contents.tensor.shape[:2] == list(shape)
        managed.contents.deleter(managed)
    else:
        ((found, message),) = errors
        assert found == kind
        assert said in message
    assert (status == 0) == (said == b"")

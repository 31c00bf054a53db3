# SPDX-License-Identifier: Apache-2.0
# Rows: R1, R2
"""tvm_ffi.Tensor and from_dlpack."""

from __future__ import annotations

import copy
import gc
import pickle
import sys
import weakref
from typing import Any

import numpy
import pytest
import tvm_ffi

from .conftest import needs_torch, torch


def test_attributes(framework: Any) -> None:
    """A tensor has its properties as plain Python values."""
    source = framework.arange(24, dtype=framework.float32).reshape(4, 6)[1:, ::2]
    tensor = tvm_ffi.from_dlpack(source)
    assert type(tensor) is tvm_ffi.Tensor is tvm_ffi.core.Tensor
    assert tensor.shape == (3, 3)
    assert isinstance(tensor.shape, tvm_ffi.Shape)
    assert tensor.strides == (6, 2)
    assert tensor.ndim == 2
    assert tensor.numel() == 9
    assert tensor.dtype == tvm_ffi.dtype("float32")
    assert tensor.device == tvm_ffi.device("cpu")
    assert not tensor.is_contiguous()
    assert not tensor.read_only
    assert repr(tensor) == "tvm_ffi.Tensor(shape=(3, 3), dtype='float32', device='cpu:0')"


def test_size() -> None:
    """The extent of a dimension is looked up by index, from either end."""
    tensor = tvm_ffi.from_dlpack(numpy.zeros((2, 3, 4)))
    assert [tensor.size(i) for i in range(-3, 3)] == [2, 3, 4, 2, 3, 4]
    for index in (3, -4, 1 << 70):
        with pytest.raises(IndexError, match=rf"Tensor.size: idx: expected -3 to 2, got {index}"):
            tensor.size(index)
    with pytest.raises(TypeError, match=r"Tensor.size: idx: expected an integer, got str"):
        tensor.size("0")
    with pytest.raises(IndexError, match=r"the tensor is 0-dimensional, got 0"):
        tvm_ffi.from_dlpack(numpy.zeros(())).size(0)


def test_arrays_of_a_tensor() -> None:
    """numpy.asarray shares the memory, numpy.array copies it, and a dtype converts it."""
    source = numpy.arange(6, dtype="int32").reshape(2, 3)[:, ::2]
    tensor = tvm_ffi.from_dlpack(source)
    shared = numpy.asarray(tensor)
    assert numpy.shares_memory(shared, source)
    assert shared.tolist() == source.tolist()
    assert not numpy.shares_memory(numpy.array(tensor), source)
    assert numpy.asarray(tensor, dtype="float64").dtype == "float64"
    with pytest.raises(ValueError, match="copy: expected True to get float64, got False"):
        numpy.asarray(tensor, dtype="float64", copy=False)


def test_arrays_of_read_only_tensors() -> None:
    """The array of a read-only tensor is read-only."""
    source = numpy.arange(3.0)
    source.flags.writeable = False
    assert not numpy.asarray(tvm_ffi.from_dlpack(source, allow_read_only=True)).flags.writeable


def test_tensors_without_an_array() -> None:
    """If NumPy cannot represent the tensor, the error says why."""
    from .test_protocols import on_device_three

    tensor = tvm_ffi.from_dlpack(on_device_three(numpy.zeros(2)))
    with pytest.raises(TypeError, match="expected a tensor on the CPU, got one on cuda:3"):
        numpy.asarray(tensor)


def test_capsules_are_taken() -> None:
    """A capsule from __dlpack__ is accepted once; a read-only one needs permission."""
    source = numpy.arange(3.0)
    capsule = source.__dlpack__(max_version=(1, 0))
    tensor = tvm_ffi.from_dlpack(capsule)
    assert tensor.data_ptr() == source.ctypes.data
    assert '"used_dltensor_versioned"' in repr(capsule)
    with pytest.raises(TypeError, match="DLPack capsule that is not used"):
        tvm_ffi.from_dlpack(capsule)
    source.flags.writeable = False
    with pytest.raises(ValueError, match="ext_tensor: expected a tensor that may be written"):
        tvm_ffi.from_dlpack(source.__dlpack__(max_version=(1, 0)))
    capsule = source.__dlpack__(max_version=(1, 0))
    assert tvm_ffi.from_dlpack(capsule, allow_read_only=True).read_only


def test_tensors_are_not_copied_by_accident() -> None:
    """Pickling and copying are refused, as in the published package."""
    tensor = tvm_ffi.from_dlpack(numpy.zeros(2))
    for attempt in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(TypeError, match="Tensor"):
            attempt(tensor)


def test_scalars_and_empty_tensors(framework: Any) -> None:
    """0-dimensional and empty tensors have the usual properties."""
    scalar = tvm_ffi.from_dlpack(framework.zeros(()))
    assert (scalar.shape, scalar.strides, scalar.numel()) == ((), (), 1)
    assert scalar.is_contiguous()
    empty = tvm_ffi.from_dlpack(framework.zeros((0, 3)))
    assert (empty.shape, empty.numel(), empty.is_contiguous()) == ((0, 3), 0, True)


def test_from_dlpack_of_a_tensor_is_itself() -> None:
    """A tvm_ffi.Tensor passes through but is still checked."""
    tensor = tvm_ffi.from_dlpack(numpy.zeros((4, 4))[:, ::2])
    assert tvm_ffi.from_dlpack(tensor) is tensor
    with pytest.raises(
        ValueError, match=r"expected a compact row-major tensor, got strides \(4, 2\)"
    ):
        tvm_ffi.from_dlpack(tensor, require_contiguous=True)


def test_requirements(framework: Any) -> None:
    """Contiguity and alignment can be required; the message has the actual value."""
    source = framework.zeros((4, 4), dtype=framework.float32)
    tvm_ffi.from_dlpack(source, require_contiguous=True, require_alignment=4)
    with pytest.raises(ValueError, match=r"from_dlpack: ext_tensor: .* got strides \(1, 4\)"):
        tvm_ffi.from_dlpack(source.T, require_contiguous=True)
    odd = framework.zeros(64, dtype=framework.int8)[1:]
    with pytest.raises(ValueError, match=r"from_dlpack: ext_tensor: .*a multiple of 16, got 0x"):
        tvm_ffi.from_dlpack(odd, require_alignment=16)
    for alignment in (-1, -(1 << 70)):
        with pytest.raises(ValueError, match=f"expected 0 or more bytes, got {alignment}"):
            tvm_ffi.from_dlpack(odd, require_alignment=alignment)
    with pytest.raises(ValueError, match=f"a multiple of {2**63 - 1}, got 0x"):
        tvm_ffi.from_dlpack(odd, require_alignment=1 << 70)


@pytest.mark.parametrize("value", [3, "text", None, [1.0]])
def test_from_dlpack_needs_a_tensor(value: Any) -> None:
    """A value that is not a tensor is a TypeError that names its type."""
    name = type(value).__name__
    with pytest.raises(TypeError, match=f"expected an object with __dlpack__, got {name}"):
        tvm_ffi.from_dlpack(value)


def test_round_trip_to_numpy() -> None:
    """NumPy reads a tensor without a copy."""
    source = numpy.arange(6.0).reshape(2, 3)
    back = numpy.from_dlpack(tvm_ffi.from_dlpack(source))
    assert numpy.shares_memory(source, back)
    assert back.tolist() == source.tolist()


@needs_torch
def test_round_trip_to_torch() -> None:
    """PyTorch reads a tensor without a copy."""
    source = torch.arange(6.0).reshape(2, 3)
    back = torch.from_dlpack(tvm_ffi.from_dlpack(source))
    assert back.data_ptr() == source.data_ptr()
    assert torch.equal(source, back)


@pytest.mark.parametrize("max_version", [None, (0, 8), (1, 0), (1, 3)])
def test_capsules_that_nobody_takes_are_freed(max_version: Any) -> None:
    """A capsule dropped unused releases its memory."""
    source = numpy.zeros(3)
    gone = weakref.ref(source)
    tensor = tvm_ffi.from_dlpack(source)
    capsule = tensor.__dlpack__(max_version=max_version)
    del tensor, source
    gc.collect()
    assert gone() is not None
    del capsule
    gc.collect()
    assert gone() is None


def test_dlpack_options() -> None:
    """Another device is a BufferError; options that match the tensor are accepted."""
    tensor = tvm_ffi.from_dlpack(numpy.zeros(3))
    assert tensor.__dlpack_device__() == (1, 0)
    tensor.__dlpack__(stream=None, max_version=(1, 0), dl_device=(1, 0), copy=False)
    with pytest.raises(BufferError, match=r"dl_device: expected \(1, 0\).*got \(2, 0\)"):
        tensor.__dlpack__(dl_device=(2, 0))


@pytest.mark.parametrize(
    "source",
    [
        numpy.arange(24, dtype="int32").reshape(2, 3, 4),
        numpy.arange(24, dtype="int16").reshape(2, 3, 4)[:, ::-2, 1:],
        numpy.arange(6, dtype="complex64").reshape(2, 3).T,
        numpy.array(3.5),
        numpy.zeros((2, 0, 3)),
    ],
    ids=["compact", "strided", "transposed", "one element", "empty"],
)
def test_dlpack_copies(source: Any) -> None:
    """A copy has the same elements, compact, in separate writable memory."""
    source.flags.writeable = False
    tensor = tvm_ffi.from_dlpack(source, allow_read_only=True)
    for array in (numpy.from_dlpack(tensor, copy=True), numpy.array(tensor)):
        assert array.tolist() == source.tolist()
        assert (array.dtype, array.shape) == (source.dtype, source.shape)
        assert not numpy.shares_memory(array, source)
    copied = tvm_ffi.from_dlpack(tensor.__dlpack__(max_version=(1, 0), copy=True))
    assert not copied.read_only
    assert copied.is_contiguous()
    assert copied.data_ptr() % 64 == 0
    assert numpy.asarray(copied).tolist() == source.tolist()
    old = tvm_ffi.from_dlpack(tensor.__dlpack__(copy=True))
    assert numpy.asarray(old).tolist() == source.tolist()


COPIES = [(value, True) for value in (True, 1, numpy.True_, "yes", [0])]
SHARES = [(value, False) for value in (None, False, 0, numpy.False_, "")]


@pytest.mark.parametrize(("wanted", "copies"), COPIES + SHARES)
def test_whether_to_copy(wanted: Any, copies: bool) -> None:
    """Any truthy value requests a copy, by keyword or by position."""
    source = numpy.arange(3.0)
    tensor = tvm_ffi.from_dlpack(source)
    for array in (
        numpy.asarray(tvm_ffi.from_dlpack(tensor.__dlpack__(max_version=(1, 0), copy=wanted))),
        tensor.__array__(None, wanted),
        tensor.__array__(copy=wanted),
    ):
        assert numpy.shares_memory(array, source) != copies
        assert array.tolist() == [0, 1, 2]


def test_copies_without_a_truth() -> None:
    """A value whose truth is undefined raises its own error."""
    tensor = tvm_ffi.from_dlpack(numpy.arange(3.0))
    for export in (tensor.__dlpack__, tensor.__array__):
        with pytest.raises(ValueError, match="truth value"):
            export(copy=numpy.zeros(2))


def test_no_copy_of_another_dtype() -> None:
    """Any falsy value forbids the copy that another element type needs."""
    tensor = tvm_ffi.from_dlpack(numpy.arange(3.0))
    for never in (False, 0, numpy.False_):
        with pytest.raises(ValueError, match="copy: expected True to get float32"):
            tensor.__array__("float32", never)


def test_tensors_that_are_not_copied() -> None:
    """A copy of a tensor on another device is a BufferError."""
    from .test_protocols import on_device_three

    tensor = tvm_ffi.from_dlpack(on_device_three(numpy.zeros(2)))
    with pytest.raises(BufferError, match="copy: expected None or False for a tensor that is not"):
        tensor.__dlpack__(copy=True)


def test_identity() -> None:
    """Tensors are equal if they are the same object; they can be keys and weakly referenced."""
    one, other = (tvm_ffi.from_dlpack(numpy.zeros(3)) for _ in range(2))
    assert one == one
    assert one != other
    assert one.same_as(one)
    assert not one.same_as(other)
    assert len({one, other}) == 2
    assert weakref.ref(one)() is one


@pytest.mark.parametrize("cls", [tvm_ffi.Tensor, tvm_ffi.Object, tvm_ffi.Module])
def test_objects_are_not_made_by_their_type(cls: type) -> None:
    """Calling the type is a TypeError that says how objects are created."""
    with pytest.raises(TypeError, match="cannot be made by calling its type"):
        cls()


@needs_torch
@pytest.mark.parametrize("detached", [False, True])
def test_memory_that_pytorch_replaces(detached: bool) -> None:
    """PyTorch frees a shared tensor's memory when replacing it, unless the tensor was detached."""
    source = torch.zeros(2)
    shared = tvm_ffi.from_dlpack(source.detach() if detached else source)
    memory = weakref.ref(source.untyped_storage())
    source.set_(torch.ones(5))
    gc.collect()
    assert (memory() is not None) == detached
    assert shared.shape == (2,)


@needs_torch
def test_memory_that_pytorch_resizes() -> None:
    """PyTorch moves a growing tensor's memory; a tensor sharing the old memory keeps it."""
    source = torch.zeros(2)
    shared = tvm_ffi.from_dlpack(source.detach())
    address = source.data_ptr()
    source.resize_(100_000)
    assert source.data_ptr() != address
    assert shared.data_ptr() == address


def test_more_tensors_than_are_kept_for_reuse() -> None:
    """Freed tensors are reused, each with its own layout and owner."""
    arrays = [numpy.full((i % 3, 10) if i % 2 else (2,) * (i % 12), i) for i in range(300)]
    for _ in range(2):
        tensors = [tvm_ffi.from_dlpack(array) for array in arrays]
        for array, tensor in zip(arrays, tensors, strict=True):
            assert (tensor.shape, tensor.data_ptr()) == (array.shape, array.ctypes.data)
        references = [weakref.ref(tensor) for tensor in tensors]
        counts = [sys.getrefcount(array) for array in arrays]
        del tensor
        tensors.clear()
        assert not any(reference() for reference in references)
        assert [sys.getrefcount(array) + 1 for array in arrays] == counts


def test_wrong_arguments_of_dlpack() -> None:
    """Options are keyword-only, and only the protocol's are accepted."""
    tensor: Any = tvm_ffi.from_dlpack(numpy.zeros(3))
    with pytest.raises(TypeError, match=r"__dlpack__: expected keywords only, got 1 arguments"):
        tensor.__dlpack__(None)
    with pytest.raises(TypeError, match=r"__dlpack__: expected no keyword 'strm'"):
        tensor.__dlpack__(strm=None)
    with pytest.raises(BufferError, match="got"):
        tensor.__dlpack__(**{"".join(("dl_", "device")): (2, 0)})  # not the interned name

# SPDX-License-Identifier: Apache-2.0
# Rows: R3
"""Framework tensors as arguments: how they appear in C, and which are refused."""

from __future__ import annotations

import gc
import sys
import weakref
from typing import Any

import ml_dtypes
import numpy
import pytest
import tvm_ffi

from .conftest import needs_torch, torch


class Producer:
    """A tensor type of no framework, with only the DLPack methods."""

    def __init__(self, source: Any, **options: Any) -> None:
        self.source = source
        self.options = options

    def __dlpack_device__(self) -> tuple[int, int]:
        return (1, 0)

    def __dlpack__(self, *, stream: Any = None, max_version: Any = None) -> Any:
        assert stream is None
        return self.source.__dlpack__(**{"max_version": max_version, **self.options})


class OldProducer:
    """A producer from before DLPack 1.0, which does not accept max_version."""

    def __init__(self, source: Any) -> None:
        self.source = source

    def __dlpack_device__(self) -> tuple[int, int]:
        return (1, 0)

    def __dlpack__(self) -> Any:
        return self.source.__dlpack__()


WRAPPERS = [lambda x: x, Producer, OldProducer, tvm_ffi.from_dlpack]
WRAPPER_NAMES = ["itself", "producer", "old producer", "tvm_ffi.Tensor"]


def address_of(tensor: Any) -> int:
    """Return the address of the first element."""
    return tensor.data_ptr() if hasattr(tensor, "data_ptr") else tensor.ctypes.data


@pytest.mark.parametrize("wrap", WRAPPERS, ids=WRAPPER_NAMES)
@pytest.mark.parametrize("shape", [(), (0,), (3,), (2, 0, 5), (2, 3, 4), (1,) * 12])
def test_layout_arrives(functions: Any, framework: Any, shape: tuple[int, ...], wrap: Any) -> None:
    """C sees each tensor's address, extents and strides, without a copy."""
    source = framework.zeros(shape, dtype=framework.float32)
    tensor = wrap(source)
    assert functions.type_index(tensor) == 70
    assert functions.ndim(tensor) == len(shape)
    assert [functions.shape_at(tensor, i) for i in range(len(shape))] == list(shape)
    assert functions.dtype_of(tensor) == "float32"
    if 0 not in shape:
        assert functions.address(tensor) == address_of(source)
        steps = [functions.stride_at(tensor, i) for i in range(len(shape))]
        expected = [int(numpy.prod(shape[i + 1 :])) for i in range(len(shape))]
        assert steps == expected


@pytest.mark.parametrize("wrap", WRAPPERS, ids=WRAPPER_NAMES)
def test_strided_views_arrive(functions: Any, framework: Any, wrap: Any) -> None:
    """A view keeps its address and its strides, which are in elements."""
    source = framework.arange(24, dtype=framework.float32).reshape(4, 6)[1:, 1::2]
    tensor = wrap(source)
    assert functions.address(tensor) == address_of(source)
    assert [functions.stride_at(tensor, i) for i in range(2)] == [6, 2]


def test_negative_strides_arrive(functions: Any) -> None:
    """A reversed array starts at its last element."""
    source = numpy.arange(5.0)[::-1]
    assert functions.address(source) == source.ctypes.data
    assert functions.stride_at(source, 0) == -1


@pytest.mark.parametrize("wrap", WRAPPERS, ids=WRAPPER_NAMES)
def test_writing_reaches_the_framework(functions: Any, framework: Any, wrap: Any) -> None:
    """Writes by a function appear in the framework's tensor."""
    source = framework.zeros(3, dtype=framework.float32)
    functions.increment(wrap(source))
    assert source.tolist() == [1, 1, 1]


DTYPES = """bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 float32 float64
complex64 complex128"""


@pytest.mark.parametrize("name", DTYPES.split())
def test_dtypes_arrive(functions: Any, framework: Any, name: str) -> None:
    """Each element type has its DLPack code and comes back unchanged."""
    source = framework.zeros(3, dtype=getattr(framework, name))
    assert functions.dtype_of(source) == name
    back = functions.echo(source)
    assert type(back) is type(source)
    assert back.dtype == source.dtype
    assert address_of(back) == address_of(source)


ML_DTYPES = """bfloat16 float8_e3m4 float8_e4m3 float8_e4m3b11fnuz float8_e4m3fn float8_e4m3fnuz
float8_e5m2 float8_e5m2fnuz float8_e8m0fnu"""


@pytest.mark.parametrize("name", ML_DTYPES.split())
def test_ml_dtypes_arrive(functions: Any, name: str) -> None:
    """NumPy arrays of ml_dtypes, which NumPy itself cannot export, arrive and come back."""
    source = numpy.ones(3, dtype=getattr(ml_dtypes, name))
    assert functions.dtype_of(source) == name
    back = functions.echo(source)
    assert back.dtype == source.dtype
    assert back.ctypes.data == source.ctypes.data
    assert (back == source).all()


@needs_torch
@pytest.mark.parametrize(
    "name", ["bfloat16", "float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz"]
)
def test_narrow_torch_dtypes_arrive(functions: Any, name: str) -> None:
    """PyTorch's narrow types have their DLPack codes and come back unchanged."""
    source = torch.zeros(3).to(getattr(torch, name))
    assert functions.dtype_of(source) == name
    assert functions.echo(source).dtype == source.dtype


@needs_torch
def test_parameters_arrive(functions: Any) -> None:
    """Subclasses of torch.Tensor and tensors that require a gradient are accepted."""
    parameter = torch.nn.Parameter(torch.zeros(2))
    functions.increment(parameter)
    assert parameter.tolist() == [1, 1]


def aligned_with_odd_stride() -> Any:
    """Return a complex64 array with a 12-byte stride, whose elements have 4-byte alignment."""
    return numpy.zeros(2, dtype=[("a", "c8"), ("b", "f4")])["a"]


UNREADABLE = [
    (numpy.zeros(2, dtype=">f4"), TypeError, "native byte order"),
    (numpy.zeros(2, dtype=object), TypeError, "expected a dtype that DLPack supports"),
    (numpy.zeros(2, dtype="U3"), TypeError, "expected a dtype that DLPack supports"),
    (numpy.zeros(2, dtype="M8[s]"), TypeError, "expected a dtype that DLPack supports"),
    (numpy.zeros(2, dtype=[("a", "i1"), ("b", "f4")]), TypeError, "expected a dtype"),
    (numpy.zeros(2, dtype=numpy.longdouble), TypeError, "expected a dtype that DLPack supports"),
    (numpy.zeros(2, dtype=[("a", "i1"), ("b", "f4")])["b"], ValueError, "not aligned"),
    (aligned_with_odd_stride(), ValueError, "stride 12 of dimension 0 is not a multiple"),
    (numpy.ma.masked_array([1.0], [1]), TypeError, "expected an array without a mask"),
]


@pytest.mark.parametrize(("array", "error", "message"), UNREADABLE)
def test_unreadable_arrays_are_refused(
    functions: Any, array: Any, error: type[Exception], message: str
) -> None:
    """An array that no kernel could read is refused with a message that names the argument."""
    with pytest.raises(error, match=rf"nop: argument 1 \(.*{message}"):
        functions.nop(0, array)


@needs_torch
def test_lazy_views_are_refused(functions: Any) -> None:
    """A view that is negated or conjugated on read is a ValueError that says what to do."""
    negative = torch.complex(torch.ones(2), torch.ones(2)).conj().imag
    assert negative.is_neg()
    with pytest.raises(ValueError, match=r"nop: argument 0 \(Tensor\): .*pass x.resolve_neg\(\)"):
        functions.nop(negative)
    functions.nop(negative.resolve_neg())
    conjugate = torch.ones(2, dtype=torch.complex64).conj()
    with pytest.raises(ValueError, match=r"nop: argument 0 \(Tensor\): .*pass x.resolve_conj\(\)"):
        functions.nop(conjugate)
    with pytest.raises(ValueError, match=r"from_dlpack: Tensor: .*pass x.resolve_conj\(\)"):
        tvm_ffi.from_dlpack(conjugate)


@needs_torch
def test_trusted_functions_leave_the_check_out(functions: Any) -> None:
    """A trusted function gets the raw memory of a lazy view."""
    keep = functions.get_function("keep")
    assert keep.trusted is False
    keep.trusted = True
    negative = torch._neg_view(torch.ones(2))
    keep(negative)
    assert numpy.from_dlpack(functions.kept()).tolist() == [1, 1]
    assert negative.tolist() == [-1, -1]
    functions.drop_kept()


@needs_torch
def test_tensors_without_memory_are_refused(functions: Any) -> None:
    """Sparse, meta and fake tensors are refused with PyTorch's reason or ours."""
    from torch._subclasses import FakeTensorMode

    with FakeTensorMode():
        fake = torch.ones(3)
    for tensor, message in [
        (torch.eye(2).to_sparse(), "storage"),
        (torch.ones(2, device="meta"), "meta"),
        (fake, "no memory"),
    ]:
        with pytest.raises(ValueError, match=rf"nop: argument 0 \(\w+\): .*{message}") as caught:
            functions.nop(tensor)
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize("wrap", [lambda x: x, Producer], ids=["itself", "producer"])
def test_read_only_tensors_need_leave(functions: Any, wrap: Any) -> None:
    """A read-only tensor is refused with a message that suggests a way to pass it, which works."""
    source = numpy.arange(3.0)
    source.flags.writeable = False
    with pytest.raises(ValueError, match=r"nop: argument 0 .*from_dlpack\(x, allow_read_only=True"):
        functions.nop(wrap(source))
    with pytest.raises(ValueError, match=r"from_dlpack: .*read-only"):
        tvm_ffi.from_dlpack(wrap(source))
    tensor = tvm_ffi.from_dlpack(wrap(source), allow_read_only=True)
    assert tensor.read_only
    assert functions.address(tensor) == source.ctypes.data


def test_a_refused_tensor_leaves_no_trace(functions: Any) -> None:
    """Refusing a read-only tensor does not affect producers that cannot report read-only memory."""
    functions.nop(OldProducer(numpy.zeros(3)))
    source = numpy.arange(3.0)
    source.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        functions.nop(source)
    functions.nop(OldProducer(numpy.zeros(3)))


def test_read_only_survives_the_crossing(functions: Any) -> None:
    """A read-only tensor returned by a function stays read-only in every export."""
    source = numpy.arange(3.0)
    source.flags.writeable = False
    back = functions.echo(tvm_ffi.from_dlpack(source, allow_read_only=True))
    assert back.read_only
    assert not numpy.from_dlpack(back).flags.writeable
    with pytest.raises(BufferError, match="read-only"):
        back.__dlpack__()


def test_read_only_marks_reach_cpp_and_back(described: Any) -> None:
    """A view that C++ creates of a read-only tensor is read-only in every export."""
    source = numpy.arange(3.0)
    assert not described.first_element(tvm_ffi.from_dlpack(source)).read_only
    source.flags.writeable = False
    view = described.first_element(tvm_ffi.from_dlpack(source, allow_read_only=True))
    assert view.read_only
    assert not numpy.asarray(view).flags.writeable
    assert not numpy.from_dlpack(view).flags.writeable
    with pytest.raises(BufferError, match="read-only"):
        view.__dlpack__()
    with pytest.raises(ValueError, match=r"got a read-only one"):
        described.keep(numpy.from_dlpack(view))


def test_marks_of_cpp_reach_python(described: Any) -> None:
    """A tensor that C++ imported as read-only is read-only in Python."""
    for tensor in (described.constants(), described.first_element(described.constants())):
        assert tensor.read_only
        assert not numpy.asarray(tensor).flags.writeable
        assert not numpy.from_dlpack(tensor).flags.writeable


class Malformed:
    """A producer whose methods return the given values."""

    def __init__(self, device: Any = (1, 0), capsule: Any = None) -> None:
        self.device = device
        self.capsule = capsule

    def __dlpack_device__(self) -> Any:
        if isinstance(self.device, Exception):
            raise self.device
        return self.device

    def __dlpack__(self, **options: Any) -> Any:
        if isinstance(self.capsule, Exception):
            raise self.capsule
        return self.capsule


def used_capsule() -> Any:
    """Return a capsule that has been consumed."""
    capsule = numpy.zeros(2).__dlpack__()
    tvm_ffi.from_dlpack(Malformed(capsule=capsule))
    return capsule


@pytest.mark.parametrize(
    ("producer", "message"),
    [
        (Malformed(device=None), "not iterable"),
        (Malformed(device=(1,)), "__dlpack_device__ must give two integers"),
        (Malformed(device=("cpu", 0)), "cannot be interpreted as an integer"),
        (Malformed(device=RuntimeError("no device")), "no device"),
        (Malformed(capsule=3), "__dlpack__ must give a DLPack capsule that is not used, got 3"),
        (Malformed(capsule=used_capsule()), "capsule that is not used"),
        (Malformed(capsule=BufferError("cannot export")), "cannot export"),
    ],
)
def test_malformed_producers_are_refused(functions: Any, producer: Any, message: str) -> None:
    """A producer that breaks the protocol is refused; the message names the argument."""
    with pytest.raises(
        (TypeError, ValueError), match=rf"nop: argument 0 \(Malformed\): .*{message}"
    ):
        functions.nop(producer)


def test_nothing_is_kept_after_a_call(functions: Any, framework: Any) -> None:
    """A call leaves the reference count of the framework's tensor unchanged."""
    tensor = framework.zeros(3)
    before = sys.getrefcount(tensor)
    for _ in range(100):
        functions.nop(tensor, tensor)
    assert sys.getrefcount(tensor) == before


@pytest.mark.parametrize("wrap", WRAPPERS[:3], ids=WRAPPER_NAMES[:3])
def test_kept_tensors_stay_alive(functions: Any, framework: Any, wrap: Any) -> None:
    """A tensor kept by a function outlives Python's reference, but only while it is kept."""
    source = framework.full((1000,), 3.0, dtype=framework.float32)
    address = address_of(source)
    functions.keep(wrap(source))
    gone = weakref.ref(source)
    del source
    gc.collect()
    kept = functions.kept()
    assert kept.data_ptr() == address
    assert set(numpy.from_dlpack(kept).tolist()) == {3.0}
    del kept
    functions.drop_kept()
    gc.collect()
    assert gone() is None


def test_a_function_sees_one_reference(functions: Any, framework: Any) -> None:
    """An argument has a single reference, held by the caller."""
    assert functions.use_count(framework.zeros(3)) == 1

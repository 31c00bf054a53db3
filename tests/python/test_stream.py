# SPDX-License-Identifier: Apache-2.0
# Rows: R4
"""The stream seen by a function."""

from __future__ import annotations

import ctypes
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import numpy
import pytest
import tvm_ffi

from .conftest import needs_torch, torch

CPU, CUDA = 1, 2


@pytest.fixture(scope="session")
def invented(library: Path) -> type:
    """Return a tensor type with a DLPack table, whose framework uses stream 77 of cuda:3."""
    new_capsule = ctypes.pythonapi.PyCapsule_New
    new_capsule.restype = ctypes.py_object
    new_capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    table = ctypes.addressof(ctypes.c_char.in_dll(ctypes.CDLL(str(library)), "invented_framework"))

    class Invented:
        __dlpack_c_exchange_api__ = new_capsule(table, b"dlpack_exchange_api", None)

    return Invented


def test_raw_streams_nest(functions: Any) -> None:
    """Each block sets its device's stream and restores the previous one."""
    first, other = tvm_ffi.device("cuda", 0), tvm_ffi.device("cuda", 1)
    assert tvm_ffi.get_raw_stream(first) == 0
    with tvm_ffi.use_raw_stream(first, 8):
        assert functions.stream_of(CUDA, 0) == 8
        with tvm_ffi.use_raw_stream(first, ctypes.c_void_p(16)), tvm_ffi.use_raw_stream(other, 24):
            assert functions.stream_of(CUDA, 0) == 16
            assert functions.stream_of(CUDA, 1) == 24
        assert functions.stream_of(CUDA, 0) == 8
        assert functions.stream_of(CUDA, 1) == 0
    assert tvm_ffi.get_raw_stream(first) == 0


def test_a_context_that_was_not_entered_cannot_be_left() -> None:
    """Exiting is refused if there is no stream to restore."""
    context = tvm_ffi.use_raw_stream(tvm_ffi.device("cuda", 3), 5)
    with pytest.raises(RuntimeError, match="StreamContext: expected to be entered"):
        context.__exit__(None, None, None)


def test_a_context_can_be_entered_again() -> None:
    """A context object may nest within itself."""
    device = tvm_ffi.device("cuda")
    context = tvm_ffi.use_raw_stream(device, 8)
    with context, tvm_ffi.use_raw_stream(device, 16), context:
        assert tvm_ffi.get_raw_stream(device) == 8
    assert tvm_ffi.get_raw_stream(device) == 0


def test_an_error_puts_the_stream_back() -> None:
    """The previous stream is restored after an exception."""
    device = tvm_ffi.device("cuda")
    with pytest.raises(KeyError), tvm_ffi.use_raw_stream(device, 8):
        raise KeyError
    assert tvm_ffi.get_raw_stream(device) == 0


def test_streams_belong_to_a_thread() -> None:
    """Another thread does not see the stream."""
    seen = []
    device = tvm_ffi.device("cuda")
    with tvm_ffi.use_raw_stream(device, 8):
        thread = threading.Thread(target=lambda: seen.append(tvm_ffi.get_raw_stream(device)))
        thread.start()
        thread.join()
    assert seen == [0]


@pytest.mark.parametrize(
    ("stream", "error", "message"),
    [
        ("8", TypeError, "stream: expected an int or a ctypes.c_void_p, got str"),
        (True, TypeError, "got bool"),
        (1.5, TypeError, "got float"),
        (-1, ValueError, "expected an address, got -1"),
        (2**64, ValueError, "expected an address"),
    ],
)
def test_wrong_streams(stream: Any, error: type[Exception], message: str) -> None:
    """A value that is not a stream handle is refused."""
    with pytest.raises(error, match=message):
        tvm_ffi.use_raw_stream(tvm_ffi.device("cuda"), stream)


def test_wrong_devices() -> None:
    """The device must be a tvm_ffi.Device."""
    with pytest.raises(
        TypeError, match=r"use_raw_stream: device: expected a tvm_ffi.Device, got str"
    ):
        tvm_ffi.use_raw_stream("cuda", 0)
    with pytest.raises(
        TypeError, match=r"get_raw_stream: device: expected a tvm_ffi.Device, got str"
    ):
        tvm_ffi.get_raw_stream("cuda")


def test_calls_follow_the_frameworks_stream(functions: Any, invented: type) -> None:
    """An argument on a device makes the framework's stream current, only for the call."""
    assert functions.stream_of(CUDA, 3, invented()) == 77
    assert functions.stream_of(CUDA, 0, invented()) == 0
    assert functions.stream_of(CUDA, 3) == 0


def test_the_frameworks_stream_goes_before_the_explicit_one(functions: Any, invented: type) -> None:
    """If both are set, the tensors' own stream takes precedence."""
    with tvm_ffi.use_raw_stream(tvm_ffi.device("cuda", 3), 8):
        assert functions.stream_of(CUDA, 3, invented()) == 77
        assert functions.stream_of(CUDA, 3) == 8


def test_imported_tensors_follow_the_stream(functions: Any, invented: type) -> None:
    """A tensor imported by from_dlpack still belongs to its framework."""
    tensor = tvm_ffi.from_dlpack(invented())
    assert functions.stream_of(CUDA, 3, tensor) == 77


def test_each_container_is_looked_into_once(functions: Any, invented: type) -> None:
    """Containers that share others billions of times are searched quickly, at any depth."""
    shared = tvm_ffi.Array([1])
    for _ in range(100):
        shared = tvm_ffi.Array([shared] * 30)
    itself = tvm_ffi.List([shared])
    itself.extend([itself, shared, {"a": itself}])
    assert functions.stream_of(CUDA, 3, itself, invented()) == 77
    assert functions.stream_of(CUDA, 3, itself) == 0
    itself.append(invented())
    assert functions.stream_of(CUDA, 3, itself) == 77
    itself.clear()
    deep = tvm_ffi.Array([invented()])
    for _ in range(100):
        deep = tvm_ffi.Array([1, deep])
    assert functions.stream_of(CUDA, 3, deep) == 77


def test_tensors_in_containers_bring_their_stream(functions: Any, invented: type) -> None:
    """A tensor in a list, dict or tvm_ffi container sets the stream at any depth."""
    for value in ([invented()], (1, [invented()]), {"a": invented()}, [{"a": (invented(),)}]):
        assert functions.stream_of(CUDA, 3, value) == 77
        assert functions.stream_of(CUDA, 3) == 0
    tensor = invented()
    for make in (tvm_ffi.Array, tvm_ffi.List):
        assert functions.stream_of(CUDA, 3, make([1, tensor])) == 77
    for make in (tvm_ffi.Map, tvm_ffi.Dict):
        assert functions.stream_of(CUDA, 3, make({"a": [tensor]})) == 77
    first = tvm_ffi.get_global_func("ffi.ContainerFindFirstNonCPUDevice")
    assert first([1, {"a": [tensor]}]) == tvm_ffi.device("cuda", 3)


def test_a_failed_call_puts_the_stream_back(functions: Any, invented: type) -> None:
    """A failed call restores the stream."""
    device = tvm_ffi.device("cuda", 3)
    for earlier in (0, 8):
        with tvm_ffi.use_raw_stream(device, earlier):
            with pytest.raises(ValueError, match="boom"):
                functions.fail("ValueError", "boom", "", invented())
            with pytest.raises(ValueError, match="argument 1"):
                functions.nop(invented(), "\ud800")
            assert tvm_ffi.get_raw_stream(device) == earlier


def test_byte_offsets_are_folded_in(functions: Any, invented: type) -> None:
    """A function gets the address of the first element and a zero byte offset."""
    assert functions.address(invented()) == 4096 + 16
    assert functions.byte_offset(invented()) == 0
    assert functions.stride_at(invented(), 0) == 1


def test_errors_of_the_frameworks_allocator(functions: Any, invented: type) -> None:
    """An error reported by the framework's allocator arrives with its kind."""
    with pytest.raises(ValueError, match="this framework has no memory"):
        functions.allocate(invented(), 3)


def test_objects_can_name_their_stream(functions: Any) -> None:
    """A type with __tvm_ffi_env_stream__ chooses its stream, and its export is synchronised."""
    asked = []

    class Streamed:
        def __dlpack_device__(self) -> tuple[int, int]:
            return (CUDA, 3)

        def __dlpack__(self, **options: Any) -> Any:
            asked.append(options)
            return numpy.zeros(2).__dlpack__()

        def __tvm_ffi_env_stream__(self) -> int:
            return 99

    device = tvm_ffi.device("cuda", 3)
    functions.nop(Streamed())
    assert asked[-1]["stream"] == 1
    with tvm_ffi.use_raw_stream(device, 8):
        functions.nop(Streamed())
    assert asked[-1]["stream"] == 8


def test_cpu_tensors_have_no_stream(functions: Any) -> None:
    """The stream reported by an object on a CPU is not used."""

    class OnCPU:
        def __dlpack_device__(self) -> tuple[int, int]:
            return (CPU, 0)

        def __dlpack__(self, **options: Any) -> Any:
            return numpy.zeros(2).__dlpack__()

        def __tvm_ffi_env_stream__(self) -> int:
            return 99

    with tvm_ffi.use_raw_stream(tvm_ffi.device("cpu", 0), 8):
        for given in (OnCPU(), tvm_ffi.from_dlpack(OnCPU())):
            assert functions.stream_of(CPU, 0, given) == 8
            assert functions.stream_of(CUDA, 0, given) == 0


def test_the_first_tensor_on_each_device_brings_the_stream(functions: Any) -> None:
    """In a list as among arguments, later tensors on the same device are ignored."""
    address_in = ctypes.pythonapi.PyCapsule_GetPointer
    address_in.restype, address_in.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]

    class Placed:
        def __init__(self, index: int, stream: int) -> None:
            self.index, self.stream = index, stream

        def __dlpack_device__(self) -> tuple[int, int]:
            return (CUDA, self.index)

        def __dlpack__(self, **options: Any) -> Any:
            capsule = numpy.zeros(2).__dlpack__()
            device = (ctypes.c_int32 * 2).from_address(address_in(capsule, b"dltensor") + 8)
            device[:] = [CUDA, self.index]
            return capsule

        def __tvm_ffi_env_stream__(self) -> int:
            return self.stream

    tensors = [Placed(0, 11), Placed(1, 22), Placed(0, 33), Placed(1, 44)]
    for arguments in (tensors, [tensors], [[tensors[0]], {"a": tensors[1:]}]):
        assert functions.stream_of(CUDA, 0, *arguments) == 11
        assert functions.stream_of(CUDA, 1, *arguments) == 22
    assert functions.stream_of(CUDA, 0) == functions.stream_of(CUDA, 1) == 0


@needs_torch
def test_torch_stream_needs_a_gpu() -> None:
    """Without a GPU the error says so, and no context stays entered."""
    if torch.cuda.is_available():
        pytest.skip("this machine has a GPU")
    with (
        pytest.raises(RuntimeError, match="use_torch_stream: expected PyTorch to see a GPU"),
        tvm_ffi.use_torch_stream(),
    ):
        pass


def test_torch_stream_needs_torch() -> None:
    """Without PyTorch the error says so, and no context stays entered."""
    code = """
import sys
sys.modules["torch"] = None
import tvm_ffi
class Context:
    entered = 0
    def __enter__(self):
        self.entered += 1
    def __exit__(self, *exception):
        self.entered -= 1
context = Context()
for given in (None, context):
    try:
        with tvm_ffi.use_torch_stream(given):
            raise AssertionError
    except RuntimeError as error:
        assert str(error) == "use_torch_stream: PyTorch is not installed"
assert context.entered == 0
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("imported", ["", "import torch"])
@needs_torch
def test_torch_stream_may_come_before_tensors(imported: str) -> None:
    """PyTorch need not be imported, nor any tensor passed, beforehand."""
    code = f"""
{imported}
import tvm_ffi
try:
    with tvm_ffi.use_torch_stream():
        pass
except RuntimeError as error:
    assert "expected PyTorch to see a GPU, got none" in str(error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


@needs_torch
def test_torch_stream_on_a_gpu(functions: Any) -> None:
    """PyTorch's stream is current inside the block."""
    if not torch.cuda.is_available():
        pytest.skip("needs a GPU")
    stream = torch.cuda.Stream()
    device = tvm_ffi.device("cuda", stream.device.index)
    with tvm_ffi.use_torch_stream(torch.cuda.stream(stream)):
        assert tvm_ffi.get_raw_stream(device) == stream.cuda_stream
    assert tvm_ffi.get_raw_stream(device) == 0
    with torch.cuda.stream(stream):
        x = torch.zeros(2, device="cuda")
        assert functions.stream_of(CUDA, x.device.index, x) == stream.cuda_stream

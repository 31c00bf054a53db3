# SPDX-License-Identifier: Apache-2.0
# Rows: R3, R4
"""CuPy's adapter, tested with a fake CuPy module where there is no GPU."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from .kits import KITS

# A module with the documented CuPy names used by the adapter. Its arrays claim to be on
# a GPU, but no function in these tests accesses them.
FAKE = """
import sys, types
import numpy

class ndarray:
    def __init__(self, values, device=0):
        self.values, self.device_id = values, device
        self.asked = []
    dtype = property(lambda self: self.values.dtype)
    shape = property(lambda self: self.values.shape)
    def __dlpack_device__(self):
        return (2, self.device_id)
    def __dlpack__(self, *, stream=None, max_version=None):
        self.asked.append(stream)
        capsule = numpy_capsule(self.values, self.device_id)
        return capsule

def numpy_capsule(values, device_id):
    import ctypes
    capsule = values.__dlpack__()
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    address = get(capsule, b"dltensor")
    # DLManagedTensor begins with data, then the device's type and id.
    ctypes.c_int32.from_address(address + 8).value = 2
    ctypes.c_int32.from_address(address + 12).value = device_id
    return capsule

class Device:
    current = 0
    def __init__(self, id):
        self.id = id
    def __enter__(self):
        self.before, Device.current = Device.current, self.id
    def __exit__(self, *exception):
        Device.current = self.before

class Stream:
    def __init__(self, ptr):
        self.ptr = ptr

streams = {0: 16, 1: 32}
made = []
taken = []

def empty(shape, dtype):
    made.append((tuple(shape), dtype, Device.current))
    if dtype == "float64":
        raise MemoryError("out of memory on the device")
    return ndarray(numpy.zeros(shape, dtype), Device.current)

def from_dlpack(tensor):
    if tensor.dtype == "bfloat16":
        raise TypeError("bfloat16 is not supported")
    taken.append(tensor)
    return ndarray(numpy.zeros(tuple(tensor.shape), str(tensor.dtype)))

cupy = types.ModuleType("cupy")
cupy.ndarray, cupy.empty, cupy.from_dlpack = ndarray, empty, from_dlpack
cupy.cuda = types.SimpleNamespace(
    Device=Device,
    get_current_stream=lambda: Stream(streams[Device.current]),
    runtime=types.SimpleNamespace(is_hip=False),
)
for cls in (ndarray, Device):
    cls.__module__ = "cupy"
sys.modules["cupy"] = cupy

import tvm_ffi
functions = tvm_ffi.load_module(LIBRARY)
elements = tvm_ffi.load_module(ELEMENTS)
x = ndarray(numpy.arange(3, dtype="float32"), 1)
"""


@pytest.fixture(scope="module")
def run(library: Path, tmp_path_factory: pytest.TempPathFactory):
    """Run code in a separate Python process in which the fake is CuPy."""
    from .conftest import compile_library

    elements = tmp_path_factory.mktemp("elements") / "elements.so"
    compile_library(Path(__file__).with_name("elements.c"), elements)
    head = f"LIBRARY, ELEMENTS = {str(library)!r}, {str(elements)!r}\n{FAKE}"

    def run(code: str) -> None:
        command = [sys.executable, "-W", "error", "-c", head + code]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr

    return run


def test_calls_follow_cupys_stream(run) -> None:
    """A call runs on CuPy's current stream of the array's device, without synchronizing."""
    run("""
assert functions.stream_of(2, 1, x) == 32
assert functions.stream_of(2, 0, x) == 0
assert x.asked == [-1, -1]
streams[1] = 48
assert functions.stream_of(2, 1, x) == 48
assert functions.stream_of(2, 1) == 0
""")


def test_arrays_are_ready_on_another_frameworks_stream(run) -> None:
    """After a tensor that brings another stream, CuPy makes its arrays ready on that stream."""
    run("""
class Other(ndarray):
    def __tvm_ffi_env_stream__(self):
        return 80
Other.__module__ = "other"
assert functions.stream_of(2, 1, Other(numpy.zeros(1), 1), x) == 80
assert x.asked == [80]
y = ndarray(numpy.zeros(1), 0)
assert functions.stream_of(2, 0, Other(numpy.zeros(1), 1), y, y) == 16  # on another device
assert y.asked == [-1, -1]
""")


def test_imported_arrays_follow_cupys_stream(run) -> None:
    """An array imported by from_dlpack still follows the stream that is current at the call."""
    run("""
tensor = tvm_ffi.from_dlpack(x)
assert tensor.device == tvm_ffi.device("cuda", 1)
streams[1] = 64
assert functions.stream_of(2, 1, tensor) == 64
""")


def test_results_are_cupys(run) -> None:
    """GPU results are CuPy arrays; those CuPy cannot represent stay tensors."""
    run("""
assert type(functions.echo(x)) is ndarray and len(taken) == 1
assert type(functions.echo(x, numpy.zeros(1))) is tvm_ffi.Tensor
functions.keep(numpy.zeros(3))
assert type(functions.kept(x)) is tvm_ffi.Tensor  # in host memory
functions.drop_kept()
""")


def test_allocation_is_cupys(run) -> None:
    """The environment's allocator uses CuPy's pool on the requested device."""
    run("""
made_by_kernel = elements.allocate_like(x)
assert type(made_by_kernel) is ndarray
assert made == [((3,), "float32", 1)]
assert not functions.has_allocator()
""")


def test_host_memory_comes_from_the_default_allocator(run) -> None:
    """With a CuPy array, a host tensor is allocated as without one."""
    run("""
result = functions.allocate(x, 5)
assert type(result) is tvm_ffi.Tensor and result.data_ptr() % 64 == 0 and not made
""")


def test_a_mixture_allocates_by_cupy(run) -> None:
    """NumPy has no GPU memory, so CuPy's allocator serves a call with both."""
    run("""
assert type(elements.allocate_like(x, numpy.zeros(1))) is tvm_ffi.Tensor
assert made == [((3,), "float32", 1)]
""")


def test_errors_of_cupys_allocator(run) -> None:
    """An error raised by CuPy arrives with its kind, and the next call allocates again."""
    run("""
big = ndarray(numpy.zeros(3), 0)
try:
    elements.allocate_like(big)
except MemoryError as error:
    assert "out of memory on the device" in str(error)
else:
    raise AssertionError
assert type(elements.allocate_like(x)) is ndarray
""")


def test_devices_are_read(run) -> None:
    """cupy.cuda.Device converts to a device."""
    run(
        "assert tvm_ffi.device(Device(1)) == tvm_ffi.device('cuda', 1) == functions.echo(Device(1))"
    )


def test_on_a_gpu(library: Path) -> None:
    """Real CuPy: its stream is followed, its arrays come back, and its pool serves the kernel."""
    import tvm_ffi

    cupy = KITS["cupy"]().module
    functions = tvm_ffi.load_module(library)
    x = cupy.arange(3, dtype="float32")
    with cupy.cuda.Stream() as stream:
        assert functions.stream_of(2, x.device.id, x) == stream.ptr
        assert functions.stream_of(2, x.device.id, tvm_ffi.from_dlpack(x)) == stream.ptr
    back = functions.echo(x)
    assert isinstance(back, cupy.ndarray)
    assert back.data.ptr == x.data.ptr

# SPDX-License-Identifier: Apache-2.0
# Rows: R5, R6, R7
"""Pinned and managed memory, as the page on tensors explains them.

There is no such memory without CUDA: a class says of ordinary memory that it is of that kind.
"""

import ctypes
import shlex
import subprocess
from pathlib import Path

import numpy
import pytest
import tvm_ffi
from _verify.package_flags import flags

HERE = Path(__file__).resolve().parent
HEADER = "examples/kernel_library/tvm_ffi_utils.h"
FLAGS = "-shared -fPIC -O0 -Wall -Wextra"
CPU, CUDA, PINNED, MANAGED = 1, 2, 3, 13
DEVICE = 8  # the place of the device in a DLTensor

address_in = ctypes.pythonapi.PyCapsule_GetPointer
address_in.restype, address_in.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]


class InMemory:
    """An array that claims to be in memory of another kind."""

    def __init__(self, values, kind, number=0):
        self.values, self.device = values, (kind, number)

    def __dlpack_device__(self):
        return self.device

    def __dlpack__(self, **options):
        capsule = self.values.__dlpack__()
        place = address_in(capsule, b"dltensor") + DEVICE
        (ctypes.c_int32 * 2).from_address(place)[:] = self.device
        return capsule


class OnStream(InMemory):
    """One whose data is ready on a stream."""

    def __tvm_ffi_env_stream__(self):
        return 0x30


def numbers():
    """Three numbers in ordinary memory."""
    return numpy.arange(3, dtype="float32")


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    """The library of the page."""
    library = tmp_path_factory.mktemp("memory_kinds") / "memory_kinds.so"
    headers = (HERE.parents[1] / HEADER).parent
    command = f"g++ {FLAGS} -I{headers} {flags('--cxxflags')} memory_kinds.cc"
    command += f" -o {library} {flags('--ldflags', '--libs')}"
    subprocess.run(shlex.split(command), cwd=HERE, check=True)
    return library


@pytest.fixture
def mod(library, shows):
    """The library; the test proves what it calls of it."""
    shows("tests/snippets/memory_kinds.cc", HEADER, "tests/snippets/test_memory_kinds.py")
    return tvm_ffi.load_module(library)


def error_of(function, *arguments):
    """The error that a call raises, as the end of a traceback has it."""
    with pytest.raises(ValueError, match="must be") as raised:
        function(*arguments)
    return f"ValueError: {raised.value}"


@pytest.mark.parametrize("kind", [PINNED, MANAGED])
def test_the_kernel_sees_the_kind(mod, kind):
    """A tensor arrives with the device of its struct, and its memory is not copied."""
    source = InMemory(numbers(), kind)
    tensor = tvm_ffi.from_dlpack(source)
    assert tuple(map(int, tensor.__dlpack_device__())) == (kind, 0)
    assert tensor.data_ptr() == source.values.ctypes.data


def test_refused(captured, libraries):
    """The checks of the utility header know two kinds, and refuse others by their number."""
    examples = [tvm_ffi.load_module(libraries / "scale_cpu.so")]
    if (libraries / "scale_cuda.so").exists():
        examples.append(tvm_ffi.load_module(libraries / "scale_cuda.so"))
    pinned, managed = InMemory(numbers(), PINNED), InMemory(numbers(), MANAGED)
    calls = {
        "scale_cpu.scale(pinned, pinned, 2.0)": pinned,
        "scale_cuda.scale(managed, managed, 2.0)": managed,
    }
    texts = []
    for example, (call, x) in zip(examples, calls.items(), strict=False):
        texts.append(f">>> {call}\n{error_of(example.scale, x, x, 2.0)}")
    assert error_of(examples[0].scale, numbers(), pinned, 2.0) == (
        "ValueError: scale: y must be on cpu:0 like x, got device type 3:0"
    )
    if len(examples) < 2:
        assert texts[0].endswith("scale: x must be on the CPU, got device type 3:0")
        pytest.skip("the libraries for CUDA are not built")
    captured("tests/snippets/captured/memory_kinds.txt", "\n".join(texts))


@pytest.mark.parametrize("kind", [CPU, PINNED, MANAGED])
def test_accepted_on_the_cpu(mod, kind):
    """A kernel for the CPU computes in memory of any kind that the check accepts."""
    y = InMemory(numpy.zeros(3, dtype="float32"), kind)
    mod.add_one(InMemory(numbers(), kind), y)
    assert y.values.tolist() == [1, 2, 3]


def test_own_checks_refuse(mod):
    """Each check refuses memory that its side cannot access."""
    assert error_of(mod.add_one, InMemory(numbers(), CUDA), numbers()) == (
        "ValueError: add_one: x must be in memory that the CPU can access, got cuda:0"
    )
    assert error_of(mod.check_gpu_access, numbers()) == (
        "ValueError: check_gpu_access: x must be in memory that a GPU can access, got cpu:0"
    )
    for kind in (CUDA, PINNED, MANAGED):
        mod.check_gpu_access(InMemory(numbers(), kind))


def test_same_device_compares_kinds(mod):
    """The check of the utility header refuses memory of two kinds."""
    assert error_of(
        mod.check_same_device, InMemory(numbers(), CUDA), InMemory(numbers(), MANAGED)
    ) == ("ValueError: check_same_device: y must be on device type 13:0 like x, got cuda:0")


def test_streams(mod):
    """The stream of a managed tensor is not that of the GPU, and a pinned one has none."""
    with tvm_ffi.use_raw_stream(tvm_ffi.device("cuda", 0), 0x10):
        assert mod.stream_of(InMemory(numbers(), CUDA)) == 0x10
        assert mod.stream_of(InMemory(numbers(), MANAGED)) == 0
        assert mod.stream_of(InMemory(numbers(), PINNED)) == 0


def test_streams_of_their_own(library):
    """A managed tensor follows the stream of its producer, and a pinned one does not."""
    mod = tvm_ffi.load_module(library)
    with tvm_ffi.use_raw_stream(tvm_ffi.device("cuda", 0), 0x10):
        assert mod.stream_of(OnStream(numbers(), MANAGED)) == 0x30
        assert mod.stream_of(OnStream(numbers(), PINNED)) == 0


def test_no_allocation(mod):
    """An output cannot be allocated in memory of these kinds."""
    for kind in (PINNED, MANAGED):
        with pytest.raises(RuntimeError, match="TVMFFIEnvTensorAlloc"):
            mod.like(InMemory(numbers(), kind))


def test_frameworks_import():
    """NumPy imports memory of both kinds, and PyTorch of neither."""
    torch = pytest.importorskip("torch")
    for kind in (PINNED, MANAGED):
        tensor = tvm_ffi.from_dlpack(InMemory(numbers(), kind))
        assert numpy.from_dlpack(tensor).tolist() == [0, 1, 2]
        with pytest.raises(BufferError, match=f"Unsupported device_type: {kind}"):
            torch.from_dlpack(tensor)


def test_pinned_tensor_of_pytorch(monkeypatch, libraries):
    """PyTorch says that a pinned tensor is pinned, but exports it as ordinary CPU memory."""
    torch = pytest.importorskip("torch")
    monkeypatch.setattr(torch.Tensor, "is_pinned", lambda self, *device: True)
    x = torch.ones(3)
    assert tuple(map(int, x.__dlpack_device__())) == (PINNED, 0)

    class Capsules:
        """The same tensor, without PyTorch's table of functions."""

        def __dlpack_device__(self):
            return x.__dlpack_device__()

        def __dlpack__(self, **options):
            return x.__dlpack__(**options)

    for each in (x, Capsules()):
        assert tvm_ffi.from_dlpack(each).device == tvm_ffi.device("cpu", 0)
    tvm_ffi.load_module(libraries / "scale_cpu.so").scale(x, x, 2.0)
    assert x.tolist() == [2, 2, 2]

# SPDX-License-Identifier: Apache-2.0
# Rows: R1, R2, R5
"""The allocators example: what is allocated, on which stream it is freed, and who keeps what."""

import gc
import math
import os
import subprocess
import sys
import threading
from pathlib import Path

import cases
import pytest
import tvm_ffi
from hypothesis import given
from hypothesis import strategies as st

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

HERE = Path(__file__).resolve().parent
SOURCES = HERE.parents[1] / "examples/kernel_library/allocators"
DTYPES = {"float32": 4, "float64": 8, "float16": 2, "bool": 1, "int8": 1, "float8_e4m3fn": 1}


@pytest.fixture(scope="module")
def mod(load):
    """The library; no test leaves memory of it behind."""
    mod = load("allocators")
    yield mod
    gc.collect()
    assert mod.bytes_in_use() == 0


@pytest.fixture(scope="module")
def where(device):
    """The device under test, as an argument."""
    return tvm_ffi.device(device)


@given(shape=cases.shapes(), dtype=st.sampled_from(sorted(DTYPES)))
def test_any_shape_of_any_dtype(mod, where, shape, dtype):
    """A tensor is contiguous, aligned, of the type asked for, and takes no more than its bytes."""
    before = mod.bytes_in_use()
    tensor = mod.empty(shape, tvm_ffi.dtype(dtype), where)
    assert tuple(tensor.shape) == shape
    assert tensor.dtype == tvm_ffi.dtype(dtype)
    assert tensor.device == where
    assert tensor.is_contiguous()
    assert mod.bytes_in_use() - before == math.prod(shape) * DTYPES[dtype]
    x = torch.from_dlpack(tensor)
    assert x.data_ptr() % 64 == 0
    x.view(torch.uint8).fill_(0xA5) if shape else x.fill_(1)
    del tensor, x
    assert mod.bytes_in_use() == before


@given(shape=cases.shapes(max_dims=3, most=2000), data=st.data())
def test_strides(mod, where, shape, data):
    """The memory reaches to the end of the last element, gaps included."""
    padding = data.draw(st.lists(st.integers(0, 3), min_size=len(shape), max_size=len(shape)))
    order = data.draw(st.permutations(range(len(shape))))
    strides, step = [0] * len(shape), 1
    for dim in order:
        strides[dim] = step
        step = step * max(shape[dim], 1) + padding[dim]
    span = 1 + sum((n - 1) * s for n, s in zip(shape, strides, strict=True))
    span = 0 if 0 in shape else span
    tensor = mod.empty_strided(shape, strides, tvm_ffi.dtype("float32"), where)
    assert mod.bytes_in_use() == 4 * span
    assert tuple(tensor.strides) == tuple(strides)
    torch.from_dlpack(tensor).fill_(1.0)
    del tensor
    assert mod.bytes_in_use() == 0


def test_the_last_owner_frees(mod, where):
    """Whoever shares the memory keeps it, whichever framework and order."""
    tensor = mod.empty((1000,), tvm_ffi.dtype("float32"), where)
    x = torch.from_dlpack(tensor)
    part = x[10:20]
    other = tvm_ffi.from_dlpack(x)
    del tensor, x
    assert mod.bytes_in_use() == 4000
    del other
    assert mod.bytes_in_use() == 4000
    part.fill_(2.0)
    del part
    assert mod.bytes_in_use() == 0


def test_many_threads(mod, where):
    """Threads allocate and free at the same time, also what another one has allocated."""
    shared, lock, failed = [], threading.Lock(), []

    def work(seed):
        try:
            for i in range(200):
                tensor = mod.empty((seed + i + 1,), tvm_ffi.dtype("uint8"), where)
                with lock:
                    shared.append(tensor)
                    gone = shared.pop(0) if len(shared) > 20 else None
                del tensor, gone
        except Exception as error:
            failed.append(error)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed
    shared.clear()
    assert mod.bytes_in_use() == 0


def test_what_cannot_be_allocated(mod, where, device):
    """Too much is a MemoryError of the allocator, and leaves nothing behind."""
    call = "aligned_alloc" if device == "cpu" else "cudaMalloc"
    with pytest.raises(MemoryError, match=f"^{call}: no memory for {1 << 55} bytes$"):
        mod.empty((1 << 55,), tvm_ffi.dtype("int8"), where)
    with pytest.raises(MemoryError, match="expected a size that fits in memory"):
        mod.empty((1 << 62, 4), tvm_ffi.dtype("int8"), where)
    with pytest.raises(ValueError, match="expected extents that are not negative"):
        mod.empty((2, -1), tvm_ffi.dtype("int8"), where)
    assert mod.bytes_in_use() == 0
    assert mod.empty((3,), tvm_ffi.dtype("int8"), where).shape[0] == 3


def test_another_device_is_refused(mod, device):
    """Each library allocates on its own kind of device."""
    other = tvm_ffi.device("cuda", 1) if device == "cpu" else tvm_ffi.device("cpu")
    said = "the CPU, got cuda:1" if device == "cpu" else "a CUDA device, got cpu:0"
    for name, arguments in (("empty", ((2,),)), ("empty_strided", ((2,), (1,)))):
        with pytest.raises(ValueError, match=f"^{name}: device must be {said}$"):
            getattr(mod, name)(*arguments, tvm_ffi.dtype("int8"), other)


UNLOAD = """
import gc, os, sys, torch, tvm_ffi
path, device = sys.argv[1:]
# A sanitizer keeps what was freed.
asked = device == "cpu" and "LD_PRELOAD" not in os.environ
is_loaded = lambda: path in open("/proc/self/maps").read()
def size():
    return int(open("/proc/self/statm").read().split()[0]) * 4096 if asked else 0
module = tvm_ffi.load_module(path, keep_module_alive=False)
tensor = module.empty((1 << 28,), tvm_ffi.dtype("uint8"), tvm_ffi.device(device))
del module
gc.collect()
x = torch.from_dlpack(tensor)
x[-1] = 7
del tensor
held = size()
print(is_loaded(), int(x[-1]))
del x
gc.collect()
print(is_loaded(), held - size() > 1 << 27 if held else "not asked")
"""


def test_a_tensor_outlives_its_library(device, libraries):
    """Without a module, the code that frees a tensor stays, and its memory goes with the tensor."""
    library = str((libraries / f"allocators_{device}.so").resolve())
    command = [sys.executable, "-c", UNLOAD, library, device]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() in (
        ["True 7", "True True"],
        ["True 7", "True not asked"],
    )


# On a machine without a GPU, the GPU sources run too, over a CUDA and an NVSHMEM made of malloc.


@pytest.fixture(scope="module")
def build_fake(tmp_path_factory):
    """Builds a source of the example with fake_cuda, and loads it."""

    def build(source):
        library = tmp_path_factory.mktemp("fake") / "fake.so"
        flags = subprocess.run(
            [sys.executable, "-m", "tvm_ffi.config", "--cxxflags", "--ldflags", "--libs"],
            capture_output=True,
            text=True,
            check=True,
        ).stdout.split()
        fake = HERE / "fake_cuda"
        files = ["-x", "c++", SOURCES / source, fake / "fake.cc", "-x", "none"]
        environment = {k: v for k, v in os.environ.items() if k != "LD_PRELOAD"}
        subprocess.run(
            ["g++", "-shared", "-fPIC", f"-I{fake}", *files, "-o", library, *flags],
            check=True,
            env=environment,
        )
        return tvm_ffi.load_module(library)

    return build


@pytest.fixture(scope="module")
def built_cuda(build_fake, device):
    """The allocators of CUDA over malloc."""
    if device != "cpu":
        pytest.skip("the real CUDA is tested here")
    return build_fake("allocators_kernel.cu")


@pytest.fixture
def fake(built_cuda):
    """The same, with a clean record."""
    built_cuda.calls()
    yield built_cuda
    # Otherwise the next launch would be blamed; after CUDA has shut down, there is none.
    assert built_cuda.last_error() in (0, 4)
    assert built_cuda.current_device() == 0


def make(fake, name="empty", n=100, index=1):
    """A tensor of bytes on a GPU that there is not."""
    return getattr(fake, name)((n,), tvm_ffi.dtype("int8"), tvm_ffi.device("cuda", index))


def test_allocates_on_the_gpu_that_was_asked_for(fake):
    """That GPU is current for both calls, whichever is current otherwise."""
    before = fake.bytes_in_use()
    tensor = make(fake, index=3)
    assert fake.bytes_in_use() == before + 100
    del tensor
    assert fake.bytes_in_use() == before
    assert fake.calls().splitlines() == ["cudaMalloc(100) on 3", "cudaFree() on 3"]


def test_frees_on_the_stream_of_the_allocation(fake):
    """Whatever stream is current when the last owner goes."""
    gpu = tvm_ffi.device("cuda", 1)
    with tvm_ffi.use_raw_stream(gpu, 0x10):
        tensor = make(fake, "empty_async")
    with tvm_ffi.use_raw_stream(gpu, 0x20):
        del tensor
    assert fake.calls().splitlines() == ["cudaMallocAsync(100, 16) on 1", "cudaFreeAsync(16) on 1"]


def test_an_empty_tensor_calls_nothing(fake):
    """No bytes are asked for, and none are freed."""
    for name in ("empty", "empty_async"):
        make(fake, name, n=0)
    assert fake.calls() == ""


@pytest.mark.parametrize(
    ("name", "call"), [("empty", "cudaMalloc"), ("empty_async", "cudaMallocAsync")]
)
def test_a_failed_allocation_is_raised(fake, name, call):
    """A MemoryError when out of memory, else a RuntimeError with CUDA's words."""
    fake.fail(call, 2)
    with pytest.raises(MemoryError, match=f"^{call}: no memory for 100 bytes$"):
        make(fake, name)
    fake.fail(call, 1)
    with pytest.raises(RuntimeError, match=f"^{call}: cudaErrorFake: a fake error$"):
        make(fake, name)
    fake.fail(call, 0)


@pytest.mark.parametrize(
    ("name", "call"), [("empty", "cudaFree"), ("empty_async", "cudaFreeAsync")]
)
def test_a_failed_free_is_reported(fake, capfd, name, call):
    """Who drops the last share goes on; the memory stays counted."""
    tensor = make(fake, name)
    held = fake.bytes_in_use()
    fake.fail(call, 1)
    del tensor
    fake.fail(call, 0)
    assert capfd.readouterr().err == f"{call}: a fake error: the memory is lost\n"
    assert fake.bytes_in_use() == held


@pytest.mark.parametrize("call", ["cudaGetDevice", "cudaSetDevice"])
def test_a_gpu_that_cannot_be_current(fake, capfd, call):
    """An allocation raises, a free is reported, and neither leaves an error behind."""
    tensor = make(fake)
    fake.fail(call, 1)
    with pytest.raises(RuntimeError, match=r"^cudaMalloc: cudaErrorFake: a fake error$"):
        make(fake)
    assert fake.last_error() == 0
    del tensor
    fake.fail(call, 0)
    assert fake.last_error() == 0
    assert capfd.readouterr().err == "cudaFree: a fake error: the memory is lost\n"


def test_nothing_is_said_when_the_process_ends(fake, capfd):
    """By then CUDA may be gone, and all memory with it."""
    tensor = make(fake)
    fake.fail("cudaFree", 4)
    del tensor
    fake.fail("cudaFree", 0)
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("refusal", [("capture", 1), ("implicit", 906)], ids=lambda each: each[0])
def test_a_capture_is_refused(fake, capfd, refusal):
    """Memory that is allocated in a capture would belong to the graph."""
    tensor = make(fake, "empty_async")
    # The stream is capturing; or cudaErrorStreamCaptureImplicit, for the default stream.
    fake.fail(*refusal)
    with pytest.raises(RuntimeError, match=r"^cudaMallocAsync: cudaErrorFake: a fake error$"):
        make(fake, "empty_async")
    del tensor
    fake.fail(refusal[0], 0)
    assert fake.last_error() == 0
    assert capfd.readouterr().err == "cudaFreeAsync: a fake error: the memory is lost\n"
    assert "cudaFreeAsync" not in fake.calls()


def test_nvshmem_frees_together(build_fake, device, capfd):
    """The last owner marks a block; free_released frees what it is told, in that order."""
    if device != "cpu":
        pytest.skip("the real NVSHMEM is tested in tests/snippets")
    mod = build_fake("nvshmem_allocator.cu")
    for name, arguments in (("empty", [(1,), tvm_ffi.dtype("int8")]), ("stop", [])):
        with pytest.raises(RuntimeError, match=f"^{name}: expected a job that start.. began$"):
            getattr(mod, name)(*arguments)
    assert mod.calls() == ""
    with pytest.raises(ValueError, match=r"^start: id must have 128 bytes, got 3$"):
        mod.start(0, 1, b"abc", tvm_ffi.device("cuda", 1))
    with pytest.raises(ValueError, match=r"^start: device must be a CUDA device, got cpu:0$"):
        mod.start(0, 1, mod.unique_id(), tvm_ffi.device("cpu"))
    mod.start(0, 1, mod.unique_id(), tvm_ffi.device("cuda", 1))
    tensors = [mod.empty((n,), tvm_ffi.dtype("int8")) for n in (10, 20, 30)]
    assert all(tensor.device == tvm_ffi.device("cuda", 1) for tensor in tensors)
    assert mod.calls().splitlines() == [
        "start() on 1",
        *(f"nvshmem_malloc({n}) on 1" for n in (10, 20, 30)),
    ]
    del tensors[2], tensors[0]
    assert mod.calls() == ""  # nothing that another PE would have to join
    assert list(mod.released()) == [0, 2]
    with pytest.raises(ValueError, match=r"of blocks that are released here, got 1$"):
        mod.free_released([0, 1])
    assert list(mod.released()) == [0, 2]
    mod.free_released([2, 2])
    assert mod.calls().splitlines() == ["cudaDeviceSynchronize() on 1", "nvshmem_free() on 1"]
    assert list(mod.released()) == [0]
    with pytest.raises(RuntimeError, match=r"^stop: expected no block to be allocated, got 2$"):
        mod.stop()
    tensors.clear()
    # An error thrown by the guard or the check leaves none for the next launch.
    for call in ("cudaGetDevice", "cudaSetDevice", "cudaDeviceSynchronize"):
        mod.fail(call, 1)
        with pytest.raises(RuntimeError, match=rf"^{call}\(.*\): cudaErrorFake: a fake error$"):
            mod.free_released([0] if call == "cudaDeviceSynchronize" else [])
        mod.fail(call, 0)
        assert mod.last_error() == 0
    mod.free_released([1])
    mod.calls()
    mod.fail("nvshmem_malloc", 1)
    with pytest.raises(MemoryError, match=r"^nvshmem_malloc: no memory for 10 bytes$"):
        mod.empty((10,), tvm_ffi.dtype("int8"))
    mod.fail("nvshmem_malloc", 0)
    mod.stop()
    assert mod.calls().splitlines() == ["nvshmem_malloc(10) on 1", "finalize() on 1"]
    assert mod.current_device() == 0
    with pytest.raises(RuntimeError, match=r"^stop: expected a job that start\(\) began$"):
        mod.stop()


# Tests that need a GPU.


def test_async_memory_is_in_the_order_of_the_stream(mod, device, where):
    """What a stream still reads is not given out again on it before it has been read."""
    if device == "cpu":
        pytest.skip("a CPU has no stream")
    stream = torch.cuda.Stream()
    total = torch.zeros(20, device=device)
    with torch.cuda.stream(stream), tvm_ffi.use_torch_stream():
        for i in range(20):
            tensor = mod.empty_async((1 << 20,), tvm_ffi.dtype("float32"), where)
            x = torch.from_dlpack(tensor)
            x.fill_(float(i))
            total[i] = x.mean()
            del tensor, x
    stream.synchronize()
    assert total.tolist() == list(range(20))
    assert mod.bytes_in_use() == 0


def test_async_memory_in_a_capture(mod, device, where):
    """A capture refuses it."""
    if device == "cpu":
        pytest.skip("a CPU kernel is not captured")
    y = torch.zeros(8, device=device)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph), tvm_ffi.use_torch_stream():
        y.add_(1)
        with pytest.raises(RuntimeError, match="cudaErrorStreamCaptureUnsupported"):
            mod.empty_async((8,), tvm_ffi.dtype("float32"), where)
    graph.replay()
    assert bool((y == 1).all())

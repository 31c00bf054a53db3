# SPDX-License-Identifier: Apache-2.0
# Rows: R3, R4, R5
"""The storage example: exact counts in a workspace that is kept, from many threads at once."""

import threading

import cases
import numpy as np
import pytest
import tvm_ffi
from hypothesis import given
from hypothesis import strategies as st
from producer import Producer
from tvm_ffi import storage

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

DTYPES = [torch.uint8, torch.int32, torch.int64]
NAME = "storage_example.histogram"
INT64 = (0, 64)


@pytest.fixture(scope="module")
def histogram(load):
    """The exported function."""
    return load("storage").histogram


def expected(x, bins):
    """Count on the CPU what lies between 0 and bins."""
    values = x.flatten().cpu().to(torch.int64)
    values = values[(values >= 0) & (values < bins)]
    return torch.bincount(values, minlength=bins)


def check(histogram, x, bins):
    """Counts into poisoned memory."""
    counts = cases.Poisoned((bins,), torch.int64, x.device)
    histogram(x, counts.tensor)
    assert torch.equal(counts.tensor.cpu(), expected(x, bins))
    counts.check_guards()


def draw(shape, dtype, device, low, high, seed=0):
    """Random integers, of which some may have no bin."""
    random = torch.Generator(device=device).manual_seed(seed)
    low = max(low, torch.iinfo(dtype).min)
    high = min(high, torch.iinfo(dtype).max)
    return torch.randint(low, high + 1, shape, device=device, generator=random).to(dtype)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("shape", [(), (0,), (3, 0), (1,), (31,), (257,), (33, 65), (262_147,)])
@pytest.mark.parametrize("bins", [8192, 256, 0, 1, 2, 31, 33])
def test_any_shape_of_any_dtype(histogram, device, dtype, shape, bins):
    """Every size of input and output, in a workspace that a larger call has used before."""
    check(histogram, draw(shape, dtype, device, -3, bins + 3), bins)


@given(
    dtype=st.sampled_from(DTYPES),
    shape=cases.shapes(),
    bins=st.integers(0, 300),
    seed=st.integers(0, 1000),
    offset=st.integers(0, 9),
)
def test_random(histogram, device, dtype, shape, bins, seed, offset):
    """Random values in random shapes, from any element of a buffer on, one call after another."""
    n = int(np.prod(shape))
    check(histogram, draw((n + offset,), dtype, device, -5, 305, seed)[offset:].view(shape), bins)


def in_threads(count, work):
    """Run work(number) in threads that begin together; what one raises is raised."""
    begin, failed = threading.Barrier(count), []

    def run(number):
        try:
            begin.wait()
            work(number)
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failed:
        raise failed[0]


def test_many_threads(histogram, device):
    """Threads count at the same time, and workspaces grow while others are used."""
    bins = [3, 700, 64, 5000, 1, 8192, 300, 2]
    inputs = [draw((200_003,), torch.int32, device, -1, n) for n in bins]
    wanted = [expected(x, n) for x, n in zip(inputs, bins, strict=True)]

    def work(number):
        for i in range(60):
            each = (number + i) % len(bins)
            counts = torch.full((bins[each],), -1, dtype=torch.int64, device=device)
            histogram(inputs[each], counts)
            assert torch.equal(counts.cpu(), wanted[each])

    in_threads(16, work)


def test_short_threads(histogram, device):
    """A thread may find the workspace of one that has ended."""
    for number in range(50):
        x = draw((1000 + number,), torch.uint8, device, 0, 99, number)
        in_threads(2, lambda _, x=x: check(histogram, x, 100))


def allocations(call):
    """How often PyTorch's allocator was asked in a call."""
    with torch.profiler.profile() as profile:
        call()
    return sum(event.name == "aten::empty" for event in profile.events())


def test_the_workspace_is_kept(histogram, device):
    """Only a call that needs a larger one allocates."""
    x = draw((1000,), torch.int32, device, 0, 9)
    small, large = (torch.zeros(n, dtype=torch.int64, device=device) for n in (10, 4000))
    seen = []

    def work(_):
        histogram(x, small)
        seen.append(allocations(lambda: histogram(x, small)))
        seen.append(allocations(lambda: histogram(x, large)))
        seen.append(allocations(lambda: histogram(x, large)))
        seen.append(allocations(lambda: histogram(x, small)))

    if device == "cuda":
        with torch.cuda.stream(torch.cuda.Stream()):  # A stream without a workspace.
            work(0)
    else:
        key_free = threading.Thread(target=work, args=(0,))
        key_free.start()
        key_free.join()
    # An earlier thread may have left a workspace that is large enough.
    assert seen[0] == seen[2] == seen[3] == 0
    assert seen[1] <= 1


def test_each_stream_has_its_own(histogram, device):
    """The keys name device and stream; each workspace is zero between calls."""
    if device == "cpu":
        pytest.skip("a CPU kernel has no stream")
    x = draw((100_003,), torch.int32, device, 0, 9)
    streams = [torch.cuda.Stream() for _ in range(3)]
    for stream in streams:
        with torch.cuda.stream(stream):
            check(histogram, x, 10)
    torch.cuda.synchronize()
    found = []
    for stream in streams:
        kept = storage.get(storage.key(NAME, tvm_ffi.device(device), stream.cuda_stream))
        assert isinstance(kept, tvm_ffi.Tensor)
        kept = torch.from_dlpack(kept)
        assert not bool(kept.any())
        found.append(kept.data_ptr())
    assert len(set(found)) == 3


def test_streams_at_the_same_time(histogram, device):
    """Calls on several streams do not disturb each other."""
    if device == "cpu":
        pytest.skip("a CPU kernel has no stream")
    inputs = [draw((1 << 22,), torch.int32, device, 0, 99, seed) for seed in range(4)]
    counts = [torch.zeros(100, dtype=torch.int64, device=device) for _ in inputs]
    streams = [torch.cuda.Stream() for _ in inputs]
    torch.cuda.synchronize()
    for _ in range(20):
        for x, out, stream in zip(inputs, counts, streams, strict=True):
            with torch.cuda.stream(stream):
                histogram(x, out)
    torch.cuda.synchronize()
    for x, out in zip(inputs, counts, strict=True):
        assert torch.equal(out.cpu(), expected(x, 100))


def test_can_be_captured_in_a_cuda_graph(histogram, device):
    """A graph has its own workspace, so growing one afterwards takes nothing from it."""
    if device == "cpu":
        pytest.skip("a CPU kernel is not captured")
    x = torch.zeros(1000, dtype=torch.int32, device=device)
    counts = torch.zeros(10, dtype=torch.int64, device=device)
    histogram(x, counts)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        histogram(x, counts)
    check(histogram, x, 8192)
    for value in (3, 4):
        x.fill_(value)
        graph.replay()
        torch.cuda.synchronize()
        assert counts.tolist() == [1000 * (i == value) for i in range(10)]


@pytest.mark.parametrize(
    ("change", "kind", "message"),
    [
        (
            lambda t: (t(100).float(), t(10)),
            TypeError,
            "x must be uint8, int32 or int64, got float32",
        ),
        (
            lambda t: (t(100)[::2], t(10)),
            ValueError,
            "x must be contiguous, got shape (50,) with strides (2,)",
        ),
        (lambda t: (t(100), t(10).int()), TypeError, "counts must be int64, got int32"),
        (lambda t: (t(100), t(2, 5)), ValueError, "counts must be 1-dimensional, got 2"),
        (
            lambda t: (t(100), t(8193)),
            ValueError,
            "counts must be of at most 8192 bins, got 8193",
        ),
        (
            lambda t: (lambda m: (m[100:], m[95:105]))(t(200)),
            ValueError,
            "counts must be apart from x, got overlapping ranges",
        ),
        (
            lambda t: (lambda m: (m, m))(t(10)),
            ValueError,
            "counts must be apart from x, got overlapping ranges",
        ),
    ],
)
def test_wrong_arguments_are_named(histogram, device, change, kind, message):
    """The error names the kernel, the argument, what was expected and what came."""
    zeros = lambda *shape: torch.zeros(shape, dtype=torch.int64, device=device)  # noqa: E731
    with pytest.raises(kind) as raised:
        histogram(*change(zeros))
    assert str(raised.value) == f"histogram: {message}"


def test_tensors_on_other_devices_are_refused(histogram, device):
    """The input must be where the kernel runs, and the output where the input is."""
    memory = np.zeros(8, dtype="int64")
    counts = torch.zeros(8, dtype=torch.int64, device=device)
    if device == "cpu":
        x, message = Producer(memory, 8, INT64, device=(2, 1)), "on the CPU, got cuda:1"
    else:
        x, message = Producer(memory, 8, INT64), "on a CUDA device, got cpu:0"
    with pytest.raises(ValueError, match=f"^histogram: x must be {message}$"):
        histogram(x, counts)
    where = "cpu:0" if device == "cpu" else f"cuda:{counts.device.index}"
    message = f"^histogram: counts must be on {where} like x, got device type 3:0$"
    with pytest.raises(ValueError, match=message):
        histogram(counts.clone(), Producer(memory, 8, INT64, device=(3, 0)))


def test_a_byte_offset_is_honoured(load_function, device):
    """Input and output may begin at a byte offset."""
    histogram = load_function("storage", "histogram")
    memory = torch.tensor([0, 1, 2, 2, 3], device=device)
    counts = torch.full((6,), -1, dtype=torch.int64, device=device)
    kind, index = memory.__dlpack_device__()
    on = {"device": (int(kind), int(index))}
    histogram(
        Producer(memory, 3, INT64, offset=16, told=16, **on),
        Producer(counts, 4, INT64, offset=8, told=8, **on),
    )
    if device == "cuda":
        torch.cuda.synchronize()
    assert counts.tolist() == [-1, 0, 0, 2, 1, -1]


def test_runs_on_the_current_stream(histogram, device):
    """The kernel waits for what PyTorch queued before it on the current stream."""
    if device == "cpu":
        pytest.skip("a CPU kernel has no stream")
    x = torch.zeros(1 << 20, dtype=torch.int32, device=device)
    counts = torch.zeros(4, dtype=torch.int64, device=device)
    torch.cuda.synchronize()
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        torch.cuda._sleep(200_000_000)  # On any other stream the kernel would read zeros.
        x.fill_(3)
        histogram(x, counts)
    stream.synchronize()
    assert counts.tolist() == [0, 0, 0, 1 << 20]


def test_runs_on_the_tensors_gpu(histogram, device):
    """Each GPU has workspaces of its own, and the current one stays as it was."""
    if device == "cpu" or torch.cuda.device_count() < 2:
        pytest.skip("needs two GPUs")
    for where in ("cuda:0", "cuda:1", "cuda:0"):
        check(histogram, draw((1000,), torch.int32, where, 0, 9), 10)
    assert torch.cuda.current_device() == 0

# SPDX-License-Identifier: Apache-2.0
# Rows: R1, R3, R6
"""The workspace example: counts that are exact, in memory that the caller gives."""

import cases
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from producer import Producer

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

DTYPES = [torch.uint8, torch.int32, torch.int64]
UINT8, INT64 = (1, 8), (0, 64)


@pytest.fixture(scope="module")
def mod(load):
    """The library."""
    return load("workspace")


def expected(x, bins):
    """Count on the CPU what lies between 0 and bins."""
    values = x.flatten().cpu().to(torch.int64)
    values = values[(values >= 0) & (values < bins)]
    return torch.bincount(values, minlength=bins)


def check(mod, x, bins, spare=0):
    """Counts into poisoned memory, in a workspace that is poisoned and just large enough."""
    counts = cases.Poisoned((bins,), torch.int64, x.device)
    size = mod.histogram_workspace_size(x, counts.tensor)
    workspace = cases.Poisoned((size + spare,), torch.uint8, x.device)
    before = x.clone()
    mod.histogram(x, counts.tensor, workspace.tensor)
    assert torch.equal(counts.tensor.cpu(), expected(x, bins))
    counts.check_guards()
    workspace.check_guards()
    assert torch.equal(x, before)
    return counts.tensor


def draw(shape, dtype, device, low, high, seed=0):
    """Random integers, of which some may have no bin."""
    random = torch.Generator(device=device).manual_seed(seed)
    low = max(low, torch.iinfo(dtype).min)
    high = min(high, torch.iinfo(dtype).max)
    return torch.randint(low, high + 1, shape, device=device, generator=random).to(dtype)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("shape", [(), (0,), (3, 0), (1,), (31,), (257,), (33, 65), (262_147,)])
@pytest.mark.parametrize("bins", [0, 1, 2, 31, 33, 256, 8192])
def test_any_shape_of_any_dtype(mod, device, dtype, shape, bins):
    """Every size of input and output; what has no bin is not counted."""
    check(mod, draw(shape, dtype, device, -3, bins + 3), bins)


@given(
    dtype=st.sampled_from(DTYPES),
    shape=cases.shapes(),
    bins=st.integers(0, 300),
    seed=st.integers(0, 1000),
    offset=st.integers(0, 9),
)
def test_random(mod, device, dtype, shape, bins, seed, offset):
    """Random values in random shapes, from any element of a buffer on."""
    n = int(np.prod(shape))
    x = draw((n + offset,), dtype, device, -5, 305, seed)[offset:].view(shape)
    check(mod, x, bins, spare=seed % 50)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_extreme_values(mod, device, dtype):
    """The least and the largest number of a type have no bin, or the last."""
    info = torch.iinfo(dtype)
    x = torch.tensor([info.min, info.max, 0, 1] * 9, dtype=dtype, device=device)
    check(mod, x, 255)
    check(mod, x, 256)


def test_all_equal(mod, device):
    """The worst case for counters in shared memory is counted right too."""
    check(mod, torch.full((1_000_003,), 7, dtype=torch.int32, device=device), 10)


def test_the_same_every_time(mod, device):
    """Many calls in one workspace, whatever is in it, give the same."""
    x = draw((100_003,), torch.int32, device, 0, 99)
    counts = torch.empty(100, dtype=torch.int64, device=device)
    size = mod.histogram_workspace_size(x, counts)
    workspace = torch.empty(size, dtype=torch.uint8, device=device)
    for byte in (0, 0xA5, 0xFF, 1):
        workspace.fill_(byte)
        mod.histogram(x, counts, workspace)
        mod.histogram(x, counts, workspace)
        assert torch.equal(counts.cpu(), expected(x, 100))


def arguments(device, **changed):
    """Good arguments, some of them changed."""
    make = {
        "x": torch.zeros(100, dtype=torch.int32, device=device),
        "counts": torch.zeros(10, dtype=torch.int64, device=device),
        "workspace": torch.zeros(4096, dtype=torch.uint8, device=device),
    }
    return list((make | changed).values())


@pytest.mark.parametrize(
    ("change", "kind", "message"),
    [
        (
            lambda t: {"x": t(100).float()},
            TypeError,
            "x must be uint8, int32 or int64, got float32",
        ),
        (
            lambda t: {"x": t(100)[::2]},
            ValueError,
            "x must be contiguous, got shape (50,) with strides (2,)",
        ),
        (
            lambda t: {"counts": t(10).int()},
            TypeError,
            "counts must be int64, got int32",
        ),
        (lambda t: {"counts": t(2, 5)}, ValueError, "counts must be 1-dimensional, got 2"),
        (
            lambda t: {"counts": t(20)[::2]},
            ValueError,
            "counts must be contiguous, got shape (10,) with strides (2,)",
        ),
        (
            lambda t: {"counts": t(8193)},
            ValueError,
            "counts must be of at most 8192 bins, got 8193",
        ),
        (
            lambda t: {"workspace": t(500)},
            TypeError,
            "workspace must be uint8, got int64",
        ),
        (
            lambda t: {"workspace": t(1024).to(torch.uint8)[1:]},
            ValueError,
            "workspace must be aligned to 16 bytes, got an address that is not",
        ),
        (
            lambda t: {"workspace": t(8000).to(torch.uint8)[::2]},
            ValueError,
            "workspace must be contiguous, got shape (4000,) with strides (2,)",
        ),
        (
            lambda t: (lambda m: {"x": m[100:], "counts": m[95:105]})(t(200)),
            ValueError,
            "counts must be apart from x, got overlapping ranges",
        ),
        (
            lambda t: (lambda m: {"x": m[:100], "workspace": m.view(torch.uint8)})(t(200)),
            ValueError,
            "workspace must be apart from x, got overlapping ranges",
        ),
        (
            lambda t: (lambda m: {"counts": m[:10], "workspace": m.view(torch.uint8)})(t(200)),
            ValueError,
            "workspace must be apart from counts, got overlapping ranges",
        ),
        (
            lambda t: (lambda m: {"x": m, "workspace": m})(t(4096).to(torch.uint8)),
            ValueError,
            "workspace must be apart from x, got overlapping ranges",
        ),
    ],
)
def test_wrong_arguments_are_named(mod, device, change, kind, message):
    """The error names the kernel, the argument, what was expected and what came."""
    zeros = lambda *shape: torch.zeros(shape, dtype=torch.int64, device=device)  # noqa: E731
    with pytest.raises(kind) as raised:
        mod.histogram(*arguments(device, **change(zeros)))
    assert str(raised.value) == f"histogram: {message}"


def test_a_workspace_that_is_too_small(mod, device):
    """One byte less than was asked for is refused, before anything is written."""
    x, counts, _ = arguments(device)
    size = mod.histogram_workspace_size(x, counts)
    workspace = torch.full((size - 1,), 0xA5, dtype=torch.uint8, device=device)
    counts.fill_(5)
    message = f"^histogram: workspace must be of at least {size} bytes, got {size - 1}$"
    with pytest.raises(ValueError, match=message):
        mod.histogram(x, counts, workspace)
    assert bool((counts == 5).all())
    assert bool((workspace == 0xA5).all())


def test_the_size_is_checked_alike(mod, device):
    """What histogram would refuse has no size, and the function that was called is named."""
    x, counts, _ = arguments(device)
    with pytest.raises(TypeError) as raised:
        mod.histogram_workspace_size(x.double(), counts)
    assert str(raised.value) == (
        "histogram_workspace_size: x must be uint8, int32 or int64, got float64"
    )


def test_tensors_on_two_devices_are_refused(mod, device):
    """Output and workspace must be where the input is."""
    x, counts, workspace = arguments(device)
    where = "cpu:0" if device == "cpu" else f"cuda:{x.device.index}"
    elsewhere = {"device": (3, 0)}
    text = f"must be on {where} like x, got device type 3:0$"
    with pytest.raises(ValueError, match=f"^histogram: counts {text}"):
        mod.histogram(x, Producer(counts, 10, INT64, **elsewhere), workspace)
    with pytest.raises(ValueError, match=f"^histogram: workspace {text}"):
        mod.histogram(x, counts, Producer(workspace, 4096, UINT8, **elsewhere))


def test_a_tensor_on_another_kind_of_device_is_refused(mod, device):
    """A CPU kernel refuses GPU tensors, and a CUDA kernel refuses CPU tensors."""
    _, counts, workspace = arguments(device)
    memory = np.zeros(8, dtype="int64")
    if device == "cpu":
        x, message = Producer(memory, 8, INT64, device=(2, 1)), "on the CPU, got cuda:1"
    else:
        x, message = Producer(memory, 8, INT64), "on a CUDA device, got cpu:0"
    with pytest.raises(ValueError, match=f"^histogram: x must be {message}$"):
        mod.histogram(x, counts, workspace)


def place(tensor):
    """Device of a PyTorch tensor as DLPack tells it."""
    kind, index = tensor.__dlpack_device__()
    return (int(kind), int(index))


def test_a_byte_offset_is_honoured(load_function, device):
    """Each of the three may begin at a byte offset."""
    histogram = load_function("workspace", "histogram")
    memory = torch.tensor([0, 1, 2, 2, 3], device=device)
    counts = torch.full((6,), -1, dtype=torch.int64, device=device)
    workspace = torch.zeros(4096, dtype=torch.uint8, device=device)
    on = {"device": place(memory)}
    histogram(
        Producer(memory, 3, INT64, offset=16, told=16, **on),
        Producer(counts, 4, INT64, offset=8, told=8, **on),
        Producer(workspace, 4000, UINT8, offset=32, told=32, **on),
    )
    if device == "cuda":
        torch.cuda.synchronize()
    assert counts.tolist() == [-1, 0, 0, 2, 1, -1]


def test_misaligned_numbers_are_refused(mod, device):
    """Numbers that cross their boundaries are refused."""
    _, counts, workspace = arguments(device)
    memory = torch.zeros(64, dtype=torch.int64, device=device)
    x = Producer(memory, 4, INT64, offset=4, device=place(memory))
    message = "histogram: x must be aligned to its 8 byte items, got an address 4 too far"
    with pytest.raises(ValueError, match=f"^{message}$"):
        mod.histogram(x, counts, workspace)


def test_runs_on_the_current_stream(mod, device):
    """The kernels wait for what PyTorch queued before them on the current stream."""
    if device == "cpu":
        pytest.skip("a CPU kernel has no stream")
    x = torch.zeros(1 << 20, dtype=torch.int32, device=device)
    counts = torch.zeros(4, dtype=torch.int64, device=device)
    workspace = torch.zeros(mod.histogram_workspace_size(x, counts), dtype=torch.uint8).to(device)
    torch.cuda.synchronize()
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        torch.cuda._sleep(200_000_000)  # On any other stream the kernel would read zeros.
        x.fill_(3)
        mod.histogram(x, counts, workspace)
    stream.synchronize()
    assert counts.tolist() == [0, 0, 0, 1 << 20]


def test_can_be_captured_in_a_cuda_graph(mod, device):
    """The kernel allocates nothing, so a captured call runs again on what is there then."""
    if device == "cpu":
        pytest.skip("a CPU kernel is not captured")
    x, counts, workspace = arguments(device)
    mod.histogram(x, counts, workspace)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        mod.histogram(x, counts, workspace)
    x.fill_(4)
    graph.replay()
    torch.cuda.synchronize()
    assert counts.tolist() == [0, 0, 0, 0, 100, 0, 0, 0, 0, 0]


def test_runs_on_the_tensors_gpu(mod, device):
    """The kernel runs on the GPU of its tensors, and the current one stays as it was."""
    if device == "cpu" or torch.cuda.device_count() < 2:
        pytest.skip("needs two GPUs")
    check(mod, draw((1000,), torch.int32, "cuda:1", 0, 9), 10)
    assert torch.cuda.current_device() == 0


@cases.slow
def test_more_than_two_billion_elements(mod, device):
    """Indices are 64-bit, and so are the counts."""
    n = 2**32 + 70_001 if device == "cuda" else 2**31 + 70_001
    x = torch.ones(n, dtype=torch.uint8, device=device)
    places = [0, 2**31 - 1, 2**31, n - 1]
    x[places] = 2
    counts = torch.zeros(4, dtype=torch.int64, device=device)
    size = mod.histogram_workspace_size(x, counts)
    mod.histogram(x, counts, torch.empty(size, dtype=torch.uint8, device=device))
    assert counts.tolist() == [0, n - len(places), len(places), 0]

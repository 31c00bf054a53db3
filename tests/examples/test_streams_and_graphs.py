# SPDX-License-Identifier: Apache-2.0
# Rows: R1, R3, R4, R6
"""The streams_and_graphs example: its kernels against float64, on streams and in graphs."""

import importlib.util
import math
import os
from pathlib import Path

import numpy as np
import pytest
import tvm_ffi
from cases import Poisoned, assert_rounds_to, shapes, slow
from hypothesis import given
from hypothesis import strategies as st
from producer import FLOAT32, Producer

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

EXAMPLE = Path(__file__).resolve().parents[2] / "examples/kernel_library/streams_and_graphs"
PARTS = 1024
EPS = torch.finfo(torch.float32).eps
NAP = 200_000_000  # cycles that keep a GPU busy, so that work that does not wait runs too early


@pytest.fixture(scope="module")
def kernels(load):
    """The library."""
    return load("streams_and_graphs")


@pytest.fixture(scope="module")
def example():
    """The example's own file."""
    spec = importlib.util.spec_from_file_location("example", EXAMPLE / "streams_and_graphs.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def needs_gpu(device):
    """Skip on a CPU, where nothing is queued."""
    if device == "cpu":
        pytest.skip("a CPU kernel has no stream")


def numbers(shape, device, seed=0, signed=False):
    """Random numbers; positive ones have a sum that is far from 0."""
    maker = torch.Generator(device="cpu").manual_seed(seed)
    x = torch.rand(shape, generator=maker) + 0.01
    return (x - 0.5 if signed else x).to(device)


def error_of_sum(x):
    """What a sum in float32 may be off.

    On its way each number is part of at most so many sums, each rounded once: those of one of 16
    lanes in one of 1024 parts, of the lanes and what is left over, and of the parts in the same
    way. A GPU has more sums side by side.
    """
    additions = x.numel() / (16 * PARTS) + 1 + 32 + PARTS / 16 + 32
    return additions * EPS / 2 * float(x.double().abs().sum())


def assert_is_normalized(y, x):
    """Compare with float64; y is off by what the sum is, by its inverse, and rounded once."""
    total = float(x.double().sum())
    relative = error_of_sum(x) / total + EPS / 2
    reference = x.double() / total
    assert_rounds_to(y, reference, reference.abs() * relative * (1 + 2 * relative) + 1e-44)


def check(kernels, x):
    """Run all functions into poisoned workspaces and outputs."""
    for steps in (("partial_sums", "divide_by_sum"), ("normalize",)):
        workspace = Poisoned((PARTS,), torch.float32, x.device)
        y = Poisoned(x.shape, torch.float32, x.device)
        for step in steps:
            to = (y.tensor,) if step != "partial_sums" else ()
            getattr(kernels, step)(x, workspace.tensor, *to)
        workspace.check_guards()
        y.check_guards()
        got = float(workspace.tensor.double().sum())
        assert abs(got - float(x.double().sum())) <= error_of_sum(x)
        if x.numel() > 0:
            assert_is_normalized(y.tensor, x)


@given(shape=shapes(), seed=st.integers(0, 2**32))
def test_any_shape(kernels, device, shape, seed):
    """Every shape is right, and nothing else is written."""
    check(kernels, numbers(shape, device, seed))


@pytest.mark.parametrize("n", [0, 1, 3, 4, 5, 1023, 1024, 1025, 16_381, 1_000_003])
@pytest.mark.parametrize("start", [0, 1])
def test_vectors_and_their_tails(kernels, device, n, start):
    """Sizes around a vector and around the parts, from addresses on a boundary and off it."""
    check(kernels, numbers(n + start, device)[start:])


def test_sums_that_cancel(kernels, device):
    """Each part's sum is within its bound when numbers of both signs cancel."""
    x = numbers(100_003, device, signed=True)
    workspace = torch.empty(PARTS, device=device)
    kernels.partial_sums(x, workspace)
    assert abs(float(workspace.double().sum()) - float(x.double().sum())) <= error_of_sum(x)


def test_the_same_input_gives_the_same_bits(kernels, device):
    """The order of additions is always the same."""
    x = numbers(1_000_003, device, signed=True)
    first, second = (torch.empty(PARTS, device=device) for _ in range(2))
    kernels.partial_sums(x, first)
    kernels.partial_sums(x, second)
    assert torch.equal(first, second)


def test_special_numbers(kernels, device):
    """A sum of 0 divides as IEEE says, and NaN spreads."""
    workspace, y = torch.empty(PARTS, device=device), torch.empty(3, device=device)
    kernels.normalize(torch.tensor([1.0, -1.0, 0.0], device=device), workspace, y)
    assert [str(each) for each in y.tolist()] == ["inf", "-inf", "nan"]
    tiny = torch.tensor([1e-40, 3e-40, 0.0], device=device)  # Its inverse overflows float32.
    kernels.normalize(tiny, workspace, y)
    torch.testing.assert_close(y.cpu(), torch.tensor([0.25, 0.75, 0.0]), rtol=1e-4, atol=0)
    kernels.normalize(torch.tensor([1e38, 2e38, 0.0], device=device), workspace, y)
    torch.testing.assert_close(y.cpu(), torch.tensor([1, 2, 0]) / 3)
    kernels.normalize(torch.tensor([1.0, math.nan, 0.0], device=device), workspace, y)
    assert torch.isnan(y).all()


def test_works_in_place(kernels, device):
    """The output may be the input."""
    x = numbers(10_001, device)
    before = x.clone()
    kernels.normalize(x, torch.empty(kernels.workspace_size(), device=device), x)
    assert_is_normalized(x, before)


@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (
            lambda k, t: k.partial_sums(t(4).double(), t(PARTS)),
            TypeError,
            "partial_sums: x must be float32, got float64",
        ),
        (
            lambda k, t: k.partial_sums(t(8)[::2], t(PARTS)),
            ValueError,
            "partial_sums: x must be contiguous, got shape (4,) with strides (2,)",
        ),
        (
            lambda k, t: k.partial_sums(t(4), t(PARTS).int()),
            TypeError,
            "partial_sums: workspace must be float32, got int32",
        ),
        (
            lambda k, t: k.partial_sums(t(4), t(PARTS, 1)),
            ValueError,
            "partial_sums: workspace must be 1-dimensional, got 2",
        ),
        (
            lambda k, t: k.partial_sums(t(4), t(PARTS - 1)),
            ValueError,
            "partial_sums: workspace must be of workspace_size() elements, which is 1024, got 1023",
        ),
        (
            lambda k, t: k.partial_sums(t(4), t(2 * PARTS)[::2]),
            ValueError,
            "partial_sums: workspace must be contiguous, got shape (1024,) with strides (2,)",
        ),
        (
            lambda k, t: (lambda m: k.partial_sums(m, m))(t(PARTS)),
            ValueError,
            "partial_sums: workspace must be apart from x, got overlapping ranges",
        ),
        (
            lambda k, t: (lambda w: k.divide_by_sum(t(4), w, w[:4]))(t(PARTS)),
            ValueError,
            "divide_by_sum: y must be apart from workspace, got overlapping ranges",
        ),
        (
            lambda k, t: (lambda m: k.divide_by_sum(m[:4], t(PARTS), m[2:6]))(t(8)),
            ValueError,
            "divide_by_sum: y must be the same tensor as x or apart from it, "
            "got overlapping ranges",
        ),
        (
            lambda k, t: k.normalize(t(4), t(PARTS), t(5)),
            ValueError,
            "normalize: y must be of shape (4,) like x, got (5,)",
        ),
        (
            lambda k, t: k.normalize(t(4), t(PARTS), t(4).half()),
            TypeError,
            "normalize: y must be float32 like x, got float16",
        ),
        (
            lambda k, t: k.normalize(t(4), t(PARTS), t(8)[::2]),
            ValueError,
            "normalize: y must be contiguous, got shape (4,) with strides (2,)",
        ),
    ],
)
def test_wrong_arguments_are_named(kernels, device, call, kind, message):
    """The error names the function, the argument, what was expected and what came."""
    with pytest.raises(kind) as raised:
        call(kernels, lambda *shape: torch.zeros(*shape, device=device))
    assert str(raised.value) == message


def test_other_devices_and_crooked_addresses_are_refused(kernels, device):
    """Tensors that are elsewhere, or that cross their items' boundaries, are refused."""
    x, workspace = torch.zeros(8, device=device), torch.zeros(PARTS + 1, device=device)
    told = (2, 1) if device == "cpu" else (1, 0)
    message = "on the CPU, got cuda:1" if device == "cpu" else "on a CUDA device, got cpu:0"
    with pytest.raises(ValueError, match=f"^partial_sums: x must be {message}$"):
        kernels.partial_sums(Producer(x, 4, FLOAT32, device=told), workspace)
    with pytest.raises(ValueError, match=r"^partial_sums: workspace must be on .* device type 3:0"):
        kernels.partial_sums(x, Producer(workspace, PARTS, FLOAT32, device=(3, 0)))
    where = tuple(int(each) for each in x.__dlpack_device__())
    with pytest.raises(ValueError, match="x must be aligned to its 4 byte items, got an address 1"):
        kernels.partial_sums(Producer(x, 4, FLOAT32, offset=1, device=where), workspace)
    crooked = Producer(workspace, PARTS, FLOAT32, offset=2, device=where)
    with pytest.raises(ValueError, match=r"workspace must be aligned .* got an address 2 too far"):
        kernels.partial_sums(x, crooked)


def test_views_that_are_negated_when_read_are_refused(kernels, device):
    """PyTorch's marks on views are not misread."""
    x = torch._neg_view(torch.ones(4, device=device))
    with pytest.raises(ValueError, match="negated when read"):
        kernels.partial_sums(x, torch.zeros(PARTS, device=device))


def test_a_byte_offset_is_honoured(kernels, device):
    """A producer that gives the first element by a byte offset is read right."""
    x = torch.tensor([100.0, 1.0, 3.0], device=device)
    where = tuple(int(each) for each in x.__dlpack_device__())
    told = Producer(x, 2, FLOAT32, offset=4, told=4, device=where)
    y = torch.zeros(2, device=device)
    kernels.normalize(told, torch.zeros(PARTS, device=device), y)
    assert y.tolist() == [0.25, 0.75]


def test_numpy_arrays_use_the_same_library(kernels, device):
    """The library knows no framework."""
    if device == "cuda":
        pytest.skip("NumPy has no arrays on a GPU")
    y = np.empty(2, dtype="float32")
    kernels.normalize(np.array([1, 3], "float32"), np.empty(PARTS, "float32"), y)
    assert y.tolist() == [0.25, 0.75]


def test_two_streams_give_what_one_gives(kernels, example, device):
    """The steps on two streams are in order, whatever the caller does before and after."""
    x, y = numbers(100_003, device), torch.empty(100_003, device=device)
    workspace = torch.empty(PARTS, device=device)
    example.on_two_streams(kernels, x, workspace, y)
    assert_is_normalized(y, x)
    x.add_(1.0)
    example.on_two_streams(kernels, x, workspace, y)
    seen = y.clone()
    y.zero_()
    assert_is_normalized(seen, x)


@pytest.mark.usefixtures("needs_gpu")
def test_two_streams_wait_for_the_caller(kernels, example, device):
    """The sum waits for what makes x, although that is queued on another stream."""
    x, y = torch.ones(1 << 20, device=device), torch.empty(1 << 20, device=device)
    workspace = torch.empty(PARTS, device=device)
    example.on_two_streams(kernels, x, workspace, y)
    torch.cuda.synchronize()
    torch.cuda._sleep(NAP)
    x[: 1 << 19] = 3.0
    example.on_two_streams(kernels, x, workspace, y)
    seen = y.clone()
    torch.cuda.synchronize()
    assert_is_normalized(seen, x)


@pytest.mark.usefixtures("needs_gpu")
def test_the_second_stream_waits_for_the_event(kernels, device):
    """The event alone orders the two: the sum is late, and the division still gets it."""
    x, y = numbers(1 << 20, device), torch.empty(1 << 20, device=device)
    workspace = torch.full((PARTS,), math.nan, device=device)
    kernels.normalize(x, torch.empty(PARTS, device=device), y)
    torch.cuda.synchronize()
    summing, dividing = torch.cuda.Stream(), torch.cuda.Stream()
    with torch.cuda.stream(summing):
        torch.cuda._sleep(NAP)
        kernels.partial_sums(x, workspace)
        summed = summing.record_event()
    with torch.cuda.stream(dividing):
        dividing.wait_event(summed)
        kernels.divide_by_sum(x, workspace, y)
    torch.cuda.synchronize()
    assert_is_normalized(y, x)


@pytest.mark.usefixtures("needs_gpu")
def test_each_kernel_runs_on_the_current_stream(kernels, device):
    """A kernel is queued on the stream that is current where it is called: none is the default."""
    x, y = torch.ones(1 << 20, device=device), torch.empty(1 << 20, device=device)
    workspace = torch.empty(PARTS, device=device)
    kernels.normalize(x, workspace, y)
    torch.cuda.synchronize()
    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        torch.cuda._sleep(NAP)
        x[: 1 << 19] = 3.0
        kernels.normalize(x, workspace, y)
    side.synchronize()
    assert_is_normalized(y, x)


@pytest.mark.parametrize("spelled", [str, torch.device])
def test_a_graph_is_replayed_on_new_inputs(kernels, example, device, spelled):
    """Each call gives what its input gives; the buffers stay where they are."""
    normalized = example.Normalizer(kernels, 10_007, spelled(device))
    places = [t.data_ptr() for t in (normalized.x, normalized.y, normalized.workspace)]
    for seed in range(3):
        x = numbers(10_007, device, seed)
        normalized.workspace.fill_(math.nan)
        y = normalized(x)
        assert_is_normalized(y.clone(), x)
    assert places == [t.data_ptr() for t in (normalized.x, normalized.y, normalized.workspace)]


@pytest.mark.usefixtures("needs_gpu")
def test_two_streams_can_be_captured(kernels, example, device):
    """A capture takes in the streams that wait for the captured one, and that it waits for."""
    x, y = numbers(10_007, device), torch.empty(10_007, device=device)
    workspace = torch.empty(PARTS, device=device)
    example.on_two_streams(kernels, x, workspace, y)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        example.on_two_streams(kernels, x, workspace, y)
    x.add_(1.0)
    workspace.fill_(math.nan)
    graph.replay()
    torch.cuda.synchronize()
    assert_is_normalized(y, x)


def test_a_lent_tensor_is_taken(kernels, example, device):
    """Memory alone, without a stream, is a tensor like any other."""
    x, y = numbers(1000, device), torch.zeros(1000, device=device)
    lent = [example.Lent(each) for each in (x, torch.empty(PARTS, device=device), y)]
    kernels.normalize(*lent)
    assert_is_normalized(y, x)


@pytest.mark.usefixtures("needs_gpu")
@pytest.mark.parametrize("way", ["torch", "raw"])
def test_an_explicit_stream_counts_where_no_argument_tells_one(kernels, example, device, way):
    """What was lent without a stream is worked on where the caller says, after what is there."""
    x, y = torch.ones(1 << 20, device=device), torch.zeros(1 << 20, device=device)
    workspace = torch.empty(PARTS, device=device)
    kernels.normalize(x, workspace, y)
    torch.cuda.synchronize()
    side = torch.cuda.Stream()
    here = tvm_ffi.device("cuda", x.device.index)
    with torch.cuda.stream(side):
        torch.cuda._sleep(NAP)
        x[: 1 << 19] = 3.0
    explicit = (
        tvm_ffi.use_torch_stream(torch.cuda.stream(side))
        if way == "torch"
        else tvm_ffi.use_raw_stream(here, side.cuda_stream)
    )
    with explicit:
        kernels.normalize(*(example.Lent(each) for each in (x, workspace, y)))
    side.synchronize()
    assert_is_normalized(y, x)


@pytest.mark.usefixtures("needs_gpu")
def test_runs_on_the_tensors_gpu(kernels, example, device):
    """The kernels run on the GPU of their tensors, and the current one stays as it was."""
    if torch.cuda.device_count() < 2:
        pytest.skip("needs two GPUs")
    x = numbers(1000, "cuda:1")
    y, workspace = torch.empty_like(x), torch.empty(PARTS, device="cuda:1")
    kernels.normalize(x, workspace, y)
    assert torch.cuda.current_device() == 0
    assert_is_normalized(y, x)
    example.on_two_streams(kernels, x, workspace, y)
    assert_is_normalized(y, x)
    assert_is_normalized(example.Normalizer(kernels, 1000, "cuda:1")(x), x)


@slow
def test_beyond_two_billion_elements(kernels, device):
    """Indices are 64-bit: more than 2**31 numbers, in place, to the last."""
    n = 2**31 + 5
    free = (
        torch.cuda.mem_get_info()[0]
        if device == "cuda"
        else os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    )
    if free < 10 * 2**30:
        pytest.skip("needs 10 GB of free memory")
    x = torch.zeros(n, device=device)
    x[::4096] = 1.0
    x[-1] = 3.0
    total = 2**31 // 4096 + 1 + 3
    kernels.normalize(x, torch.empty(PARTS, device=device), x)
    torch.testing.assert_close(float(x[-1]), 3 / total, rtol=2 * EPS, atol=0)
    for start in range(0, n - 5, 1 << 28):
        part = x[start : min(start + (1 << 28), n - 5)]
        ones = part[::4096]
        assert bool((ones == ones[0]).all())
        torch.testing.assert_close(float(ones[0]), 1 / total, rtol=2 * EPS, atol=0)
        assert int(torch.count_nonzero(part)) == len(part[::4096])

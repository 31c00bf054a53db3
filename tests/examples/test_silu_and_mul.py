# SPDX-License-Identifier: Apache-2.0
# Rows: R1, R3, R6
"""The silu_and_mul example: every dtype and layout of rows against float64, and its refusals."""

import itertools
import os

import pytest
from cases import FAR, Poisoned, assert_rounds_to, far_apart, layouts, shapes, slow
from hypothesis import given
from hypothesis import strategies as st
from producer import BFLOAT16, FLOAT16, FLOAT32, FLOAT64, Producer

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

DTYPES = [torch.float32, torch.float64, torch.float16, torch.bfloat16]
INF, NAN = float("inf"), float("nan")


@pytest.fixture(scope="module")
def silu_and_mul(load):
    """The exported function."""
    return load("silu_and_mul").silu_and_mul


@pytest.fixture(autouse=True)
def seeded():
    """Random inputs that are the same in every run."""
    torch.manual_seed(0)


# [reference.begin]
def reference(x):
    """Compute in float64; also return what float32 (float64 for float64) may be off.

    u is the error of one rounding. The power is off by 4 u, of which the divisor takes at most
    half, as it adds 1. The product with the power, the divisor, and the product with b are rounded
    once each, and the division is off by 4 u on a GPU: 13 u in all; a reference in float64 errs as
    much as a result in float64. 1% covers products of roundings.
    A power below the smallest normal number is off by the smallest number, times a, which is at
    most 104 in magnitude where the power is not 0, or 746 in float64. PyTorch's silu of a float64
    is 0 below -709.8 already, where it should be less than 2**-1013.
    """
    a, b = x.double().chunk(2, -1)
    want = torch.nn.functional.silu(a) * b
    wide = x.dtype == torch.float64
    relative, smallest = (26 * 2.0**-53, 2.0**-1013) if wide else (13 * 2.0**-24, 2.0**-142)
    return want, 1.01 * relative * want.abs() + smallest * (1 + b.abs())


# [reference.end]


# [check.begin]
def check(silu_and_mul, x):
    """Put the result for x into a poisoned output and compare with float64."""
    y = Poisoned((*x.shape[:-1], x.shape[-1] // 2), x.dtype, x.device)
    silu_and_mul(x, y.tensor)
    assert_rounds_to(y.tensor, *reference(x))
    y.check_guards()


# [check.end]


def randn(shape, dtype, device):
    """Draw numbers of a dtype."""
    return torch.randn(shape, device=device, dtype=torch.float64).to(dtype)


# [any_rows.begin]
@st.composite
def inputs(draw):
    """Draw a shape, a layout with dense rows, a dtype, and how far the numbers spread."""
    shape = draw(shapes(min_dims=1, most=10_000))
    shape = (*shape[:-1], 2 * shape[-1])
    layout = draw(layouts(len(shape), last_is_dense=True))
    return shape, layout, draw(st.sampled_from(DTYPES)), draw(st.sampled_from([0.1, 1, 30]))


@given(inputs())
def test_any_rows(silu_and_mul, device, drawn):
    """Every shape works, with rows anywhere, and numbers near to 0 and far from it."""
    shape, layout, dtype, spread = drawn
    check(silu_and_mul, layout.of(randn(shape, dtype, device) * spread))


# [any_rows.end]


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("half", [1, 2, 127, 1024, 4096, 8191, 8192, 20_480, 65_537])
def test_any_length(silu_and_mul, device, dtype, half):
    """Rows of one block and of many, of odd and of round lengths."""
    check(silu_and_mul, randn((2, 2 * half), dtype, device))


def test_the_first_half_is_the_gate(silu_and_mul, device):
    """The function is not symmetric: silu is taken of the first half only."""
    x = torch.tensor([-1000.0, 1.0, 1.0, -1000.0], dtype=torch.float64, device=device)
    y = torch.full((2,), NAN, dtype=torch.float64, device=device)
    silu_and_mul(x, y)
    assert y.tolist() == [0.0, pytest.approx(-731.0585786300049, rel=1e-14)]


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=str)
def test_small_results_are_not_lost(silu_and_mul, device, dtype):
    """Where exp(-a) is beyond float32, the result is not 0: below -88.7 it is a normal number."""
    a = torch.arange(-80.0, -100.0, -0.25, device=device)
    x = torch.cat([a, torch.full_like(a, 2.0**100)]).to(dtype)
    check(silu_and_mul, x)
    y = torch.zeros(len(a), dtype=dtype, device=device)
    silu_and_mul(x, y)
    assert bool((y < -(2.0**-40)).all())


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_numbers_that_are_none(silu_and_mul, device, dtype):
    """Infinities and NaN give what PyTorch gives, and stay in their place."""
    numbers = [NAN, INF, -INF, 0.0, -0.0, 1.0, -1.0, 20.0, -20.0]
    pairs = torch.tensor(list(itertools.product(numbers, numbers)), dtype=dtype, device=device)
    for x in (pairs.t().contiguous(), pairs):  # in many columns, and in many rows
        x = x.flatten() if x is not pairs else x
        check(silu_and_mul, x)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_a_zero_keeps_its_sign(silu_and_mul, device, dtype):
    """silu(-0) is -0."""
    x = torch.tensor([[-0.0, 1.0], [0.0, 1.0], [-0.0, -1.0]], dtype=dtype, device=device)
    y = torch.full((3, 1), NAN, dtype=dtype, device=device)
    silu_and_mul(x, y)
    assert torch.signbit(y).flatten().tolist() == [True, False, False]


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_large_numbers(silu_and_mul, device, dtype):
    """The largest numbers of a dtype are not lost on the way, and what is too large is infinite."""
    largest = torch.finfo(dtype).max
    x = torch.tensor([largest, largest, -largest, 1, 2, largest], dtype=dtype, device=device)
    y = torch.full((3,), NAN, dtype=dtype, device=device)
    silu_and_mul(x, y)
    assert y.tolist() == [largest, INF, -0.0]


@pytest.mark.parametrize("shape", [(0,), (3, 0), (0, 8), (2, 0, 8)])
def test_an_empty_tensor(silu_and_mul, device, shape):
    """Without elements, nothing is to be done."""
    check(silu_and_mul, torch.empty(shape, device=device))


def test_countless_rows_of_nothing(silu_and_mul, device):
    """A shape may have a trillion rows and no element: nothing is to be done."""
    x = torch.empty(1 << 40, 0, device=device)
    silu_and_mul(x, torch.empty_like(x))


def test_many_rows(silu_and_mul, device):
    """More rows than blocks at once, each with a result of its own."""
    x = randn((20_003, 8), torch.float32, device)
    check(silu_and_mul, x * torch.linspace(0, 20, 20_003, device=device).unsqueeze(1))


def test_more_rows_than_a_grid_has_blocks(silu_and_mul, device):
    """The blocks of the tallest grid go on, each to another row."""
    if device == "cpu":
        pytest.skip("a CPU kernel has no grid")
    rows = 65_535 * 32 + 7  # a block handles 32 short rows
    x = torch.full((rows, 2), 100.0, device=device)
    x[:, 1] = torch.arange(rows, device=device)
    y = torch.full((rows, 1), NAN, device=device)
    silu_and_mul(x, y)
    assert torch.equal(y[:, 0], 100 * x[:, 1])


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("start", [1, 3, 8])
def test_rows_off_the_boundary_of_vectors(silu_and_mul, device, dtype, start):
    """Input and output may begin anywhere that their elements may."""
    x = randn(7 * 64 + start, dtype, device)[start:].view(7, 64)
    check(silu_and_mul, x)
    y = torch.full((7 * 32 + start,), NAN, dtype=dtype, device=device)[start:].view(7, 32)
    x = x.clone()
    silu_and_mul(x, y)
    assert_rounds_to(y, *reference(x))


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("half", [2, 4, 8, 12, 24])
def test_a_second_half_off_the_boundary_of_vectors(silu_and_mul, device, dtype, half):
    """Rows may be aligned where their second halves are not."""
    check(silu_and_mul, randn((5, 2 * half), dtype, device))


def broadcast(x):
    """One row many times."""
    return x[:1].expand(6, -1)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize(
    "view",
    [
        broadcast,
        lambda x: x[1::2, 8:24],
        lambda x: x.unfold(1, 16, 4),
        lambda x: x.view(2, 3, 48).transpose(0, 1)[..., :32],
    ],
)
def test_rows_anywhere(silu_and_mul, device, dtype, view):
    """Broadcast rows, parts of rows, overlapping windows and rows in another order are read right.

    A view of part of a larger projection is what a model passes.
    """
    check(silu_and_mul, view(randn((6, 48), dtype, device)))


@pytest.mark.parametrize(
    ("make", "kind", "message"),
    [
        (
            lambda t: (t(4).int(), t(2).int()),
            TypeError,
            "x must be float32, float64, float16 or bfloat16, got int32",
        ),
        (
            lambda t: (t(2, 3), t(2, 1)),
            ValueError,
            "x must be of rows of even length, got shape (2, 3)",
        ),
        (lambda t: (t(), t()), ValueError, "x must be of rows of even length, got shape ()"),
        (
            lambda t: (t(4, 6).t(), t(6, 2)),
            ValueError,
            "x must be dense in its last dimension, got shape (6, 4) with strides (1, 6)",
        ),
        (
            lambda t: (t(2, 4), t(2, 4)),
            ValueError,
            "y must be shaped like x with rows of length 2, got shape (2, 4)",
        ),
        (
            lambda t: (t(2, 4), t(3, 2)),
            ValueError,
            "y must be shaped like x with rows of length 2, got shape (3, 2)",
        ),
        (
            lambda t: (t(2, 4), t(2)),
            ValueError,
            "y must be shaped like x with rows of length 2, got shape (2,)",
        ),
        (lambda t: (t(4), t(2).half()), TypeError, "y must be float32 like x, got float16"),
        (
            lambda t: (t(2, 8), t(2, 8)[:, ::2]),
            ValueError,
            "y must be contiguous, got shape (2, 4) with strides (8, 2)",
        ),
        (
            lambda t: (lambda m: (m[:4], m[3:5]))(t(8)),
            ValueError,
            "y must be apart from x, got overlapping ranges",
        ),
        (
            lambda t: (lambda m: (m, m[:2]))(t(4)),
            ValueError,
            "y must be apart from x, got overlapping ranges",
        ),
    ],
)
def test_wrong_arguments_are_named(silu_and_mul, device, make, kind, message):
    """The error names the kernel, the argument, what was expected and what came."""
    with pytest.raises(kind) as raised:
        silu_and_mul(*make(lambda *shape: torch.zeros(shape, device=device)))
    assert str(raised.value) == f"silu_and_mul: {message}"


@pytest.mark.parametrize("dtype", [FLOAT32, FLOAT64, FLOAT16, BFLOAT16], ids=str)
def test_a_misaligned_tensor_is_refused(silu_and_mul, device, dtype):
    """A tensor whose numbers cross their boundaries is refused before a GPU fails on it."""
    memory = torch.zeros(40, dtype=torch.float64, device=device)
    where = {"device": dlpack_device(memory)}
    text = f"must be aligned to its {dtype[1] // 8} byte items, got an address 1 too far"
    with pytest.raises(ValueError, match=f"^silu_and_mul: x {text}$"):
        silu_and_mul(
            Producer(memory, 4, dtype, offset=1, **where),
            Producer(memory, 2, dtype, offset=64, **where),
        )
    with pytest.raises(ValueError, match=f"^silu_and_mul: y {text}$"):
        silu_and_mul(
            Producer(memory, 4, dtype, offset=64, **where),
            Producer(memory, 2, dtype, offset=1, **where),
        )


def test_tensors_on_two_devices_are_refused(silu_and_mul, device):
    """The output must be where the input is."""
    x = torch.zeros(4, device=device)
    where = "cpu:0" if device == "cpu" else f"cuda:{x.device.index}"
    message = f"^silu_and_mul: y must be on {where} like x, got device type 3:0$"
    with pytest.raises(ValueError, match=message):
        silu_and_mul(x, Producer(x, 2, FLOAT32, device=(3, 0)))


def test_a_tensor_on_another_kind_of_device_is_refused(silu_and_mul, device):
    """A CPU kernel refuses GPU tensors, and a CUDA kernel refuses CPU tensors."""
    y = torch.zeros(4, device=device)
    if device == "cpu":  # Only the reported device counts, so no GPU is needed.
        x, message = Producer(y, 4, FLOAT32, device=(2, 1)), "on the CPU, got cuda:1"
    else:
        x, message = Producer(y, 4, FLOAT32), "on a CUDA device, got cpu:0"
    with pytest.raises(ValueError, match=f"^silu_and_mul: x must be {message}$"):
        silu_and_mul(x, y[:2])


def test_a_lazy_view_is_refused(silu_and_mul, device):
    """A view whose numbers are yet to be negated is not misread."""
    x = torch.ones(4, device=device)
    lazy = torch.complex(x, x).conj().imag
    assert lazy.is_neg()
    with pytest.raises(ValueError, match="resolve_neg"):
        silu_and_mul(lazy, x[:2])


def test_a_byte_offset_is_honoured(load_function, device):
    """A producer that gives the first element by a byte offset, without strides, is read right."""
    silu_and_mul = load_function("silu_and_mul", "silu_and_mul")
    x = torch.arange(8, dtype=torch.float32, device=device)
    y = torch.full_like(x, NAN)
    where = {"offset": 8, "told": 8, "device": dlpack_device(x)}
    silu_and_mul(Producer(x, 6, FLOAT32, **where), Producer(y, 3, FLOAT32, **where))
    if device == "cuda":
        torch.cuda.synchronize()
    assert_rounds_to(y[2:5], *reference(x[2:]))
    assert torch.isnan(y[:2]).all()
    assert torch.isnan(y[5:]).all()


def dlpack_device(tensor):
    """Device of a PyTorch tensor as DLPack tells it."""
    kind, index = tensor.__dlpack_device__()
    return (int(kind), int(index))


def test_runs_on_the_current_stream(silu_and_mul, device):
    """The kernel waits for what PyTorch queued before it on the current stream."""
    if device == "cpu":
        pytest.skip("a CPU kernel has no stream")
    x = torch.full((256, 4096), NAN, device=device)
    y = torch.zeros(256, 2048, device=device)
    torch.cuda.synchronize()
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        torch.cuda._sleep(200_000_000)  # On any other stream the kernel would read NaN.
        x.fill_(100.0)
        silu_and_mul(x, y)
    stream.synchronize()
    assert bool((y == 10_000).all())


def test_can_be_captured_in_a_cuda_graph(silu_and_mul, device):
    """A captured call runs again with the graph, on what is in the input then."""
    if device == "cpu":
        pytest.skip("a CPU kernel is not captured")
    x, y = torch.zeros(10, 1024, device=device), torch.zeros(10, 512, device=device)
    silu_and_mul(x, y)  # Loads the kernel, which is illegal during capture.
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        silu_and_mul(x, y)
    x.fill_(100.0)
    graph.replay()
    torch.cuda.synchronize()
    assert bool((y == 10_000).all())


def test_runs_on_the_tensors_gpu(silu_and_mul, device):
    """The kernel runs on the GPU of its tensors, and the current one stays as it was."""
    if device == "cpu" or torch.cuda.device_count() < 2:
        pytest.skip("needs two GPUs")
    x = torch.full((10, 1024), 100.0, device="cuda:1")
    y = torch.zeros(10, 512, device="cuda:1")
    silu_and_mul(x, y)
    assert torch.cuda.current_device() == 0
    assert bool((y == 10_000).all())


def test_rows_far_apart(silu_and_mul, device):
    """Offsets are 64-bit: rows 8 GiB apart are read."""
    x = far_apart((3, 16), (FAR, 1), torch.float16, device)
    x.copy_(randn((3, 16), torch.float16, device))
    check(silu_and_mul, x)


@slow
@pytest.mark.parametrize("half", [4096, 2**31 + 7])
def test_more_than_two_billion_elements(silu_and_mul, device, half):
    """Indices are 64-bit: many rows, and one row, beyond 2**31 elements, compared in chunks.

    A row so long takes more blocks than a grid has: its odd length forbids vectors.
    """
    if os.environ.get("ASAN_OPTIONS"):
        pytest.skip("takes minutes under a sanitizer")
    rows = -(-(2**31 + 7) // half)
    piece = torch.randn(4096, device=device).to(torch.float16)
    # Use chunks of an odd number of elements, so that one read in place of another shows.
    chunk = 4095
    x = piece[:chunk].repeat(-(-rows * 2 * half // chunk))[: rows * 2 * half].view(rows, 2 * half)
    y = torch.full((rows, half), NAN, dtype=torch.float16, device=device)
    silu_and_mul(x, y)
    if half == 4096:
        for first in range(0, rows, 1 << 14):
            part = slice(first, first + (1 << 14))
            assert_rounds_to(y[part], *reference(x[part]))
        return
    for first in range(0, half, 1 << 24):
        part = slice(first, min(first + (1 << 24), half))
        both = torch.cat([x[0, part], x[0, half + part.start : half + part.stop]])
        assert_rounds_to(y[0, part], *reference(both))

# SPDX-License-Identifier: Apache-2.0
# Rows: R1, R3, R6
"""The softmax example: every dtype and layout of rows against float64, and its refusals."""

import math
import os

import pytest
from cases import FAR, Poisoned, assert_rounds_to, far_apart, layouts, shapes, slow
from hypothesis import given
from hypothesis import strategies as st
from producer import BFLOAT16, FLOAT16, FLOAT32, FLOAT64, Producer

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

DTYPES = [torch.float32, torch.float64, torch.float16, torch.bfloat16]


@pytest.fixture(scope="module")
def softmax(load):
    """The exported function."""
    return load("softmax").softmax


@pytest.fixture(autouse=True)
def seeded():
    """Random inputs that are the same in every run."""
    torch.manual_seed(0)


def bound(below, want, mean_below, n, dtype):
    """Bound what float32 (float64 for float64) may be off before the result is rounded.

    u is the error of one rounding, and an exp() is off by p = 4 u of its value at most. `below` is
    how far an element is below the largest one: the difference is rounded, which the exp() of it
    takes as a relative error of u * below. A GPU computes exp(d) as 2 ** (d * log2(e)) in float32:
    the product is rounded too, and the constant is off by 0.22 u. Where the sum is scaled on the
    way, these differences add up to the same. So the numerator is off by 2.22 u * below, two times
    p and three roundings.
    A term of the denominator is off by 2.22 u times its own `below`, whose mean, each weighted as
    in the sum, is `mean_below`. It is scaled once for each of a thread's stretches, n / 2048 and
    one, and once when the threads' sums are joined: p and 2 roundings each, besides its own p. It
    is one of 16 + n / 1024 terms in a thread's sum (of 16 on a CPU), and 10 more additions join
    the sums; then its reciprocal is rounded.
    What is below the smallest normal number is off by a few of the smallest ones. A reference in
    float64 errs as much as a result in float64; 1% covers products of roundings.
    """
    u, smallest = (2.0**-53, 2.0**-1072) if dtype == torch.float64 else (2.0**-24, 2.0**-147)
    p = 4 * u
    above = 2.22 * u * below + 2 * p + 3 * u
    under = 2.22 * u * mean_below + (n / 2048 + 3) * (p + 2 * u) + (27 + n / 1024) * u
    twice = 2 if dtype == torch.float64 else 1
    return twice * (1.01 * (above + under) * want + smallest)


def reference(x):
    """Compute in float64; also return the bound of the error."""
    wide = x.double() if x.dim() else x.double().reshape(1)
    if x.numel() == 0:
        return x.double(), torch.zeros_like(x, dtype=torch.float64)
    # torch.softmax sums a row in an order that accumulates the rounding errors of equal terms.
    powers = torch.exp(wide - wide.amax(-1, keepdim=True))
    want = powers / powers.sum(-1, keepdim=True)
    below = wide.amax(-1, keepdim=True) - wide
    weighted = torch.where(want == 0, 0.0, want * below)  # inf * 0 where x is -inf
    below = torch.where(want == 0, 0.0, below)
    error = bound(below, want, weighted.sum(-1, keepdim=True), wide.shape[-1], x.dtype)
    return want.reshape(x.shape), error.reshape(x.shape)


def check(softmax, x):
    """Put the softmax of x into a poisoned output and compare with float64."""
    y = Poisoned(x.shape, x.dtype, x.device)
    softmax(x, y.tensor)
    assert_rounds_to(y.tensor, *reference(x))
    y.check_guards()


def randn(shape, dtype, device):
    """Draw numbers of a dtype."""
    return torch.randn(shape, device=device, dtype=torch.float64).to(dtype)


@st.composite
def inputs(draw):
    """Draw a shape, a layout with dense rows, a dtype, and how far the numbers spread."""
    shape = draw(shapes())
    layout = draw(layouts(len(shape), last_is_dense=True))
    return shape, layout, draw(st.sampled_from(DTYPES)), draw(st.sampled_from([0.1, 1, 30, 1000]))


@given(inputs())
def test_any_rows(softmax, device, drawn):
    """Every shape works, with rows anywhere, and numbers near to each other and far apart."""
    shape, layout, dtype, spread = drawn
    check(softmax, layout.of(randn(shape, dtype, device) * spread))


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("length", [1, 2, 127, 1024, 4096, 8191, 8192, 20_480, 65537])
def test_any_length(softmax, device, dtype, length):
    """Rows that fit into registers, and longer ones, of odd and of round lengths."""
    check(softmax, randn((2, length), dtype, device))


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_rows_of_equal_numbers(softmax, device, dtype):
    """Sums are not rounded to 16 bits on the way: such errors of equal terms do not cancel.

    A GPU's thread adds powers relative to the largest element it has seen, so each vector has one.
    """
    x = (torch.arange(64, device=device) / -32).to(dtype).unsqueeze(1).repeat(1, 4096)
    x[:, ::8] = 0.0
    check(softmax, x)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_one_large_number_in_a_long_row(softmax, device, dtype):
    """Many small powers count beside the largest, in which each of them is lost.

    16 of them, which a CPU adds first, are half of what the smallest step from 1 is in float32.
    One float32 sum of all would lack 2**-13 of its value.
    """
    x = torch.full((2, 65_536), -29 * math.log(2), dtype=torch.float64, device=device)
    x[0, 0] = x[1, 300] = 0.0
    check(softmax, x.to(dtype))


def test_the_largest_is_found_wherever_it_stands(softmax, device):
    """One large element takes all: a smaller one in its place would overflow."""
    rising = torch.linspace(400, 800, 600, device=device)
    for dtype in DTYPES:
        one = torch.eye(600, device=device)
        x = (torch.triu(rising.expand(600, 600), 1) + one * 1000).to(dtype)
        y = torch.full_like(x, float("nan"))
        softmax(x, y)
        assert torch.equal(y.round(), one.to(dtype))  # In float64, exp(-200) is not 0.


@pytest.mark.parametrize("order", [False, True])
def test_a_sum_that_is_scaled_again_and_again(softmax, device, order):
    """Rising elements make each one the largest so far; falling ones only the first."""
    x = torch.linspace(-90, 0, 40_000, device=device)
    check(softmax, x.flip(0) if order else x)


def test_countless_rows_of_nothing(softmax, device):
    """A shape may have a trillion rows and no element: nothing is to be done."""
    x = torch.empty(1 << 40, 0, device=device)
    softmax(x, torch.empty_like(x))


def test_more_rows_than_a_grid_has_blocks(softmax, device):
    """The blocks of the largest grid go on, each to another row."""
    if device == "cpu":
        pytest.skip("a CPU kernel has no grid")
    rows = (1 << 20) * 32 + 7  # a block handles 32 short rows
    x = torch.zeros(rows, 1, dtype=torch.float16, device=device)
    x[::3] = float("nan")
    y = torch.full_like(x, 7.0)
    softmax(x, y)
    assert torch.equal(y.isnan(), x.isnan())
    assert bool((y[1::3] == 1.0).all() and (y[2::3] == 1.0).all())


def test_many_rows(softmax, device):
    """More rows than blocks at once, each with a sum of its own."""
    x = randn((20_003, 8), torch.float32, device)
    check(softmax, x * torch.linspace(0, 20, 20_003, device=device).unsqueeze(1))


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("start", [1, 3, 8])
def test_rows_off_the_boundary_of_vectors(softmax, device, dtype, start):
    """Input and output may begin anywhere that their elements may."""
    x = randn(7 * 64 + start, dtype, device)[start:].view(7, 64)
    check(softmax, x)
    y = torch.full((7 * 64 + start,), float("nan"), dtype=dtype, device=device)[start:].view(7, 64)
    x = x.clone()
    softmax(x, y)
    assert_rounds_to(y, *reference(x))


INF, NAN = float("inf"), float("nan")


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16], ids=str)
@pytest.mark.parametrize("length", [4, 20_000])
@pytest.mark.parametrize(
    ("special", "where"),
    [
        (-INF, slice(None)),
        (-INF, slice(0, None, 2)),
        (-INF, slice(1, None)),
        (-INF, slice(0, -1)),
        (INF, slice(1, 2)),
        (INF, slice(None)),
        (NAN, slice(0, 1)),
        (NAN, slice(-1, None)),
        (NAN, slice(None)),
    ],
)
def test_numbers_that_are_none(softmax, device, dtype, length, special, where):
    """Infinities and NaN give what PyTorch gives, and stay in their row."""
    x = randn((3, length), dtype, device)
    x[1, where] = special
    y = torch.zeros_like(x)
    softmax(x, y)
    want = torch.softmax(x.double(), -1)
    assert torch.equal(torch.isnan(y), torch.isnan(want))
    assert torch.equal(y[1] == 0, want[1].to(dtype) == 0)
    assert_rounds_to(y[::2], *reference(x[::2]))
    assert_rounds_to(y[1], *reference(x[1]))


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_large_numbers(softmax, device, dtype):
    """The largest numbers of a dtype neither overflow nor hide each other."""
    largest = torch.finfo(dtype).max
    x = torch.tensor([[1, 1], [-1, -1], [1, -1]], dtype=dtype, device=device) * largest
    y = torch.zeros_like(x)
    softmax(x, y)
    assert y.tolist() == [[0.5, 0.5], [0.5, 0.5], [1.0, 0.0]]


def test_works_in_place(softmax, device):
    """The very same tensor may be input and output, in registers and read again."""
    for length in (96, 50_000):
        x = randn((3, length), torch.float32, device)
        want = reference(x)
        softmax(x, x)
        assert_rounds_to(x, *want)


def broadcast(x):
    """One row many times."""
    return x[:1].expand(6, -1)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("view", [broadcast, lambda x: x[1::2, 8:24], lambda x: x.unfold(1, 16, 4)])
def test_rows_that_share_elements(softmax, device, dtype, view):
    """Broadcast rows, parts of rows and overlapping windows are read right."""
    check(softmax, view(randn((6, 48), dtype, device)))


@pytest.mark.parametrize(
    ("make", "kind", "message"),
    [
        (
            lambda t: (t(4).int(), t(4).int()),
            TypeError,
            "softmax: x must be float32, float64, float16 or bfloat16, got int32",
        ),
        (
            lambda t: (t(4, 6).t(), t(6, 4)),
            ValueError,
            "softmax: x must be dense in its last dimension, got shape (6, 4) with strides (1, 6)",
        ),
        (lambda t: (t(4), t(5)), ValueError, "softmax: y must be of shape (4,) like x, got (5,)"),
        (
            lambda t: (t(4), t(4).half()),
            TypeError,
            "softmax: y must be float32 like x, got float16",
        ),
        (
            lambda t: (t(2, 4), t(2, 8)[:, ::2]),
            ValueError,
            "softmax: y must be contiguous, got shape (2, 4) with strides (8, 2)",
        ),
        (
            lambda t: (lambda m: (m[:4], m[2:6]))(t(8)),
            ValueError,
            "softmax: y must be the same tensor as x or apart from it, got overlapping ranges",
        ),
    ],
)
def test_wrong_arguments_are_named(softmax, device, make, kind, message):
    """The error names the kernel, the argument, what was expected and what came."""
    with pytest.raises(kind) as raised:
        softmax(*make(lambda *shape: torch.zeros(*shape, device=device)))
    assert str(raised.value) == message


@pytest.mark.parametrize("dtype", [FLOAT32, FLOAT64, FLOAT16, BFLOAT16], ids=str)
def test_a_misaligned_tensor_is_refused(softmax, device, dtype):
    """A tensor whose numbers cross their boundaries is refused before a GPU fails on it."""
    memory = torch.zeros(40, dtype=torch.float64, device=device)
    where = {"device": dlpack_device(memory)}
    crooked = Producer(memory, 4, dtype, offset=1, **where)
    straight = Producer(memory, 4, dtype, offset=64, **where)
    text = f"must be aligned to its {dtype[1] // 8} byte items, got an address 1 too far"
    with pytest.raises(ValueError, match=f"^softmax: x {text}$"):
        softmax(crooked, straight)
    with pytest.raises(ValueError, match=f"^softmax: y {text}$"):
        softmax(straight, crooked)


def test_tensors_on_two_devices_are_refused(softmax, device):
    """The output must be where the input is."""
    x = torch.zeros(4, device=device)
    where = "cpu:0" if device == "cpu" else f"cuda:{x.device.index}"
    message = f"^softmax: y must be on {where} like x, got device type 3:0$"
    with pytest.raises(ValueError, match=message):
        softmax(x, Producer(x, 4, FLOAT32, device=(3, 0)))


def test_a_tensor_on_another_kind_of_device_is_refused(softmax, device):
    """A CPU kernel refuses GPU tensors, and a CUDA kernel refuses CPU tensors."""
    y = torch.zeros(4, device=device)
    if device == "cpu":  # Only the reported device counts, so no GPU is needed.
        x, message = Producer(y, 4, FLOAT32, device=(2, 1)), "on the CPU, got cuda:1"
    else:
        x, message = Producer(y, 4, FLOAT32), "on a CUDA device, got cpu:0"
    with pytest.raises(ValueError, match=f"^softmax: x must be {message}$"):
        softmax(x, y)


def test_a_lazy_view_is_refused(softmax, device):
    """A view whose numbers are yet to be negated is not misread."""
    x = torch.ones(4, device=device)
    lazy = torch.complex(x, x).conj().imag
    assert lazy.is_neg()
    with pytest.raises(ValueError, match="resolve_neg"):
        softmax(lazy, x)


def test_a_byte_offset_is_honoured(load_function, device):
    """A producer that gives the first element by a byte offset, without strides, is read right."""
    softmax = load_function("softmax", "softmax")
    x = torch.arange(8, dtype=torch.float32, device=device)
    y = torch.full_like(x, float("nan"))
    where = {"offset": 12, "told": 12, "device": dlpack_device(x)}
    softmax(Producer(x, 5, FLOAT32, **where), Producer(y, 5, FLOAT32, **where))
    if device == "cuda":
        torch.cuda.synchronize()
    assert_rounds_to(y[3:], *reference(x[3:]))
    assert torch.isnan(y[:3]).all()


def dlpack_device(tensor):
    """Device of a PyTorch tensor as DLPack tells it."""
    kind, index = tensor.__dlpack_device__()
    return (int(kind), int(index))


def test_runs_on_the_current_stream(softmax, device):
    """The kernel waits for what PyTorch queued before it on the current stream."""
    if device == "cpu":
        pytest.skip("a CPU kernel has no stream")
    x = torch.full((256, 4096), float("nan"), device=device)
    y = torch.zeros_like(x)
    torch.cuda.synchronize()
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        torch.cuda._sleep(200_000_000)  # On any other stream the kernel would read NaN.
        x.fill_(3.0)
        softmax(x, y)
    stream.synchronize()
    assert bool((y == 1 / 4096).all())


def test_can_be_captured_in_a_cuda_graph(softmax, device):
    """A captured call runs again with the graph, on what is in the input then."""
    if device == "cpu":
        pytest.skip("a CPU kernel is not captured")
    x, y = torch.zeros(10, 1024, device=device), torch.zeros(10, 1024, device=device)
    softmax(x, y)  # Loads the kernel, which is illegal during capture.
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        softmax(x, y)
    x[:, 512:] = -float("inf")
    graph.replay()
    torch.cuda.synchronize()
    assert bool((y[:, :512] == 1 / 512).all())
    assert bool((y[:, 512:] == 0).all())


def test_runs_on_the_tensors_gpu(softmax, device):
    """The kernel runs on the GPU of its tensors, and the current one stays as it was."""
    if device == "cpu" or torch.cuda.device_count() < 2:
        pytest.skip("needs two GPUs")
    x = torch.zeros(10, 1024, device="cuda:1")
    y = torch.zeros_like(x)
    softmax(x, y)
    assert torch.cuda.current_device() == 0
    assert bool((y == 1 / 1024).all())


def test_rows_far_apart(softmax, device):
    """Offsets are 64-bit: rows 8 GiB apart are read."""
    x = far_apart((3, 16), (FAR, 1), torch.float16, device)
    x.copy_(randn((3, 16), torch.float16, device))
    check(softmax, x)


@slow
@pytest.mark.parametrize("length", [4096, 2**31 + 8])
def test_more_than_two_billion_elements(softmax, device, length):
    """Indices are 64-bit: many rows, and one row, beyond 2**31 elements, compared in chunks."""
    if os.environ.get("ASAN_OPTIONS"):
        pytest.skip("takes minutes under a sanitizer")
    rows = -(-(2**31 + 8) // length)
    piece = torch.randn(1 << 20, device=device).to(torch.float16)
    x = torch.full((rows * length,), -20, dtype=torch.float16, device=device)
    chunks = x.split(1 << 20)
    for k, chunk in enumerate(chunks):
        if length == 4096:
            # The pieces differ in their order, so that one read in place of another shows.
            chunk.copy_(piece.roll(4096 * (k % 3))[: len(chunk)])
        else:
            # One significant number per piece: if all were equal, they would all be 0 in float16.
            chunk[k % len(chunk)] = piece[k]
    y = torch.full_like(x, float("nan"))
    softmax(x.view(rows, length), y.view(rows, length))
    pieces = y.split(1 << 20)
    if length == 4096:
        # Compare the first three with float64; the others repeat them, and so must their results.
        want, error = reference(x[: 3 << 20].view(-1, length))
        assert_rounds_to(y[: 3 << 20], want.flatten(), error.flatten())
        assert all(torch.equal(got, pieces[k % 3][: len(got)]) for k, got in enumerate(pieces))
        return
    weighty = torch.stack([chunk[k % len(chunk)] for k, chunk in enumerate(chunks)]).double()
    below, others = weighty.amax() - weighty, weighty.amax() + 20
    total = torch.exp(-below).sum() + (length - len(chunks)) * torch.exp(-others)
    mean_below = (torch.exp(-below) * below).sum() / total + others  # an upper bound
    want = torch.exp(-below) / total
    got = torch.stack([piece[k % len(piece)] for k, piece in enumerate(pieces)])
    assert_rounds_to(got, want, bound(below, want, mean_below, length, torch.float16))
    assert sum(int(piece.count_nonzero()) for piece in pieces) == len(pieces)

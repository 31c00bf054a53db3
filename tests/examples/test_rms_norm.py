# SPDX-License-Identifier: Apache-2.0
# Rows: R1, R3, R6
"""The rms_norm example: every dtype and layout of rows against float64, and its refusals."""

import os

import pytest
from cases import FAR, Poisoned, assert_rounds_to, far_apart, layouts, shapes, slow
from hypothesis import given
from hypothesis import strategies as st
from producer import BFLOAT16, FLOAT16, FLOAT32, FLOAT64, Producer

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

DTYPES = [torch.float32, torch.float64, torch.float16, torch.bfloat16]
EPS = 1e-5


@pytest.fixture(scope="module")
def rms_norm(load):
    """The exported function."""
    return load("rms_norm").rms_norm


@pytest.fixture(autouse=True)
def seeded():
    """Random inputs that are the same in every run."""
    torch.manual_seed(0)


def bound(normalized, bias, n, dtype):
    """Bound what float32 (float64 for float64) may be off before the result is rounded.

    u is the error of one rounding. Each square is rounded once. The kernels add at most 64 of them
    in one sum on a CPU, and 2 vectors of at most 8 and then n / 1024 on a GPU; at most 10 more
    additions join the sums. All terms are positive, so the sum is off by a factor within
    d = 1 + 64 + n / 1024 + 10 roundings. n, the mean, eps and the sum with eps are rounded: 4 more,
    of which the root halves all. The reciprocal of the root is off by 4 u on a GPU, and on a CPU by
    2 roundings. Then the product with x, the one with the weight, and the sum with the bias are
    rounded once each; the last is relative to the sum, which is at most the sum of the magnitudes.
    1% covers products of roundings.
    """
    u = 2.0**-53 if dtype == torch.float64 else 2.0**-24
    roundings = (1 + 64 + n / 1024 + 10 + 4) / 2 + 7
    return 1.01 * u * roundings * (normalized.abs() + bias.abs())


def reference(x, weight, bias, eps):
    """Compute in float64; also return the bound of the error."""
    wide = x.double() if x.dim() else x.double().reshape(1)
    normalized = wide / torch.sqrt(wide.square().mean(-1, keepdim=True) + eps)
    if weight is not None:
        normalized = normalized * weight.double()
    shift = torch.zeros(1, device=x.device) if bias is None else bias.double()
    error = bound(normalized, shift, wide.shape[-1], x.dtype)
    return (normalized + shift).reshape(x.shape), error.reshape(x.shape)


def check(rms_norm, x, weight=None, bias=None, eps=EPS):
    """Normalize x into a poisoned output and compare with float64."""
    y = Poisoned(x.shape, x.dtype, x.device)
    rms_norm(x, y.tensor, eps, weight, bias)
    assert_rounds_to(y.tensor, *reference(x, weight, bias, eps))
    y.check_guards()


def randn(shape, dtype, device):
    """Draw numbers of a dtype."""
    return torch.randn(shape, device=device, dtype=torch.float64).to(dtype)


@st.composite
def inputs(draw):
    """Draw a shape, a layout with dense rows, a dtype, and whether there are weight and bias."""
    shape = draw(shapes())
    layout = draw(layouts(len(shape), last_is_dense=True))
    return shape, layout, draw(st.sampled_from(DTYPES)), draw(st.booleans()), draw(st.booleans())


@given(inputs())
def test_any_rows(rms_norm, device, drawn):
    """Every shape works, with rows anywhere, with weight and bias and without."""
    shape, layout, dtype, weighted, biased = drawn
    length = shape[-1:] or (1,)
    weight = randn(length, dtype, device) if weighted else None
    bias = randn(length, dtype, device) if biased else None
    check(rms_norm, layout.of(randn(shape, dtype, device)), weight, bias)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("length", [1, 2, 127, 1024, 4096, 8191, 8192, 20_480, 65537])
def test_any_length(rms_norm, device, dtype, length):
    """Rows that fit into registers, and longer ones, of odd and of round lengths."""
    weight, bias = randn(length, dtype, device), randn(length, dtype, device)
    check(rms_norm, randn((2, length), dtype, device), weight, bias)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_rows_of_equal_numbers(rms_norm, device, dtype):
    """Sums are not rounded to 16 bits on the way: such errors of equal terms do not cancel."""
    numbers = (1 + torch.arange(64, device=device) / 64).to(dtype)
    check(rms_norm, numbers.unsqueeze(1).repeat(1, 4096))


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_one_large_number_in_a_long_row(rms_norm, device, dtype):
    """Many small squares count beside a large one that each of them is lost in.

    16 of them, which a CPU adds first, are half of what the smallest step from 1 is in float32.
    One float32 sum of all would lack 2**-13 of its value.
    """
    x = torch.full((2, 65_536), 2.0**-14.5, dtype=torch.float64, device=device)
    x[0, 0] = x[1, 300] = 1.0
    check(rms_norm, x.to(dtype), eps=0.0)


def test_countless_rows_of_nothing(rms_norm, device):
    """A shape may have a trillion rows and no element: nothing is to be done."""
    x = torch.empty(1 << 40, 0, device=device)
    rms_norm(x, torch.empty_like(x), 0.0)


def test_more_rows_than_a_grid_has_blocks(rms_norm, device):
    """The blocks of the largest grid go on, each to another row."""
    if device == "cpu":
        pytest.skip("a CPU kernel has no grid")
    rows = (1 << 20) * 32 + 7  # a block handles 32 short rows
    x = torch.ones(rows, 1, dtype=torch.float16, device=device)
    x[::3] = -2.0
    y = torch.full_like(x, float("nan"))
    rms_norm(x, y, 0.0)
    assert torch.equal(y, x.sign())


def test_many_rows(rms_norm, device):
    """More rows than blocks at once, each with a factor of its own."""
    x = randn((20_003, 8), torch.float32, device)
    check(rms_norm, x * torch.arange(1, 20_004, device=device).unsqueeze(1))


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("start", [1, 3, 8])
def test_rows_off_the_boundary_of_vectors(rms_norm, device, dtype, start):
    """Each of the tensors may begin anywhere that its elements may."""
    length = 64

    def shifted(count):
        return randn(count + start, dtype, device)[start:]

    check(rms_norm, shifted(7 * length).view(7, length), randn(length, dtype, device))
    check(rms_norm, randn((7, length), dtype, device), shifted(length))
    check(rms_norm, randn((7, length), dtype, device), None, shifted(length))
    x, y = randn((7, length), dtype, device), shifted(7 * length).view(7, length)
    rms_norm(x, y, EPS, None, None)
    assert_rounds_to(y, *reference(x, None, None, EPS))


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("eps", [0.0, 1e-6, 0.5])
def test_computes_what_pytorch_does(rms_norm, device, dtype, eps):
    """The eps is inside the root, and added to the mean, as in torch.nn.functional.rms_norm."""
    x, weight = randn((5, 96), dtype, device) / 100, randn(96, dtype, device)
    want = torch.nn.functional.rms_norm(x.double(), (96,), weight.double(), eps)
    torch.testing.assert_close(reference(x, weight, None, eps)[0], want, rtol=1e-14, atol=0)
    check(rms_norm, x, weight, None, eps)


def test_large_and_small_numbers(rms_norm, device):
    """The sum is float32's: the square of the largest float16 fits."""
    largest = torch.full((2, 300), 65504.0, dtype=torch.float16, device=device)
    check(rms_norm, largest)
    check(rms_norm, torch.zeros(3, 40, device=device))
    check(rms_norm, torch.full((2, 40), 2.0**-24, dtype=torch.float16, device=device))


@pytest.mark.parametrize("bad", [float("nan"), float("inf")])
def test_numbers_that_are_none_stay_in_their_row(rms_norm, device, bad):
    """NaN makes a row NaN; infinity makes it zeros and a NaN, as in PyTorch."""
    x = randn((3, 40), torch.float32, device)
    x[1, 7] = bad
    y = torch.empty_like(x)
    rms_norm(x, y, EPS, None, None)
    torch.testing.assert_close(y, torch.nn.functional.rms_norm(x, (40,), None, EPS), equal_nan=True)
    assert bool(torch.isfinite(y[::2]).all())


def test_works_in_place(rms_norm, device):
    """The very same tensor may be input and output, in registers and read again."""
    for length in (96, 50_000):
        x = randn((3, length), torch.float32, device)
        want = reference(x, None, None, EPS)
        rms_norm(x, x, EPS, None, None)
        assert_rounds_to(x, *want)


def test_trailing_arguments_may_be_left_out(rms_norm, device):
    """Without bias, or without weight and bias, as this runtime allows."""
    x, weight = randn((4, 9), torch.float32, device), randn(9, torch.float32, device)
    y = torch.empty_like(x)
    rms_norm(x, y, EPS)
    assert_rounds_to(y, *reference(x, None, None, EPS))
    rms_norm(x, y, EPS, weight)
    assert_rounds_to(y, *reference(x, weight, None, EPS))


def broadcast(x):
    """One row many times."""
    return x[:1].expand(6, -1)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("view", [broadcast, lambda x: x[1::2, 8:24], lambda x: x.unfold(1, 16, 4)])
def test_rows_that_share_elements(rms_norm, device, dtype, view):
    """Broadcast rows, parts of rows and overlapping windows are read right."""
    check(rms_norm, view(randn((6, 48), dtype, device)))


@pytest.mark.parametrize(
    ("make", "kind", "message"),
    [
        (
            lambda t: (t(4).int(), t(4).int()),
            TypeError,
            "rms_norm: x must be float32, float64, float16 or bfloat16, got int32",
        ),
        (
            lambda t: (t(4, 6).t(), t(6, 4)),
            ValueError,
            "rms_norm: x must be dense in its last dimension, got shape (6, 4) with strides (1, 6)",
        ),
        (lambda t: (t(4), t(5)), ValueError, "rms_norm: y must be of shape (4,) like x, got (5,)"),
        (
            lambda t: (t(4), t(4).half()),
            TypeError,
            "rms_norm: y must be float32 like x, got float16",
        ),
        (
            lambda t: (t(2, 4), t(2, 8)[:, ::2]),
            ValueError,
            "rms_norm: y must be contiguous, got shape (2, 4) with strides (8, 2)",
        ),
        (
            lambda t: (lambda m: (m[:4], m[2:6]))(t(8)),
            ValueError,
            "rms_norm: y must be the same tensor as x or apart from it, got overlapping ranges",
        ),
        (
            lambda t: (t(2, 4), t(2, 4), t(2)),
            ValueError,
            "rms_norm: weight must be of shape (4,) like a row of x, got (2,)",
        ),
        (
            lambda t: (t(2, 4), t(2, 4), t(4), t(1, 4)),
            ValueError,
            "rms_norm: bias must be of shape (4,) like a row of x, got (1, 4)",
        ),
        (
            lambda t: (t(2, 4), t(2, 4), t(4).half()),
            TypeError,
            "rms_norm: weight must be float32 like x, got float16",
        ),
        (
            lambda t: (t(2, 4), t(2, 4), None, t(4).double()),
            TypeError,
            "rms_norm: bias must be float32 like x, got float64",
        ),
        (
            lambda t: (t(2, 4), t(2, 4), t(8)[::2]),
            ValueError,
            "rms_norm: weight must be contiguous, got shape (4,) with strides (2,)",
        ),
        (
            lambda t: (t(2, 4), t(2, 4), None, t(8)[::2]),
            ValueError,
            "rms_norm: bias must be contiguous, got shape (4,) with strides (2,)",
        ),
        (
            lambda t: (lambda y: (t(2, 4), y, y[1]))(t(2, 4)),
            ValueError,
            "rms_norm: y must be apart from weight, got overlapping ranges",
        ),
        (
            lambda t: (lambda y: (t(4), y, y))(t(4)),
            ValueError,
            "rms_norm: y must be apart from weight, got overlapping ranges",
        ),
        (
            lambda t: (lambda y: (t(2, 4), y, None, y[0]))(t(2, 4)),
            ValueError,
            "rms_norm: y must be apart from bias, got overlapping ranges",
        ),
        (
            lambda t: (lambda y: (y, y, None, y))(t(4)),
            ValueError,
            "rms_norm: y must be apart from bias, got overlapping ranges",
        ),
    ],
)
def test_wrong_arguments_are_named(rms_norm, device, make, kind, message):
    """The error names the kernel, the argument, what was expected and what came."""
    x, y, weight, bias = (*make(lambda *shape: torch.zeros(*shape, device=device)), None, None)[:4]
    with pytest.raises(kind) as raised:
        rms_norm(x, y, EPS, weight, bias)
    assert str(raised.value) == message


@pytest.mark.parametrize("dtype", [FLOAT32, FLOAT64, FLOAT16, BFLOAT16], ids=str)
@pytest.mark.parametrize("name", ["x", "y", "weight", "bias"])
def test_a_misaligned_tensor_is_refused(rms_norm, device, dtype, name):
    """A tensor whose numbers cross their boundaries is refused before a GPU fails on it."""
    memory = torch.zeros(40, dtype=torch.float64, device=device)
    arguments = {
        which: Producer(
            memory, 4, dtype, offset=64 * i + (which == name), device=dlpack_device(memory)
        )
        for i, which in enumerate(("x", "y", "weight", "bias"))
    }
    x, y, weight, bias = arguments.values()
    text = f"must be aligned to its {dtype[1] // 8} byte items, got an address 1 too far"
    with pytest.raises(ValueError, match=f"^rms_norm: {name} {text}$"):
        rms_norm(x, y, EPS, weight, bias)


@pytest.mark.parametrize("name", ["y", "weight", "bias"])
def test_tensors_on_two_devices_are_refused(rms_norm, device, name):
    """Output, weight and bias must be where the input is."""
    x = torch.zeros(4, device=device)
    others = {which: torch.zeros(4, device=device) for which in ("y", "weight", "bias")}
    others[name] = Producer(x, 4, FLOAT32, device=(3, 0))
    where = "cpu:0" if device == "cpu" else f"cuda:{x.device.index}"
    message = f"^rms_norm: {name} must be on {where} like x, got device type 3:0$"
    with pytest.raises(ValueError, match=message):
        rms_norm(x, others["y"], EPS, others["weight"], others["bias"])


def test_a_tensor_on_another_kind_of_device_is_refused(rms_norm, device):
    """A CPU kernel refuses GPU tensors, and a CUDA kernel refuses CPU tensors."""
    y = torch.zeros(4, device=device)
    if device == "cpu":  # Only the reported device counts, so no GPU is needed.
        x, message = Producer(y, 4, FLOAT32, device=(2, 1)), "on the CPU, got cuda:1"
    else:
        x, message = Producer(y, 4, FLOAT32), "on a CUDA device, got cpu:0"
    with pytest.raises(ValueError, match=f"^rms_norm: x must be {message}$"):
        rms_norm(x, y, EPS, None, None)


def test_a_lazy_view_is_refused(rms_norm, device):
    """A view whose numbers are yet to be negated is not misread."""
    x = torch.ones(4, device=device)
    lazy = torch.complex(x, x).conj().imag
    assert lazy.is_neg()
    with pytest.raises(ValueError, match="resolve_neg"):
        rms_norm(lazy, x, EPS, None, None)
    with pytest.raises(ValueError, match="resolve_neg"):
        rms_norm(x, torch.empty_like(x), EPS, lazy, None)


def test_a_byte_offset_is_honoured(load_function, device):
    """A producer that gives the first element by a byte offset, without strides, is read right."""
    rms_norm = load_function("rms_norm", "rms_norm")
    x = torch.arange(1, 9, dtype=torch.float32, device=device)
    y, weight = torch.full_like(x, float("nan")), torch.arange(8.0, device=device)
    where = {"offset": 12, "told": 12, "device": dlpack_device(x)}
    lent = [Producer(tensor, 5, FLOAT32, **where) for tensor in (x, y, weight)]
    rms_norm(lent[0], lent[1], EPS, lent[2], None)
    if device == "cuda":
        torch.cuda.synchronize()
    assert_rounds_to(y[3:], *reference(x[3:], weight[3:], None, EPS))
    assert torch.isnan(y[:3]).all()


def dlpack_device(tensor):
    """Device of a PyTorch tensor as DLPack tells it."""
    kind, index = tensor.__dlpack_device__()
    return (int(kind), int(index))


def test_runs_on_the_current_stream(rms_norm, device):
    """The kernel waits for what PyTorch queued before it on the current stream."""
    if device == "cpu":
        pytest.skip("a CPU kernel has no stream")
    x, y = torch.zeros(1 << 8, 1 << 12, device=device), torch.zeros(1 << 8, 1 << 12, device=device)
    torch.cuda.synchronize()
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        torch.cuda._sleep(200_000_000)  # On any other stream the kernel would read zeros.
        x.fill_(3.0)
        rms_norm(x, y, 0.0, None, None)
    stream.synchronize()
    # The GPU's reciprocal root is approximate, so 3 / 3 need not be 1.
    torch.testing.assert_close(y, torch.ones_like(y))


def test_can_be_captured_in_a_cuda_graph(rms_norm, device):
    """A captured call runs again with the graph, on what is in the input then."""
    if device == "cpu":
        pytest.skip("a CPU kernel is not captured")
    x, y = torch.ones(10, 1024, device=device), torch.zeros(10, 1024, device=device)
    rms_norm(x, y, 0.0, None, None)  # Loads the kernel, which is illegal during capture.
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        rms_norm(x, y, 0.0, None, None)
    x.fill_(-4.0)
    graph.replay()
    torch.cuda.synchronize()
    assert bool((y == -1.0).all())


def test_runs_on_the_tensors_gpu(rms_norm, device):
    """The kernel runs on the GPU of its tensors, and the current one stays as it was."""
    if device == "cpu" or torch.cuda.device_count() < 2:
        pytest.skip("needs two GPUs")
    x = torch.ones(10, 1024, device="cuda:1")
    y = torch.zeros_like(x)
    rms_norm(x, y, 0.0, None, None)
    assert torch.cuda.current_device() == 0
    assert bool((y == 1.0).all())


def test_rows_far_apart(rms_norm, device):
    """Offsets are 64-bit: rows 8 GiB apart are read."""
    x = far_apart((3, 16), (FAR, 1), torch.float16, device)
    x.copy_(randn((3, 16), torch.float16, device))
    check(rms_norm, x)


@slow
@pytest.mark.parametrize("length", [4096, 2**31 + 8])
def test_more_than_two_billion_elements(rms_norm, device, length):
    """Indices are 64-bit: many rows, and one row, beyond 2**31 elements, compared in chunks."""
    if os.environ.get("ASAN_OPTIONS"):
        pytest.skip("takes minutes under a sanitizer")
    rows = -(-(2**31 + 8) // length)
    piece = torch.randn(1 << 20, device=device).to(torch.float16)
    # The pieces differ by powers of two: exact, and different in each place.
    x = torch.empty(rows * length, dtype=torch.float16, device=device)
    for k, chunk in enumerate(x.split(1 << 20)):
        torch.mul(piece[: len(chunk)], 2.0 ** (k % 3 - 1), out=chunk)
    y = torch.full_like(x, float("nan"))
    rms_norm(x.view(rows, length), y.view(rows, length), EPS, None, None)
    mean = x[: 3 << 20].double().view(-1, 4096).square().mean(-1, keepdim=True)
    if length != 4096:
        mean = sum(chunk.double().square().sum() for chunk in x.split(1 << 24)) / length
    # Compare the first three with float64; the others repeat them, and so must their results.
    want = (x[: 3 << 20].double().view(-1, 4096) / torch.sqrt(mean + EPS)).flatten()
    zero = torch.zeros(1, device=device)
    assert_rounds_to(y[: 3 << 20], want, bound(want, zero, length, torch.float16))
    first = y[: 3 << 20].split(1 << 20)
    for k, got in enumerate(y.split(1 << 20)):
        assert torch.equal(got, first[k % 3][: len(got)])

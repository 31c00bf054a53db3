# SPDX-License-Identifier: Apache-2.0
# Rows: R1, R3, R6
"""The fused_add_rms_norm example: sums bit for bit, norms against float64, and its refusals."""

import os

import pytest
from cases import FAR, Poisoned, assert_rounds_to, far_apart, layouts, shapes, slow
from hypothesis import given
from hypothesis import strategies as st
from producer import BFLOAT16, FLOAT16, FLOAT32, Producer

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

DTYPES = [torch.float32, torch.float16, torch.bfloat16]
FP8 = torch.float8_e4m3fn
LARGEST = 448.0  # of FP8
EPS = 1e-5
NAN = float("nan")


@pytest.fixture(scope="module")
def fused(load):
    """The exported function."""
    return load("fused_add_rms_norm").fused_add_rms_norm


@pytest.fixture(autouse=True)
def seeded():
    """Random inputs that are the same in every run."""
    torch.manual_seed(0)


def added(x, residual):
    """Add in float32, rounded to the dtype: what the residual must be, bit for bit."""
    return (x.float() + residual.float()).to(x.dtype)


def reference(total, weight=None, scale=None, eps=EPS):
    """Compute from the rounded sum in float64; also return what float32 may be off.

    u is the error of one rounding. Each square is rounded once. The kernels add at most 64 of them
    in one sum on a CPU, and 2 vectors of at most 8 and then n / 1024 on a GPU; at most 10 more
    additions join the sums. All terms are positive, so the sum is off by a factor within
    d = 1 + 64 + n / 1024 + 10 roundings. n, the mean, eps and the sum with eps are rounded: 4 more,
    of which the root halves all. The reciprocal of the root is off by 4 u on a GPU, and on a CPU by
    2 roundings. Then its quotient by the scale, the product with the sum and the one with the
    weight are rounded once each. 1% covers products of roundings.
    """
    wide = total.double() if total.dim() else total.double().reshape(1)
    want = wide / torch.sqrt(wide.square().mean(-1, keepdim=True) + eps)
    if weight is not None:
        want = want * weight.double()
    if scale is not None:
        want = want / scale.double()
    roundings = (1 + 64 + wide.shape[-1] / 1024 + 10 + 4) / 2 + 7
    error = 1.01 * 2.0**-24 * roundings * want.abs()
    return want.reshape(total.shape), error.reshape(total.shape)


def assert_is(got, want, error):
    """Fail unless `got` is the reference, rounded; in FP8 what is too large must be the largest."""
    if got.dtype != FP8:
        assert_rounds_to(got, want, error)
        return
    beyond = want.abs() - error > LARGEST
    expected = want.sign() * LARGEST
    torch.testing.assert_close(got.double()[beyond], expected[beyond], rtol=0, atol=0)
    rest = ~beyond & (want.abs() <= LARGEST)
    assert_rounds_to(got[rest], want[rest], error[rest])
    missing = torch.isnan(want)
    assert torch.equal(torch.isnan(got.float()), missing)


def check(fused, x, weight=None, scale=None, eps=EPS):
    """Add x to a random residual, normalize into a poisoned output, and compare both."""
    residual = Poisoned(x.shape, x.dtype, x.device)
    residual.tensor.copy_(randn(x.shape, x.dtype, x.device))
    total = added(x, residual.tensor)
    y = Poisoned(x.shape, x.dtype if scale is None else FP8, x.device)
    fused(x, residual.tensor, y.tensor, eps, weight, scale)
    assert torch.equal(residual.tensor, total)
    assert_is(y.tensor, *reference(total, weight, scale, eps))
    residual.check_guards()
    y.check_guards()


def randn(shape, dtype, device):
    """Draw numbers of a dtype."""
    return torch.randn(shape, device=device, dtype=torch.float64).to(dtype)


def scale_of(number, device):
    """Give a scale as the kernels take it."""
    return torch.tensor([number], device=device)


@st.composite
def inputs(draw):
    """Draw a shape, a layout with dense rows, a dtype, and whether there are weight and scale."""
    shape = draw(shapes())
    layout = draw(layouts(len(shape), last_is_dense=True))
    scale = draw(st.sampled_from([None, 0.003, 0.05, 3.0]))
    return shape, layout, draw(st.sampled_from(DTYPES)), draw(st.booleans()), scale


@given(inputs())
def test_any_rows(fused, device, drawn):
    """Every shape works, with rows of x anywhere, with weight and scale and without."""
    shape, layout, dtype, weighted, number = drawn
    weight = randn(shape[-1:] or (1,), dtype, device) if weighted else None
    scale = None if number is None else scale_of(number, device)
    check(fused, layout.of(randn(shape, dtype, device)), weight, scale)


@pytest.mark.parametrize("scaled", [False, True])
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("length", [1, 2, 127, 1024, 4096, 8191, 8192, 20_480, 65_537])
def test_any_length(fused, device, dtype, length, scaled):
    """Rows that fit into registers, and longer ones, of odd and of round lengths."""
    scale = scale_of(0.02, device) if scaled else None
    check(fused, randn((2, length), dtype, device), randn(length, dtype, device), scale)


@pytest.mark.parametrize("scaled", [False, True])
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("shape", [(0, 8), (1, 1), (7, 129), (300, 1024), (3, 20_480)])
def test_early_gives_the_same_bits(load, device, dtype, shape, scaled):
    """Calls that may overlap, each of which needs what the one before wrote, change nothing."""
    mod = load("fused_add_rms_norm")
    weight = randn(shape[1:], dtype, device)
    scale = scale_of(0.02, device) if scaled else None
    x = randn(shape, dtype, device)
    found = []
    for fused in (mod.fused_add_rms_norm, mod.fused_add_rms_norm_early):
        rows, residual = x.clone(), torch.zeros_like(x)
        for _ in range(5):
            fused(rows, residual, rows, EPS, weight)
        y = torch.empty(shape, dtype=FP8 if scaled else dtype, device=device)
        fused(rows, residual, y, EPS, weight, scale)
        found.append([each.view(torch.uint8) for each in (rows, residual, y)])
    for plain, early in zip(*found, strict=True):
        assert torch.equal(plain, early)


@pytest.mark.parametrize("scaled", [False, True])
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("length", [96, 97, 50_000])
def test_works_in_place(fused, device, dtype, length, scaled):
    """The output may be x itself; with a scale only the residual is updated in place."""
    x, residual = randn((3, length), dtype, device), randn((3, length), dtype, device)
    total, before = added(x, residual), x.clone()
    scale = scale_of(0.02, device) if scaled else None
    y = torch.empty(x.shape, dtype=FP8, device=device) if scaled else x
    fused(x, residual, y, EPS, None, scale)
    assert torch.equal(residual, total)
    assert_is(y, *reference(total, None, scale))
    assert torch.equal(x, before) or not scaled


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=str)
@pytest.mark.parametrize("length", [64, 65, 40_000])
def test_the_norm_is_of_the_rounded_sum(fused, device, dtype, length):
    """The output is the norm of the residual as it is kept, for rows of every length.

    All sums are rounded to 1, so the norm is 1. Before that, the first is above 1 and the others
    are below: its quotient by the root would be rounded up.
    """
    unit = torch.finfo(dtype).eps
    residual = torch.ones(2, length, dtype=dtype, device=device)
    x = torch.full_like(residual, -unit * 7 / 32)
    x[:, 0] = unit * 7 / 16
    y = torch.full_like(x, NAN)
    fused(x, residual, y, 0.0, None, None)
    assert bool((residual == 1.0).all())
    assert bool((y == 1.0).all())


def test_fp8_saturates(fused, device):
    """What is too large for float8_e4m3fn, infinity too, becomes its largest; NaN stays NaN."""
    x = torch.tensor([[1.0, -1.0, 0.0, 1.0]], device=device)
    y = torch.empty(x.shape, dtype=FP8, device=device)
    weight = torch.tensor([1000.0, 1000.0, 1000.0, float("inf")], device=device)
    fused(x, torch.zeros_like(x), y, 0.0, weight, scale_of(1.0, device))
    assert y.float().tolist() == [[LARGEST, -LARGEST, 0.0, LARGEST]]
    x[0, 2] = NAN
    fused(x, torch.zeros_like(x), y, 0.0, weight, scale_of(1.0, device))
    assert bool(torch.isnan(y.float()).all())


@pytest.mark.parametrize("shape", [(), (1,), (1, 1, 1)])
def test_a_scale_of_any_number_of_dimensions(fused, device, shape):
    """A scale is one element, whatever its shape; y is divided by it."""
    x = torch.ones(1, 4, device=device)
    y = torch.empty(x.shape, dtype=FP8, device=device)
    fused(x, torch.zeros_like(x), y, 0.0, None, torch.full(shape, 0.125, device=device))
    assert y.float().tolist() == [[8.0] * 4]


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("eps", [0.0, 1e-6, 0.5])
def test_computes_what_pytorch_does(fused, device, dtype, eps):
    """The eps is inside the root, and added to the mean, as in torch.nn.functional.rms_norm."""
    x, weight = randn((5, 96), dtype, device) / 100, randn(96, dtype, device)
    want = torch.nn.functional.rms_norm(x.double(), (96,), weight.double(), eps)
    torch.testing.assert_close(reference(x, weight, None, eps)[0], want, rtol=1e-14, atol=0)
    y, residual = torch.full_like(x, NAN), torch.zeros_like(x)
    fused(x, residual, y, eps, weight, None)
    assert_is(y, *reference(x, weight, None, eps))


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_rows_of_equal_numbers(fused, device, dtype):
    """Sums are not rounded to 16 bits on the way: such errors of equal terms do not cancel."""
    numbers = (1 + torch.arange(64, device=device) / 64).to(dtype)
    check(fused, numbers.unsqueeze(1).repeat(1, 4096))
    x = numbers.unsqueeze(1).repeat(1, 4096)
    y, residual = torch.full_like(x, NAN), torch.zeros_like(x)
    fused(x, residual, y, EPS, None, None)
    assert_is(y, *reference(x))


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_one_large_number_in_a_long_row(fused, device, dtype):
    """Many small squares count beside a large one that each of them is lost in.

    16 of them, which a CPU adds first, are half of what the smallest step from 1 is in float32.
    One float32 sum of all would lack 2**-13 of its value.
    """
    x = torch.full((2, 65_536), 2.0**-14.5, dtype=torch.float64, device=device)
    x[0, 0] = x[1, 300] = 1.0
    x = x.to(dtype)
    y, residual = torch.full_like(x, NAN), torch.zeros_like(x)
    fused(x, residual, y, 0.0, None, None)
    assert_is(y, *reference(x, eps=0.0))


def test_large_and_small_numbers(fused, device):
    """The sum of squares is float32's; a sum beyond the dtype is infinite, as PyTorch's is."""
    half = torch.full((2, 300), 32752.0, dtype=torch.float16, device=device)
    y, residual = torch.full_like(half, NAN), half.clone()
    fused(half, residual, y, 0.0, None, None)
    assert bool((residual == 65504.0).all())
    assert bool((y == 1.0).all())
    fused(half, residual, y, EPS, None, None)
    assert bool(torch.isinf(residual).all())
    assert bool(torch.isnan(y).all())
    check(fused, torch.zeros(3, 40, device=device))


@pytest.mark.parametrize("bad", [NAN, float("inf")])
def test_numbers_that_are_none_stay_in_their_row(fused, device, bad):
    """NaN makes a row NaN; infinity makes it zeros and a NaN, as in PyTorch."""
    x = randn((3, 40), torch.float32, device)
    residual = torch.zeros_like(x)
    x[1, 7] = bad
    y = torch.empty_like(x)
    fused(x, residual, y, EPS, None, None)
    torch.testing.assert_close(y, torch.nn.functional.rms_norm(x, (40,), None, EPS), equal_nan=True)
    assert bool(torch.isfinite(y[::2]).all())


def test_countless_rows_of_nothing(fused, device):
    """A shape may have a trillion rows and no element: nothing is to be done."""
    x = torch.empty(1 << 40, 0, device=device)
    fused(x, torch.empty_like(x), torch.empty_like(x), 0.0, None, None)


def test_many_rows(fused, device):
    """More rows than blocks at once, each with a factor of its own."""
    x = randn((20_003, 8), torch.float32, device)
    check(fused, x * torch.arange(1, 20_004, device=device).unsqueeze(1))


def test_more_rows_than_a_grid_has_blocks(fused, device):
    """The blocks of the largest grid go on, each to another row."""
    if device == "cpu":
        pytest.skip("a CPU kernel has no grid")
    rows = (1 << 20) * 32 + 7  # a block handles 32 short rows
    x = torch.ones(rows, 1, dtype=torch.float16, device=device)
    x[::3] = -2.0
    y, residual = torch.full_like(x, NAN), torch.zeros_like(x)
    fused(x, residual, y, 0.0, None, None)
    assert torch.equal(residual, x)
    assert torch.equal(y, x.sign())


def test_trailing_arguments_may_be_left_out(fused, device):
    """Without scale, or without weight and scale, as this runtime allows."""
    x, weight = randn((4, 9), torch.float32, device), randn(9, torch.float32, device)
    y = torch.empty_like(x)
    fused(x, torch.zeros_like(x), y, EPS)
    assert_is(y, *reference(x))
    fused(x, torch.zeros_like(x), y, EPS, weight)
    assert_is(y, *reference(x, weight))


@pytest.mark.parametrize("scaled", [False, True])
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("start", [1, 3, 8])
@pytest.mark.parametrize("name", ["x", "residual", "y", "weight"])
def test_rows_off_the_boundary_of_vectors(fused, device, dtype, start, name, scaled):
    """Each of the tensors may begin anywhere that its elements may."""

    def tensor(which, shape, kind=dtype):
        count = torch.Size(shape).numel()
        first = start if which == name else 0
        return randn((count + first,), kind, device)[first:].view(shape)

    x, residual = tensor("x", (7, 64)), tensor("residual", (7, 64))
    y, weight = tensor("y", (7, 64), FP8 if scaled else dtype), tensor("weight", (64,))
    scale = scale_of(0.02, device) if scaled else None
    total = added(x, residual)
    fused(x, residual, y, EPS, weight, scale)
    assert torch.equal(residual, total)
    assert_is(y, *reference(total, weight, scale))


def broadcast(x):
    """One row many times."""
    return x[:1].expand(6, -1)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("view", [broadcast, lambda x: x[1::2, 8:24], lambda x: x.unfold(1, 16, 4)])
def test_rows_that_share_elements(fused, device, dtype, view):
    """Broadcast rows, parts of rows and overlapping windows of x are read right."""
    check(fused, view(randn((6, 48), dtype, device)))


def arguments(t, **changed):
    """Give arguments that are right, but for some."""
    right = {"x": t(2, 4), "residual": t(2, 4), "y": t(2, 4), "weight": None, "scale": None}
    return {**right, **changed}


def overlapping(t, first, second):
    """Give arguments of which two overlap in all of one's elements."""
    memory = t(2, 4)
    shared = {"weight": memory[1], "scale": memory[1, :1]}
    found = {name: shared.get(name, memory) for name in (first, second)}
    if "scale" in found and "y" in found:
        found["y"] = memory.view(torch.uint8).flatten()[:8].view(2, 4).view(FP8)
        found["scale"] = memory[0, :1]
    elif "scale" in found:
        found["y"] = t(2, 4).to(FP8)
    return arguments(t, **found)


@pytest.mark.parametrize(
    ("make", "kind", "message"),
    [
        (
            lambda t: arguments(t, x=t(2, 4).double()),
            TypeError,
            "x must be float32, float16 or bfloat16, got float64",
        ),
        (
            lambda t: arguments(t, x=t(4, 2).t()),
            ValueError,
            "x must be dense in its last dimension, got shape (2, 4) with strides (1, 2)",
        ),
        (
            lambda t: arguments(t, residual=t(4)),
            ValueError,
            "residual must be of shape (2, 4) like x, got (4,)",
        ),
        (
            lambda t: arguments(t, residual=t(2, 4).half()),
            TypeError,
            "residual must be float32 like x, got float16",
        ),
        (
            lambda t: arguments(t, residual=t(4).expand(2, 4)),
            ValueError,
            "residual must be contiguous, got shape (2, 4) with strides (0, 1)",
        ),
        (
            lambda t: arguments(t, y=t(4)),
            ValueError,
            "y must be of shape (2, 4) like x, got (4,)",
        ),
        (
            lambda t: arguments(t, y=t(2, 4).half()),
            TypeError,
            "y must be float32, got float16",
        ),
        (
            lambda t: arguments(t, y=t(2, 4).to(FP8)),
            TypeError,
            "y must be float32, got float8_e4m3fn",
        ),
        (
            lambda t: arguments(t, scale=t(1)),
            TypeError,
            "y must be float8_e4m3fn, got float32",
        ),
        (
            lambda t: arguments(t, y=t(2, 8)[:, ::2]),
            ValueError,
            "y must be contiguous, got shape (2, 4) with strides (8, 2)",
        ),
        (
            lambda t: (lambda m: arguments(t, x=m[:2], y=m[1:3]))(t(3, 4)),
            ValueError,
            "y must be the same tensor as x or apart from it, got overlapping ranges",
        ),
        (
            lambda t: arguments(t, weight=t(2)),
            ValueError,
            "weight must be of shape (4,) like a row of x, got (2,)",
        ),
        (
            lambda t: arguments(t, weight=t(4).half()),
            TypeError,
            "weight must be float32 like x, got float16",
        ),
        (
            lambda t: arguments(t, weight=t(8)[::2]),
            ValueError,
            "weight must be contiguous, got shape (4,) with strides (2,)",
        ),
        (
            lambda t: arguments(t, y=t(2, 4).to(FP8), scale=t(2)),
            ValueError,
            "scale must be of 1 element, got shape (2,)",
        ),
        (
            lambda t: arguments(t, y=t(2, 4).to(FP8), scale=t(1).half()),
            TypeError,
            "scale must be float32, got float16",
        ),
        *(
            (
                lambda t, first=first, second=second: overlapping(t, first, second),
                ValueError,
                f"{first} must be apart from {second}, got overlapping ranges",
            )
            for first, second in [
                ("residual", "x"),
                ("y", "residual"),
                ("y", "weight"),
                ("residual", "weight"),
                ("y", "scale"),
                ("residual", "scale"),
            ]
        ),
    ],
)
def test_wrong_arguments_are_named(fused, device, make, kind, message):
    """The error names the kernel, the argument, what was expected and what came."""
    found = make(lambda *shape: torch.zeros(*shape, device=device))
    with pytest.raises(kind) as raised:
        fused(found["x"], found["residual"], found["y"], EPS, found["weight"], found["scale"])
    assert str(raised.value) == f"fused_add_rms_norm: {message}"


@pytest.mark.parametrize("dtype", [FLOAT32, FLOAT16, BFLOAT16], ids=str)
@pytest.mark.parametrize("name", ["x", "residual", "y", "weight"])
def test_a_misaligned_tensor_is_refused(fused, device, dtype, name):
    """A tensor whose numbers cross their boundaries is refused before a GPU fails on it."""
    memory = torch.zeros(40, dtype=torch.float64, device=device)
    x, residual, y, weight = (
        Producer(memory, 4, dtype, offset=64 * i + (which == name), device=dlpack_device(memory))
        for i, which in enumerate(("x", "residual", "y", "weight"))
    )
    text = f"must be aligned to its {dtype[1] // 8} byte items, got an address 1 too far"
    with pytest.raises(ValueError, match=f"^fused_add_rms_norm: {name} {text}$"):
        fused(x, residual, y, EPS, weight, None)


def test_a_misaligned_scale_is_refused(fused, device):
    """A scale is read as a float32, too."""
    memory = torch.zeros(40, device=device)
    scale = Producer(memory, 1, FLOAT32, offset=1, device=dlpack_device(memory))
    x, y = torch.zeros(4, device=device), torch.zeros(4, device=device).to(FP8)
    text = "must be aligned to its 4 byte items, got an address 1 too far"
    with pytest.raises(ValueError, match=f"^fused_add_rms_norm: scale {text}$"):
        fused(x, torch.zeros_like(x), y, EPS, None, scale)


@pytest.mark.parametrize("name", ["residual", "y", "weight", "scale"])
def test_tensors_on_two_devices_are_refused(fused, device, name):
    """Every tensor must be where the input is."""
    x = torch.zeros(4, device=device)
    y = torch.zeros(4, device=device).to(FP8)
    others = {"residual": torch.zeros_like(x), "y": y, "weight": x, "scale": x[:1]}
    others[name] = Producer(x, 4, FLOAT32, device=(3, 0))
    where = "cpu:0" if device == "cpu" else f"cuda:{x.device.index}"
    message = f"^fused_add_rms_norm: {name} must be on {where} like x, got device type 3:0$"
    with pytest.raises(ValueError, match=message):
        fused(x, others["residual"], others["y"], EPS, others["weight"], others["scale"])


def test_a_tensor_on_another_kind_of_device_is_refused(fused, device):
    """A CPU kernel refuses GPU tensors, and a CUDA kernel refuses CPU tensors."""
    y = torch.zeros(4, device=device)
    if device == "cpu":  # Only the reported device counts, so no GPU is needed.
        x, message = Producer(y, 4, FLOAT32, device=(2, 1)), "on the CPU, got cuda:1"
    else:
        x, message = Producer(y, 4, FLOAT32), "on a CUDA device, got cpu:0"
    with pytest.raises(ValueError, match=f"^fused_add_rms_norm: x must be {message}$"):
        fused(x, torch.zeros_like(y), y, EPS, None, None)


def test_a_lazy_view_is_refused(fused, device):
    """A view whose numbers are yet to be negated is not misread."""
    x = torch.ones(4, device=device)
    lazy = torch.complex(x, x).conj().imag
    assert lazy.is_neg()
    with pytest.raises(ValueError, match="resolve_neg"):
        fused(lazy, torch.zeros_like(x), x, EPS, None, None)


def test_a_byte_offset_is_honoured(load_function, device):
    """A producer that gives the first element by a byte offset, without strides, is read right."""
    fused = load_function("fused_add_rms_norm", "fused_add_rms_norm")
    x = torch.arange(1, 9, dtype=torch.float32, device=device)
    residual, weight = torch.ones_like(x), torch.arange(8.0, device=device)
    y = torch.full_like(x, NAN)
    where = {"offset": 12, "told": 12, "device": dlpack_device(x)}
    lent = [Producer(tensor, 5, FLOAT32, **where) for tensor in (x, residual, y, weight)]
    fused(*lent[:3], EPS, lent[3], None)
    if device == "cuda":
        torch.cuda.synchronize()
    assert residual.tolist() == [1.0, 1.0, 1.0, 5.0, 6.0, 7.0, 8.0, 9.0]
    assert_is(y[3:], *reference(residual[3:], weight[3:]))
    assert torch.isnan(y[:3]).all()


def dlpack_device(tensor):
    """Device of a PyTorch tensor as DLPack tells it."""
    kind, index = tensor.__dlpack_device__()
    return (int(kind), int(index))


def test_runs_on_the_current_stream(fused, device):
    """The kernel waits for what PyTorch queued before it on the current stream."""
    if device == "cpu":
        pytest.skip("a CPU kernel has no stream")
    x, residual, y = (torch.zeros(256, 4096, device=device) for _ in range(3))
    torch.cuda.synchronize()
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        torch.cuda._sleep(200_000_000)  # On any other stream the kernel would read zeros.
        x.fill_(3.0)
        fused(x, residual, y, 0.0, None, None)
    stream.synchronize()
    assert bool((residual == 3.0).all())
    # The GPU's reciprocal root is approximate, so 3 / 3 need not be 1.
    torch.testing.assert_close(y, torch.ones_like(y))


def test_can_be_captured_in_a_cuda_graph(fused, device):
    """A captured call runs again with the graph, on what is in the inputs then."""
    if device == "cpu":
        pytest.skip("a CPU kernel is not captured")
    x, residual = torch.ones(10, 1024, device=device), torch.zeros(10, 1024, device=device)
    y = torch.zeros(x.shape, dtype=FP8, device=device)
    scale = scale_of(0.5, device)
    fused(x, residual, y, 0.0, None, scale)  # Loads the kernel, which is illegal during capture.
    residual.zero_()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        fused(x, residual, y, 0.0, None, scale)
    x.fill_(-4.0)
    scale.fill_(0.25)
    graph.replay()
    torch.cuda.synchronize()
    assert bool((residual == -4.0).all())
    assert bool((y.float() == -4.0).all())


def test_runs_on_the_tensors_gpu(fused, device):
    """The kernel runs on the GPU of its tensors, and the current one stays as it was."""
    if device == "cpu" or torch.cuda.device_count() < 2:
        pytest.skip("needs two GPUs")
    x = torch.ones(10, 1024, device="cuda:1")
    y = torch.zeros_like(x)
    fused(x, torch.zeros_like(x), y, 0.0, None, None)
    assert torch.cuda.current_device() == 0
    assert bool((y == 1.0).all())


def test_rows_far_apart(fused, device):
    """Offsets are 64-bit: rows 8 GiB apart are read."""
    x = far_apart((3, 16), (FAR, 1), torch.float16, device)
    x.copy_(randn((3, 16), torch.float16, device))
    check(fused, x)


@slow
@pytest.mark.parametrize("length", [4096, 2**31 + 8])
def test_more_than_two_billion_elements(fused, device, length):
    """Indices are 64-bit: many rows, and one row, beyond 2**31 elements, compared in chunks."""
    if os.environ.get("ASAN_OPTIONS"):
        pytest.skip("takes minutes under a sanitizer")
    rows = -(-(2**31 + 8) // length)
    piece = torch.randn(1 << 20, device=device).to(torch.float16)
    # The pieces differ by powers of two: exact, and different in each place.
    x = torch.zeros(rows * length, dtype=torch.float16, device=device)
    residual = torch.empty_like(x)
    for k, chunk in enumerate(residual.split(1 << 20)):
        torch.mul(piece[: len(chunk)], 2.0 ** (k % 3 - 1), out=chunk)
    mean = residual[: 3 << 20].double().view(-1, 4096).square().mean(-1, keepdim=True)
    if length != 4096:
        mean = sum(chunk.double().square().sum() for chunk in residual.split(1 << 24)) / length
    total = residual[: 3 << 20].double().view(-1, 4096)
    fused(x.view(rows, length), residual.view(rows, length), x.view(rows, length), EPS, None, None)
    # Compare the first three with float64; the others repeat them, and so must their results.
    want = (total / torch.sqrt(mean + EPS)).flatten()
    roundings = (1 + 64 + length / 1024 + 10 + 4) / 2 + 7
    assert_rounds_to(x[: 3 << 20], want, 1.01 * 2.0**-24 * roundings * want.abs())
    first = x[: 3 << 20].split(1 << 20)
    for k, got in enumerate(x.split(1 << 20)):
        assert torch.equal(got, first[k % 3][: len(got)])

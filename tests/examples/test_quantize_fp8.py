# SPDX-License-Identifier: Apache-2.0
# Rows: R1, R3, R6
"""The quantize_fp8 example: bit by bit and against float64, there and back, and its refusals."""

import os
import re

import numpy as np
import pytest
from cases import Poisoned, assert_rounds_to, layouts, shapes, slow
from hypothesis import given
from hypothesis import strategies as st
from producer import BFLOAT16, FLOAT16, FLOAT32, FLOAT64, Producer

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

DTYPES = [torch.float32, torch.float64, torch.float16, torch.bfloat16]
FP8 = torch.float8_e4m3fn
LARGEST, SMALLEST_NORMAL = 448.0, 2.0**-126  # of float8_e4m3fn, of float32
INF, NAN = float("inf"), float("nan")


@pytest.fixture(scope="module")
def mod(load):
    """The library."""
    return load("quantize_fp8")


@pytest.fixture(autouse=True)
def seeded():
    """Random inputs that are the same in every run."""
    torch.manual_seed(0)


def bits(y):
    """Give the bits of float8 numbers, with one NaN for all."""
    raw = y.view(torch.uint8)
    return torch.where((raw & 0x7F) == 0x7F, 0x7F, raw)


def check_values(x, y, scale):
    """Compare scale and y with float64, and y bit by bit with the same steps in float32."""
    wide = x.double() if x.dim() else x.double().reshape(1)
    scale = scale.reshape(wide.shape[:-1])
    finite = torch.where(torch.isfinite(x.float()).reshape(wide.shape), wide, 0.0)
    largest = finite.abs().amax(-1) if wide.shape[-1] else torch.zeros_like(scale)
    want = (largest.double() / LARGEST).clamp(min=SMALLEST_NORMAL)
    # A float64 is first rounded to float32.
    assert_rounds_to(scale, want, want * 2.0**-24 if x.dtype == torch.float64 else 0.0)
    # The reciprocal of the scale, and the product with it, are rounded to float32.
    product = wide.float() * (1 / scale).unsqueeze(-1)
    same = product.clamp(-LARGEST, LARGEST).to(FP8)
    assert torch.equal(bits(y).reshape(wide.shape), bits(same))
    # These are two roundings, and another for a float64; 1% covers their products.
    exact = finite / scale.double().unsqueeze(-1)
    got = torch.where(torch.isfinite(x.float()), y.float(), 0.0).to(FP8).reshape(wide.shape)
    assert_rounds_to(got, exact.clamp(-LARGEST, LARGEST), exact.abs() * 3.03 * 2.0**-24)


def check(mod, x):
    """Quantize x into poisoned outputs, compare, and take it back."""
    y = Poisoned(x.shape, FP8, x.device)
    scale = Poisoned(x.shape[:-1], torch.float32, x.device)
    mod.quantize_fp8(x, y.tensor, scale.tensor)
    check_values(x, y.tensor, scale.tensor)
    back = Poisoned(x.shape, x.dtype, x.device)
    mod.dequantize_fp8(y.tensor, scale.tensor, back.tensor)
    check_back(y.tensor, scale.tensor, back.tensor)
    for output in (y, scale, back):
        output.check_guards()


def check_back(y, scale, back):
    """Compare with the product in float32 (float64 for float64), rounded once to the dtype."""
    wide = torch.float64 if back.dtype == torch.float64 else torch.float32
    factor = (scale.unsqueeze(-1) if y.dim() else scale).to(wide)
    want = (y.float().to(wide) * factor).to(back.dtype)
    torch.testing.assert_close(back, want, rtol=0, atol=0, equal_nan=True)


def randn(shape, dtype, device):
    """Draw numbers of a dtype."""
    return torch.randn(shape, device=device, dtype=torch.float64).to(dtype)


@st.composite
def inputs(draw):
    """Draw a shape, a layout with dense rows, a dtype, and a size of the numbers."""
    shape = draw(shapes())
    layout = draw(layouts(len(shape), last_is_dense=True))
    return shape, layout, draw(st.sampled_from(DTYPES)), draw(st.sampled_from([1e-4, 1, 1000]))


@given(inputs())
def test_any_rows(mod, device, drawn):
    """Every shape works there and back, with rows anywhere, of large and small numbers."""
    shape, layout, dtype, size = drawn
    check(mod, layout.of(randn(shape, dtype, device) * size))


@given(inputs())
def test_any_rows_back(mod, device, drawn):
    """The rows of a float8 tensor may lie anywhere too."""
    shape, layout, dtype, _ = drawn
    y = randn(shape, torch.float32, device).to(FP8)
    lying = layout.of(y.view(torch.uint8)).view(FP8)
    scale = torch.rand(shape[:-1], device=device) + 0.1
    back = Poisoned(shape, dtype, device)
    mod.dequantize_fp8(lying, scale, back.tensor)
    check_back(y, scale, back.tensor)
    back.check_guards()


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("length", [1, 2, 127, 1032, 4096, 8191, 8192, 16_408, 20_480, 65537])
def test_any_length(mod, device, dtype, length):
    """Rows that fit into registers, and longer ones: odd, of eights and of sixteens."""
    check(mod, randn((2, length), dtype, device))


def test_more_rows_than_a_grid_has_blocks(mod, device):
    """The blocks of the largest grid go on, each to another row, there and back."""
    if device == "cpu":
        pytest.skip("a CPU kernel has no grid")
    rows = (1 << 20) * 32 + 7  # a block handles 32 short rows
    x = torch.full((rows, 1), 448.0, dtype=torch.float16, device=device)
    x[::3] = -896.0
    scale = torch.zeros(rows, device=device)
    y = mod.quantized_fp8(x, scale)
    assert bool((scale[::3] == 2.0).all() and (scale[1::3] == 1.0).all())
    assert bool((y[::3].float() == -448.0).all() and (y[2::3].float() == 448.0).all())
    back = torch.full_like(x, float("nan"))
    mod.dequantize_fp8(y, scale, back)
    assert torch.equal(back, x)


def test_many_rows(mod, device):
    """More rows than blocks at once, each with a scale of its own."""
    x = randn((20_003, 8), torch.float32, device)
    check(mod, x * torch.arange(1, 20_004, device=device).unsqueeze(1))


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("start", [1, 3, 8])
def test_rows_off_the_boundary_of_vectors(mod, device, dtype, start):
    """Inputs and outputs may begin anywhere that their elements may."""
    x = randn(7 * 64 + start, dtype, device)[start:].view(7, 64)
    check(mod, x)
    y = torch.zeros(7 * 64 + start, dtype=FP8, device=device)[start:].view(7, 64)
    scale = torch.zeros(7 + start, device=device)[start:]
    mod.quantize_fp8(x.clone(), y, scale)
    check_values(x, y, scale)
    back = torch.zeros(7 * 64 + start, dtype=dtype, device=device)[start:].view(7, 64)
    mod.dequantize_fp8(y.clone(), scale, back)
    check_back(y, scale, back)
    back = torch.zeros(7, 64, dtype=dtype, device=device)
    mod.dequantize_fp8(y, scale, back)
    check_back(y, scale, back)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=str)
def test_every_16_bit_number(mod, device, dtype):
    """All 65,536 bit patterns, in rows of one exponent each, so that each is seen at its size."""
    raw = torch.arange(-32768, 32768, dtype=torch.int32, device=device).to(torch.int16)
    check(mod, raw.view(dtype).view(-1, 1024))
    check(mod, raw.view(dtype).view(1, -1))


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_every_float8_number(mod, device, dtype):
    """All 256 bit patterns are taken back, NaN to NaN."""
    y = torch.arange(256, dtype=torch.uint8, device=device).view(FP8)
    back = torch.zeros(256, dtype=dtype, device=device)
    mod.dequantize_fp8(y, torch.tensor(1.0, device=device), back)
    torch.testing.assert_close(back, y.to(dtype), rtol=0, atol=0, equal_nan=True)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_the_largest_becomes_the_largest(mod, device, dtype):
    """The largest magnitude of each row becomes 448, whatever it is."""
    x = randn((500, 33), dtype, device) * torch.logspace(-4, 4, 500, device=device).unsqueeze(1)
    x = x.to(dtype)
    scale = torch.zeros(500, device=device)
    y = mod.quantized_fp8(x, scale)
    assert bool((y.float().abs().amax(-1) == LARGEST).all())


def test_rows_of_zeros_and_of_the_smallest_numbers(mod, device):
    """Zeros stay zeros, with their sign; the scale is the smallest normal number, never 0."""
    x = torch.zeros(4, 40, device=device)
    x[1] = -0.0
    x[2] = 2.0**-149
    x[3, 5] = 2.0**-126 * 100
    check(mod, x)
    scale = torch.zeros(4, device=device)
    y = mod.quantized_fp8(x, scale)
    assert scale[:3].tolist() == [SMALLEST_NORMAL] * 3
    assert y.view(torch.uint8)[0].tolist() == [0] * 40
    assert y.view(torch.uint8)[1].tolist() == [0x80] * 40


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("length", [4, 20_000])
def test_numbers_that_are_none(mod, device, dtype, length):
    """Infinity becomes the largest number, NaN stays NaN, and neither counts for the scale."""
    x = randn((3, length), dtype, device)
    x[1, 0], x[1, 1], x[1, -1] = INF, -INF, NAN
    check(mod, x)
    scale = torch.zeros(3, device=device)
    y = mod.quantized_fp8(x, scale).float()
    assert (y[1, 0].item(), y[1, 1].item()) == (LARGEST, -LARGEST)
    assert bool(torch.isnan(y[1, -1]))
    finite = x[1, 2:-1].float().abs().max()
    torch.testing.assert_close(scale[1], finite / LARGEST, rtol=1e-6, atol=0)
    assert bool(torch.isfinite(y[::2]).all())
    for special, value in ((INF, LARGEST), (-INF, -LARGEST)):
        y = mod.quantized_fp8(torch.full((5,), special, dtype=dtype, device=device), scale[0])
        assert y.float().tolist() == [value] * 5
        assert scale[0].item() == SMALLEST_NORMAL
    y = mod.quantized_fp8(torch.full((5,), NAN, dtype=dtype, device=device), scale[0])
    assert bool(torch.isnan(y.float()).all())


def test_a_float64_beyond_float32_is_infinity(mod, device):
    """What float32 cannot hold becomes the largest number, like infinity."""
    x = torch.tensor([1.0, -1e300], dtype=torch.float64, device=device)
    scale = torch.tensor(0.0, device=device)
    y = mod.quantized_fp8(x, scale)
    assert y.float().tolist() == [LARGEST, -LARGEST]
    check(mod, x)


def test_the_scale_may_take_the_place_of_one_number(mod, device):
    """A number without dimensions is read before its scale is written over it, there and back."""
    x = torch.tensor(-3.0, device=device)
    y = torch.zeros((), device=device).to(FP8)
    mod.quantize_fp8(x, y, x)
    assert (y.float().item(), x.item()) == (-LARGEST, torch.tensor(3.0 / LARGEST).item())
    mod.dequantize_fp8(y, x, x)
    assert abs(x.item() + 3.0) < 1e-6


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_a_returned_tensor_comes_from_pytorch(mod, device, dtype):
    """A new float8 tensor is a PyTorch tensor when the arguments are."""
    x = randn((3, 4, 65), dtype, device)
    scale = torch.zeros(3, 4, device=device)
    y = mod.quantized_fp8(x, scale)
    assert type(y) is torch.Tensor
    assert (y.dtype, y.device, y.shape) == (FP8, x.device, x.shape)
    check_values(x, y, scale)


def test_numpy_arrays(mod, device):
    """NumPy's float8 arrays, of ml_dtypes, go in and come out."""
    if device != "cpu":
        pytest.skip("NumPy's arrays are on the CPU")
    ml_dtypes = pytest.importorskip("ml_dtypes", reason="ml_dtypes is not installed")
    x = np.random.default_rng(0).standard_normal((5, 40)).astype("float32")
    y, scale = np.zeros((5, 40), dtype=ml_dtypes.float8_e4m3fn), np.zeros(5, dtype="float32")
    mod.quantize_fp8(x, y, scale)
    check_values(
        torch.from_numpy(x), torch.from_numpy(y.view("uint8")).view(FP8), torch.from_numpy(scale)
    )
    returned = mod.quantized_fp8(x, scale)
    assert returned.dtype == ml_dtypes.float8_e4m3fn
    assert np.array_equal(returned.view("uint8"), y.view("uint8"))
    back = np.zeros_like(x)
    mod.dequantize_fp8(returned, scale, back)
    assert np.array_equal(back, y.astype("float32") * scale[:, None])


def broadcast(x):
    """One row many times."""
    return x[:1].expand(6, -1)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("view", [broadcast, lambda x: x[1::2, 8:24], lambda x: x.unfold(1, 16, 4)])
def test_rows_that_share_elements(mod, device, dtype, view):
    """Broadcast rows, parts of rows and overlapping windows are read right."""
    check(mod, view(randn((6, 48), dtype, device)))


@pytest.mark.parametrize(
    ("make", "kind", "message"),
    [
        (
            lambda t: (t(2, 4).int(), t(2, 4).to(FP8), t(2)),
            TypeError,
            "x must be float32, float64, float16 or bfloat16, got int32",
        ),
        (
            lambda t: (t(4, 6).t(), t(6, 4).to(FP8), t(6)),
            ValueError,
            "x must be dense in its last dimension, got shape (6, 4) with strides (1, 6)",
        ),
        (
            lambda t: (t(2, 4), t(2, 4).to(torch.float8_e5m2), t(2)),
            TypeError,
            "y must be float8_e4m3fn, got float8_e5m2",
        ),
        (
            lambda t: (t(2, 4), t(2, 5).to(FP8), t(2)),
            ValueError,
            "y must be of shape (2, 4) like x, got (2, 5)",
        ),
        (
            lambda t: (t(2, 4), t(4, 4).to(FP8)[::2], t(2)),
            ValueError,
            "y must be contiguous, got shape (2, 4) with strides (8, 1)",
        ),
        (
            lambda t: (t(2, 4), t(2, 4).to(FP8), t(3)),
            ValueError,
            "scale must be of shape (2,) like the rows of x, got (3,)",
        ),
        (
            lambda t: (t(2, 4), t(2, 4).to(FP8), t(2, 1)),
            ValueError,
            "scale must be of shape (2,) like the rows of x, got (2, 1)",
        ),
        (
            lambda t: (t(4), t(4).to(FP8), t(1)),
            ValueError,
            "scale must be of shape () like the rows of x, got (1,)",
        ),
        (
            lambda t: (t(2, 4), t(2, 4).to(FP8), t(2).double()),
            TypeError,
            "scale must be float32, got float64",
        ),
        (
            lambda t: (t(2, 4), t(2, 4).to(FP8), t(4)[::2]),
            ValueError,
            "scale must be contiguous, got shape (2,) with strides (2,)",
        ),
        (
            lambda t: (lambda x: (x, x.view(FP8)[:, :4].view(2, 4), t(2)))(t(2, 1)),
            ValueError,
            "y must be of shape (2, 1) like x, got (2, 4)",
        ),
        (
            lambda t: (lambda x: (x, x.view(FP8)[0, 4:12].view(1, 8), t(1)))(t(1, 8)),
            ValueError,
            "y must be the same tensor as x or apart from it, got overlapping ranges",
        ),
        (
            lambda t: (lambda x: (x, t(1, 8).to(FP8), x[0, 3:4]))(t(1, 8)),
            ValueError,
            "scale must be the same tensor as x or apart from it, got overlapping ranges",
        ),
        (
            lambda t: (lambda m: (t(1, 8), m.view(FP8)[:8].view(1, 8), m[1:2]))(t(4)),
            ValueError,
            "scale must be the same tensor as y or apart from it, got overlapping ranges",
        ),
    ],
)
def test_wrong_arguments_are_named(mod, device, make, kind, message):
    """The error names the kernel, the argument, what was expected and what came."""
    arguments = make(lambda *shape: torch.zeros(*shape, device=device))
    with pytest.raises(kind) as raised:
        mod.quantize_fp8(*arguments)
    assert str(raised.value) == f"quantize_fp8: {message}"


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda t: (t(4, 2).t(), t(2)), "x must be dense in its last dimension"),
        (lambda t: (t(2, 4), t(3)), "scale must be of shape (2,) like the rows of x, got (3,)"),
        (
            lambda t: (lambda x: (x, x[0, 3:4]))(t(1, 8)),
            "scale must be the same tensor as x or apart from it, got overlapping ranges",
        ),
    ],
)
def test_the_function_that_was_called_is_named(mod, device, make, message):
    """What returns its result names itself, and allocates nothing before."""
    with pytest.raises(ValueError, match="^" + re.escape(f"quantized_fp8: {message}")):
        mod.quantized_fp8(*make(lambda *shape: torch.zeros(*shape, device=device)))


@pytest.mark.parametrize(
    ("make", "kind", "message"),
    [
        (
            lambda t: (t(2, 4), t(2), t(2, 4)),
            TypeError,
            "y must be float8_e4m3fn, got float32",
        ),
        (
            lambda t: (t(4, 2).to(FP8).t(), t(2), t(2, 4)),
            ValueError,
            "y must be dense in its last dimension, got shape (2, 4) with strides (1, 2)",
        ),
        (
            lambda t: (t(2, 4).to(FP8), t(4), t(2, 4)),
            ValueError,
            "scale must be of shape (2,) like the rows of y, got (4,)",
        ),
        (
            lambda t: (t(2, 4).to(FP8), t(2), t(2, 4).int()),
            TypeError,
            "out must be float32, float64, float16 or bfloat16, got int32",
        ),
        (
            lambda t: (t(2, 4).to(FP8), t(2), t(4, 2)),
            ValueError,
            "out must be of shape (2, 4) like y, got (4, 2)",
        ),
        (
            lambda t: (t(2, 4).to(FP8), t(2), t(4, 4)[::2]),
            ValueError,
            "out must be contiguous, got shape (2, 4) with strides (8, 1)",
        ),
        (
            lambda t: (lambda out: (out.view(FP8)[0, :8].view(1, 8), t(1), out))(t(1, 8)),
            ValueError,
            "out must be the same tensor as y or apart from it, got overlapping ranges",
        ),
        (
            lambda t: (lambda out: (t(2, 4).to(FP8), out[1, :2], out))(t(2, 4)),
            ValueError,
            "out must be the same tensor as scale or apart from it, got overlapping ranges",
        ),
    ],
)
def test_wrong_arguments_on_the_way_back_are_named(mod, device, make, kind, message):
    """The error names the kernel, the argument, what was expected and what came."""
    arguments = make(lambda *shape: torch.zeros(*shape, device=device))
    with pytest.raises(kind) as raised:
        mod.dequantize_fp8(*arguments)
    assert str(raised.value) == f"dequantize_fp8: {message}"


@pytest.mark.parametrize("dtype", [FLOAT32, FLOAT64, FLOAT16, BFLOAT16], ids=str)
def test_a_misaligned_tensor_is_refused(mod, device, dtype):
    """A tensor whose numbers cross their boundaries is refused before a GPU fails on it."""
    memory = torch.zeros(40, dtype=torch.float64, device=device)
    where = {"device": dlpack_device(memory)}
    x = Producer(memory, 4, dtype, offset=1, **where)
    y, scale = torch.zeros(4, device=device).to(FP8), torch.zeros((), device=device)
    text = f"must be aligned to its {dtype[1] // 8} byte items, got an address 1 too far"
    with pytest.raises(ValueError, match=f"^quantize_fp8: x {text}$"):
        mod.quantize_fp8(x, y, scale)
    with pytest.raises(ValueError, match=f"^dequantize_fp8: out {text}$"):
        mod.dequantize_fp8(y, scale, x)


def test_tensors_on_other_devices_are_refused(mod, device):
    """All tensors are on the kernel's device."""
    x = torch.zeros(4, device=device)
    y, scale = x.to(FP8), torch.zeros((), device=device)
    where = "cpu:0" if device == "cpu" else f"cuda:{x.device.index}"
    away = Producer(x, 4, FLOAT32, device=(3, 0))
    with pytest.raises(ValueError, match=f"^quantize_fp8: y must be on {where} like x"):
        mod.quantize_fp8(x, away, scale)
    with pytest.raises(ValueError, match=f"^quantize_fp8: scale must be on {where} like x"):
        mod.quantize_fp8(x, y, away)
    with pytest.raises(ValueError, match=f"^dequantize_fp8: out must be on {where} like y"):
        mod.dequantize_fp8(y, scale, away)
    kind = "on the CPU" if device == "cpu" else "on a CUDA device"
    for name in ("quantize_fp8", "quantized_fp8"):
        arguments = (away, y, scale) if name == "quantize_fp8" else (away, scale)
        with pytest.raises(ValueError, match=f"^{name}: x must be {kind}, got device type 3:0$"):
            getattr(mod, name)(*arguments)
    with pytest.raises(ValueError, match=f"^dequantize_fp8: y must be {kind}, got device type"):
        mod.dequantize_fp8(away, scale, x)


def test_a_lazy_view_is_refused(mod, device):
    """A view whose numbers are yet to be negated is not misread."""
    x = torch.ones(4, device=device)
    lazy = torch.complex(x, x).conj().imag
    assert lazy.is_neg()
    with pytest.raises(ValueError, match="resolve_neg"):
        mod.quantized_fp8(lazy, torch.zeros((), device=device))


def test_a_byte_offset_is_honoured(mod, device):
    """A producer that gives the first element by a byte offset, without strides, is read right."""
    x = torch.arange(8, dtype=torch.float32, device=device) - 20
    where = {"offset": 12, "told": 12, "device": dlpack_device(x)}
    scale = torch.zeros((), device=device)
    y = torch.zeros(5, device=device).to(FP8)
    mod.quantize_fp8(Producer(x, 5, FLOAT32, **where), y, scale)
    back = torch.zeros_like(x)
    mod.dequantize_fp8(y, scale, Producer(back, 5, FLOAT32, **where))
    if device == "cuda":
        torch.cuda.synchronize()
    check_values(x[3:], y, scale)
    check_back(y, scale, back[3:])
    assert bool((back[:3] == 0).all())


def dlpack_device(tensor):
    """Device of a PyTorch tensor as DLPack tells it."""
    kind, index = tensor.__dlpack_device__()
    return (int(kind), int(index))


def test_runs_on_the_current_stream(mod, device):
    """The kernels wait for what PyTorch queued before them on the current stream."""
    if device == "cpu":
        pytest.skip("a CPU kernel has no stream")
    x, scale = torch.zeros(256, 4096, device=device), torch.zeros(256, device=device)
    back = torch.zeros_like(x)
    torch.cuda.synchronize()
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        torch.cuda._sleep(200_000_000)  # On any other stream the kernel would read zeros.
        x.fill_(448.0)
        y = mod.quantized_fp8(x, scale)
        mod.dequantize_fp8(y, scale, back)
    stream.synchronize()
    assert bool((back == 448.0).all())


def test_can_be_captured_in_a_cuda_graph(mod, device):
    """Captured calls run again with the graph, on what is in the input then."""
    if device == "cpu":
        pytest.skip("a CPU kernel is not captured")
    x, scale = torch.ones(10, 1024, device=device), torch.zeros(10, device=device)
    y, back = torch.zeros(10, 1024, device=device).to(FP8), torch.zeros(10, 1024, device=device)

    def both():
        mod.quantize_fp8(x, y, scale)
        mod.dequantize_fp8(y, scale, back)

    both()  # Loads the kernels, which is illegal during capture.
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        both()
    x.fill_(-448.0)
    graph.replay()
    torch.cuda.synchronize()
    assert bool((back == -448.0).all())


def test_runs_on_the_tensors_gpu(mod, device):
    """The kernels run on the GPU of their tensors, and the current one stays as it was."""
    if device == "cpu" or torch.cuda.device_count() < 2:
        pytest.skip("needs two GPUs")
    x = torch.full((10, 1024), 448.0, device="cuda:1")
    y = mod.quantized_fp8(x, torch.zeros(10, device="cuda:1"))
    assert torch.cuda.current_device() == 0
    assert bool((y.float() == 448.0).all())


@slow
@pytest.mark.parametrize("length", [4096, 2**31 + 8])
def test_more_than_two_billion_elements(mod, device, length):
    """Indices are 64-bit: many rows, and one row, beyond 2**31 elements, compared in chunks."""
    if os.environ.get("ASAN_OPTIONS"):
        pytest.skip("takes minutes under a sanitizer")
    rows = -(-(2**31 + 8) // length)
    piece = torch.randn(1 << 20, device=device).to(torch.float16)
    # The pieces differ by powers of two, so that one read in place of another shows.
    x = torch.empty(rows * length, dtype=torch.float16, device=device)
    for k, chunk in enumerate(x.split(1 << 20)):
        torch.mul(piece[: len(chunk)], 2.0 ** (k % 3 - 1), out=chunk)
    x[-1] = 1000.0
    y = torch.full((rows, length), 0x7F, device=device, dtype=torch.uint8).view(FP8)
    scale = torch.zeros(rows, device=device)
    mod.quantize_fp8(x.view(rows, length), y, scale)
    # Compare the first three pieces with float64 and bit for bit; the others repeat them, and so
    # must their results.
    of_rows = scale[: 3 * 256] if length == 4096 else scale
    start, first = x[: 3 << 20].view(len(of_rows), -1), y.view(-1)[: 3 << 20]
    if length == 4096:
        check_values(start, first.view(start.shape), of_rows)
    else:
        assert scale.item() == torch.tensor(1000.0 / LARGEST).item()
        want = (start.float() * (1 / scale)).clamp(-LARGEST, LARGEST).to(FP8)
        assert torch.equal(bits(first), bits(want).view(-1))
    raw = y.view(torch.uint8).view(-1)
    raw[-1] = raw[(len(raw) - 1) % (3 << 20)]  # one of the 1000
    pieces = raw.split(1 << 20)
    for k, got in enumerate(pieces):
        last = len(got) - (4096 if k == len(pieces) - 1 and length == 4096 else 0)
        assert torch.equal(got[:last], pieces[k % 3][:last])
    back = x.view(rows, length).fill_(NAN)
    mod.dequantize_fp8(y, scale, back)
    check_back(first.view(start.shape), of_rows, start)
    pieces = x.split(1 << 20)
    for k, got in enumerate(pieces):
        last = len(got) - (4096 if k == len(pieces) - 1 and length == 4096 else 0)
        assert torch.equal(got[:last], pieces[k % 3][:last])

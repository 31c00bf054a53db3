# SPDX-License-Identifier: Apache-2.0
# Rows: R1, R3, R6
"""The scale example: every dtype and layout against a float64 reference, and its refusals."""

import platform
import re
import shutil
import subprocess

import cases
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from producer import BFLOAT16, FLOAT16, FLOAT32, FLOAT64, Producer

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

DTYPES = [torch.float32, torch.float64, torch.float16, torch.bfloat16]
FACTOR = 1.1  # Not a float16 or bfloat16 number, so rounding it first would show.


@pytest.fixture(scope="module")
def scale(load):
    """The exported function."""
    return load("scale").scale


@pytest.fixture(autouse=True)
def seeded():
    """Random inputs that are the same in every run."""
    torch.manual_seed(0)


def expected(x, factor):
    """Multiply in float32 (float64 for float64), rounded once to the dtype of x."""
    if x.dtype == torch.float64:
        return x * factor
    return (x.float() * torch.tensor(factor, dtype=torch.float32, device=x.device)).to(x.dtype)


# [check.begin]
def check(scale, x, factor=FACTOR):
    """Scales x into a poisoned output and compares bit by bit, then with float64."""
    y = cases.Poisoned(x.shape, x.dtype, x.device)
    scale(x, y.tensor, factor)
    y.check_guards()
    torch.testing.assert_close(y.tensor, expected(x, factor), rtol=0, atol=0, equal_nan=True)
    reference = x.double() * factor
    # A float32 factor is off by half a unit in the last place, and so is the product.
    wide = torch.finfo(torch.float64 if x.dtype == torch.float64 else torch.float32)
    error = reference.abs() * (2.01 * wide.eps / 2) + wide.smallest_normal * wide.eps
    cases.assert_rounds_to(y.tensor, reference, error)


# [check.end]


# [random.begin]
@given(
    dtype=st.sampled_from(DTYPES),
    shape_and_layout=cases.shapes().flatmap(
        lambda shape: st.tuples(st.just(shape), cases.layouts(len(shape)))
    ),
    seed=st.integers(0, 2**31),
)
def test_any_shape_and_layout(scale, device, dtype, shape_and_layout, seed):
    """Random shapes, orders of dimensions, steps and offsets."""
    shape, layout = shape_and_layout
    values = torch.randn(shape, generator=torch.Generator().manual_seed(seed))
    check(scale, layout.of(values.to(device=device, dtype=dtype)))


# [random.end]


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_ends_of_vectors_and_blocks(scale, device, dtype):
    """Sizes around those of vectors, blocks and tiles, from addresses of any alignment."""
    x = torch.randn(70_009, device=device).to(dtype)
    for size in (1, 7, 8, 9, 63, 64, 65, 127, 128, 129, 8191, 8193, 16384, 70_001):
        for start in (0, 1, 2, 4, 8):
            check(scale, x[start : start + size])


@pytest.mark.parametrize("start", [1, 2, 3])
def test_an_output_that_is_not_aligned_to_vectors(scale, device, start):
    """An output in the middle of 16 bytes is written element by element."""
    x = torch.randn(1003, device=device)
    padded = torch.full((1016,), float("nan"), device=device)
    y = padded[start : start + 1003]
    scale(x, y, FACTOR)
    torch.testing.assert_close(y, expected(x, FACTOR), rtol=0, atol=0)
    assert torch.isnan(padded[:start]).all()
    assert torch.isnan(padded[start + 1003 :]).all()


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize(
    "shape", [(), (0,), (3, 0, 5), (1,), (31,), (257,), (33, 65), (2, 3, 4, 5), (1_000_003,)]
)
def test_any_shape(scale, device, dtype, shape):
    """Every shape works: 0-dim, empty, odd, large."""
    check(scale, torch.randn(shape, device=device).to(dtype))


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize(
    "view",
    [
        lambda x: x.t(),
        lambda x: x[::2],
        lambda x: x[:, 1::3],
        lambda x: x[5:, 7:],
        lambda x: x[:0, ::2],
        lambda x: x[3:4, ::5],
        lambda x: x.reshape(4, 12, 6, 8).permute(2, 0, 3, 1),
        lambda x: x[:1].expand(9, -1),
        lambda x: x.unsqueeze(1)[:, :, ::2],
        lambda x: x[2:, 2:][0, 0],
    ],
)
def test_any_layout_of_the_input(scale, device, dtype, view):
    """Transposed, sliced, offset, broadcast and permuted inputs are read right."""
    check(scale, view(torch.randn(48, 48, device=device).to(dtype)))


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=str)
@pytest.mark.parametrize("factor", [1.0, FACTOR, 1e-3, 3e4, -0.0, float("inf"), float("nan")])
def test_every_16_bit_number(scale, device, dtype, factor):
    """All 65,536 bit patterns are scaled and rounded as PyTorch rounds them."""
    bits = torch.arange(-32768, 32768, dtype=torch.int32, device=device).to(torch.int16)
    x = bits.view(dtype)
    y = torch.zeros_like(x)
    scale(x, y, factor)
    want = expected(x, factor)
    torch.testing.assert_close(torch.isnan(y), torch.isnan(want))
    same = ~torch.isnan(want)
    # Compared as bits, so that the sign of zero counts.
    assert torch.equal(y.view(torch.int16)[same], want.view(torch.int16)[same])


@pytest.mark.skipif(platform.machine() != "x86_64", reason="knows instructions of x86-64 alone")
def test_the_loops_of_the_cpu_are_vectorized(libraries):
    """Each dtype has its loop of vector instructions, named here by one that only it needs."""
    if shutil.which("objdump") is None:
        pytest.skip("needs objdump")
    command = ["objdump", "-d", "--no-show-raw-insn", str(libraries / "scale_cpu.so")]
    told = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    if "__asan" in told or "__tsan" in told:
        pytest.skip("built for a sanitizer, with other optimizations")
    # float64, float32, widened 16-bit values, and float16 subnormals
    wanted = {"mulpd", "mulps", "punpcklwd", "cvtdq2ps"}
    assert wanted <= set(re.findall(r"\t([a-z0-9]+)", told))


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_works_in_place(scale, device, dtype):
    """The very same tensor may be input and output."""
    x = torch.randn(9001, device=device).to(dtype)
    want = expected(x, FACTOR)
    scale(x, x, FACTOR)
    torch.testing.assert_close(x, want, rtol=0, atol=0)


def test_nothing_beyond_the_output_is_written(scale, device):
    """The elements before and behind the output keep their values."""
    x = torch.randn(1000, device=device)
    padded = torch.full((1016,), float("nan"), device=device)
    scale(x, padded[8:1008], FACTOR)
    assert torch.isnan(padded[:8]).all()
    assert torch.isnan(padded[1008:]).all()
    torch.testing.assert_close(padded[8:1008], expected(x, FACTOR), rtol=0, atol=0)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_a_returned_tensor_comes_from_pytorch(load, device, dtype):
    """A result is a PyTorch tensor when the arguments are, and outlives the call."""
    x = torch.randn(33, 65, device=device).to(dtype).t()
    y = load("scale").scaled(x, FACTOR)
    assert type(y) is torch.Tensor
    assert y.device == x.device
    torch.testing.assert_close(y, expected(x, FACTOR), rtol=0, atol=0)


@pytest.mark.parametrize(
    ("make", "kind", "message"),
    [
        (
            lambda t: (t(4), t(5)),
            ValueError,
            "scale: y must be of shape (4,) like x, got (5,)",
        ),
        (
            lambda t: (t(4), t(4, 1)),
            ValueError,
            "scale: y must be of shape (4,) like x, got (4, 1)",
        ),
        (lambda t: (t(4), t(4).half()), TypeError, "scale: y must be float32 like x, got float16"),
        (
            lambda t: (t(4).int(), t(4).int()),
            TypeError,
            "scale: x must be float32, float64, float16 or bfloat16, got int32",
        ),
        (
            lambda t: (t(4), t(8)[::2]),
            ValueError,
            "scale: y must be contiguous, got shape (4,) with strides (2,)",
        ),
        (
            lambda t: (lambda m: (m[:4], m[2:6]))(t(8)),
            ValueError,
            "scale: y must be the same tensor as x or apart from it, got overlapping ranges",
        ),
        (
            lambda t: (lambda m: (m.t(), m))(t(3, 3)),
            ValueError,
            "scale: y must be the same tensor as x or apart from it, got overlapping ranges",
        ),
    ],
)
def test_wrong_arguments_are_named(scale, device, make, kind, message):
    """The error names the kernel, the argument, what was expected and what came."""
    with pytest.raises(kind) as raised:
        scale(*make(lambda *shape: torch.zeros(*shape, device=device)), FACTOR)
    assert str(raised.value) == message


@pytest.mark.parametrize("dtype", [FLOAT32, FLOAT64, FLOAT16, BFLOAT16], ids=str)
def test_a_misaligned_tensor_is_refused(scale, device, dtype):
    """A tensor whose numbers cross their boundaries is refused before a GPU fails on it."""
    memory = torch.zeros(16, dtype=torch.float64, device=device)
    where = {"device": dlpack_device(memory)}
    crooked = Producer(memory, 4, dtype, offset=1, **where)
    straight = Producer(memory, 4, dtype, offset=64, **where)
    text = f"must be aligned to its {dtype[1] // 8} byte items, got an address 1 too far"
    with pytest.raises(ValueError, match=f"^scale: x {text}$"):
        scale(crooked, straight, FACTOR)
    with pytest.raises(ValueError, match=f"^scale: y {text}$"):
        scale(straight, crooked, FACTOR)


def test_a_returned_tensor_is_checked_under_its_own_name(load, device):
    """The function that was called is named, and nothing is allocated before the checks."""
    scaled = load("scale").scaled
    with pytest.raises(TypeError) as raised:
        scaled(torch.zeros(4, dtype=torch.int64, device=device), FACTOR)
    assert str(raised.value) == (
        "scaled: x must be float32, float64, float16 or bfloat16, got int64"
    )
    elsewhere = (2, 0) if device == "cpu" else (1, 0)
    with pytest.raises(ValueError, match=r"^scaled: x must be on "):
        scaled(Producer(np.zeros(4, dtype="float32"), 4, FLOAT32, device=elsewhere), FACTOR)


def test_neighbours_in_one_buffer_do_not_overlap(scale, device):
    """Two halves of one allocation are apart."""
    whole = torch.randn(64, device=device)
    want = expected(whole[:32], FACTOR)
    scale(whole[:32], whole[32:], FACTOR)
    torch.testing.assert_close(whole[32:], want, rtol=0, atol=0)


def test_a_tensor_on_another_kind_of_device_is_refused(scale, device):
    """A CPU kernel refuses GPU tensors, and a CUDA kernel refuses CPU tensors."""
    y = torch.zeros(4, device=device)
    if device == "cpu":  # Only the reported device counts, so no GPU is needed.
        x, message = Producer(y, 4, FLOAT32, device=(2, 1)), "on the CPU, got cuda:1"
    else:
        x, message = Producer(y, 4, FLOAT32), "on a CUDA device, got cpu:0"
    with pytest.raises(ValueError, match=f"^scale: x must be {message}$"):
        scale(x, y, FACTOR)


def test_tensors_on_two_devices_are_refused(scale, device):
    """The output must be where the input is."""
    x = torch.zeros(4, device=device)
    y = Producer(x, 4, FLOAT32, device=(3, 0))
    where = "cpu:0" if device == "cpu" else f"cuda:{x.device.index}"
    message = f"^scale: y must be on {where} like x, got device type 3:0$"
    with pytest.raises(ValueError, match=message):
        scale(x, y, FACTOR)


# [byte_offset.begin]
def test_a_byte_offset_is_honoured(load_function, device):
    """A producer that gives the first element by a byte offset, without strides, is read right."""
    scale = load_function("scale", "scale")
    x = torch.arange(8, dtype=torch.float32, device=device)
    y = torch.full_like(x, float("nan"))
    where = {"offset": 12, "told": 12, "device": dlpack_device(x)}
    scale(Producer(x, 5, FLOAT32, **where), Producer(y, 5, FLOAT32, **where), 2.0)
    if device == "cuda":
        torch.cuda.synchronize()
    torch.testing.assert_close(y[3:], x[3:] * 2, rtol=0, atol=0)
    assert torch.isnan(y[:3]).all()


# [byte_offset.end]


def dlpack_device(tensor):
    """Device of a PyTorch tensor as DLPack tells it."""
    kind, index = tensor.__dlpack_device__()
    return (int(kind), int(index))


# [stream.begin]
def test_runs_on_the_current_stream(scale, device):
    """The kernel waits for what PyTorch queued before it on the current stream."""
    if device == "cpu":
        pytest.skip("a CPU kernel has no stream")
    x, y = torch.zeros(1 << 20, device=device), torch.zeros(1 << 20, device=device)
    torch.cuda.synchronize()
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        torch.cuda._sleep(200_000_000)  # On any other stream the kernel would read zeros.
        x.fill_(3.0)
        scale(x, y, 2.0)
    stream.synchronize()
    assert bool((y == 6.0).all())


# [stream.end]


def test_can_be_captured_in_a_cuda_graph(scale, device):
    """A captured call runs again with the graph, on what is in the input then."""
    if device == "cpu":
        pytest.skip("a CPU kernel is not captured")
    x, y = torch.ones(1000, device=device), torch.zeros(1000, device=device)
    scale(x, y, 2.0)  # Loads the kernel, which is illegal during capture.
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        scale(x, y, 2.0)
    x.fill_(5.0)
    graph.replay()
    torch.cuda.synchronize()
    assert bool((y == 10.0).all())


def test_runs_on_the_tensors_gpu(scale, device):
    """The kernel runs on the GPU of its tensors, and the current one stays as it was."""
    if device == "cpu" or torch.cuda.device_count() < 2:
        pytest.skip("needs two GPUs")
    x = torch.ones(1000, device="cuda:1")
    y = torch.zeros_like(x)
    scale(x, y, 2.0)
    assert torch.cuda.current_device() == 0
    assert bool((y == 2.0).all())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (2, "scale(Tensor, Tensor, float) -> None: expected 3 arguments, got 2"),
        (4, "scale(Tensor, Tensor, float) -> None: expected 3 arguments, got 4"),
    ],
)
def test_wrong_number_of_arguments(scale, device, arguments, message):
    """The error shows the signature and both numbers."""
    x = torch.zeros(4, device=device)
    with pytest.raises(TypeError) as raised:
        scale(*[x, x.clone(), FACTOR, FACTOR][:arguments])
    assert str(raised.value) == message


def test_wrong_type_of_argument(scale, device):
    """The error shows the signature, the position, what was expected and what came."""
    x = torch.zeros(4, device=device)
    with pytest.raises(TypeError) as raised:
        scale(x, x.clone(), "2")
    assert (
        str(raised.value)
        == "scale(Tensor, Tensor, float) -> None: argument 2: expected float, got str"
    )


def test_views_with_a_pending_sign_are_refused(scale, device):
    """PyTorch's negative-bit views hold the other sign in memory."""
    x = torch.ones(4, dtype=torch.complex64, device=device).conj().imag
    assert x.is_neg()
    with pytest.raises(ValueError, match=r"resolve_neg"):
        scale(x, torch.empty_like(x), FACTOR)


@pytest.mark.parametrize("shape", [(3,), (3, 2)])
def test_elements_far_apart(scale, device, shape):
    """Offsets are 64-bit: elements 8 GiB apart are read, with a stride or by runs."""
    x = cases.far_apart(shape, (cases.FAR, 3)[: len(shape)], torch.float16, device)
    x.copy_(torch.randn(shape, device=device))
    check(scale, x)


@cases.slow
def test_more_than_four_billion_elements(scale, device):
    """Indices are 64-bit: the elements beyond 2**32 are scaled too, contiguous or not."""
    n = 2**32 + 3
    values = torch.arange(1 << 20, dtype=torch.float16, device=device)
    y = torch.full((n,), float("nan"), dtype=torch.float16, device=device)
    # A broadcast input takes no memory: 2**32 + 3 elements of stride 0.
    x = torch.full((1,), 1.5, dtype=torch.float16, device=device)
    scale(x.expand(n), y, 2.0)
    for part in y.split(1 << 28):
        assert bool((part == 3.0).all())
    for part in y.split(1 << 20):
        part.copy_(values[: part.numel()])
    scale(y, y, 2.0)
    want = (values.float() * 2.0).to(torch.float16)
    for part in y.split(1 << 20):
        assert torch.equal(part, want[: part.numel()])

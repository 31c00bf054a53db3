# SPDX-License-Identifier: Apache-2.0
# Rows: R1, R3, R6
"""The dispatch example: sums in every dtype against wider references, and its refusals."""

import cases
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from producer import FLOAT32, FLOAT64, Producer

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

FLOATING = [torch.float32, torch.float64, torch.float16, torch.bfloat16]
FLOAT8 = [torch.float8_e4m3fn, torch.float8_e5m2]
INTEGERS = [
    *(torch.int8, torch.int16, torch.int32, torch.int64),
    *(torch.uint8, torch.uint16, torch.uint32, torch.uint64),
]
DTYPES = [*FLOATING, *FLOAT8, *INTEGERS, torch.bool]
SUPPORTED = (
    "float32, float64, float16, bfloat16, float8_e4m3fn, float8_e5m2, int8, int16, int32, int64, "
    "uint8, uint16, uint32, uint64 or bool"
)


@pytest.fixture(scope="module")
def add(load):
    """The exported function."""
    return load("dispatch").add


def some(dtype, n, device, seed=0):
    """Make values of any bits, so that infinities, NaN, overflows and subnormals are among them."""
    random = np.random.default_rng(seed)
    if dtype == torch.bool:
        return torch.from_numpy(random.integers(0, 2, n).astype(bool)).to(device)
    # One more than requested, as PyTorch cannot reinterpret an empty array.
    raw = random.integers(0, 256, (n + 1) * dtype.itemsize, dtype=np.uint8)
    return torch.from_numpy(raw).view(dtype)[:n].to(device)


def as_numpy(x):
    """The same integers or booleans in NumPy, which adds all of them."""
    return x.cpu().numpy()


def check(add, a, b, y=None):
    """Adds into a poisoned output and compares with a wider reference."""
    if y is None:
        y = cases.Poisoned(a.shape, a.dtype, a.device)
    add(a, b, y.tensor)
    y.check_guards()
    got = y.tensor
    if a.dtype in FLOATING:
        reference = a.double() + b.double()
        # float16 and bfloat16 are added in float32, which adds one rounding.
        narrow = a.dtype in (torch.float16, torch.bfloat16)
        error = reference.abs() * (torch.finfo(torch.float32).eps / 2 if narrow else 0)
        cases.assert_rounds_to(got, reference, torch.nan_to_num(error, nan=0.0, posinf=0.0))
    elif a.dtype in FLOAT8:
        # A sum of two such numbers is exact in float32, and saturates when rounded.
        top = torch.finfo(a.dtype).max
        want = (a.float() + b.float()).clamp(-top, top).to(a.dtype)
        nan = torch.isnan(want.float())
        assert torch.equal(torch.isnan(got.float()), nan)
        # Compared as bits, so that the sign of zero counts.
        assert torch.equal(got.view(torch.uint8)[~nan], want.view(torch.uint8)[~nan])
    else:
        with np.errstate(over="ignore"):
            assert np.array_equal(as_numpy(got), np.add(as_numpy(a), as_numpy(b)))


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_any_bits(add, device, dtype):
    """Random bit patterns of every dtype, at sizes around vectors and blocks."""
    for n in (0, 1, 2, 7, 15, 16, 17, 255, 257, 4096, 8193, 100_003):
        check(add, some(dtype, n, device, seed=n), some(dtype, n, device, seed=n + 1))


@given(dtype=st.sampled_from(DTYPES), shape=cases.shapes(), seed=st.integers(0, 2**31))
def test_any_shape(add, device, dtype, shape, seed):
    """Random shapes, 0-dim and empty ones among them."""
    n = int(np.prod(shape))
    a, b = (some(dtype, n, device, seed + i).view(shape) for i in range(2))
    check(add, a, b)


@pytest.mark.parametrize("dtype", FLOAT8, ids=str)
def test_every_pair_of_8_bit_floats(add, device, dtype):
    """All 65,536 sums are rounded to nearest even and saturate, ties among them."""
    every = torch.arange(256, dtype=torch.int32, device=device).to(torch.uint8)
    a = every.repeat_interleave(256).view(dtype)
    b = every.repeat(256).view(dtype)
    check(add, a, b)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=str)
@pytest.mark.parametrize("other", [0.0, 1.0, -3.0, 2.0**-24, 65504.0, float("inf")])
def test_every_16_bit_float(add, device, dtype, other):
    """All 65,536 numbers plus another are PyTorch's own sums, bit by bit."""
    bits = torch.arange(-32768, 32768, dtype=torch.int32, device=device).to(torch.int16)
    a = bits.view(dtype)
    b = torch.full_like(a, other)
    y = torch.zeros_like(a)
    add(a, b, y)
    want = a + b
    nan = torch.isnan(want)
    assert torch.equal(torch.isnan(y), nan)
    assert torch.equal(y.view(torch.int16)[~nan], want.view(torch.int16)[~nan])


def test_a_bool_of_any_bits(add, device):
    """Every byte but 0 is true, as a view of other bytes may hold it; a sum is 0 or 1."""
    every = torch.arange(256, dtype=torch.int32, device=device).to(torch.uint8)
    a, b = every.repeat_interleave(256), every.repeat(256)
    y = torch.full_like(a, 0xA5)
    add(a.view(torch.bool), b.view(torch.bool), y.view(torch.bool))
    assert torch.equal(y, ((a != 0) | (b != 0)).to(torch.uint8))


@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
def test_integers_wrap_around(add, device, dtype):
    """The largest plus one is the smallest, and the largest plus itself is -2."""
    info = torch.iinfo(dtype)
    a = torch.tensor([info.max, info.max, info.min], dtype=dtype).to(device)
    b = torch.tensor([1, info.max, info.max], dtype=dtype).to(device)
    y = torch.zeros_like(a)
    add(a, b, y)
    assert y.tolist() == [info.min, -2 if info.min < 0 else info.max - 1, info.min + info.max]


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_slices_that_are_not_aligned(add, device, dtype):
    """Each of the three may begin anywhere; what is around the output stays."""
    n = 1009
    for starts in ((1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 2, 3)):
        a, b = (some(dtype, n + 4, device, i)[starts[i] : starts[i] + n] for i in range(2))
        whole = some(dtype, n + 8, device, 9)
        before = whole.clone()
        y = whole[starts[2] : starts[2] + n]
        add(a, b, y)
        want = torch.empty(n, dtype=dtype, device=device)
        add(a.clone(), b.clone(), want)
        assert torch.equal(y.view(torch.uint8), want.view(torch.uint8))
        for part in (slice(0, starts[2]), slice(starts[2] + n, None)):
            assert torch.equal(whole[part].view(torch.uint8), before[part].view(torch.uint8))


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_works_in_place(add, device, dtype):
    """The output may be either input, or both."""
    a, b = some(dtype, 5003, device, 1), some(dtype, 5003, device, 2)
    want, twice = torch.empty_like(a), torch.empty_like(a)
    add(a, b, want)
    add(a, a.clone(), twice)
    left, right, both = a.clone(), b.clone(), a.clone()
    add(left, b, left)
    add(a, right, right)
    add(both, both, both)
    for got, expected in ((left, want), (right, want), (both, twice)):
        assert torch.equal(got.view(torch.uint8), expected.view(torch.uint8))


@pytest.mark.parametrize(
    "dtype",
    [torch.complex64, torch.complex128, torch.float8_e4m3fnuz, torch.float8_e8m0fnu],
    ids=str,
)
def test_other_dtypes_are_refused(add, device, dtype):
    """The message names the dtypes that there are, and the one that came."""
    x = torch.zeros(32, dtype=torch.uint8, device=device).view(dtype)
    with pytest.raises(TypeError) as raised:
        add(x, x, x)
    name = str(dtype).removeprefix("torch.")
    assert str(raised.value) == f"add: a must be {SUPPORTED}, got {name}"


def test_a_4_bit_dtype_is_refused(add, device):
    """A dtype of less than a byte is told by its name."""
    memory = torch.zeros(16, device=device)
    x = Producer(memory, 8, (17, 4), device=dlpack_device(memory))
    with pytest.raises(TypeError) as raised:
        add(x, x, x)
    assert str(raised.value) == f"add: a must be {SUPPORTED}, got float4_e2m1fn"


@pytest.mark.parametrize(
    ("make", "kind", "message"),
    [
        (
            lambda t: (t(4), t(4).half(), t(4)),
            TypeError,
            "add: b must be float32 like a, got float16",
        ),
        (
            lambda t: (t(4).int(), t(4).int(), t(4)),
            TypeError,
            "add: y must be int32 like a, got float32",
        ),
        (lambda t: (t(4), t(1), t(4)), ValueError, "add: b must be of shape (4,) like a, got (1,)"),
        (
            lambda t: (t(4), t(4), t(2, 2)),
            ValueError,
            "add: y must be of shape (4,) like a, got (2, 2)",
        ),
        (
            lambda t: (t(2, 3).t(), t(3, 2), t(3, 2)),
            ValueError,
            "add: a must be contiguous, got shape (3, 2) with strides (1, 3)",
        ),
        (
            lambda t: (t(4), t(1).expand(4), t(4)),
            ValueError,
            "add: b must be contiguous, got shape (4,) with strides (0,)",
        ),
        (
            lambda t: (t(4), t(4), t(8)[::2]),
            ValueError,
            "add: y must be contiguous, got shape (4,) with strides (2,)",
        ),
        (
            lambda t: (lambda m: (m[:4], m[4:], m[2:6]))(t(8)),
            ValueError,
            "add: y must be the same tensor as a or apart from it, got overlapping ranges",
        ),
        (
            lambda t: (lambda m: (t(4), m[4:], m[2:6]))(t(8)),
            ValueError,
            "add: y must be the same tensor as b or apart from it, got overlapping ranges",
        ),
    ],
)
def test_wrong_arguments_are_named(add, device, make, kind, message):
    """The error names the kernel, the argument, what was expected and what came."""
    with pytest.raises(kind) as raised:
        add(*make(lambda *shape: torch.zeros(*shape, device=device)))
    assert str(raised.value) == message


def dlpack_device(tensor):
    """Device of a PyTorch tensor as DLPack tells it."""
    kind, index = tensor.__dlpack_device__()
    return (int(kind), int(index))


def test_a_byte_offset_is_honoured(load_function, device):
    """A producer that gives the first element by a byte offset is read right."""
    add = load_function("dispatch", "add")
    x = torch.arange(8, dtype=torch.float32, device=device)
    y = torch.full_like(x, float("nan"))
    where = {"offset": 12, "told": 12, "device": dlpack_device(x)}
    view = Producer(x, 5, FLOAT32, **where)
    add(view, view, Producer(y, 5, FLOAT32, **where))
    if device == "cuda":
        torch.cuda.synchronize()
    torch.testing.assert_close(y[3:], x[3:] * 2, rtol=0, atol=0)
    assert torch.isnan(y[:3]).all()


@pytest.mark.parametrize("place", [0, 1, 2])
def test_a_misaligned_tensor_is_refused(add, device, place):
    """A tensor whose numbers cross their boundaries is refused."""
    memory = torch.zeros(16, dtype=torch.float64, device=device)
    where = {"device": dlpack_device(memory)}
    arguments = [Producer(memory, 4, FLOAT64, offset=0, **where) for _ in range(3)]
    arguments[place] = Producer(memory, 4, FLOAT64, offset=33, **where)
    message = "must be aligned to its 8 byte items, got an address 1 too far"
    with pytest.raises(ValueError, match=f"^add: {'aby'[place]} {message}$"):
        add(*arguments)


def test_tensors_on_other_devices_are_refused(add, device):
    """All three must be on one device, of the kind that the kernel is for."""
    x = torch.zeros(4, device=device)
    here = "cpu:0" if device == "cpu" else f"cuda:{x.device.index}"
    there = Producer(x, 4, FLOAT32, device=(3, 0))
    kind = "on the CPU" if device == "cpu" else "on a CUDA device"
    with pytest.raises(ValueError, match=f"^add: a must be {kind}, got device type 3:0$"):
        add(there, x, x)
    with pytest.raises(ValueError, match=f"^add: b must be on {here} like a, got device type 3:0$"):
        add(x, there, x)
    with pytest.raises(ValueError, match=f"^add: y must be on {here} like a, got device type 3:0$"):
        add(x, x, there)


def test_views_with_a_pending_sign_are_refused(add, device):
    """PyTorch's negative-bit views hold the other sign in memory."""
    x = torch.ones(4, dtype=torch.complex64, device=device).conj().imag
    with pytest.raises(ValueError, match=r"resolve_neg"):
        add(x, x, torch.empty(4, device=device))


def test_runs_on_the_current_stream(add, device):
    """The kernel waits for what PyTorch queued before it on the current stream."""
    if device == "cpu":
        pytest.skip("a CPU kernel has no stream")
    x, y = torch.zeros(1 << 20, device=device), torch.zeros(1 << 20, device=device)
    torch.cuda.synchronize()
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        torch.cuda._sleep(200_000_000)  # On any other stream the kernel would read zeros.
        x.fill_(3.0)
        add(x, x, y)
    stream.synchronize()
    assert bool((y == 6.0).all())


def test_can_be_captured_in_a_cuda_graph(add, device):
    """A captured call runs again with the graph, on what is in the input then."""
    if device == "cpu":
        pytest.skip("a CPU kernel is not captured")
    x, y = torch.ones(1000, device=device), torch.zeros(1000, device=device)
    add(x, x, y)  # Loads the kernel, which is illegal during capture.
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        add(x, x, y)
    x.fill_(5.0)
    graph.replay()
    torch.cuda.synchronize()
    assert bool((y == 10.0).all())


@cases.slow
def test_more_than_two_billion_elements(add, device):
    """Indices are 64-bit: the elements beyond 2**31 are added too, with a tail of 3."""
    n = 2**31 + 3
    a = torch.empty(n, dtype=torch.int8, device=device)
    values = torch.arange(1 << 20, device=device).to(torch.int8)
    for part in a.split(1 << 20):
        part.copy_(values[: part.numel()])
    y = torch.full_like(a, 77)
    add(a, a, y)
    for part in y.split(1 << 20):
        assert torch.equal(part, (values + values)[: part.numel()])

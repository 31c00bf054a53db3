# SPDX-License-Identifier: Apache-2.0
# Rows: R1, R2, R3, R6
"""The nonzero example: the same indices as PyTorch's, in memory of the framework's allocator."""

import cases
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from producer import FLOAT32, Producer

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

PLAIN = [
    *(torch.bool, torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64),
    *(torch.float16, torch.bfloat16, torch.float32, torch.float64),
    *(torch.complex32, torch.complex64, torch.complex128),
]
# Dtypes that PyTorch's own operator does not support.
OTHER = [
    *(torch.uint16, torch.uint32, torch.uint64, torch.float8_e4m3fn, torch.float8_e5m2),
    *(torch.float8_e4m3fnuz, torch.float8_e5m2fnuz),
]
DTYPES = [*PLAIN, *OTHER]
pytestmark = pytest.mark.filterwarnings("ignore:ComplexHalf support is experimental")
SUPPORTED = (
    "bool, an integer, float16, float32, float64, bfloat16, float8_e4m3fn, float8_e5m2, "
    "float8_e4m3fnuz, float8_e5m2fnuz or complex"
)


@pytest.fixture(scope="module")
def nonzero(load):
    """The exported function."""
    return load("nonzero").nonzero


def expected(x):
    """PyTorch's answer, by a wider type where it has none for this one."""
    if x.dtype == torch.uint64:
        return x.view(torch.int64).nonzero()
    return (x if x.dtype in PLAIN else x.float()).nonzero()


def sparse(shape, dtype, device, share=0.5, seed=0):
    """Values of which a share is not zero, half of these negative where the type has them."""
    random = torch.Generator(device=device).manual_seed(seed)
    draw = torch.rand(shape, generator=random, device=device)
    sign = torch.rand(shape, generator=random, device=device) < 0.5
    values = torch.where(draw < share, torch.where(sign, 1.0, -1.0), 0.0)
    signed = dtype.is_floating_point or dtype.is_complex or dtype in PLAIN[2:6]
    return (values if signed else values.abs()).to(dtype)


def check(nonzero, x):
    """Compares values, order, shape and layout."""
    got = nonzero(x)
    assert type(got) is torch.Tensor
    assert got.dtype == torch.int64
    assert got.device == x.device
    assert got.is_contiguous()
    want = expected(x)
    assert got.shape == want.shape
    assert torch.equal(got, want)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize(
    "shape",
    [(), (0,), (3, 0, 5), (1,), (31,), (257,), (33, 65), (2, 3, 4, 5), (16_385,), (131_073,)],
    ids=str,
)
def test_any_shape_of_any_dtype(nonzero, device, dtype, shape):
    """Every dtype works in every shape: 0-dim, empty, prime, more than one block."""
    for share in (0.0, 0.01, 0.5, 1.0):
        check(nonzero, sparse(shape, dtype, device, share))


@pytest.mark.parametrize("value", [0.0, -0.0, 1.0, float("nan")])
def test_a_tensor_without_dimensions(nonzero, device, value):
    """It has one element, and its index has no numbers: the shape is (1, 0) or (0, 0)."""
    x = torch.tensor(value, device=device)
    assert nonzero(x).shape == ((1, 0) if value != 0 else (0, 0))


@given(data=st.data(), dtype=st.sampled_from(DTYPES), shape=cases.shapes(most=5000))
def test_any_layout(nonzero, device, data, dtype, shape):
    """Any order of dimensions, any steps, any offset."""
    layout = data.draw(cases.layouts(len(shape)))
    share = data.draw(st.sampled_from([0.02, 0.5, 0.98]))
    narrow = dtype if dtype in PLAIN else torch.uint8  # PyTorch cannot copy into the others
    x = layout.of(sparse(shape, narrow, device, share))
    if dtype.itemsize == narrow.itemsize and dtype != narrow:
        x = x.view(dtype)
    check(nonzero, x)


@pytest.mark.parametrize(
    "view",
    [
        lambda x: x.t(),
        lambda x: x.flip(0),
        lambda x: x[:1].expand(700, -1),
        lambda x: x[3:, 5:],
        lambda x: x.reshape(8, 50, 20, 30).permute(2, 0, 3, 1),
    ],
)
def test_large_views(nonzero, device, view):
    """Transposed, broadcast, offset and permuted tensors of more than one block."""
    check(nonzero, view(sparse((400, 600), torch.float32, device)))


@pytest.mark.parametrize("dtype", [d for d in DTYPES if d.itemsize <= 2 and d != torch.bool])
def test_every_pattern(nonzero, device, dtype):
    """Each 8-bit and 16-bit pattern counts as PyTorch counts it: -0.0 is zero, NaN is not."""
    if dtype.itemsize == 1:
        x = torch.arange(256, dtype=torch.int16, device=device).to(torch.uint8).view(dtype)
    else:
        x = torch.arange(65_536, dtype=torch.int32, device=device).to(torch.int16).view(dtype)
    check(nonzero, x)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.complex64, torch.complex128])
def test_special_numbers(nonzero, device, dtype):
    """Zeros of both signs are zero; subnormal numbers, infinities and NaN are not."""
    tiny = torch.finfo(dtype).tiny / 4
    parts = [0.0, -0.0, tiny, -tiny, 1.0, float("inf"), -float("inf"), float("nan")]
    if dtype.is_complex:
        parts = [complex(a, b) for a in parts for b in parts]
    check(nonzero, torch.tensor(parts, dtype=dtype, device=device))


def test_numpy_in_numpy_out(nonzero, device):
    """A NumPy array gives a NumPy array, in the order of numpy.argwhere."""
    if device != "cpu":
        pytest.skip("a NumPy array lies in the memory of the CPU")
    x = np.arange(24).reshape(2, 3, 4) % 3
    got = nonzero(x)
    assert type(got) is np.ndarray
    np.testing.assert_array_equal(got, np.argwhere(x))


def memory_of_pytorch(call):
    """Largest piece of memory that PyTorch's allocator gave out during a call."""
    with torch.profiler.profile(profile_memory=True) as profile:
        result = call()
    taken = [
        max(event.self_cpu_memory_usage, event.self_device_memory_usage)
        for event in profile.events()
        if event.name == "aten::empty"
    ]
    return result, max(taken, default=0)


def test_the_result_is_pytorchs_memory(nonzero, device):
    """PyTorch's allocator gave out the bytes of the result, and gets them back with it."""
    x = torch.ones(1000, 1001, device=device)
    nonzero(x)  # Leave out allocations that only the first call makes.
    result, taken = memory_of_pytorch(lambda: nonzero(x))
    assert result.nbytes == 1000 * 1001 * 2 * 8
    # On a GPU, the allocator rounds up to whole blocks.
    assert result.nbytes <= taken < result.nbytes + (1 << 21)
    if device == "cuda":
        torch.cuda.synchronize()
        before = torch.cuda.memory_allocated()
        assert before >= result.nbytes
        del result
        assert torch.cuda.memory_allocated() <= before - 1000 * 1001 * 2 * 8


def test_nothing_stays_allocated(nonzero, device):
    """What the kernel needs for itself goes back when it returns."""
    if device == "cpu":
        pytest.skip("the CPU kernel needs no memory of its own")
    x = torch.ones(1 << 20, device=device)
    nonzero(x)
    before = torch.cuda.memory_allocated()
    nonzero(x)
    assert torch.cuda.memory_allocated() == before


@pytest.mark.parametrize("dtype", [(14, 8), (17, 4), (7, 8), (2, 128)], ids=str)
def test_other_dtypes_are_refused(nonzero, device, dtype):
    """The error names the ones that work; powers of two, for one, have no zero."""
    memory = torch.zeros(64, dtype=torch.uint8, device=device)
    x = Producer(memory, 2, dtype, device=place(memory))
    with pytest.raises(TypeError, match=f"^nonzero: x must be {SUPPORTED}, got float"):
        nonzero(x)


def place(tensor):
    """Device of a PyTorch tensor as DLPack tells it."""
    kind, index = tensor.__dlpack_device__()
    return (int(kind), int(index))


def test_a_tensor_on_another_kind_of_device_is_refused(nonzero, device):
    """A CPU kernel refuses GPU tensors, and a CUDA kernel refuses CPU tensors."""
    memory = np.zeros(4, dtype="float32")
    if device == "cpu":
        x, message = Producer(memory, 4, FLOAT32, device=(2, 1)), "on the CPU, got cuda:1"
    else:
        x, message = Producer(memory, 4, FLOAT32), "on a CUDA device, got cpu:0"
    with pytest.raises(ValueError, match=f"^nonzero: x must be {message}$"):
        nonzero(x)


def test_a_misaligned_tensor_is_refused(nonzero, device):
    """A tensor whose numbers cross their boundaries is refused."""
    memory = torch.zeros(16, dtype=torch.float64, device=device)
    x = Producer(memory, 4, FLOAT32, offset=1, device=place(memory))
    message = "nonzero: x must be aligned to its 4 byte items, got an address 1 too far"
    with pytest.raises(ValueError, match=f"^{message}$"):
        nonzero(x)


def test_a_byte_offset_is_honoured(nonzero, device):
    """The first element may be told by a byte offset."""
    memory = torch.tensor([1.0, 1.0, 0.0, 5.0, 0.0, 7.0], device=device)
    x = Producer(memory, 4, FLOAT32, offset=8, told=8, device=place(memory))
    if device == "cuda":
        # A producer without a framework provides no allocator, and the default one is CPU-only.
        with pytest.raises(RuntimeError, match=r"expected a device that an allocator is set for"):
            nonzero(x)
        return
    got = torch.from_dlpack(nonzero(x))
    assert got.tolist() == [[1], [3]]


@pytest.mark.parametrize(
    ("view", "word"), [(lambda z: z.conj().imag, "negated"), (lambda z: z.conj(), "conjugated")]
)
def test_views_that_are_not_what_lies_in_memory_are_refused(nonzero, device, view, word):
    """PyTorch's marks for negative and conjugate views are no part of DLPack."""
    x = view(torch.ones(4, dtype=torch.complex64, device=device))
    with pytest.raises(ValueError, match=f"got a view that is {word} when read"):
        nonzero(x)


@pytest.mark.parametrize("strides", [(cases.FAR, 1), (1, cases.FAR)])
def test_elements_far_apart(nonzero, device, strides):
    """Offsets are 64-bit: rows, or elements of a row, 4 GiB apart are read."""
    x = cases.far_apart((3, 3), strides, torch.uint8, device)
    x.copy_(1 - torch.eye(3, device=device))
    check(nonzero, x)


def test_a_gradient_is_not_asked_for(nonzero, device):
    """Indices have no gradient, whatever x requires."""
    x = torch.ones(3, device=device, requires_grad=True)
    assert not nonzero(x).requires_grad


def test_runs_on_the_current_stream(nonzero, device):
    """The kernel waits for what PyTorch queued before it on the current stream."""
    if device == "cpu":
        pytest.skip("a CPU kernel has no stream")
    x = torch.zeros(1 << 20, device=device)
    torch.cuda.synchronize()
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        torch.cuda._sleep(200_000_000)  # On any other stream the kernel would read zeros.
        x.fill_(3.0)
        assert len(nonzero(x)) == 1 << 20


def test_refuses_to_be_captured(nonzero, device):
    """A graph cannot hold it, as the host must see the count; the capture goes on without it."""
    if device == "cpu":
        pytest.skip("a CPU kernel is not captured")
    x = torch.ones(1000, device=device)
    y = torch.zeros(1000, device=device)
    nonzero(x)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        y.add_(1)
        with pytest.raises(RuntimeError) as raised:
            nonzero(x)
    assert str(raised.value) == (
        "nonzero: expected a stream that is not being captured, got one that is: the shape of the "
        "result is known only when the GPU has counted"
    )
    graph.replay()
    assert bool((y == 1).all())


def test_runs_on_the_tensors_gpu(nonzero, device):
    """The kernel runs on the GPU of its tensor, and the current one stays as it was."""
    if device == "cpu" or torch.cuda.device_count() < 2:
        pytest.skip("needs two GPUs")
    check(nonzero, torch.ones(1000, device="cuda:1"))
    assert torch.cuda.current_device() == 0


@cases.slow
def test_more_than_two_billion_elements(nonzero, device):
    """Indices are 64-bit, where an extent is beyond 2**31 and where only the product is."""
    n = 2**31 + 70_001
    x = torch.zeros(n, dtype=torch.int8, device=device)
    places = [0, 1, 2**31 - 1, 2**31, 2**31 + 65_537, n - 2]
    x[places] = 1
    assert nonzero(x).flatten().tolist() == places
    columns = 4
    rows = x[: n // columns * columns].view(-1, columns)
    inside = [place for place in places if place < rows.numel()]
    assert nonzero(rows).tolist() == [[p // columns, p % columns] for p in inside]
    wanted = sorted([p % columns, p // columns] for p in inside)
    assert nonzero(rows.t()).tolist() == wanted

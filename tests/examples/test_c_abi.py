# SPDX-License-Identifier: Apache-2.0
# Rows: R1, R3, R6, R7
"""The c_abi example: a kernel in C against a float64 reference, and its refusals."""

import ctypes

import cases
import pytest
import tvm_ffi
from hypothesis import given
from hypothesis import strategies as st
from producer import FLOAT32, FLOAT64, Producer

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

DTYPES = [torch.float32, torch.float64]
FACTOR = 1.1

each_dtype = pytest.mark.parametrize("dtype", DTYPES, ids=str)


@pytest.fixture(scope="module")
def scale(load):
    """The exported function."""
    return load("c_abi").scale


@pytest.fixture(autouse=True)
def seeded():
    """Random inputs that are the same in every run."""
    torch.manual_seed(0)


def check(scale, x, factor=FACTOR):
    """Compare with float64: the factor is rounded once, and the product."""
    reference = x.double() * factor
    output = cases.Poisoned(x.shape, x.dtype, x.device)
    scale(x, output.tensor, factor)
    output.check_guards()
    info = torch.finfo(x.dtype)
    error = 1.01 * info.eps / 2 * reference.abs() + info.smallest_normal * info.eps
    cases.assert_rounds_to(output.tensor, reference, error)


@each_dtype
@given(shape=cases.shapes())
def test_any_shape(scale, device, dtype, shape):
    """Every shape works: 0-dim, empty, odd, of many dimensions."""
    check(scale, torch.randn(shape, device=device).to(dtype))


def test_elements_far_apart(scale, device):
    """Offsets are 64-bit: rows, or elements of a row, 16 GiB apart are read."""
    for strides in ((cases.FAR, 1), (1, cases.FAR)):
        x = cases.far_apart((3, 3), strides, torch.float32, device)
        x.copy_(torch.randn(3, 3, device=device))
        check(scale, x)


@each_dtype
@given(data=st.data(), shape=cases.shapes(min_dims=1, most=2000))
def test_any_layout_of_the_input(scale, device, dtype, data, shape):
    """Transposed, sliced, stepped and offset inputs are read right."""
    layout = data.draw(cases.layouts(len(shape)))
    check(scale, layout.of(torch.randn(shape, device=device).to(dtype)))


@each_dtype
@pytest.mark.parametrize(
    "view",
    [
        lambda x: x[:1].expand(9, -1),
        lambda x: x[3:4, ::5],
        lambda x: x[:0, ::2],
        lambda x: x.unsqueeze(1)[:, :, ::2],
        lambda x: x[2:, 2:][0, 0],
        lambda x: x.flatten().unfold(0, 5, 1),
        lambda x: x[:1, :1].expand(3, 4),
        lambda x: x.reshape([2] * 8 + [9]).permute(*range(8, -1, -1)),
    ],
)
def test_odd_layouts(scale, device, dtype, view):
    """Broadcast and overlapping rows, dimensions of one element, and many of them."""
    check(scale, view(torch.randn(48, 48, device=device).to(dtype)))


@each_dtype
@given(first=st.integers(0, 9), second=st.integers(0, 9), n=st.integers(0, 3000))
def test_any_alignment(scale, device, dtype, first, second, n):
    """Tensors that begin anywhere in a buffer take vectors of 16 bytes, or the scalar way."""
    x = torch.randn(n + 9, device=device).to(dtype)[first : first + n]
    buffer = torch.full((n + 20,), float("nan"), dtype=dtype, device=device)
    scale(x, buffer[second : second + n], FACTOR)
    want = x * torch.tensor(FACTOR, dtype=dtype, device=device)
    torch.testing.assert_close(buffer[second : second + n], want, rtol=0, atol=0)
    assert bool(buffer[:second].isnan().all())
    assert bool(buffer[second + n :].isnan().all())


@each_dtype
def test_a_large_prime_size(scale, device, dtype):
    """More elements than a grid of few blocks takes at once."""
    check(scale, torch.randn(1_000_003, device=device).to(dtype))


@pytest.mark.parametrize("factor", [3, -0.0, float("inf"), float("nan")])
def test_factors(scale, device, factor):
    """The factor may be an int; what is no finite number gives what PyTorch gives."""
    x = torch.tensor([1.5, -2.0, 0.0], device=device)
    y = torch.empty_like(x)
    scale(x, y, factor)
    torch.testing.assert_close(y, x * factor, rtol=0, atol=0, equal_nan=True)


def test_works_in_place(scale, device):
    """The very same tensor may be input and output."""
    x = torch.arange(100, dtype=torch.float32, device=device)
    scale(x, x, 2.0)
    torch.testing.assert_close(x, torch.arange(0, 200, 2, dtype=torch.float32, device=device))


def test_an_owned_tensor_is_taken_too(scale, device):
    """A tensor arrives as a view or as an object."""
    x = torch.ones(4, device=device)
    y = torch.zeros(4, device=device)
    owned = tvm_ffi.from_dlpack(x)
    scale(owned, tvm_ffi.from_dlpack(y), 2.0)
    if device == "cuda":
        torch.cuda.synchronize()
    assert bool((y == 2).all())


def test_gives_nothing(scale, device):
    """The result is None."""
    x = torch.ones(4, device=device)
    assert scale(x, x, 2.0) is None


@pytest.mark.parametrize(
    ("make", "kind", "message"),
    [
        (lambda t: (t(3),), TypeError, "the number of arguments must be 3, got 1"),
        (
            lambda t: (t(3), t(3), 1.0, 1.0),
            TypeError,
            "the number of arguments must be 3, got 4",
        ),
        (lambda t: (1, t(3), 1.0), TypeError, "x must be a tensor, got something else"),
        (lambda t: (t(3), None, 1.0), TypeError, "y must be a tensor, got something else"),
        (lambda t: (t(3), t(3), "1"), TypeError, "factor must be a number, got something else"),
        (
            lambda t: (t(3).half(), t(3), 1.0),
            TypeError,
            "x must be float32 or float64, got float16",
        ),
        (
            lambda t: (t(3).to(torch.float8_e4m3fn), t(3), 1.0),
            TypeError,
            "x must be float32 or float64, got float8_e4m3fn",
        ),
        (lambda t: (t(3), t(3).double(), 1.0), TypeError, "y must be float32 like x, got float64"),
        (lambda t: (t(3).double(), t(3), 1.0), TypeError, "y must be float64 like x, got float32"),
        (
            lambda t: (t(2, 3), t(3, 2), 1.0),
            ValueError,
            "y must be of shape (2, 3) like x, got (3, 2)",
        ),
        (lambda t: (t(), t(1), 1.0), ValueError, "y must be of shape () like x, got (1,)"),
        (
            lambda t: (t(3), t(6)[::2], 1.0),
            ValueError,
            "y must be contiguous, got other strides",
        ),
        (
            lambda t: (lambda m: (m[:6], m[2:], 1.0))(t(8)),
            ValueError,
            "y must be the same tensor as x or apart from it, got overlapping ranges",
        ),
        (
            lambda t: (lambda m: (m.t(), m, 1.0))(t(3, 3)),
            ValueError,
            "y must be the same tensor as x or apart from it, got overlapping ranges",
        ),
    ],
)
def test_wrong_arguments_are_named(scale, device, make, kind, message):
    """The error names the kernel, the argument, what was expected and what came."""
    with pytest.raises(kind) as raised:
        scale(*make(lambda *shape: torch.zeros(shape, device=device)))
    assert type(raised.value) is kind
    assert str(raised.value) == f"scale: {message}"


def test_a_stride_without_meaning(scale, device):
    """The stride of a dimension of one element does not make an output strided."""
    x = torch.ones(1, 3, device=device)
    y = torch.zeros(100, device=device).as_strided((1, 3), (77, 1))
    scale(x, y, 2.0)
    assert bool((y == 2).all())


@pytest.mark.parametrize("dtype", [FLOAT32, FLOAT64], ids=str)
def test_a_misaligned_tensor_is_refused(scale, device, dtype):
    """A tensor whose numbers cross their boundaries is refused before a GPU fails on it."""
    memory = torch.zeros(16, dtype=torch.float64, device=device)
    where = {"device": dlpack_device(memory)}
    crooked = Producer(memory, 4, dtype, offset=1, **where)
    straight = Producer(memory, 4, dtype, offset=64, **where)
    text = "must be aligned to its items, got another address"
    with pytest.raises(ValueError, match=f"^scale: x {text}$"):
        scale(crooked, straight, FACTOR)
    with pytest.raises(ValueError, match=f"^scale: y {text}$"):
        scale(straight, crooked, FACTOR)


def test_other_devices_are_refused(scale, device):
    """A CPU kernel refuses GPU tensors, a CUDA kernel those of the CPU, both those apart."""
    y = torch.zeros(4, device=device)
    if device == "cpu":  # Only the reported device counts, so no GPU is needed.
        x, message = Producer(y, 4, FLOAT32, device=(2, 1)), "on the CPU, got cuda:1"
    else:
        x, message = Producer(y, 4, FLOAT32), "on a CUDA device, got cpu:0"
    with pytest.raises(ValueError, match=f"^scale: x must be {message}$"):
        scale(x, y, FACTOR)
    where = "cpu:0" if device == "cpu" else f"cuda:{y.device.index}"
    elsewhere = Producer(y, 4, FLOAT32, device=(3, 0))
    with pytest.raises(ValueError, match=f"^scale: y must be on {where} like x, got device type 3"):
        scale(y, elsewhere, FACTOR)


def test_a_byte_offset_is_honoured(load_function, device):
    """A producer that gives the first element by a byte offset, without strides, is read right."""
    scale = load_function("c_abi", "scale")
    x = torch.arange(8, dtype=torch.float32, device=device)
    y = torch.full_like(x, float("nan"))
    where = {"offset": 12, "told": 12, "device": dlpack_device(x)}
    scale(Producer(x, 5, FLOAT32, **where), Producer(y, 5, FLOAT32, **where), 2.0)
    if device == "cuda":
        torch.cuda.synchronize()
    torch.testing.assert_close(y[3:], x[3:] * 2, rtol=0, atol=0)
    assert bool(y[:3].isnan().all())


class Tensor(ctypes.Structure):
    """The value of the C ABI that lends a tensor."""

    _fields_ = (("type_index", ctypes.c_int32), ("zero", ctypes.c_uint32), ("at", ctypes.c_void_p))


def call_from_c(libraries, x, y):
    """Call scale(x, y, 2) as C does: nothing of Python is between. Give what it returned."""
    symbol = ctypes.CDLL(libraries / "c_abi_cpu.so").__tvm_ffi_scale
    arguments = (Tensor * 3)()
    for argument, producer in zip(arguments, (x, y), strict=False):
        argument.type_index = 7  # kTVMFFIDLTensorPtr
        argument.at = ctypes.addressof(producer.managed)
    arguments[2].type_index = 1  # kTVMFFIInt
    arguments[2].at = 2
    result = Tensor(77, 0, 0)
    return symbol(None, arguments, 3, ctypes.byref(result)), result.type_index


def raised_in_c():
    """Take the error that C code raised: its kind and its message."""
    raised = ctypes.c_void_p()
    ctypes.CDLL(tvm_ffi.libinfo.find_libtvm_ffi()).TVMFFIErrorMoveFromRaised(ctypes.byref(raised))
    # After the object's header: the kind's address and length, then the message's.
    kind, kinds_length, message, length = (ctypes.c_size_t * 4).from_address(raised.value + 24)
    return ctypes.string_at(kind, kinds_length), ctypes.string_at(message, length)


def test_a_call_by_the_c_abi_alone(device, libraries):
    """Without strides and with an offset, which the package would have filled in and added."""
    if device == "cuda":
        pytest.skip("the CPU's library is called")
    x, y = torch.arange(8.0), torch.full((8,), float("nan"))
    lent = [Producer(each, 5, FLOAT32, offset=12, told=12) for each in (x, y)]
    assert call_from_c(libraries, *lent) == (0, 0)
    torch.testing.assert_close(y[3:], x[3:] * 2, rtol=0, atol=0)
    assert bool(y[:3].isnan().all())


def test_a_long_shape_is_cut_off(device, libraries):
    """The message about a tensor of very many dimensions stays within its buffer."""
    if device == "cuda":
        pytest.skip("the CPU's library is called")
    x = torch.zeros(4)
    long = Producer(x, 4, FLOAT32)
    long.shape = (ctypes.c_int64 * 64)(0, *[10**15] * 63)
    long.managed.dl_tensor.ndim = 64
    long.managed.dl_tensor.shape = long.shape
    assert call_from_c(libraries, long, Producer(x, 4, FLOAT32))[0] == -1
    kind, message = raised_in_c()
    assert kind == b"ValueError"
    assert message.startswith(b"scale: y must be of shape (0, 1000000000000000, ")
    assert len(message) < 350


def test_too_many_dimensions(device, libraries):
    """More than 64 have no place in the kernel's arrays."""
    if device == "cuda":
        pytest.skip("the CPU's library is called")
    x = torch.zeros(1)
    deep = Producer(x, 1, FLOAT32)
    deep.shape = (ctypes.c_int64 * 65)(*[1] * 65)
    deep.managed.dl_tensor.ndim = 65
    deep.managed.dl_tensor.shape = deep.shape
    assert call_from_c(libraries, deep, deep)[0] == -1
    assert raised_in_c() == (b"ValueError", b"scale: x must be of at most 64 dimensions, got 65")


def dlpack_device(tensor):
    """Device of a PyTorch tensor as DLPack tells it."""
    kind, index = tensor.__dlpack_device__()
    return (int(kind), int(index))


def test_negative_bit_and_conjugate_views_are_refused(scale, device):
    """A view whose memory does not hold its values never reaches a kernel."""
    y = torch.zeros(4, device=device)
    with pytest.raises(ValueError, match=r"pass x.resolve_neg\(\)$"):
        scale(torch._neg_view(torch.ones(4, device=device)), y, FACTOR)
    with pytest.raises(ValueError, match=r"pass x.resolve_conj\(\)$"):
        scale(torch.ones(4, dtype=torch.complex64, device=device).conj(), y, FACTOR)
    assert bool((y == 0).all())


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


@cases.slow
def test_more_than_two_billion_elements(scale, device):
    """Indices are 64-bit: the elements beyond 2**31 are scaled too."""
    n = 2**31 + 9
    # x repeats one row, so that only y needs memory: 8.6 GB.
    row = torch.arange(1, 2**16 + 1, dtype=torch.float32, device=device)
    x = row.expand(n // 2**16 + 1, -1)
    y = torch.full(x.shape, float("nan"), dtype=torch.float32, device=device)
    scale(x, y, 2.0)
    want = row * 2
    for part in y.split(4096):
        assert bool((part == want).all())

# SPDX-License-Identifier: Apache-2.0
# Rows: R1, R3, R5, R6
"""The library example: its kernels against float64, its dispatch on the device, what it tells."""

import json
import math

import cases
import pytest
import tvm_ffi
from hypothesis import given
from hypothesis import strategies as st
from producer import FLOAT32, Producer

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

DTYPES = [torch.float32, torch.float64, torch.float16, torch.bfloat16]
FACTOR = 1.1  # Not a float16 or bfloat16 number, so rounding it first would show.
BLOCK, LANES = 4096, 16  # of the CPU's vecdot
THREADS = 512  # of the GPU's vecdot on a long row; on shorter ones, a thread has up to 64 elements

each_dtype = pytest.mark.parametrize("dtype", DTYPES, ids=str)


@pytest.fixture(scope="module")
def lib(load):
    """The library for the device under test."""
    return load("library")


@pytest.fixture(autouse=True)
def seeded():
    """Random inputs that are the same in every run."""
    torch.manual_seed(0)


def computing_eps(dtype):
    """Spacing of the numbers at 1 of the type that the kernels compute in."""
    return torch.finfo(torch.float64 if dtype == torch.float64 else torch.float32).eps


def output_like(values):
    """Give a poisoned output that then holds these values, as a kernel updates it in place."""
    output = cases.Poisoned(values.shape, values.dtype, values.device)
    output.tensor.copy_(values)
    return output


def check_axpy(lib, x, y):
    """Compare with float64: a and a * x are rounded once each, half types also the sum."""
    reference = y.double() + FACTOR * x.double()
    output = output_like(y)
    lib.axpy(FACTOR, x, output.tensor)
    output.check_guards()
    error = computing_eps(x.dtype) * (1.01 * (FACTOR * x.double()).abs() + reference.abs() / 2)
    cases.assert_rounds_to(output.tensor, reference, error + torch.finfo(torch.float32).tiny)


def check_lerp(lib, x, y):
    """Compare with float64: the weight, the difference and the product are rounded once each."""
    step = FACTOR * (x.double() - y.double())
    reference = y.double() + step
    output = output_like(y)
    lib.lerp(x, output.tensor, FACTOR)
    output.check_guards()
    error = computing_eps(x.dtype) * (1.51 * step.abs() + reference.abs() / 2)
    cases.assert_rounds_to(output.tensor, reference, error + torch.finfo(torch.float32).tiny)


def check_vecdot(lib, device, x, y):
    """Compare with float64: a product and each sum on the way to the result round once.

    On the CPU that are the sums of a block by one lane, and one for each block in double; on a GPU
    those of one thread, and of shuffles within warps and across them.
    """
    n = x.shape[-1]
    products = x.double() * y.double()
    output = cases.Poisoned(x.shape[:-1], x.dtype, x.device)
    lib.vecdot(x, y, output.tensor)
    output.check_guards()
    eps = computing_eps(x.dtype) / 2
    if device == "cpu":
        # The last elements of a block go to one lane.
        sums = min(n, BLOCK) / LANES + LANES + 2
        total = LANES * (n / BLOCK + 1) * torch.finfo(torch.float64).eps / 2
    else:
        sums, total = n / THREADS + 64 + 10, 0
    # The reference is a float64 sum too, by PyTorch: pairwise, or at worst n additions.
    total += n * torch.finfo(torch.float64).eps / 2
    error = (1.01 * sums * eps + eps + total) * products.abs().sum(-1)
    # The result is rounded to the computing type and then to the dtype.
    error += products.sum(-1).abs() * eps
    tiny = n * torch.finfo(torch.float32).tiny
    cases.assert_rounds_to(output.tensor, products.sum(-1), error + tiny)


def pair(shape, dtype, device):
    """Two random tensors."""
    return (torch.randn(shape, device=device).to(dtype) for _ in range(2))


@each_dtype
@given(shape=cases.shapes())
def test_elementwise_kernels_of_any_shape(lib, device, dtype, shape):
    """Every shape works: 0-dim, empty, odd, of many dimensions."""
    x, y = pair(shape, dtype, device)
    check_axpy(lib, x, y)
    check_lerp(lib, x, y)


@each_dtype
@given(shape=cases.shapes(min_dims=1, most=4000))
def test_vecdot_of_any_shape(lib, device, dtype, shape):
    """Every shape of at least one dimension works; rows without elements sum to 0."""
    x, y = pair(shape, dtype, device)
    check_vecdot(lib, device, x, y)


@each_dtype
@pytest.mark.parametrize("n", [1, 4093, 4096, 4097, 1_000_003])
def test_large_and_prime_sizes(lib, device, dtype, n):
    """Blocks of the loop end in the middle of a vector, or at its end."""
    x, y = pair(n, dtype, device)
    check_axpy(lib, x, y)
    check_lerp(lib, x, y)
    check_vecdot(lib, device, x, y)


@each_dtype
@given(first=st.integers(0, 17), second=st.integers(0, 17), n=st.integers(0, 3000))
def test_any_alignment(lib, device, dtype, first, second, n):
    """Tensors that begin anywhere in a buffer take vectors of 16 bytes, or the scalar way."""
    x, y = pair(n + 17, dtype, device)
    x, y = x[first : first + n], y[second : second + n]
    want = y.clone()
    check_axpy(lib, x, want)
    check_vecdot(lib, device, x, y)
    moved = y.clone()
    buffer = torch.full((n + 34,), math.nan, dtype=dtype, device=device)
    buffer[second : second + n] = y
    lib.axpy(FACTOR, x, buffer[second : second + n])
    lib.axpy(FACTOR, x, moved)
    torch.testing.assert_close(buffer[second : second + n], moved, rtol=0, atol=0)
    assert bool(buffer[:second].isnan().all())
    assert bool(buffer[second + n :].isnan().all())


def test_many_rows(lib, device):
    """More rows than a grid has blocks are summed too."""
    x, y = pair(((1 << 20) + 3, 3) if device == "cuda" else (5000, 3), torch.float32, device)
    check_vecdot(lib, device, x, y)


def test_works_in_place(lib, device):
    """The very same tensor may be both arguments."""
    x = torch.randn(1000, device=device)
    want = x + x * 2.0
    lib.axpy(2.0, x, x)
    torch.testing.assert_close(x, want)
    lib.lerp(x, x, 0.5)
    torch.testing.assert_close(x, want)
    norm = torch.empty((), device=device)
    lib.vecdot(x, x, norm)
    torch.testing.assert_close(norm, (want * want).sum())


def test_a_library_for_cuda_serves_the_cpu_too(libraries):
    """One export runs on either device: the CPU's tensors do not need another library."""
    path = libraries / "library_cuda.so"
    if not path.exists():
        pytest.skip("library_cuda.so has not been built")
    lib = tvm_ffi.load_module(path)
    x, y = pair((33, 65), torch.float32, "cpu")
    check_axpy(lib, x, y)
    check_lerp(lib, x, y)
    check_vecdot(lib, "cpu", x, y)


def call(lib, name, x, y, out=None):
    """Call a kernel by its name; the other two have no `out`."""
    arguments = {"axpy": (FACTOR, x, y), "lerp": (x, y, FACTOR), "vecdot": (x, y, out or y)}
    getattr(lib, name)(*arguments[name])


each_kernel = pytest.mark.parametrize("name", ["axpy", "lerp", "vecdot"])


@each_kernel
def test_a_library_without_cuda_says_so(libraries, name):
    """A GPU's tensor is refused with the reason; only the device that is told counts."""
    path = libraries / "library_cpu.so"
    if "emulation" in libraries.parts:
        pytest.skip("the emulated library stands for one with CUDA")
    if not path.exists():
        pytest.skip("library_cpu.so has not been built")
    x = Producer(torch.zeros(4), 4, FLOAT32, device=(2, 1))
    y = Producer(torch.zeros(4), 4, FLOAT32, device=(2, 1))
    out = point(Producer(torch.zeros(1), 1, FLOAT32, device=(2, 1)))
    with pytest.raises(ValueError, match=f"^{name}: ") as raised:
        call(tvm_ffi.load_module(path), name, x, y, out)
    assert str(raised.value) == (
        f"{name}: x must be on the CPU, got cuda:1; this library was built without CUDA"
    )


def point(producer):
    """Tell a producer's one element without dimensions."""
    producer.managed.dl_tensor.ndim = 0
    return producer


@each_kernel
def test_another_kind_of_device_is_refused(lib, name):
    """What the library has no kernels for is named."""
    x = Producer(torch.zeros(4), 4, FLOAT32, device=(8, 0))
    with pytest.raises(ValueError, match=f"^{name}: ") as raised:
        call(lib, name, x, x)
    assert str(raised.value) == (
        f"{name}: x must be on the CPU or a CUDA device, got device type 8:0"
    )


@each_kernel
@pytest.mark.parametrize(
    ("make", "kind", "message"),
    [
        (lambda t: (t(4, 5), t(5, 4)), ValueError, "y must be of shape (4, 5) like x, got (5, 4)"),
        (lambda t: (t(4), t(4).half()), TypeError, "y must be float32 like x, got float16"),
        (
            lambda t: (t(4).int(), t(4).int()),
            TypeError,
            "x must be float32, float64, float16 or bfloat16, got int32",
        ),
        (
            lambda t: (t(8)[::2], t(4)),
            ValueError,
            "x must be contiguous, got shape (4,) with strides (2,)",
        ),
        (
            lambda t: (t(4), t(8)[::2]),
            ValueError,
            "y must be contiguous, got shape (4,) with strides (2,)",
        ),
    ],
)
def test_wrong_arguments_are_named(lib, device, name, make, kind, message):
    """The error names the kernel, the argument, what was expected and what came."""
    with pytest.raises(kind) as raised:
        call(lib, name, *make(lambda *shape: torch.zeros(shape, device=device)))
    assert str(raised.value) == f"{name}: {message}"


@pytest.mark.parametrize("name", ["axpy", "lerp"])
def test_overlap_in_part_is_refused(lib, device, name):
    """A shifted output would change what is still to be read."""
    whole = torch.zeros(8, device=device)
    x, y = whole[:6], whole[2:]
    message = f"^{name}: y must be the same tensor as x or apart from it, got overlapping ranges$"
    with pytest.raises(ValueError, match=message):
        call(lib, name, x, y)


@pytest.mark.parametrize(
    ("make", "kind", "message"),
    [
        (
            lambda t: (t(3, 4), t(3, 4), t(4)),
            ValueError,
            "out must be of shape (3,), one number for each row, got (4,)",
        ),
        (
            lambda t: (t(3), t(3), t(1)),
            ValueError,
            "out must be of shape (), one number for each row, got (1,)",
        ),
        (lambda t: (t(), t(), t()), ValueError, "x must be at least 1-dimensional, got 0"),
        (
            lambda t: (t(3, 4), t(3, 4), t(3).double()),
            TypeError,
            "out must be float32 like x, got float64",
        ),
        (
            lambda t: (t(3, 4), t(3, 4), t(6)[::2]),
            ValueError,
            "out must be contiguous, got shape (3,) with strides (2,)",
        ),
        (
            lambda t: (lambda m: (m, t(3, 4), m.flatten()[:3]))(t(3, 4)),
            ValueError,
            "out must be apart from x, got overlapping ranges",
        ),
        (
            lambda t: (lambda m: (t(3, 4), m, m.flatten()[:3]))(t(3, 4)),
            ValueError,
            "out must be apart from y, got overlapping ranges",
        ),
    ],
)
def test_wrong_outputs_of_vecdot_are_named(lib, device, make, kind, message):
    """The output has one number for each row, and lies apart from the inputs."""
    with pytest.raises(kind) as raised:
        lib.vecdot(*make(lambda *shape: torch.zeros(shape, device=device)))
    assert str(raised.value) == f"vecdot: {message}"


def test_tensors_on_two_devices_are_refused(lib, device):
    """All tensors of a call are where x is."""
    x = torch.zeros(4, device=device)
    elsewhere = Producer(x, 4, FLOAT32, device=(3, 0))
    where = "cpu:0" if device == "cpu" else f"cuda:{x.device.index}"
    text = f"must be on {where} like x, got device type 3:0$"
    with pytest.raises(ValueError, match=f"^axpy: y {text}"):
        lib.axpy(FACTOR, x, elsewhere)
    with pytest.raises(ValueError, match=f"^vecdot: out {text}"):
        lib.vecdot(x, x, elsewhere)


def test_a_misaligned_tensor_is_refused(lib, device):
    """A tensor whose numbers cross their boundaries is refused before a GPU fails on it."""
    memory = torch.zeros(16, dtype=torch.float64, device=device)
    where = {"device": dlpack_device(memory)}
    crooked = Producer(memory, 4, FLOAT32, offset=1, **where)
    straight = Producer(memory, 4, FLOAT32, offset=64, **where)
    text = "must be aligned to its 4 byte items, got an address 1 too far"
    with pytest.raises(ValueError, match=f"^axpy: x {text}$"):
        lib.axpy(FACTOR, crooked, straight)
    with pytest.raises(ValueError, match=f"^axpy: y {text}$"):
        lib.axpy(FACTOR, straight, crooked)


def test_negative_bit_and_conjugate_views_are_refused(lib, device):
    """A view whose memory does not hold its values never reaches a kernel."""
    y = torch.zeros(4, device=device)
    negative = torch._neg_view(torch.ones(4, device=device))
    with pytest.raises(ValueError, match=r"^axpy: .* pass x.resolve_neg\(\)$"):
        lib.axpy(FACTOR, negative, y)
    conjugate = torch.ones(4, dtype=torch.complex64, device=device).conj()
    with pytest.raises(ValueError, match=r"^axpy: .* pass x.resolve_conj\(\)$"):
        lib.axpy(FACTOR, conjugate, y)
    assert bool((y == 0).all())


def test_a_byte_offset_is_honoured(load_function, device):
    """A producer that gives the first element by a byte offset, without strides, is read right."""
    axpy = load_function("library", "axpy")
    x = torch.arange(8, dtype=torch.float32, device=device)
    y = torch.zeros_like(x)
    where = {"offset": 12, "told": 12, "device": dlpack_device(x)}
    axpy(2.0, Producer(x, 5, FLOAT32, **where), Producer(y, 5, FLOAT32, **where))
    if device == "cuda":
        torch.cuda.synchronize()
    torch.testing.assert_close(y[3:], x[3:] * 2, rtol=0, atol=0)
    assert bool((y[:3] == 0).all())


def dlpack_device(tensor):
    """Device of a PyTorch tensor as DLPack tells it."""
    kind, index = tensor.__dlpack_device__()
    return (int(kind), int(index))


def test_tells_signatures_and_documentation(lib):
    """Each function has a text and the types of its arguments, for tools."""
    docs = {
        "axpy": "y += a * x, in place.",
        "lerp": "y += weight * (x - y), in place.",
        "vecdot": "out = sum of x * y over the last dimension.",
    }
    params = {
        "axpy": ["float", "DLTensor*", "DLTensor*"],
        "lerp": ["DLTensor*", "DLTensor*", "float"],
        "vecdot": ["DLTensor*", "DLTensor*", "DLTensor*"],
    }
    for name, text in docs.items():
        assert lib.get_function_doc(name) == text
        schema = json.loads(lib.get_function_metadata(name)["type_schema"])
        assert [each["type"] for each in schema["named_args"]["params"]] == params[name]


def test_runs_on_the_current_stream(lib, device):
    """The kernels wait for what PyTorch queued before them on the current stream."""
    if device == "cpu":
        pytest.skip("a CPU kernel has no stream")
    x, y = torch.zeros(1 << 20, device=device), torch.zeros(1 << 20, device=device)
    out = torch.zeros((), device=device)
    torch.cuda.synchronize()
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        torch.cuda._sleep(200_000_000)  # On any other stream the kernel would read zeros.
        x.fill_(3.0)
        lib.axpy(2.0, x, y)
        lib.lerp(x, y, 0.5)
        lib.vecdot(x, y, out)
    stream.synchronize()
    assert bool((y == 4.5).all())
    torch.testing.assert_close(out.item(), 13.5 * 2**20)


def test_can_be_captured_in_a_cuda_graph(lib, device):
    """Captured calls run again with the graph, on what is in the inputs then."""
    if device == "cpu":
        pytest.skip("a CPU kernel is not captured")
    x, y = torch.ones(1000, device=device), torch.zeros(1000, device=device)
    out = torch.zeros((), device=device)
    lib.axpy(2.0, x, y)  # Loads the kernels, which is illegal during capture.
    lib.lerp(x, y, 0.5)
    lib.vecdot(x, y, out)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        lib.axpy(2.0, x, y)
        lib.lerp(x, y, 0.5)
        lib.vecdot(x, y, out)
    x.fill_(5.0)
    y.fill_(1.0)
    graph.replay()
    torch.cuda.synchronize()
    assert bool((y == 8.0).all())
    torch.testing.assert_close(out.item(), 40_000.0)


@cases.slow
def test_more_than_two_billion_elements(lib, device):
    """Indices are 64-bit: the elements beyond 2**31 are computed, and the sum takes them all."""
    n = 2**31 + 9
    x = torch.zeros(n, dtype=torch.float16, device=device)
    y = torch.zeros(n, dtype=torch.float16, device=device)
    x[-9:] = 1.0
    x[2**31 - 1] = 2.0
    y[5] = 3.0
    lib.axpy(2.0, x, y)
    chunk = 1 << 28
    for begin in range(0, n, chunk):
        want = 2 * x[begin : begin + chunk]
        if begin == 0:
            want[5] = 3.0
        assert torch.equal(y[begin : begin + chunk], want)
    out = torch.zeros((), dtype=torch.float16, device=device)
    lib.vecdot(x, y, out)
    assert out.item() == 2.0 * 9 + 8.0

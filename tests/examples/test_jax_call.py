# SPDX-License-Identifier: Apache-2.0
# Rows: R1, R3, R4, R6
"""The jax_call example: its kernel against float64, and the adapter that XLA calls it by."""

import importlib.util
import math
import os
from pathlib import Path

import numpy as np
import pytest
import tvm_ffi
from cases import Poisoned, assert_rounds_to, shapes, slow
from hypothesis import given, settings
from hypothesis import strategies as st
from producer import FLOAT32, Producer

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

EXAMPLE = Path(__file__).resolve().parents[2] / "examples/kernel_library/jax_call"
DTYPES = [torch.float32, torch.float64, torch.float16, torch.bfloat16]
ANGLE = 0.7


@pytest.fixture(scope="module")
def rotate(load):
    """The exported function."""
    return load("jax_call").rotate


@pytest.fixture(scope="module")
def jax(device):
    """JAX, with 64-bit types and a device like the one under test."""
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    module = pytest.importorskip("jax", reason="JAX is not installed")
    platforms = {each.platform for each in module.devices()}
    if device == "cuda" and "gpu" not in platforms:
        pytest.skip("JAX has no GPU here")
    kind = "gpu" if device == "cuda" else "cpu"
    with module.enable_x64(), module.default_device(module.devices(kind)[0]):
        yield module


@pytest.fixture(scope="module")
def example(jax, device, libraries):
    """The example's own file, with the adapter and the library registered."""
    adapter = libraries / f"jax_call_{device}_adapter.so"
    if not adapter.exists():
        pytest.skip(f"{adapter.name} is not built")
    spec = importlib.util.spec_from_file_location("jax_call", EXAMPLE / "jax_call.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.register(adapter)
    module.register_functions(libraries / f"jax_call_{device}.so")
    return module


@pytest.fixture
def spied(example):
    """What a Python function saw that XLA called by the adapter."""
    seen = []

    def spy(*arguments):
        seen.extend(
            (str(each.dtype), tuple(each.shape), tuple(each.strides), each.device.type)
            if hasattr(each, "shape")
            else each
            for each in arguments
        )
        device = tvm_ffi.device("cuda", 0)
        seen.append(("stream", tvm_ffi.get_raw_stream(device)))

    tvm_ffi.register_global_func("jax_call.spy", spy, override=True)
    return seen


def numbers(shape, dtype, device, seed=0):
    """Random numbers of a dtype."""
    maker = torch.Generator(device="cpu").manual_seed(seed)
    return (3 * torch.randn(shape, generator=maker)).to(dtype).to(device)


def reference(x, y, angle):
    """Both results in float64, and what they may be off before they are rounded.

    Cosine and sine, each product and the sum are rounded once in the computing type: at most three
    roundings of half an epsilon on each term, and products of those.
    """
    x64, y64 = x.double(), y.double()
    c, s = math.cos(angle), math.sin(angle)
    eps = torch.finfo(torch.float64 if x.dtype == torch.float64 else torch.float32).eps
    first = 1.6 * eps * ((x64 * c).abs() + (y64 * s).abs()) + 1e-44
    second = 1.6 * eps * ((y64 * c).abs() + (x64 * s).abs()) + 1e-44
    return (x64 * c + y64 * s, first), (y64 * c - x64 * s, second)


def check(rotate, x, y, angle=ANGLE):
    """Write into poisoned outputs and compare with float64."""
    outputs = [Poisoned(x.shape, x.dtype, x.device) for _ in range(2)]
    rotate(x, y, *(each.tensor for each in outputs), angle)
    for each, (want, error) in zip(outputs, reference(x, y, angle), strict=True):
        each.check_guards()
        assert_rounds_to(each.tensor, want, error)


@given(shape=shapes(), dtype=st.sampled_from(DTYPES), angle=st.floats(-7, 7), seed=st.integers(0))
def test_any_shape(rotate, device, shape, dtype, angle, seed):
    """Every shape, dtype and angle is right, and nothing else is written."""
    seed %= 2**40
    check(rotate, numbers(shape, dtype, device, seed), numbers(shape, dtype, device, 1), angle)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("n", [0, 1, 3, 4, 5, 8, 1021, 100_003])
@pytest.mark.parametrize("start", [0, 1, 5])
def test_vectors_and_their_tails(rotate, device, dtype, n, start):
    """Sizes around a vector of 16 bytes, from addresses on its boundary and off it."""
    x, y = (numbers(n + start, dtype, device, seed)[start:] for seed in (0, 1))
    check(rotate, x, y)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("swapped", [False, True])
def test_works_in_place(rotate, device, dtype, swapped):
    """The outputs may be the very inputs, also the other way round."""
    x, y = (numbers(1001, dtype, device, seed) for seed in (0, 1))
    (first, first_error), (second, second_error) = reference(x, y, ANGLE)
    x_out, y_out = (y, x) if swapped else (x, y)
    rotate(x, y, x_out, y_out, ANGLE)
    assert_rounds_to(x_out, first, first_error)
    assert_rounds_to(y_out, second, second_error)


@pytest.mark.parametrize(
    ("make", "kind", "message"),
    [
        (lambda t: [t(4).int()] * 4, TypeError, "x must be float32.* or bfloat16, got int32"),
        (lambda t: [t(8)[::2], t(4), t(4), t(4)], ValueError, "x must be contiguous, got shape"),
        (lambda t: [t(4), t(5), t(4), t(4)], ValueError, r"y must be of shape \(4,\) like x, got"),
        (lambda t: [t(4), t(4).half(), t(4), t(4)], TypeError, "y must be float32 like x, got"),
        (lambda t: [t(4), t(8)[::2], t(4), t(4)], ValueError, "y must be contiguous, got shape"),
        (lambda t: [t(4), t(4), t(3), t(4)], ValueError, r"x_out must be of shape \(4,\) like x"),
        (lambda t: [t(4), t(4), t(4), t(3)], ValueError, r"y_out must be of shape \(4,\) like x"),
        (
            lambda t: [t(4), t(4), *[t(4)] * 2],
            ValueError,
            "y_out must be apart from x_out, got the same memory$",
        ),
        (
            lambda t: (lambda m: [t(4), t(4), m[:4], m[2:6]])(t(8)),
            ValueError,
            "y_out must be the same tensor as x_out or apart from it, got overlapping ranges$",
        ),
        (
            lambda t: (lambda m: [m[:4], t(4), m[2:6], t(4)])(t(8)),
            ValueError,
            "x_out must be the same tensor as x or apart from it, got overlapping ranges$",
        ),
        (
            lambda t: (lambda m: [t(4), m[:4], t(4), m[2:6]])(t(8)),
            ValueError,
            "y_out must be the same tensor as y or apart from it, got overlapping ranges$",
        ),
    ],
)
def test_wrong_arguments_are_named(rotate, device, make, kind, message):
    """The error names the kernel, the argument, what was expected and what came."""
    with pytest.raises(kind, match=f"^rotate: {message}"):
        rotate(*make(lambda *shape: torch.zeros(*shape, device=device)), ANGLE)


def test_other_devices_and_crooked_addresses_are_refused(rotate, device):
    """Tensors that are elsewhere, or that cross their items' boundaries, are refused."""
    some = [torch.zeros(4, device=device) for _ in range(4)]
    told = (2, 1) if device == "cpu" else (1, 0)
    message = "on the CPU, got cuda:1" if device == "cpu" else "on a CUDA device, got cpu:0"
    with pytest.raises(ValueError, match=f"^rotate: x must be {message}$"):
        rotate(Producer(some[0], 4, FLOAT32, device=told), *some[1:], ANGLE)
    with pytest.raises(ValueError, match=r"^rotate: x_out must be on .* got device type 3:0$"):
        rotate(*some[:2], Producer(some[2], 4, FLOAT32, device=(3, 0)), some[3], ANGLE)
    where = tuple(int(each) for each in some[0].__dlpack_device__())
    crooked = Producer(torch.zeros(8, device=device), 4, FLOAT32, offset=1, device=where)
    with pytest.raises(ValueError, match="y must be aligned to its 4 byte items, got an address 1"):
        rotate(some[0], crooked, *some[2:], ANGLE)


def test_views_that_are_negated_when_read_are_refused(rotate, device):
    """PyTorch's marks on views are not misread."""
    x = torch._neg_view(torch.ones(4, device=device))
    with pytest.raises(ValueError, match="negated when read"):
        rotate(x, *(torch.zeros(4, device=device) for _ in range(3)), ANGLE)


def test_a_byte_offset_is_honoured(rotate, device):
    """A producer that gives the first element by a byte offset is read right."""
    x = torch.arange(8, dtype=torch.float32, device=device)
    where = tuple(int(each) for each in x.__dlpack_device__())
    told = Producer(x, 5, FLOAT32, offset=12, told=12, device=where)
    zeros, x_out, y_out = (torch.zeros(5, device=device) for _ in range(3))
    rotate(told, zeros, x_out, y_out, 0.0)
    assert x_out.tolist() == [3, 4, 5, 6, 7]


def test_numpy_arrays_use_the_same_function(rotate, device):
    """The library knows no framework."""
    if device == "cuda":
        pytest.skip("NumPy has no arrays on a GPU")
    x, y, x_out, y_out = np.ones(3), np.zeros(3), np.empty(3), np.empty(3)
    rotate(x, y, x_out, y_out, ANGLE)
    assert x_out.tolist() == [math.cos(ANGLE)] * 3
    assert y_out.tolist() == [-math.sin(ANGLE)] * 3


def to_torch(array):
    """The numbers of a JAX array as a PyTorch tensor on the CPU."""
    return torch.from_numpy(np.array(array.astype("float64"))).to(getattr(torch, str(array.dtype)))


@settings(max_examples=25)
@given(
    shape=shapes(most=2000),
    dtype=st.sampled_from(["float32", "float64", "float16", "bfloat16"]),
    seed=st.integers(0, 2**32),
    compiled=st.booleans(),
)
def test_jax_gets_the_same_numbers(jax, example, shape, dtype, seed, compiled):
    """Both outputs are right for every shape and dtype, inside of jax.jit and outside."""
    x, y = (numbers(shape, getattr(torch, dtype), "cpu", seed + i) for i in (0, 1))
    arrays = [jax.numpy.asarray(each.double().numpy()).astype(dtype) for each in (x, y)]
    function = jax.jit(example.rotate, static_argnums=2) if compiled else example.rotate
    results = function(*arrays, ANGLE)
    for got, (want, error) in zip(results, reference(x, y, ANGLE), strict=True):
        assert (got.shape, str(got.dtype)) == (shape, dtype)
        assert_rounds_to(to_torch(got), want, error)


def test_jax_inputs_stay_as_they_are(jax, example):
    """The outputs are XLA's own memory: an array is never written to."""
    x, y = jax.numpy.arange(5.0), jax.numpy.ones(5)
    jax.block_until_ready(jax.jit(lambda x, y: example.rotate(x, y, ANGLE))(x, y))
    assert x.tolist() == [0, 1, 2, 3, 4]
    assert y.tolist() == [1] * 5


def test_an_alias_lets_outputs_take_the_inputs_memory(jax, example):
    """With aliases the results are the same, and an array that is still used stays as it is."""
    like = jax.ShapeDtypeStruct((5,), "float64")

    @jax.jit
    def in_place(x, y):
        aliases = {0: 0, 1: 1}
        both = example.call("jax_call.rotate", [like, like], x, y, numbers=[ANGLE], aliases=aliases)
        return *both, x + 0

    x, y = jax.numpy.arange(5.0), jax.numpy.ones(5)
    want = example.rotate(x, y, ANGLE)
    x_out, y_out, same = in_place(x, y)
    assert jax.numpy.array_equal(x_out, want[0])
    assert jax.numpy.array_equal(y_out, want[1])
    assert same.tolist() == x.tolist() == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("in_axes", [(0, 0), (0, None), (None, 1)])
def test_a_batch_is_one_call(jax, example, in_axes):
    """Under jax.vmap the kernel gets the whole batch, broadcast where one input has none."""
    x = jax.numpy.arange(6.0).reshape(2, 3)
    y = 10 * x
    x = x if in_axes[0] is not None else x[0]
    y = {0: y, 1: y.T, None: y[0]}[in_axes[1]]
    calls = []
    kernel = tvm_ffi.get_global_func("jax_call.rotate")

    def counting(*arguments):
        calls.append(tuple(arguments[0].shape))
        kernel(*arguments)

    tvm_ffi.register_global_func("jax_call.rotate", counting, override=True)
    try:
        got = jax.vmap(lambda x, y: example.rotate(x, y, ANGLE), in_axes)(x, y)
        jax.block_until_ready(got)
    finally:
        tvm_ffi.register_global_func("jax_call.rotate", kernel, override=True)
    assert calls == [(2, 3)]
    whole_y = y.T if in_axes[1] == 1 else y
    wide = [jax.numpy.broadcast_to(each, (2, 3)) for each in (x, whole_y)]
    want = example.rotate(*wide, ANGLE)
    assert all(jax.numpy.array_equal(a, b) for a, b in zip(got, want, strict=True))


def test_gradients(jax, example):
    """The gradient is the rotation back, by finite differences in float64."""
    from jax.test_util import check_grads

    x, y = jax.numpy.linspace(-1.0, 1.0, 5), jax.numpy.linspace(2.0, 3.0, 5)
    check_grads(lambda x, y: example.rotate(x, y, ANGLE), (x, y), order=2, modes=["rev"])


@pytest.mark.parametrize(
    ("dtype", "told"),
    [
        *((each, each) for each in ("bool", "int8", "int16", "int32", "int64")),
        *((each, each) for each in ("uint8", "uint16", "uint32", "uint64")),
        *((each, each) for each in ("float16", "float32", "float64", "bfloat16")),
        *((each, each) for each in ("complex64", "complex128")),
        *((each, each) for each in ("float8_e4m3fn", "float8_e5m2")),
    ],
)
def test_every_element_type_has_its_dtype(jax, example, spied, device, dtype, told):
    """An array of XLA is a view of the same dtype, shape and device, with strides."""
    x = jax.numpy.zeros((2, 0, 3), dtype)
    out = jax.ShapeDtypeStruct((), dtype)
    jax.block_until_ready(example.call("jax_call.spy", [out], x))
    assert spied[:2] == [(told, (2, 0, 3), (0, 3, 1), device), (told, (), (), device)]


def test_an_element_type_that_has_none_is_refused(jax, example, spied):
    """A type of XLA that the adapter does not know is an error, not a misread."""
    x = jax.numpy.zeros(3, "int4")
    with pytest.raises(jax.errors.JaxRuntimeError, match="TypeError: an array of XLA's element"):
        jax.block_until_ready(
            example.call("jax_call.spy", [jax.ShapeDtypeStruct((), "float32")], x)
        )
    assert spied == []


def test_numbers_arrive_in_their_order(jax, example, spied):
    """More than ten attributes of all kinds keep their order and their types."""
    values = [1, 2.5, True, "text", -(2**40), False, 0.1, 7, 8, 9, "", 11, 1e300]
    jax.block_until_ready(
        example.call("jax_call.spy", [jax.ShapeDtypeStruct((), "float32")], numbers=values)
    )
    got = spied[1:-1]
    assert got == values
    assert [type(each) for each in got] == [type(each) for each in values]


@pytest.mark.parametrize("compiled", [False, True])
def test_equal_numbers_of_different_types_are_apart(jax, example, spied, compiled):
    """JAX takes 1, 1.0 and True for the same: a program with one is not run for another."""
    out = jax.ShapeDtypeStruct((), "float32")
    values = [1.0, 1, True, 0.0, 0, False]

    def each_once():
        return [example.call("jax_call.spy", [out], numbers=[value]) for value in values]

    jax.block_until_ready(jax.jit(each_once)() if compiled else each_once())
    got = [repr(each) for each in spied if isinstance(each, float | int)]
    assert sorted(got) == sorted(map(repr, values))


def test_a_number_of_another_type_is_refused(jax, example, spied):
    """The adapter takes those types of attributes that it names."""
    out = jax.ShapeDtypeStruct((), "float32")
    message = "TypeError: attribute argument_000_float32 must be a float64, an int64, a bool or"
    with pytest.raises(jax.errors.JaxRuntimeError, match=message):
        jax.block_until_ready(example.call("jax_call.spy", [out], numbers=[np.float32(1)]))


def test_an_array_is_no_number(jax, example):
    """JAX would only say that an argument is not hashable."""
    message = r"^call: numbers: expected float, int, bool or str, got ArrayImpl: use float\(...\)"
    with pytest.raises(TypeError, match=message):
        example.rotate(jax.numpy.ones(3), jax.numpy.ones(3), jax.numpy.float32(ANGLE))


def test_a_call_that_names_no_function_is_refused(jax, example):
    """Whoever calls without the example's file is told which attribute is missing."""
    foreign = jax.ffi.ffi_call(example.TARGET, jax.ShapeDtypeStruct((), "float32"))
    for attributes in ({}, {"function": np.int64(3)}):
        with pytest.raises(jax.errors.JaxRuntimeError, match="TypeError: attribute function must"):
            jax.block_until_ready(foreign(**attributes))


def test_the_stream_is_xlas_during_the_call(jax, example, spied, device):
    """On a GPU the stream of XLA is the current one during the call, and not after it."""
    here = tvm_ffi.device("cuda", 0)
    with tvm_ffi.use_raw_stream(here, 0x1234):
        jax.block_until_ready(example.call("jax_call.spy", [jax.ShapeDtypeStruct((), "float32")]))
        assert tvm_ffi.get_raw_stream(here) == 0x1234
    stream = dict([spied[-1]])["stream"]
    assert (stream not in (0, 0x1234)) if device == "cuda" else stream in (0, 0x1234)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda e, x: e.rotate(x.astype("int32"), x.astype("int32"), ANGLE),
            "INVALID_ARGUMENT: TypeError: rotate: x must be float32, float64, float16 or bfloat16, "
            "got int32",
        ),
        (
            lambda e, x: e.rotate(x, x[:2], ANGLE),
            r"INVALID_ARGUMENT: ValueError: rotate: y must be of shape \(3,\) like x, got \(2,\)",
        ),
        (
            lambda e, x: e.call("jax_call.nothing", [x], x),
            "INVALID_ARGUMENT: ValueError: there is no global function jax_call.nothing",
        ),
        (
            lambda e, x: e.call("jax_call.rotate", [x], x),
            "INVALID_ARGUMENT: TypeError: .*rotate.* 5 .*2",
        ),
        (
            lambda e, x: e.call("jax_call.returns", [x], x),
            "INVALID_ARGUMENT: TypeError: a function must write to its outputs and return nothing",
        ),
        (lambda e, x: e.call("jax_call.fails", [x], x), "INTERNAL: KeyError: .*not here"),
    ],
)
@pytest.mark.parametrize("compiled", [False, True])
def test_errors_arrive_with_the_kernels_message(jax, example, make, message, compiled):
    """An exception in a kernel is JAX's error with the same text, and the next call works."""

    def fails(*_):
        raise KeyError("not here")

    tvm_ffi.register_global_func("jax_call.returns", lambda *_: 1, override=True)
    tvm_ffi.register_global_func("jax_call.fails", fails, override=True)
    x = jax.numpy.ones(3)
    function = jax.jit(lambda x: make(example, x)) if compiled else (lambda x: make(example, x))
    # JAX would drop a call without outputs from the program.
    with pytest.raises(jax.errors.JaxRuntimeError, match=message):
        jax.block_until_ready(function(x))
    assert example.rotate(x, x, 0.0)[0].tolist() == [1, 1, 1]


def test_many_threads_call_at_once(jax, example):
    """Compiled programs call the adapter from threads of their own."""
    from concurrent.futures import ThreadPoolExecutor

    step = jax.jit(lambda x, y: example.rotate(x, y, ANGLE))

    def work(k):
        x = jax.numpy.full(1000, float(k))
        for _ in range(10):
            x_out, _ = step(x, jax.numpy.zeros(1000))
        return float(x_out[0])

    with ThreadPoolExecutor(8) as pool:
        got = list(pool.map(work, range(16)))
    assert got == pytest.approx([k * math.cos(ANGLE) for k in range(16)])


def test_runs_on_the_current_stream(rotate, device):
    """The kernel waits for what PyTorch queued before it on the current stream."""
    if device == "cpu":
        pytest.skip("a CPU kernel has no stream")
    x, y, x_out, y_out = (torch.zeros(1 << 20, device=device) for _ in range(4))
    rotate(x, y, x_out, y_out, 0.0)
    torch.cuda.synchronize()
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        torch.cuda._sleep(200_000_000)
        x.fill_(3.0)
        rotate(x, y, x_out, y_out, 0.0)
    stream.synchronize()
    assert bool((x_out == 3.0).all())


def test_can_be_captured_in_a_cuda_graph(rotate, device):
    """A captured call runs again with the graph, on what is in the input then."""
    if device == "cpu":
        pytest.skip("a CPU kernel is not captured")
    x, y, x_out, y_out = (torch.zeros(1000, device=device) for _ in range(4))
    rotate(x, y, x_out, y_out, 0.0)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        rotate(x, y, x_out, y_out, 0.0)
    x.fill_(5.0)
    graph.replay()
    torch.cuda.synchronize()
    assert bool((x_out == 5.0).all())


def test_runs_on_the_tensors_gpu(rotate, device):
    """The kernel runs on the GPU of its tensors, and the current one stays as it was."""
    if device == "cpu" or torch.cuda.device_count() < 2:
        pytest.skip("needs two GPUs")
    x, y, x_out, y_out = (torch.ones(1000, device="cuda:1") for _ in range(4))
    rotate(x, y, x_out, y_out, 0.0)
    assert torch.cuda.current_device() == 0
    assert bool((x_out == 1.0).all())


@slow
def test_beyond_two_billion_elements(rotate, device):
    """Indices are 64-bit: float16 tensors of more than 2**31 elements, in place, to their end."""
    n = 2**31 + 5
    free = (
        torch.cuda.mem_get_info()[0]
        if device == "cuda"
        else os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    )
    if free < 11 * 2**30:
        pytest.skip("needs 11 GB of free memory")
    x, y = (torch.full((n,), value, dtype=torch.float16, device=device) for value in (3.0, 5.0))
    x[-1] = y[-1] = 1.0
    rotate(x, y, x, y, math.pi / 2)
    for start in range(0, n - 1, 1 << 28):
        part = slice(start, min(start + (1 << 28), n - 1))
        assert bool((x[part] == 5).all())
        assert bool((y[part] == -3).all())
    assert (x[-1], y[-1]) == (1, -1)

# SPDX-License-Identifier: Apache-2.0
# Rows: R1, R3, R6
"""The torch_op example: its kernels against float64, and the operators as PyTorch checks them."""

import importlib.util
import math
import os
import warnings
from pathlib import Path

import numpy as np
import pytest
from cases import Poisoned, assert_rounds_to, layouts, shapes, slow
from hypothesis import given
from hypothesis import strategies as st
from producer import FLOAT32, Producer

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

EXAMPLE = Path(__file__).resolve().parents[2] / "examples/kernel_library/torch_op"
DTYPES = [torch.float32, torch.float64, torch.float16, torch.bfloat16]
SEEDS = st.integers(0, 2**32)


@pytest.fixture(scope="module")
def kernels(load):
    """The library."""
    return load("torch_op")


@pytest.fixture(scope="module")
def ops(libraries):
    """The operators of the example's own file, over the library under test."""
    spec = importlib.util.spec_from_file_location("torch_op", EXAMPLE / "torch_op.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.FOLDER = libraries
    return module


@pytest.fixture(autouse=True)
def seeded():
    """Random inputs that are the same in every run."""
    torch.manual_seed(0)


def numbers(shape, dtype, device, seed=0):
    """Random numbers of a dtype, also beyond 1."""
    maker = torch.Generator(device="cpu").manual_seed(seed)
    return (3 * torch.randn(shape, generator=maker)).to(dtype).to(device)


def computing(x):
    """The machine epsilon of the type that the kernels compute in."""
    return torch.finfo(torch.float64 if x.dtype == torch.float64 else torch.float32).eps


def forward_reference(x):
    """The result in float64, and what one product in the computing type may be off."""
    reference = x.double().clamp(min=0) ** 2
    return reference, computing(x) / 2 * reference + 1e-44


def backward_reference(dy, x):
    """The gradient in float64, and what one rounding may add (a product with 2 is exact)."""
    reference = dy.double() * 2 * x.double().clamp(min=0)
    return reference, computing(x) / 2 * reference.abs() + 1e-44


def check_forward(kernels, x):
    """Write into a poisoned output and compare with float64."""
    y = Poisoned(x.shape, x.dtype, x.device)
    kernels.relu_squared(x, y.tensor)
    y.check_guards()
    assert_rounds_to(y.tensor, *forward_reference(x))


def check_backward(kernels, dy, x):
    """Write into a poisoned output and compare with float64."""
    dx = Poisoned(x.shape, x.dtype, x.device)
    kernels.relu_squared_backward(dy, x, dx.tensor)
    dx.check_guards()
    assert_rounds_to(dx.tensor, *backward_reference(dy, x))


@given(shape=shapes(), dtype=st.sampled_from(DTYPES), seed=SEEDS)
def test_any_shape(kernels, device, shape, dtype, seed):
    """Both kernels are right for every shape and dtype, and write nothing else."""
    x = numbers(shape, dtype, device, seed)
    check_forward(kernels, x)
    check_backward(kernels, numbers(shape, dtype, device, seed + 1), x)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("n", [0, 1, 3, 4, 5, 8, 1021, 100_003])
@pytest.mark.parametrize("start", [0, 1, 5])
def test_vectors_and_their_tails(kernels, device, dtype, n, start):
    """Sizes around a vector of 16 bytes, from addresses on its boundary and off it."""
    x = numbers(n + start, dtype, device)[start:]
    check_forward(kernels, x)
    check_backward(kernels, numbers(n + start, dtype, device, 1)[start:], x)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=str)
def test_every_16_bit_number(kernels, device, dtype):
    """All 65,536 bit patterns are squared, rounded once, and NaN stays NaN."""
    x = torch.arange(-32768, 32768, dtype=torch.int32).to(torch.int16).to(device).view(dtype)
    check_forward(kernels, x)


def test_special_numbers(kernels, device):
    """Infinities, NaN and zeros give what PyTorch's operators give."""
    x = torch.tensor([math.inf, -math.inf, math.nan, 0.0, -0.0, 1e30, -1e30], device=device)
    y, dx = torch.empty_like(x), torch.empty_like(x)
    kernels.relu_squared(x, y)
    torch.testing.assert_close(y, torch.relu(x) ** 2, rtol=0, atol=0, equal_nan=True)
    leaf = x.clone().requires_grad_()
    torch.relu(leaf).square().sum().backward()
    kernels.relu_squared_backward(torch.ones_like(x), x, dx)
    torch.testing.assert_close(dx, leaf.grad, rtol=0, atol=0, equal_nan=True)
    kernels.relu_squared_backward(torch.full_like(x, math.inf), x, dx)
    assert dx[[1, 3, 4, 6]].tolist() == [0, 0, 0, 0], "no gradient passes where x is not positive"


def test_works_in_place(kernels, device):
    """The very same tensor may be input and output; so may the gradient."""
    x = numbers(1001, torch.float32, device)
    dy = numbers(1001, torch.float32, device, 1)
    want, of_gradient = forward_reference(x), backward_reference(dy, x)
    kernels.relu_squared_backward(dy, x, dy)
    assert_rounds_to(dy, *of_gradient)
    kernels.relu_squared(x, x)
    assert_rounds_to(x, *want)


@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (
            lambda k, t: k.relu_squared(t(8)[::2], t(4)),
            ValueError,
            "relu_squared: x must be contiguous, got shape (4,) with strides (2,)",
        ),
        (
            lambda k, t: k.relu_squared(t(4), t(8)[::2]),
            ValueError,
            "relu_squared: y must be contiguous, got shape (4,) with strides (2,)",
        ),
        (
            lambda k, t: k.relu_squared(t(4).int(), t(4).int()),
            TypeError,
            "relu_squared: x must be float32, float64, float16 or bfloat16, got int32",
        ),
        (
            lambda k, t: k.relu_squared(t(4), t(4).half()),
            TypeError,
            "relu_squared: y must be float32 like x, got float16",
        ),
        (
            lambda k, t: k.relu_squared(t(4), t(5)),
            ValueError,
            "relu_squared: y must be of shape (4,) like x, got (5,)",
        ),
        (
            lambda k, t: (lambda m: k.relu_squared(m[:4], m[2:6]))(t(8)),
            ValueError,
            "relu_squared: y must be the same tensor as x or apart from it, got overlapping ranges",
        ),
        (
            lambda k, t: k.relu_squared_backward(t(5), t(4), t(4)),
            ValueError,
            "relu_squared_backward: dy must be of shape (4,) like x, got (5,)",
        ),
        (
            lambda k, t: k.relu_squared_backward(t(4).double(), t(4), t(4)),
            TypeError,
            "relu_squared_backward: dy must be float32 like x, got float64",
        ),
        (
            lambda k, t: k.relu_squared_backward(t(8)[::2], t(4), t(4)),
            ValueError,
            "relu_squared_backward: dy must be contiguous, got shape (4,) with strides (2,)",
        ),
        (
            lambda k, t: k.relu_squared_backward(t(4), t(4), t(3)),
            ValueError,
            "relu_squared_backward: dx must be of shape (4,) like x, got (3,)",
        ),
        (
            lambda k, t: (lambda m: k.relu_squared_backward(m[:4], t(4), m[2:6]))(t(8)),
            ValueError,
            "relu_squared_backward: dx must be the same tensor as dy or apart from it, "
            "got overlapping ranges",
        ),
    ],
)
def test_wrong_arguments_are_named(kernels, device, call, kind, message):
    """The error names the kernel, the argument, what was expected and what came."""
    with pytest.raises(kind) as raised:
        call(kernels, lambda *shape: torch.zeros(*shape, device=device))
    assert str(raised.value) == message


def test_a_tensor_on_another_device_is_refused(kernels, device):
    """Input and output must be where the kernel runs."""
    y = torch.zeros(4, device=device)
    told = (2, 1) if device == "cpu" else (1, 0)
    message = "on the CPU, got cuda:1" if device == "cpu" else "on a CUDA device, got cpu:0"
    with pytest.raises(ValueError, match=f"^relu_squared: x must be {message}$"):
        kernels.relu_squared(Producer(y, 4, FLOAT32, device=told), y)
    with pytest.raises(ValueError, match=r"^relu_squared: y must be on .* got device type 3:0$"):
        kernels.relu_squared(y, Producer(y, 4, FLOAT32, device=(3, 0)))


def test_a_misaligned_tensor_is_refused(kernels, device):
    """A tensor whose numbers cross their boundaries is refused."""
    memory = torch.zeros(16, dtype=torch.float64, device=device)
    where = tuple(int(each) for each in memory.__dlpack_device__())
    crooked = Producer(memory, 4, FLOAT32, offset=1, device=where)
    straight = Producer(memory, 4, FLOAT32, offset=64, device=where)
    text = "must be aligned to its 4 byte items, got an address 1 too far"
    with pytest.raises(ValueError, match=f"^relu_squared: x {text}$"):
        kernels.relu_squared(crooked, straight)
    with pytest.raises(ValueError, match=f"^relu_squared: y {text}$"):
        kernels.relu_squared(straight, crooked)


def test_a_byte_offset_is_honoured(load_function, device):
    """A producer that gives the first element by a byte offset is read right."""
    relu_squared = load_function("torch_op", "relu_squared")
    x = torch.arange(8, dtype=torch.float32, device=device)
    y = torch.full_like(x, math.nan)
    where = tuple(int(each) for each in x.__dlpack_device__())
    told = {"offset": 12, "told": 12, "device": where}
    relu_squared(Producer(x, 5, FLOAT32, **told), Producer(y, 5, FLOAT32, **told))
    if device == "cuda":
        torch.cuda.synchronize()
    assert y[3:].tolist() == (x[3:] ** 2).tolist()
    assert torch.isnan(y[:3]).all()


def test_a_negated_view_is_resolved_by_the_operator(kernels, ops, device):
    """The kernel refuses a view that is negated when read; PyTorch resolves it for the operator."""
    x = torch._neg_view(torch.tensor([1.0, -2.0], device=device))
    with pytest.raises(ValueError, match="negated when read"):
        kernels.relu_squared(x, torch.zeros(2, device=device))
    assert ops.relu_squared(x).tolist() == [0, 4]
    with pytest.raises(TypeError, match=r"^relu_squared: x must be float32.* got complex64$"):
        ops.relu_squared(torch.zeros(2, dtype=torch.complex64, device=device).conj())


def test_numpy_arrays_use_the_same_library(kernels, device):
    """The kernels know nothing of PyTorch."""
    if device == "cuda":
        pytest.skip("NumPy has no arrays on a GPU")
    x, y = np.array([-1, 2, 3], dtype="float64"), np.empty(3)
    kernels.relu_squared(x, y)
    assert y.tolist() == [0, 4, 9]


@given(data=st.data())
def test_the_operator_takes_any_layout(ops, device, data):
    """Strided, permuted and offset tensors are copied into order; the result is contiguous."""
    shape = data.draw(shapes(most=2000))
    layout = data.draw(layouts(len(shape)))
    values = numbers(shape, data.draw(st.sampled_from(DTYPES)), device)
    x = layout.of(values)
    y = ops.relu_squared(x)
    assert y.is_contiguous()
    assert_rounds_to(y, *forward_reference(values))
    out = Poisoned(shape, values.dtype, device)
    assert ops.relu_squared_out(x, out.tensor) is None
    out.check_guards()
    assert torch.equal(out.tensor, y)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize(
    "view", [lambda x: x, lambda x: x.t(), lambda x: x[:, ::2], lambda x: x[:0], lambda x: x[0, 0]]
)
def test_opcheck(ops, device, dtype, view):
    """Schema, autograd registration, fakes and tracing are as PyTorch wants them."""
    x = view(torch.randn(4, 6, device=device)).to(dtype)
    torch.library.opcheck(ops.relu_squared, (x.detach().requires_grad_(),))
    torch.library.opcheck(ops.relu_squared_backward, (torch.ones_like(x), x))
    out = torch.empty(x.shape, dtype=dtype, device=device)
    torch.library.opcheck(ops.relu_squared_out, (x, out))


@pytest.mark.parametrize("shape", [(), (1,), (7, 5)])
def test_gradcheck(ops, device, shape):
    """The gradient is the derivative, by finite differences in float64."""
    x = torch.randn(shape, dtype=torch.float64, device=device, requires_grad=True)
    assert torch.autograd.gradcheck(ops.relu_squared, x)
    strided = torch.randn(6, 4, dtype=torch.float64, device=device, requires_grad=True)
    assert torch.autograd.gradcheck(lambda x: ops.relu_squared(x.t()[::2]), strided)


def test_a_gradient_without_memory_of_its_own(ops, device):
    """A sum hands back one number for all elements, by strides of 0."""
    x = torch.randn(33, 65, device=device, requires_grad=True)
    ops.relu_squared(x).sum().backward()
    torch.testing.assert_close(x.grad, 2 * torch.relu(x.detach()), rtol=0, atol=0)


def test_what_is_written_into_an_output_has_no_gradient(ops, device):
    """As the page says: the operator that writes into a tensor is apart from autograd."""
    x = torch.ones(3, device=device, requires_grad=True)
    out = torch.empty_like(x, requires_grad=False)
    ops.relu_squared_out(x, out)
    assert not out.requires_grad
    assert out.grad_fn is None


def test_a_second_derivative_says_that_there_is_none(ops, device):
    """The gradient has no gradient, and PyTorch says so."""
    x = torch.ones(3, device=device, requires_grad=True)
    (first,) = torch.autograd.grad(ops.relu_squared(x).sum(), x, create_graph=True)
    with pytest.raises(RuntimeError, match=r"relu_squared_backward.* no autograd formula"):
        first.sum().backward()


def test_compiles_without_a_graph_break(ops, device):
    """torch.compile(fullgraph=True) takes the operators, forward, backward and writing to out."""
    torch._dynamo.reset()

    def model(x, gate, out):
        ops.relu_squared_out(gate, out)
        return ops.relu_squared(x * 2) * torch.sigmoid(gate) + out

    x = torch.randn(16, 9, device=device, requires_grad=True)
    gate, out = torch.randn(16, 9, device=device), torch.full((16, 9), math.nan, device=device)
    result = torch.compile(model, fullgraph=True, backend="aot_eager")(x, gate, out)
    torch.testing.assert_close(out, torch.relu(gate) ** 2)
    torch.testing.assert_close(result, torch.relu(2 * x) ** 2 * torch.sigmoid(gate) + out)
    result.sum().backward()
    torch.testing.assert_close(x.grad, 8 * torch.relu(x.detach()) * torch.sigmoid(gate))


# PyTorch's compiler uses functions that are deprecated or that warn on Python 3.14.
@pytest.mark.filterwarnings("ignore:.*is (deprecated|not supported in Python):DeprecationWarning")
def test_compiles_to_code(ops, device):
    """The default backend calls the operator between the code that it makes."""
    torch._dynamo.reset()
    x = torch.randn(16, 9, device=device)
    compiled = torch.compile(lambda x: ops.relu_squared(x) + 1, fullgraph=True)
    torch.testing.assert_close(compiled(x), torch.relu(x) ** 2 + 1)


def test_one_graph_serves_other_sizes(ops, device):
    """With dynamic shapes, the fake implementation passes symbolic sizes through."""
    torch._dynamo.reset()
    compiled = torch.compile(
        lambda x: ops.relu_squared(x) + 1, fullgraph=True, dynamic=True, backend="aot_eager"
    )
    for n in (3, 5, 8):
        x = torch.randn(n, 2, device=device)
        torch.testing.assert_close(compiled(x), torch.relu(x) ** 2 + 1)


def test_exports(ops, device):
    """torch.export keeps the operator in the graph by its name."""

    class Model(torch.nn.Module):
        def forward(self, x):
            return ops.relu_squared(x)

    x = torch.randn(3, device=device)
    program = torch.export.export(Model(), (x,))
    assert "kernel_library.relu_squared.default" in program.graph_module.code
    torch.testing.assert_close(program.module()(x), torch.relu(x) ** 2)


def test_the_kernels_message_passes_through_the_operator(ops, device):
    """What the kernel refuses is the same Python error from the operator."""
    message = r"^relu_squared: y must be contiguous, got shape \(4, 3\) with strides \(1, 4\)$"
    with pytest.raises(ValueError, match=message):
        ops.relu_squared_out(torch.ones(4, 3, device=device), torch.ones(3, 4, device=device).t())


def test_meta_tensors_run_the_fake(ops, device):
    """Shapes alone are propagated without a kernel."""
    y = ops.relu_squared(torch.empty(4, 3, device="meta").t())
    assert (y.device.type, y.shape, y.stride()) == ("meta", (3, 4), (4, 1))


def test_runs_on_the_current_stream(ops, device):
    """The operator's kernel waits for what PyTorch queued before it."""
    if device == "cpu":
        pytest.skip("a CPU kernel has no stream")
    x, y = torch.zeros(1 << 20, device=device), torch.zeros(1 << 20, device=device)
    ops.relu_squared_out(x, y)
    torch.cuda.synchronize()
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        torch.cuda._sleep(200_000_000)
        x.fill_(3.0)
        ops.relu_squared_out(x, y)
    stream.synchronize()
    assert bool((y == 9.0).all())


def test_can_be_captured_in_a_cuda_graph(ops, device):
    """A captured operator runs again with the graph, on what is in the input then."""
    if device == "cpu":
        pytest.skip("a CPU kernel is not captured")
    x, y = torch.ones(1000, device=device), torch.zeros(1000, device=device)
    ops.relu_squared_out(x, y)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        ops.relu_squared_out(x, y)
        z = ops.relu_squared(y)
    x.fill_(2.0)
    graph.replay()
    torch.cuda.synchronize()
    assert bool((z == 16.0).all())


def test_runs_on_the_tensors_gpu(ops, device):
    """The kernel runs on the GPU of its tensors, and the current one stays as it was."""
    if device == "cpu" or torch.cuda.device_count() < 2:
        pytest.skip("needs two GPUs")
    y = ops.relu_squared(torch.full((1000,), 2.0, device="cuda:1"))
    assert torch.cuda.current_device() == 0
    assert bool((y == 4.0).all())


@slow
def test_beyond_two_billion_elements(kernels, device):
    """Indices are 64-bit: a float16 tensor of more than 2**31 elements, in place, to its end."""
    n = 2**31 + 5
    free = (
        torch.cuda.mem_get_info()[0]
        if device == "cuda"
        else os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    )
    if free < 6 * 2**30:
        pytest.skip("needs 6 GB of free memory")
    x = torch.full((n,), 3.0, dtype=torch.float16, device=device)
    x[-1] = -1.0
    kernels.relu_squared(x, x)
    for start in range(0, n - 1, 1 << 28):
        assert bool((x[start : min(start + (1 << 28), n - 1)] == 9).all())
    assert x[-1] == 0


def test_no_warning_is_shown(ops, device):
    """Neither the forward nor the backward pass warns."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ops.relu_squared(torch.ones(3, device=device, requires_grad=True)).sum().backward()

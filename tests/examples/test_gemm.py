# SPDX-License-Identifier: Apache-2.0
# Rows: R1, R3, R6
"""The gemm example: sizes, layouts and activations against float64, and its refusals."""

import math
import re
from dataclasses import dataclass
from typing import Any

import cases
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from producer import FLOAT16, FLOAT32, Producer

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

HALVES = [torch.float16, torch.bfloat16]
FLOAT8 = torch.float8_e4m3fn
ACTIVATIONS = ["none", "relu", "silu", "gelu_tanh"]
NAN, INFINITY = float("nan"), float("inf")
FAR_ROWS = 2**32 + 8  # elements; truncated to 32 bits, this is 8


@pytest.fixture(scope="module")
def mod(load):
    """The library."""
    return load("gemm")


@pytest.fixture(autouse=True)
def seeded():
    """Random inputs that are the same in every run."""
    torch.manual_seed(0)


@pytest.fixture
def float8(device):
    """The dtype of 8 bits, on a device that multiplies it."""
    if device == "cuda" and torch.cuda.get_device_capability() != (9, 0):
        pytest.skip("float8_e4m3fn takes a GPU of compute capability 9.0")
    return FLOAT8


def with_gap(rows, columns, dtype, device, gap=16):
    """Give uninitialized rows, with a gap of NaN after each."""
    wide = torch.full((rows, columns + gap), NAN, device=device).to(dtype)
    return wide[:, :columns]


def dense(rows, columns, dtype, device):
    """Give rows one behind the other."""
    return torch.empty(rows, columns, dtype=dtype, device=device)


def columns_of(make):
    """Give a matrix whose columns lie as the rows do that `make` gives."""
    return lambda rows, columns, dtype, device: make(columns, rows, dtype, device).T


LAYOUTS_OF_A = {"dense": dense, "with gaps": with_gap}
LAYOUTS_OF_B = {
    "rows": dense,
    "rows with gaps": with_gap,
    "columns": columns_of(dense),
    "columns with gaps": columns_of(with_gap),
}


@dataclass
class Case:
    """The arguments of one call."""

    a: Any
    b: Any
    bias: Any = None
    scale_a: Any = None
    scale_b: Any = None
    alpha: float = 1.0
    activation: str = "none"

    @property
    def out_dtype(self):
        """The dtype of the result."""
        return torch.bfloat16 if self.a.dtype == FLOAT8 else self.a.dtype

    def out(self):
        """Allocate the result."""
        return torch.full(self.shape, NAN, dtype=self.out_dtype, device=self.a.device)

    @property
    def shape(self):
        """The shape of the result."""
        return (*self.a.shape[:-1], self.b.shape[-1])

    def size(self, mod, out):
        """Ask for the size of the workspace."""
        return mod.gemm_workspace_size(self.a, self.b, out)

    def workspace(self, mod, out):
        """Allocate the workspace."""
        return torch.empty(self.size(mod, out), dtype=torch.uint8, device=self.a.device)

    def call(self, mod, out, workspace):
        """Run the kernel."""
        others = (self.bias, self.scale_a, self.scale_b)
        mod.gemm(self.a, self.b, out, workspace, self.alpha, self.activation, *others)


def make(device, dtype, m, n, k, of_a="dense", of_b="rows", bias=True, **more):
    """Random matrices in memory of these layouts."""
    a = LAYOUTS_OF_A[of_a](m, k, dtype, device)
    b = LAYOUTS_OF_B[of_b](k, n, dtype, device)
    for each in (a, b):
        each.copy_(torch.randn(each.shape, device=device).to(dtype))
    case = Case(a, b, **more)
    if bias:
        case.bias = torch.randn(n, device=device).to(case.out_dtype)
    return case


def following(count, rows, columns, dtype, device, turned):
    """Allocate matrices one behind the other, with a gap of NaN after each and each line."""
    lines, length = (columns, rows) if turned else (rows, columns)
    wide = torch.full((count, lines + 1, length + 16), NAN, device=device).to(dtype)
    matrices = wide[:, :lines, :length]
    return matrices.mT if turned else matrices


def interleaved(count, rows, columns, dtype, device, turned):
    """Allocate the matrices of the heads of an attention: row by row, or column by column."""
    lines, length = (columns, rows) if turned else (rows, columns)
    wide = torch.full((lines, count + 1, length), NAN, device=device).to(dtype)
    matrices = wide[:, :count].transpose(0, 1)
    return matrices.mT if turned else matrices


BATCHES = {"following": following, "interleaved": interleaved}


def make_batch(device, dtype, size, of_a="following", of_b="following", by="rows", **more):
    """Random batches of matrices: their number, m, n and k."""
    count, m, n, k = size
    a = BATCHES[of_a](count, m, k, dtype, device, turned=False)
    b = BATCHES[of_b](count, k, n, dtype, device, turned=by == "columns")
    for each in (a, b):
        each.copy_(torch.randn(each.shape, device=device).to(dtype))
    case = Case(a, b, **more)
    case.bias = torch.randn(n, device=device).to(case.out_dtype)
    return case


def activated(x, activation):
    """Apply an activation, and give the exponent in it."""
    if activation == "none":
        return x, torch.zeros_like(x)
    if activation == "relu":
        return torch.where(x < 0, 0.0, x), torch.zeros_like(x)
    if activation == "silu":
        return torch.nn.functional.silu(x), x
    exponent = 2 * math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)
    return torch.nn.functional.gelu(x, approximate="tanh"), exponent


def reference(case):
    """Compute in float64; also bound what float32 may be off before the result is rounded.

    u is the error of one rounding. A CPU rounds each of k sums. Tensor cores cut off what does not
    fit, to which four times as much is allowed; those for float8 keep 13 bits of a sum, four
    times for 128 products. The scale, the product with it and the bias take six roundings more. The
    slope of an activation is at most 1.13. exp(t) on a GPU is off by 2 + 1.2 t
    units in the last place, t itself by 6 u, and a sum, a quotient and the constants by 8 u.
    """
    u = 2.0**-24
    a, b = case.a.double(), case.b.double()
    k = case.a.shape[-1]
    scale = case.alpha
    for each in (case.scale_a, case.scale_b):
        scale = scale if each is None else scale * float(each)
    bias = 0.0 if case.bias is None else case.bias.double()
    sums, sizes = a @ b, a.abs() @ b.abs()
    cuda = case.a.device.type == "cuda"
    of_sum = (4 * k if cuda else k) * u + (2.0**-11 if cuda and case.a.dtype == FLOAT8 else 0)
    x = scale * sums + bias
    off = abs(scale) * sizes * (of_sum + 6 * u) + u * x.abs()
    y, exponent = activated(x, case.activation)
    if case.activation in ("silu", "gelu_tanh"):
        off = 1.13 * off + y.abs() * (16 + 10 * exponent.abs()) * u + 1e-30
    return y, 1.01 * off


def check(mod, case):
    """Call into poisoned memory, in a workspace that is poisoned and just large enough."""
    out = cases.Poisoned(case.shape, case.out_dtype, case.a.device)
    workspace = cases.Poisoned((case.size(mod, out.tensor),), torch.uint8, case.a.device)
    inputs = [each for each in (case.a, case.b, case.bias) if each is not None]
    before = [each.clone() for each in inputs]
    case.call(mod, out.tensor, workspace.tensor)
    cases.assert_rounds_to(out.tensor, *reference(case))
    out.check_guards()
    workspace.check_guards()
    for now, then in zip(inputs, before, strict=True):
        assert torch.equal(now.flatten().view(torch.uint8), then.flatten().view(torch.uint8))
    return out.tensor


SIZES = [(1, 8, 8), (127, 136, 72), (128, 128, 64), (129, 264, 200), (257, 8, 1032), (3, 2048, 16)]


@pytest.mark.parametrize("dtype", HALVES, ids=str)
@pytest.mark.parametrize("of_b", ["rows", "columns"])
@pytest.mark.parametrize("size", SIZES, ids=str)
def test_any_size(mod, device, dtype, of_b, size):
    """Sizes around the ends of tiles, and with little of one dimension."""
    check(mod, make(device, dtype, *size, of_b=of_b))


@pytest.mark.parametrize("dtype", HALVES, ids=str)
@pytest.mark.parametrize("of_a", LAYOUTS_OF_A)
@pytest.mark.parametrize("of_b", LAYOUTS_OF_B)
def test_any_layout(mod, device, dtype, of_a, of_b):
    """Both layouts of b, and gaps between rows or columns, in which is NaN."""
    check(mod, make(device, dtype, 70, 144, 96, of_a, of_b))


@pytest.mark.parametrize("dtype", HALVES, ids=str)
@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize("alpha", [1.0, -0.75])
def test_any_epilogue(mod, device, dtype, bias, activation, alpha):
    """Each activation, with and without a bias, of scaled sums."""
    case = make(device, dtype, 65, 72, 40, bias=bias, activation=activation, alpha=alpha)
    check(mod, case)


@given(
    dtype=st.sampled_from(HALVES),
    m=st.integers(0, 200),
    n=st.integers(0, 30).map(lambda i: 8 * i),
    k=st.integers(0, 40).map(lambda i: 8 * i),
    of_a=st.sampled_from([*LAYOUTS_OF_A]),
    of_b=st.sampled_from([*LAYOUTS_OF_B]),
    bias=st.booleans(),
    activation=st.sampled_from(ACTIVATIONS),
    seed=st.integers(0, 1000),
)
def test_random(mod, device, dtype, m, n, k, of_a, of_b, bias, activation, seed):
    """Random sizes and layouts."""
    torch.manual_seed(seed)
    check(mod, make(device, dtype, m, n, k, of_a, of_b, bias, activation=activation, alpha=0.5))


@pytest.mark.parametrize("size", [*[size for size in SIZES if size[2] % 16 == 0], (70, 72, 656)])
@pytest.mark.parametrize("of_b", ["columns", "columns with gaps"])
@pytest.mark.parametrize("scales", [(None, None), (0.02, None), (None, 3.0), (0.5, 0.003)], ids=str)
def test_float8(mod, device, float8, size, of_b, scales):
    """Numbers of 8 bits, with the scales by which they were divided, or without."""
    case = make(device, float8, *size, "with gaps", of_b, activation="silu")
    case.scale_a, case.scale_b = (
        None if scale is None else torch.tensor(scale, device=device) for scale in scales
    )
    check(mod, case)


def test_float8_on_another_gpu(mod, device):
    """Only GPUs of compute capability 9.0 multiply float8 here."""
    if device == "cpu" or torch.cuda.get_device_capability() == (9, 0):
        pytest.skip("this device multiplies float8_e4m3fn")
    case = make(device, FLOAT8, 16, 16, 16, of_b="columns")
    capability = "{}.{}".format(*torch.cuda.get_device_capability())
    message = f"float16 or bfloat16 on a GPU of compute capability {capability}, got float8_e4m3fn"
    with pytest.raises(TypeError, match=f"^gemm_workspace_size: a must be {message}$"):
        case.workspace(mod, case.out())


@pytest.mark.parametrize("dtype", HALVES, ids=str)
@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_no_terms(mod, device, dtype, bias, activation):
    """Where k is 0, each row is the activation of the bias."""
    out = check(mod, make(device, dtype, 5, 24, 0, bias=bias, activation=activation))
    assert torch.equal(out, out[:1].expand(5, 24))


BATCH_SIZES = [(1, 5, 8, 16), (3, 70, 72, 48), (2, 129, 136, 208), (40, 1, 24, 32), (5, 6, 8, 0)]


@pytest.mark.parametrize("dtype", HALVES, ids=str)
@pytest.mark.parametrize("of_a", BATCHES)
@pytest.mark.parametrize("of_b", BATCHES)
@pytest.mark.parametrize("by", ["rows", "columns"])
@pytest.mark.parametrize("size", BATCH_SIZES, ids=str)
def test_batches(mod, device, dtype, of_a, of_b, by, size):
    """Each matrix of a is multiplied with that of b; all get the same bias."""
    case = make_batch(device, dtype, size, of_a, of_b, by, activation="silu", alpha=0.5)
    check(mod, case)


@pytest.mark.parametrize("of_b", BATCHES)
@pytest.mark.parametrize("size", BATCH_SIZES, ids=str)
def test_batches_of_float8(mod, device, float8, of_b, size):
    """The scales are those of all matrices of a batch."""
    case = make_batch(device, float8, size, "interleaved", of_b, "columns")
    case.scale_a = torch.tensor(0.25, device=device)
    check(mod, case)


def check_results_with_gaps(mod, device, of_out, k):
    """Multiply into results that have gaps, and find that the gaps are not written."""
    case = make_batch(device, torch.float16, (3, 20, 24, k))
    out = BATCHES[of_out](3, 20, 24, torch.float16, device, turned=False)
    whole = out._base
    case.call(mod, out, case.workspace(mod, out))
    cases.assert_rounds_to(out, *reference(case))
    assert int(whole.isfinite().sum()) == out.numel()


@pytest.mark.parametrize("of_out", BATCHES)
def test_batches_of_results(mod, device, of_out):
    """The results may follow one another or be interleaved."""
    check_results_with_gaps(mod, device, of_out, 64)


@pytest.mark.parametrize("of_out", BATCHES)
def test_no_terms_in_a_batch(mod, device, of_out):
    """Where k is 0, each row of each result is the bias."""
    check_results_with_gaps(mod, device, of_out, 0)


@pytest.mark.parametrize("size", [(0, 8, 8, 8), (2, 0, 8, 8), (2, 8, 0, 8), (0, 8, 8, 0)], ids=str)
def test_empty_batches(mod, device, size):
    """No matrices are legal, and so are empty ones."""
    check(mod, make_batch(device, torch.float16, size))


def refused_batch(mod, device, message, **changed):
    """Multiply two matrices of 8 by 32 and 32 by 16, but for what is changed, which is refused."""
    given = {
        "a": torch.zeros(2, 8, 32, dtype=torch.float16, device=device),
        "b": torch.zeros(2, 32, 16, dtype=torch.float16, device=device),
        "out": torch.zeros(2, 8, 16, dtype=torch.float16, device=device),
        **changed,
    }
    with pytest.raises(ValueError, match=f"^gemm: {re.escape(message)}$"):
        mod.gemm(*arguments(device, **given))


def test_refused_batches(mod, device):
    """Batches of other sizes, a matrix used twice, and results that share memory."""
    half = zeros(2, 8, 32)(device)
    refused_batch(
        mod,
        device,
        f"a must be {ROWS}, got shape (2, 8, 32) with strides (0, 32, 1)",
        a=half[:1].expand(2, 8, 32),
    )
    refused_batch(
        mod,
        device,
        f"a must be {ROWS}, got shape (2, 8, 32) with strides (260, 32, 1)",
        a=zeros(520)(device).as_strided((2, 8, 32), (260, 32, 1)),
    )
    refused_batch(mod, device, "b must be 3-dimensional, got 2", b=zeros(32, 16)(device))
    refused_batch(mod, device, "b must be of 2 matrices like a, got 3", b=zeros(3, 32, 16)(device))
    refused_batch(
        mod,
        device,
        f"b must be {LINES}, got shape (2, 32, 16) with strides (0, 16, 1)",
        b=zeros(1, 32, 16)(device).expand(2, 32, 16),
    )
    refused_batch(mod, device, "out must be 3-dimensional, got 2", out=zeros(8, 16)(device))
    refused_batch(
        mod, device, "out must be of shape (2, 8, 16), got (3, 8, 16)", out=zeros(3, 8, 16)(device)
    )
    for strides in ((8, 16, 1), (120, 16, 1), (16, 24, 1), (16, 16, 1)):
        refused_batch(
            mod,
            device,
            "out must be made of matrices apart from each other, "
            f"got shape (2, 8, 16) with strides {strides}",
            out=zeros(512)(device).as_strided((2, 8, 16), strides),
        )
    many = zeros(65536, 1, 0)(device)
    refused_batch(mod, device, "a must be of at most 65535 matrices, got 65536", a=many)


def test_results_that_just_touch(mod, device):
    """Two matrices one behind the other without a gap, or interleaved without one."""
    for strides in ((128, 16, 1), (16, 32, 1)):
        case = make_batch(device, torch.float16, (2, 8, 16, 32))
        out = torch.full((256,), NAN, dtype=torch.float16, device=device)
        out = out.as_strided((2, 8, 16), strides)
        case.call(mod, out, case.workspace(mod, out))
        cases.assert_rounds_to(out, *reference(case))


@pytest.mark.parametrize("size", [(0, 8, 8), (8, 0, 8), (0, 0, 0), (0, 8, 0)], ids=str)
def test_empty(mod, device, size):
    """A result of nothing is legal."""
    check(mod, make(device, torch.float16, *size))


@pytest.mark.parametrize("k", [0, 64])
def test_gaps_in_the_result(mod, device, k):
    """What is between the rows of the result is not written."""
    case = make(device, torch.float16, 40, 24, k)
    wide = torch.full((40, 40), 7, dtype=torch.float16, device=device)
    out = wide[:, 8:32]
    case.call(mod, out, case.workspace(mod, out))
    cases.assert_rounds_to(out, *reference(case))
    assert bool((wide[:, :8] == 7).all() and (wide[:, 32:] == 7).all())


def test_one_row_may_have_any_step(mod, device):
    """The step to a row that is not there does not count."""
    case = make(device, torch.float16, 1, 24, 64)
    case.a = case.a.as_strided((1, 64), (3, 1))
    check(mod, case)


@pytest.mark.parametrize("dtype", HALVES, ids=str)
def test_numbers_that_are_none(mod, device, dtype):
    """A NaN of a spoils a row, and one of b a column; infinity stays infinite."""
    case = make(device, dtype, 70, 72, 64)
    clean = check(mod, case)
    case.a[3, 5] = NAN
    case.b[9, 40] = NAN
    case.a[50, 7] = INFINITY
    case.b[7] = case.b[7].abs() + 1
    out = case.out()
    case.call(mod, out, case.workspace(mod, out))
    spoiled = torch.zeros_like(out, dtype=torch.bool)
    spoiled[3] = spoiled[:, 40] = True
    assert torch.equal(out.isnan(), spoiled)
    assert bool((out[50][~spoiled[50]] == INFINITY).all())
    assert not torch.equal(out[0], clean[0])


@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_activations_of_a_nan(mod, device, activation):
    """No activation hides a NaN, of the bias as of a sum."""
    for k in (0, 16):
        case = make(device, torch.float16, 4, 8, k, activation=activation)
        case.bias[3] = NAN
        out = case.out()
        case.call(mod, out, case.workspace(mod, out))
        assert out.isnan().all(0).tolist() == [i == 3 for i in range(8)]
        assert not bool(out[:, 4:].isnan().any())


@pytest.mark.parametrize("activation", ["silu", "gelu_tanh"])
def test_large_exponents(mod, device, activation):
    """Far from zero an activation is 0 or its argument."""
    case = make(device, torch.bfloat16, 4, 8, 0, activation=activation)
    case.bias.copy_(torch.tensor([-1e30, -300, -90, -60, 60, 90, 300, 1e30]))
    check(mod, case)


@pytest.mark.parametrize("matrix", ["a", "out"])
def test_rows_far_apart(mod, device, matrix):
    """Steps of gigabytes are 64-bit numbers; eight rows of b would take 64 GiB."""
    case = make(device, torch.float16, 2, 16, 16, bias=False)
    far = cases.far_apart((2, 16), (FAR_ROWS, 1), torch.float16, device)
    out = case.out()
    if matrix == "a":
        case.a = far.copy_(case.a)
    else:
        out = far
    case.call(mod, out, case.workspace(mod, out))
    cases.assert_rounds_to(out, *reference(case))


# [graph.begin]
def test_a_cuda_graph_multiplies_again(mod, device):
    """A captured call runs again on the numbers that are there then."""
    if device == "cpu":
        pytest.skip("a CPU kernel is not captured")
    case = make(device, torch.float16, 300, 264, 520, activation="gelu_tanh")
    out = case.out()
    workspace = case.workspace(mod, out)
    case.call(mod, out, workspace)  # Loads the kernels, which is illegal during capture.
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        case.call(mod, out, workspace)
    for _ in range(3):
        case.a.copy_(case.a.roll(1, 0))
        out.fill_(NAN)
        graph.replay()
        cases.assert_rounds_to(out, *reference(case))
    # [graph.end]


def test_many_calls_share_a_workspace(mod, device):
    """What a call leaves in the workspace does not matter to the next one."""
    large = make(device, torch.float16, 300, 264, 2056)
    small = make(device, torch.float16, 5, 16, 4096)
    outs = large.out(), small.out()
    bytes_needed = max(large.size(mod, outs[0]), small.size(mod, outs[1]))
    workspace = torch.full((bytes_needed,), 0xFF, dtype=torch.uint8, device=device)
    for _ in range(3):
        for case, out in zip((large, small), outs, strict=True):
            out.fill_(NAN)
            case.call(mod, out, workspace)
            cases.assert_rounds_to(out, *reference(case))


def arguments(device, dtype=torch.float16, **changed):
    """Arguments that are fine but for those changed: 8 rows, 16 columns, 32 terms."""
    given = {
        "a": torch.zeros(8, 32, dtype=dtype, device=device),
        "b": torch.zeros(16, 32, dtype=dtype, device=device).T,
        "out": torch.zeros(8, 16, dtype=torch.float16, device=device),
        "workspace": torch.zeros(1 << 14, dtype=torch.uint8, device=device),
        "alpha": 1.0,
        "activation": "none",
        "bias": torch.zeros(16, dtype=torch.float16, device=device),
        "scale_a": None,
        "scale_b": None,
    }
    return [*{**given, **changed}.values()]


def zeros(*shape, dtype=torch.float16):
    """Give a function that makes zeros on a device."""
    return lambda device: torch.zeros(*shape, dtype=dtype, device=device)


def shifted(*shape):
    """Give a function that makes a matrix two bytes behind a boundary."""
    count = math.prod(shape)
    return lambda device: zeros(count + 8)(device)[1 : count + 1].view(shape)


ROWS = "made of dense rows at multiples of 16 bytes"
LINES = "made of dense rows or dense columns at multiples of 16 bytes"
REFUSED = {
    "a of integers": ("a", zeros(8, 32, dtype=torch.int32), TypeError, "a must be float16, "),
    "a of float32": ("a", zeros(8, 32, dtype=torch.float32), TypeError, "got float32"),
    "a of 1 dimension": ("a", zeros(32), ValueError, "a must be 2- or 3-dimensional, got 1"),
    "a of 4 dimensions": (
        *("a", zeros(1, 1, 8, 32), ValueError, "a must be 2- or 3-dimensional, got 4"),
    ),
    "an odd k": ("a", zeros(8, 31), ValueError, "a must be of a multiple of 8 columns, got 31"),
    "a by columns": (
        *("a", lambda device: zeros(32, 8)(device).T, ValueError),
        f"a must be {ROWS}, got shape (8, 32) with strides (1, 8)",
    ),
    "rows of a at odd places": (
        *("a", lambda device: zeros(8, 36)(device)[:, :32], ValueError),
        f"a must be {ROWS}, got shape (8, 32) with strides (36, 1)",
    ),
    "the same row of a again": (
        *("a", lambda device: zeros(1, 32)(device).expand(8, 32), ValueError),
        f"a must be {ROWS}, got shape (8, 32) with strides (0, 1)",
    ),
    "an address of a": (
        *("a", shifted(8, 32), ValueError),
        f"a must be {ROWS}, got shape (8, 32) with strides (32, 1) at an address that is not",
    ),
    "another dtype of b": (
        *("b", zeros(32, 16, dtype=torch.bfloat16), TypeError),
        "b must be float16 like a, got bfloat16",
    ),
    "b of 1 dimension": ("b", zeros(32), ValueError, "b must be 2-dimensional, got 1"),
    "b of another k": (
        *("b", zeros(24, 16), ValueError, "b must be of 32 rows like the columns of a, got 24"),
    ),
    "b with gaps both ways": (
        *("b", lambda device: zeros(64, 32)(device)[::2, ::2], ValueError),
        f"b must be {LINES}, got shape (32, 16) with strides (64, 2)",
    ),
    "columns of b at odd places": (
        *("b", lambda device: zeros(16, 36)(device)[:, :32].T, ValueError),
        f"b must be {LINES}, got shape (32, 16) with strides (1, 36)",
    ),
    "an address of b": ("b", shifted(32, 16), ValueError, "(16, 1) at an address that is not"),
    "an odd n": (*("out", zeros(8, 17), ValueError, "out must be of shape (8, 16), got (8, 17)"),),
    "out of another dtype": (
        *("out", zeros(8, 16, dtype=torch.bfloat16), TypeError),
        "out must be float16, got bfloat16",
    ),
    "out by columns": (
        *("out", lambda device: zeros(16, 8)(device).T, ValueError),
        f"out must be {ROWS}, got shape (8, 16) with strides (1, 8)",
    ),
    "an address of out": ("out", shifted(8, 16), ValueError, "(16, 1) at an address that is not"),
    "a short workspace": (
        *("workspace", zeros(-1, dtype=torch.uint8), ValueError),
        "workspace must be of at least ",
    ),
    "a workspace of float32": (
        *("workspace", zeros(1 << 14, dtype=torch.float32), TypeError),
        "workspace must be uint8, got float32",
    ),
    "a workspace with gaps": (
        *("workspace", lambda device: zeros(1 << 15, dtype=torch.uint8)(device)[::2], ValueError),
        "workspace must be contiguous, got shape (16384,) with strides (2,)",
    ),
    "an address of the workspace": (
        *("workspace", lambda device: zeros(1 << 15, dtype=torch.uint8)(device)[4:], ValueError),
        "workspace must be aligned to 16 bytes, got an address that is not",
    ),
    "another activation": (
        *("activation", lambda device: "tanh", ValueError),
        "activation must be none, relu, silu or gelu_tanh, got tanh",
    ),
    "a short bias": (
        *("bias", zeros(8), ValueError),
        "bias must be of 16 elements like a row of out, got 8",
    ),
    "a bias of a column": ("bias", zeros(16, 1), ValueError, "bias must be 1-dimensional, got 2"),
    "a bias of float32": (
        *("bias", zeros(16, dtype=torch.float32), TypeError, "bias must be float16, got float32"),
    ),
    "a bias with gaps": (
        *("bias", lambda device: zeros(32)(device)[::2], ValueError),
        "bias must be contiguous, got shape (16,) with strides (2,)",
    ),
    "an address of the bias": (
        *("bias", shifted(16), ValueError),
        "bias must be aligned to 16 bytes, got an address that is not",
    ),
    "a scale of float16 numbers": (
        *("scale_a", zeros(1, dtype=torch.float32), ValueError),
        "scale_a must be None unless a is float8_e4m3fn, got a tensor",
    ),
}


@pytest.mark.parametrize("what", REFUSED)
def test_refused(mod, device, what):
    """Each wrong argument is named, with what was expected and what came."""
    name, value, kind, message = REFUSED[what]
    if what == "a short workspace":
        given = arguments(device)
        needed = mod.gemm_workspace_size(*given[:3])
        if needed == 0:
            pytest.skip("this GPU needs no workspace")
        changed = zeros(needed - 1, dtype=torch.uint8)(device)
        message = f"workspace must be of at least {needed} bytes, got {needed - 1}"
    else:
        changed = value(device)
    with pytest.raises(kind, match=re.escape(message)) as raised:
        mod.gemm(*arguments(device, **{name: changed}))
    assert str(raised.value).startswith(f"gemm: {name} must be ")


@pytest.mark.parametrize("name", ["a", "b", "out"])
def test_refused_when_asked_for_the_size(mod, device, name):
    """The function that gives the size makes the same checks."""
    given = dict(zip(("a", "b", "out"), arguments(device), strict=False))
    given[name] = given[name].to(torch.float64)
    with pytest.raises(TypeError, match=f"^gemm_workspace_size: {name} must be .*got float64$"):
        mod.gemm_workspace_size(*given.values())


def test_float8_refused(mod, device, float8):
    """Float8 takes columns of b, a result of bfloat16, 16 terms at a time and scales of float32."""
    a = torch.zeros(8, 32, device=device).to(float8)
    b = torch.zeros(32, 16, device=device).to(float8)
    out = torch.zeros(8, 16, device=device, dtype=torch.bfloat16)

    def refused(kind, message, **changed):
        given = {"a": a, "b": b.T.contiguous().T, "out": out, "bias": None, **changed}
        with pytest.raises(kind, match=f"^gemm: {re.escape(message)}$"):
            mod.gemm(*arguments(device, **given))

    dense_columns = "made of dense columns at multiples of 16 bytes"
    got = "shape (32, 16) with strides (16, 1)"
    refused(ValueError, f"b must be {dense_columns}, got {got}", b=b)
    refused(TypeError, "out must be bfloat16, got float16", out=out.to(torch.float16))
    refused(ValueError, "a must be of a multiple of 16 columns, got 24", a=a[:, :24])
    two = torch.ones(2, device=device)
    refused(ValueError, "scale_a must be of 1 element, got 2", scale_a=two)
    refused(TypeError, "scale_b must be float32, got float64", scale_b=two[:1].double())


def test_odd_columns_are_refused(mod, device):
    """A row of the result is made of whole vectors."""
    b = torch.zeros(12, 32, dtype=torch.float16, device=device).T
    out = torch.zeros(8, 12, dtype=torch.float16, device=device)
    message = "out must be of a multiple of 8 columns, got 12"
    with pytest.raises(ValueError, match=f"^gemm: {message}$"):
        mod.gemm(*arguments(device, b=b, out=out))


@pytest.mark.parametrize("written", ["out", "workspace"])
@pytest.mark.parametrize("read", ["a", "b", "bias"])
def test_overlaps_are_refused(mod, device, written, read):
    """What is written may be nothing that is still to be read."""
    memory = torch.zeros(1 << 15, dtype=torch.uint8, device=device)
    halves = memory.view(torch.float16)
    places = {
        "a": halves[:256].view(8, 32),
        "b": halves[:512].view(16, 32).T,
        "bias": halves[:16],
        "out": halves[:128].view(8, 16),
        "workspace": memory[: 1 << 14],
    }
    both = {name: places[name] for name in (written, read)}
    message = f"{written} must be apart from {read}, got overlapping ranges"
    with pytest.raises(ValueError, match=f"^gemm: {message}$"):
        mod.gemm(*arguments(device, **both))


def test_another_device_is_refused(mod, device):
    """A CPU kernel refuses CUDA tensors, and a CUDA kernel refuses CPU tensors."""
    memory = np.zeros(8, dtype="float32")
    if device == "cpu":
        a, message = Producer(memory, 8, FLOAT32, device=(2, 1)), "on the CPU, got cuda:1"
    else:
        a, message = Producer(memory, 8, FLOAT32), "on a CUDA device, got cpu:0"
    with pytest.raises(ValueError, match=f"^gemm: a must be {message}$"):
        mod.gemm(*arguments(device, a=a))


def test_a_byte_offset_is_honoured(mod, device):
    """The bias may begin at a byte offset."""
    case = make(device, torch.float16, 20, 24, 32)
    memory = torch.full((40,), NAN, dtype=torch.float16, device=device)
    memory[8:32] = case.bias
    kind, index = memory.__dlpack_device__()
    place = (int(kind), int(index))
    out = case.out()
    workspace = case.workspace(mod, out)
    bias = Producer(memory, 24, FLOAT16, offset=16, told=16, device=place)
    mod.gemm(case.a, case.b, out, workspace, 1.0, "none", bias, None, None)
    cases.assert_rounds_to(out, *reference(case))


def test_what_may_be_left_out(mod, device):
    """Bias and scales are the last parameters, and optional."""
    case = make(device, torch.float16, 20, 24, 32, bias=False)
    out = case.out()
    mod.gemm(case.a, case.b, out, case.workspace(mod, out), 1.0, "relu")
    case.activation = "relu"
    cases.assert_rounds_to(out, *reference(case))


def test_runs_on_the_current_stream(mod, device):
    """The kernel waits for what PyTorch queued before it on the current stream."""
    if device == "cpu":
        pytest.skip("a CPU kernel has no stream")
    case = make(device, torch.float16, 300, 264, 520)
    a, out = case.a.clone(), case.out()
    workspace = case.workspace(mod, out)
    case.a.zero_()
    torch.cuda.synchronize()
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        torch.cuda._sleep(200_000_000)  # On any other stream the kernel would read zeros.
        case.a.copy_(a)
        case.call(mod, out, workspace)
    stream.synchronize()
    cases.assert_rounds_to(out, *reference(case))


def test_runs_on_the_tensors_gpu(mod, device):
    """The kernel runs on the GPU of its tensors, and the current one stays as it was."""
    if device == "cpu" or torch.cuda.device_count() < 2:
        pytest.skip("needs two GPUs")
    check(mod, make("cuda:1", torch.float16, 140, 136, 64))
    assert torch.cuda.current_device() == 0

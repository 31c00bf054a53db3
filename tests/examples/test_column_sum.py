# SPDX-License-Identifier: Apache-2.0
# Rows: R1, R3, R6
"""The column_sum example: every dtype and layout of rows against float64, and its refusals."""

import ctypes
import os

import pytest
from cases import FAR, Poisoned, assert_rounds_to, far_apart, layouts, shapes, slow
from hypothesis import given
from hypothesis import strategies as st
from producer import BFLOAT16, FLOAT16, FLOAT32, FLOAT64, Producer

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

DTYPES = [torch.float32, torch.float64, torch.float16, torch.bfloat16]
UINT8 = (1, 8)


@pytest.fixture(scope="module")
def mod(load):
    """The library."""
    return load("column_sum")


@pytest.fixture(autouse=True)
def seeded():
    """Random inputs that are the same in every run."""
    torch.manual_seed(0)


def randn(shape, dtype, device):
    """Draw numbers of a dtype."""
    return torch.randn(shape, device=device, dtype=torch.float64).to(dtype)


def bound(magnitude, rows, columns, dtype):
    """Bound what float32 (float64 for float64) may be off before the result is rounded.

    u is the error of one rounding, and each term passes through this many: 1 as a product; on a
    CPU, 2 within four rows, 64 within a sum, rows / 256 within a total (of float64, which counts
    only there), and 1 from the total to float32. On a GPU, those of a thread: at most 4 in a part
    of the least size, else rows * tiles / 2048 / 8 for tiles of at least 64 columns, that is less
    than rows * columns / 2**20 + rows / 2**14 + 1; then 8 within a block, 64 of a thread that adds
    parts, and 31 across threads. 1% covers products of roundings.
    """
    u = 2.0**-53 if dtype == torch.float64 else 2.0**-24
    totals = rows / 256 if dtype == torch.float64 else 0
    on_cpu = 1 + 2 + 64 + totals + 1
    on_gpu = 1 + 4 + rows * columns / 2**20 + rows / 2**14 + 1 + 8 + 64 + 31
    return 1.01 * u * max(on_cpu, on_gpu) * magnitude


def reference(x, weight):
    """Compute in float64; also return the bound of the error."""
    wide = x.double() if weight is None else x.double() * weight.double().unsqueeze(1)
    return wide.sum(0), bound(wide.abs().sum(0), *x.shape, x.dtype)


def check(mod, x, weight=None):
    """Add into a poisoned output, in a poisoned workspace that is just large enough."""
    y = Poisoned((x.shape[1],), x.dtype, x.device)
    size = mod.column_sum_workspace_size(x, weight)
    workspace = Poisoned((size,), torch.uint8, x.device)
    mod.column_sum(x, weight, y.tensor, workspace.tensor)
    assert_rounds_to(y.tensor, *reference(x, weight))
    y.check_guards()
    workspace.check_guards()
    return y.tensor


def summed(mod, x, weight=None):
    """Add into a new output."""
    y = torch.full((x.shape[1],), float("nan"), dtype=x.dtype, device=x.device)
    size = mod.column_sum_workspace_size(x, weight)
    mod.column_sum(x, weight, y, torch.empty(size, dtype=torch.uint8, device=x.device))
    return y


@given(shapes(2, 2), layouts(2, last_is_dense=True), st.sampled_from(DTYPES), st.booleans())
def test_any_rows(mod, device, shape, layout, dtype, weighted):
    """Every shape works, with rows anywhere, with a weight and without."""
    weight = randn(shape[:1], dtype, device) if weighted else None
    check(mod, layout.of(randn(shape, dtype, device)), weight)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("rows", [0, 1, 3, 4, 31, 33, 255, 257, 1023, 5000])
@pytest.mark.parametrize("columns", [1, 2, 8, 63, 256])
def test_any_number_of_rows(mod, device, dtype, rows, columns):
    """One part and several, batches of loads and what is left of them."""
    check(mod, randn((rows, columns), dtype, device), randn(rows, dtype, device))
    check(mod, randn((rows, columns), dtype, device))


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("shape", [(300_000, 1), (70_001, 3), (40_000, 16), (2, 70_000)])
def test_many_rows_and_many_columns(mod, device, dtype, shape):
    """Long columns and long rows."""
    check(mod, randn(shape, dtype, device), randn(shape[0], dtype, device))


def test_the_sum_of_no_rows_is_zero(mod, device):
    """The output is written even if there is nothing to add, and so is the sum of no columns."""
    assert check(mod, torch.empty(0, 5, device=device)).tolist() == [0] * 5
    assert check(mod, torch.empty(0, 0, device=device)).tolist() == []


def test_countless_rows_of_nothing(mod, device):
    """A shape may have a trillion rows and no element: nothing is to be done."""
    assert summed(mod, torch.empty(1 << 40, 0, device=device)).tolist() == []


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_sums_are_not_rounded_on_the_way(mod, device, dtype):
    """Equal terms, whose errors do not cancel; the last sums are larger than 16 bits can count."""
    numbers = ((1 + torch.arange(64, device=device) / 64) / 64).to(dtype)
    check(mod, numbers.repeat(4096, 1))
    check(mod, torch.ones(20_000, 8, dtype=dtype, device=device))


def test_one_large_number_among_small_ones(mod, device):
    """Many small numbers count beside a large one that each of them is lost in."""
    x = torch.full((65_536, 8), 2.0**-27, device=device)
    x[0] = 1.0
    check(mod, x)


@pytest.mark.parametrize("weighted", [False, True])
def test_computes_the_gradient_of_a_bias(mod, device, weighted):
    """Without a weight it is what PyTorch computes for a bias; with one, a matrix product."""
    x = randn((1000, 48), torch.float32, device)
    weight = randn(1000, torch.float32, device) if weighted else None
    if weighted:
        want = weight @ x
    else:
        bias = torch.zeros(48, device=device, requires_grad=True)
        (torch.zeros_like(x) + bias).backward(x)
        want = bias.grad
    torch.testing.assert_close(summed(mod, x, weight), want, rtol=1e-5, atol=1e-3)


@pytest.mark.parametrize("bad", [float("nan"), float("inf")])
def test_numbers_that_are_none_stay_in_their_column(mod, device, bad):
    """NaN and infinity reach the sum of their column, and no other."""
    x = torch.ones(37, 40, device=device)
    x[33, 7] = bad
    y = summed(mod, x)
    torch.testing.assert_close(y, x.sum(0), equal_nan=True)
    assert int(torch.isfinite(y).sum()) == 39


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_the_same_bits_every_time(mod, device, dtype):
    """The order of additions is fixed, and nothing that was in the workspace is added."""
    x, weight = randn((3000, 72), dtype, device), randn(3000, dtype, device)
    size = mod.column_sum_workspace_size(x, weight)
    workspace = torch.empty(size, dtype=torch.uint8, device=device)
    first = summed(mod, x, weight)
    for byte in (0, 0x3C, 0xFF, 1):
        y = torch.empty_like(first)
        mod.column_sum(x, weight, y, workspace.fill_(byte))
        assert torch.equal(y, first)


def test_the_size_follows_from_shape_and_dtype(mod, device):
    """Neither strides, nor alignment, nor a weight changes how much memory is needed."""
    x = torch.zeros(3000, 64, device=device)
    size = mod.column_sum_workspace_size(x, None)
    assert size > 0
    other = torch.zeros(3000, 67, device=device)[:, 3:]
    assert mod.column_sum_workspace_size(other, torch.zeros(3000, device=device)) == size


def test_a_larger_workspace_is_taken(mod, device):
    """One workspace may serve calls of different sizes."""
    workspace = torch.empty(1 << 20, dtype=torch.uint8, device=device)
    for rows in (1, 1000, 70):
        x = randn((rows, 24), torch.float32, device)
        y = torch.empty(24, device=device)
        mod.column_sum(x, None, y, workspace)
        assert_rounds_to(y, *reference(x, None))


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("start", [1, 3, 8])
def test_rows_off_the_boundary_of_vectors(mod, device, dtype, start):
    """Each of the tensors may begin anywhere that its elements may."""

    def shifted(count):
        return randn(count + start, dtype, device)[start:]

    check(mod, shifted(70 * 64).view(70, 64), randn(70, dtype, device))
    check(mod, randn((70, 64), dtype, device), shifted(70))
    check(mod, randn((70, 64 + start), dtype, device)[:, :64])
    check(mod, randn((70, 64), dtype, device)[:, : 64 - start])
    x = randn((70, 64), dtype, device)
    y = shifted(64)
    size = mod.column_sum_workspace_size(x, None)
    mod.column_sum(x, None, y, torch.empty(size, dtype=torch.uint8, device=device))
    assert_rounds_to(y, *reference(x, None))


def test_none_takes_the_place_of_the_weight(mod, device):
    """The weight is not the last parameter, so it cannot be left out."""
    x, _, y, workspace = arguments(device)
    with pytest.raises(TypeError, match="4"):
        mod.column_sum(x, y, workspace)
    mod.column_sum(x + 1, None, y, workspace)
    assert y.tolist() == [6.0] * 4


def broadcast(x):
    """One row many times."""
    return x[:1].expand(99, -1)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("view", [broadcast, lambda x: x[1::2, 8:24], lambda x: x[:, :1]])
def test_rows_with_any_stride(mod, device, dtype, view):
    """Broadcast rows, every other row, and parts of rows are read right."""
    x = view(randn((66, 48), dtype, device))
    check(mod, x, randn(x.shape[0], dtype, device))


def arguments(device, **changed):
    """Good arguments, some of them changed."""
    make = {
        "x": torch.zeros(6, 4, device=device),
        "weight": torch.zeros(6, device=device),
        "y": torch.zeros(4, device=device),
        "workspace": torch.zeros(4096, dtype=torch.uint8, device=device),
    }
    return list((make | changed).values())


@pytest.mark.parametrize(
    ("change", "kind", "message"),
    [
        (
            lambda t: {"x": t(6, 4).int()},
            TypeError,
            "x must be float32, float64, float16 or bfloat16, got int32",
        ),
        (lambda t: {"x": t(24)}, ValueError, "x must be 2-dimensional, got 1"),
        (
            lambda t: {"x": t(4, 6).t()},
            ValueError,
            "x must be dense in its last dimension, got shape (6, 4) with strides (1, 6)",
        ),
        (
            lambda t: {"weight": t(6).half()},
            TypeError,
            "weight must be float32 like x, got float16",
        ),
        (
            lambda t: {"weight": t(4)},
            ValueError,
            "weight must be of shape (6,) for x of shape (6, 4), got (4,)",
        ),
        (
            lambda t: {"weight": t(6, 1)},
            ValueError,
            "weight must be of shape (6,) for x of shape (6, 4), got (6, 1)",
        ),
        (
            lambda t: {"weight": t(12)[::2]},
            ValueError,
            "weight must be contiguous, got shape (6,) with strides (2,)",
        ),
        (lambda t: {"y": t(4).double()}, TypeError, "y must be float32 like x, got float64"),
        (
            lambda t: {"y": t(6)},
            ValueError,
            "y must be of shape (4,) for x of shape (6, 4), got (6,)",
        ),
        (
            lambda t: {"y": t(8)[::2]},
            ValueError,
            "y must be contiguous, got shape (4,) with strides (2,)",
        ),
        (lambda t: {"workspace": t(999)}, TypeError, "workspace must be uint8, got float32"),
        (
            lambda t: {"workspace": t(8000).to(torch.uint8)[::2]},
            ValueError,
            "workspace must be contiguous, got shape (4000,) with strides (2,)",
        ),
        (
            lambda t: {"workspace": t(4096).to(torch.uint8)[1:]},
            ValueError,
            "workspace must be aligned to 16 bytes, got an address that is not",
        ),
        (
            lambda t: (lambda m: {"x": m[:24].view(6, 4), "y": m[22:26]})(t(30)),
            ValueError,
            "y must be apart from x, got overlapping ranges",
        ),
        (
            lambda t: (lambda m: {"x": m.view(1, 4), "weight": None, "y": m})(t(4)),
            ValueError,
            "y must be apart from x, got overlapping ranges",
        ),
        (
            lambda t: (lambda m: {"weight": m[:6], "y": m[4:8]})(t(8)),
            ValueError,
            "y must be apart from weight, got overlapping ranges",
        ),
        (
            lambda t: (lambda m: {"x": m[:24].view(6, 4), "workspace": m.view(torch.uint8)})(t(99)),
            ValueError,
            "workspace must be apart from x, got overlapping ranges",
        ),
        (
            lambda t: (lambda m: {"weight": m[:6], "workspace": m.view(torch.uint8)})(t(999)),
            ValueError,
            "workspace must be apart from weight, got overlapping ranges",
        ),
        (
            lambda t: (lambda m: {"y": m[:4], "workspace": m.view(torch.uint8)})(t(999)),
            ValueError,
            "workspace must be apart from y, got overlapping ranges",
        ),
    ],
)
def test_wrong_arguments_are_named(mod, device, change, kind, message):
    """The error names the kernel, the argument, what was expected and what came."""
    zeros = lambda *shape: torch.zeros(shape, device=device)  # noqa: E731
    with pytest.raises(kind) as raised:
        mod.column_sum(*arguments(device, **change(zeros)))
    assert str(raised.value) == f"column_sum: {message}"


def test_a_workspace_that_is_too_small(mod, device):
    """One byte less than is needed is refused, before anything is written."""
    x, weight, y, _ = arguments(device)
    size = mod.column_sum_workspace_size(x, weight)
    workspace = torch.full((size - 1,), 0xA5, dtype=torch.uint8, device=device)
    y.fill_(5)
    message = f"^column_sum: workspace must be at least {size} bytes, got {size - 1}$"
    with pytest.raises(ValueError, match=message):
        mod.column_sum(x, weight, y, workspace)
    assert bool((y == 5).all())
    assert bool((workspace == 0xA5).all())


def test_the_size_is_checked_alike(mod, device):
    """What column_sum would refuse has no size, and the function that was called is named."""
    x, weight, _, _ = arguments(device)
    with pytest.raises(TypeError) as raised:
        mod.column_sum_workspace_size(x.int(), weight)
    expected = "x must be float32, float64, float16 or bfloat16, got int32"
    assert str(raised.value) == f"column_sum_workspace_size: {expected}"
    with pytest.raises(ValueError, match=r"^column_sum_workspace_size: weight must be of shape"):
        mod.column_sum_workspace_size(x, weight[1:])


@pytest.mark.parametrize("dtype", [FLOAT32, FLOAT64, FLOAT16, BFLOAT16], ids=str)
@pytest.mark.parametrize("name", ["weight", "y"])
def test_a_misaligned_tensor_is_refused(mod, device, dtype, name):
    """A tensor whose numbers cross their boundaries is refused before a GPU fails on it."""
    dtypes = {FLOAT32: "float32", FLOAT64: "float64", FLOAT16: "float16", BFLOAT16: "bfloat16"}
    x = torch.zeros(4, 4, dtype=getattr(torch, dtypes[dtype]), device=device)
    memory = torch.zeros(40, dtype=torch.float64, device=device)
    lent = {
        which: Producer(
            memory, 4, dtype, offset=64 * i + (which == name), device=dlpack_device(memory)
        )
        for i, which in enumerate(("weight", "y"))
    }
    text = f"must be aligned to its {dtype[1] // 8} byte items, got an address 1 too far"
    with pytest.raises(ValueError, match=f"^column_sum: {name} {text}$"):
        mod.column_sum(*arguments(device, x=x, **lent))


@pytest.mark.parametrize(
    ("name", "size", "dtype"), [("weight", 6, FLOAT32), ("y", 4, FLOAT32), ("workspace", 99, UINT8)]
)
def test_tensors_on_two_devices_are_refused(mod, device, name, size, dtype):
    """Weight, output and workspace must be where the input is."""
    memory = torch.zeros(128, device=device)
    other = Producer(memory, size, dtype, device=(3, 0))
    where = "cpu:0" if device == "cpu" else f"cuda:{memory.device.index}"
    message = f"^column_sum: {name} must be on {where} like x, got device type 3:0$"
    with pytest.raises(ValueError, match=message):
        mod.column_sum(*arguments(device, **{name: other}))


def test_a_tensor_on_another_kind_of_device_is_refused(mod, device):
    """A CPU kernel refuses GPU tensors, and a CUDA kernel refuses CPU tensors."""
    memory = torch.zeros(24, device=device)
    if device == "cpu":  # Only the reported device counts, so no GPU is needed.
        x, message = Producer(memory, 24, FLOAT32, device=(2, 1)), "on the CPU, got cuda:1"
    else:
        x, message = Producer(memory, 24, FLOAT32), "on a CUDA device, got cpu:0"
    with pytest.raises(ValueError, match=f"^column_sum: x must be {message}$"):
        mod.column_sum(*arguments(device, x=x))


def dlpack_device(tensor):
    """Device of a PyTorch tensor as DLPack tells it."""
    kind, index = tensor.__dlpack_device__()
    return (int(kind), int(index))


def matrix(owner, rows, columns, **where):
    """Lend rows of float32 without strides."""
    lent = Producer(owner, rows * columns, FLOAT32, **where)
    lent.shape = (ctypes.c_int64 * 2)(rows, columns)
    lent.managed.dl_tensor.shape = lent.shape
    lent.managed.dl_tensor.ndim = 2
    return lent


def test_a_byte_offset_is_honoured(load_function, device):
    """Each of the tensors may begin at a byte offset, and the rows need no strides."""
    column_sum = load_function("column_sum", "column_sum")
    x, weight = (torch.arange(-3.0, 9, device=device) for _ in range(2))
    y = torch.full((5,), float("nan"), device=device)
    workspace = torch.zeros(4096, dtype=torch.uint8, device=device)
    on = {"device": dlpack_device(x)}
    for factors in (Producer(weight, 4, FLOAT32, offset=24, told=24, **on), None):
        column_sum(
            matrix(x, 4, 2, offset=12, told=12, **on),
            factors,
            Producer(y, 2, FLOAT32, offset=8, told=8, **on),
            Producer(workspace, 4000, UINT8, offset=32, told=32, **on),
        )
        if device == "cuda":
            torch.cuda.synchronize()
        weighted = [0 * 3 + 2 * 4 + 4 * 5 + 6 * 6, 1 * 3 + 3 * 4 + 5 * 5 + 7 * 6]
        assert y[2:4].tolist() == (weighted if factors else [12, 16])
    assert int(torch.isnan(y).sum()) == 3


def test_runs_on_the_current_stream(mod, device):
    """The kernels wait for what PyTorch queued before them on the current stream."""
    if device == "cpu":
        pytest.skip("a CPU kernel has no stream")
    x, y = torch.zeros(1 << 12, 1 << 8, device=device), torch.zeros(1 << 8, device=device)
    size = mod.column_sum_workspace_size(x, None)
    workspace = torch.zeros(size, dtype=torch.uint8, device=device)
    torch.cuda.synchronize()
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        torch.cuda._sleep(200_000_000)  # On any other stream the kernel would read zeros.
        x.fill_(3.0)
        mod.column_sum(x, None, y, workspace)
    stream.synchronize()
    assert bool((y == 3 << 12).all())


def test_can_be_captured_in_a_cuda_graph(mod, device):
    """The kernel allocates nothing, so a captured call runs again on what is there then."""
    if device == "cpu":
        pytest.skip("a CPU kernel is not captured")
    x, weight, y, workspace = arguments(device)
    mod.column_sum(x, weight, y, workspace)  # Loads the kernels, which is illegal during capture.
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        mod.column_sum(x, weight, y, workspace)
    x.fill_(2.0)
    weight.fill_(5.0)
    graph.replay()
    torch.cuda.synchronize()
    assert y.tolist() == [60.0] * 4


def test_runs_on_the_tensors_gpu(mod, device):
    """The kernels run on the GPU of their tensors, and the current one stays as it was."""
    if device == "cpu" or torch.cuda.device_count() < 2:
        pytest.skip("needs two GPUs")
    check(mod, randn((1000, 64), torch.float32, "cuda:1"))
    assert torch.cuda.current_device() == 0


def test_rows_far_apart(mod, device):
    """Offsets are 64-bit: rows 8 GiB apart are read."""
    x = far_apart((3, 16), (FAR, 1), torch.float16, device)
    x.copy_(randn((3, 16), torch.float16, device))
    check(mod, x)


@slow
@pytest.mark.parametrize("columns", [1, 4096, 2**31 + 8])
def test_more_than_two_billion_elements(mod, device, columns):
    """Indices are 64-bit: many rows, and a few rows, beyond 2**31 elements."""
    if os.environ.get("ASAN_OPTIONS"):
        pytest.skip("takes minutes under a sanitizer")
    rows = -(-(2**31 + 8) // columns)
    x = torch.zeros(rows, columns, dtype=torch.float16, device=device)
    places = [(0, 0), (rows // 2, columns // 2), (rows - 1, columns - 1)]
    want = torch.zeros(columns, dtype=torch.float16, device=device)
    for row, column in places:
        x[row, column] += 2.0
        want[column] += 2.0
    assert torch.equal(summed(mod, x), want)

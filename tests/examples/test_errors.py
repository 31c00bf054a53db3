# SPDX-License-Identifier: Apache-2.0
# Rows: R1, R3, R6
"""The errors example: each error's class and words, and right results where nothing is wrong."""

import ctypes

import cases
import pytest
import tvm_ffi
from hypothesis import given
from hypothesis import strategies as st
from producer import FLOAT32, Producer

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

DTYPES = [torch.float32, torch.float64, torch.float16, torch.bfloat16]
BOOL = (6, 8)


@pytest.fixture(scope="module")
def mod(load):
    """The library."""
    return load("errors")


@given(
    dtype=st.sampled_from(DTYPES),
    rows=st.sampled_from([0, 1, 2, 31, 257, 1009]),
    columns=st.integers(1, 5),
    layout=cases.layouts(2, last_is_dense=True),
    seed=st.integers(0, 2**31),
)
def test_first_column(mod, device, dtype, rows, columns, layout, seed):
    """Rows may lie anywhere; what is not kept is zero."""
    random = torch.Generator().manual_seed(seed)
    x = layout.of(torch.randn(rows, columns, generator=random).to(device=device, dtype=dtype))
    keep = (torch.rand(rows, generator=random) < 0.5).to(device)
    y = cases.Poisoned((rows,), dtype, device)
    mod.first_column(x, keep, y.tensor)
    y.check_guards()
    assert torch.equal(y.tensor, torch.where(keep, x[:, 0], torch.zeros_like(x[:, 0])))


def test_rows_far_apart(mod, device):
    """Offsets are 64-bit: rows 8 GiB apart are read."""
    x = cases.far_apart((3, 1), (cases.FAR, 1), torch.float16, device)
    x.copy_(torch.tensor([[1.0], [2.0], [3.0]], device=device))
    y = cases.Poisoned((3,), torch.float16, device)
    mod.first_column(x, torch.ones(3, dtype=torch.bool, device=device), y.tensor)
    y.check_guards()
    assert y.tensor.tolist() == [1.0, 2.0, 3.0]


def test_a_bool_of_any_bits(mod, device):
    """Every byte but 0 is true, as a view of other bytes may hold it."""
    bits = torch.arange(256, dtype=torch.int32, device=device).to(torch.uint8)
    y = torch.full((256,), 7.0, device=device)
    mod.first_column(torch.ones(256, 1, device=device), bits.view(torch.bool), y)
    assert torch.equal(y, (bits != 0).float())


def dlpack_device(tensor):
    """Device of a PyTorch tensor as DLPack tells it."""
    kind, index = tensor.__dlpack_device__()
    return (int(kind), int(index))


TENSORS = [
    (lambda x, k, y: (x[0], k, y), ValueError, "x must be 2-dimensional, got 1"),
    (lambda x, k, y: (x, k, x), ValueError, "y must be 1-dimensional, got 2"),
    (
        lambda x, k, y: (x.int(), k, y),
        TypeError,
        "x must be float32, float64, float16 or bfloat16, got int32",
    ),
    (
        lambda x, k, y: (x[:, ::2], k, y),
        ValueError,
        "x must be dense in its last dimension, got shape (3, 2) with strides (4, 2)",
    ),
    (
        lambda x, k, y: (x[:, :0], k, y),
        ValueError,
        "x must be of one column or more, got shape (3, 0)",
    ),
    (lambda x, k, y: (x, k, y.half()), TypeError, "y must be float32 like x, got float16"),
    (lambda x, k, y: (x, k, y[:2]), ValueError, "y must be as long as x has rows, 3, got 2"),
    (
        lambda x, k, y: (x, k, torch.stack((y, y), 1)[:, 0]),
        ValueError,
        "y must be contiguous, got shape (3,) with strides (2,)",
    ),
    (
        lambda x, k, y: (x, k, x.view(-1)[1:4]),
        ValueError,
        "y must be the same tensor as x or apart from it, got overlapping ranges",
    ),
    (lambda x, k, y: (x, k.int(), y), TypeError, "keep must be bool, got int32"),
    (lambda x, k, y: (x, k[:2], y), ValueError, "keep must be of shape (3,) like y, got (2,)"),
    (
        lambda x, k, y: (x, torch.stack((k, k), 1)[:, 0], y),
        ValueError,
        "keep must be contiguous, got shape (3,) with strides (2,)",
    ),
    (
        lambda x, k, y: (x, y.view(torch.bool)[:3], y),
        ValueError,
        "y must be the same tensor as keep or apart from it, got overlapping ranges",
    ),
]


@pytest.mark.parametrize(("change", "kind", "message"), TENSORS)
def test_checks_of_tensors(mod, device, change, kind, message):
    """Each check says the function, the argument, what was expected and what came."""
    x = torch.ones(3, 4, device=device)
    keep = torch.ones(3, dtype=torch.bool, device=device)
    y = torch.zeros(3, device=device)
    with pytest.raises(kind) as raised:
        mod.first_column(*change(x, keep, y))
    assert str(raised.value) == f"first_column: {message}"


def test_checks_of_devices(mod, device):
    """Each tensor must be on the device of the first, and that on the kernel's kind."""
    x = torch.ones(3, 4, device=device)
    keep = torch.ones(3, dtype=torch.bool, device=device)
    y = torch.zeros(3, device=device)
    here = "cpu:0" if device == "cpu" else f"cuda:{x.device.index}"
    kind = "on the CPU" if device == "cpu" else "on a CUDA device"
    away = {"device": (3, 0)}
    for arguments, message in (
        ((Producer(y, 3, FLOAT32, **away), keep, y), f"x must be {kind}, got device type 3:0"),
        ((x, keep, Producer(y, 3, FLOAT32, **away)), f"y must be on {here} like x, got"),
        ((x, Producer(keep, 3, BOOL, **away), y), f"keep must be on {here} like x, got"),
    ):
        with pytest.raises(ValueError, match=f"^first_column: {message}"):
            mod.first_column(*arguments)


def test_checks_of_addresses(mod, device):
    """An output whose items cross their boundaries is refused."""
    x = torch.ones(3, 4, device=device)
    keep = torch.ones(3, dtype=torch.bool, device=device)
    memory = torch.zeros(8, device=device)
    y = Producer(memory, 3, FLOAT32, offset=2, device=dlpack_device(memory))
    message = "first_column: y must be aligned to its 4 byte items, got an address 2 too far"
    with pytest.raises(ValueError, match=f"^{message}$"):
        mod.first_column(x, keep, y)


def test_a_byte_offset_is_honoured(mod, device):
    """An output that begins at a byte offset is written there."""
    x = torch.arange(12.0, device=device).view(3, 4)
    keep = torch.ones(3, dtype=torch.bool, device=device)
    memory = torch.full((8,), -1.0, device=device)
    where = {"offset": 8, "told": 8, "device": dlpack_device(memory)}
    mod.first_column(x, keep, Producer(memory, 3, FLOAT32, **where))
    if device == "cuda":
        torch.cuda.synchronize()
    assert memory.tolist() == [-1.0, -1.0, 0.0, 4.0, 8.0, -1.0, -1.0, -1.0]


def test_views_with_a_pending_sign_are_refused(mod, device):
    """PyTorch's negative-bit views hold the other sign in memory."""
    x = torch.ones(3, 4, dtype=torch.complex64, device=device).conj().imag
    keep = torch.ones(3, dtype=torch.bool, device=device)
    with pytest.raises(ValueError, match=r"resolve_neg"):
        mod.first_column(x, keep, torch.zeros(3, device=device))


CALLS = [
    (lambda m: m.split_evenly(12, 4), 3),
    (lambda m: m.compare(1, 2, "<"), None),
    (lambda m: m.half_of(6), 3),
    (lambda m: m.bits_of_code(0), 8),
    (lambda m: m.bits_of_code(1), 16),
    (lambda m: m.reserve(512, 512), None),
    (lambda m: m.byte_at("abc", 2), ord("c")),
    (lambda m: m.dtype_named("bfloat16"), "bfloat16"),
]


@pytest.mark.parametrize(("call", "result"), CALLS)
def test_nothing_is_thrown_where_nothing_is_wrong(mod, call, result):
    """A check that holds lets the function go on."""
    assert call(mod) == result


ERRORS = [
    (
        lambda m: m.split_evenly(12, -1),
        ValueError,
        "check failed: parts > 0 (-1 vs. 0) split_evenly: no parts to fill",
    ),
    (
        lambda m: m.split_evenly(12, 5),
        ValueError,
        "split_evenly: size must be a multiple of 5, got 12",
    ),
    (lambda m: m.compare(1, 2, "=="), ValueError, "check failed: a == b (1 vs. 2) not equal"),
    (lambda m: m.compare(1, 1, "!="), ValueError, "check failed: a != b (1 vs. 1) not different"),
    (lambda m: m.compare(1, 1, "<"), IndexError, "check failed: a < b (1 vs. 1) not below"),
    (lambda m: m.compare(2, 1, "<="), IndexError, "check failed: a <= b (2 vs. 1) not up to"),
    (lambda m: m.compare(1, 1, ">"), IndexError, "check failed: a > b (1 vs. 1) not above"),
    (lambda m: m.compare(1, 2, ">="), IndexError, "check failed: a >= b (1 vs. 2) not from"),
    (
        lambda m: m.half_of(3),
        tvm_ffi.InternalError,
        "check failed: half + half == n (2 vs. 3) half_of was called with an odd number",
    ),
    (
        lambda m: m.half_of(-4),
        tvm_ffi.InternalError,
        "check failed: half <= n: half_of was called with a negative number",
    ),
    (
        lambda m: m.bits_of_code(2),
        tvm_ffi.InternalError,
        "a place was reached that is marked as unreachable",
    ),
    (lambda m: m.first_of(None), ValueError, "check failed: address != nullptr"),
    (
        lambda m: m.dtype_named("nonsense"),
        ValueError,
        'dtype: expected an element type such as "float32", "bfloat16" or "int8x4", got "nonsense"',
    ),
    (
        lambda m: m.compare(1.5, 2, "<"),
        TypeError,
        "compare(int, int, str) -> None: argument 0: expected int, got float",
    ),
]


@pytest.mark.parametrize(("call", "kind", "message"), ERRORS)
def test_errors_of_values(mod, call, kind, message):
    """The exception is of the kind's class, with exactly these words."""
    with pytest.raises(kind) as raised:
        call(mod)
    assert type(raised.value) is kind
    assert str(raised.value) == message


def test_the_value_of_a_checked_pointer(mod):
    """The macro hands the pointer on."""
    number = ctypes.c_int64(-7)
    assert mod.first_of(ctypes.c_void_p(ctypes.addressof(number))) == -7


def test_a_kind_of_ones_own(mod):
    """A kind becomes a RuntimeError that names it, and its own class once that is registered."""
    words = "reserve: workspace must hold 9 bytes, got 8"
    with pytest.raises(RuntimeError) as raised:
        mod.reserve(9, 8)
    if type(raised.value) is RuntimeError:  # Another test of this process may have registered it.
        assert str(raised.value) == f"WorkspaceTooSmall: {words}"

    class WorkspaceTooSmall(RuntimeError):
        """The kernel needs a larger workspace."""

    tvm_ffi.register_error("WorkspaceTooSmall", WorkspaceTooSmall)
    with pytest.raises(WorkspaceTooSmall) as raised:
        mod.reserve(9, 8)
    assert str(raised.value) == words


def test_a_cause(mod):
    """The error that was caught is the cause of the one that was thrown, the same object."""
    seen = []
    exception = KeyError("weights")

    def work(row):
        seen.append(row)
        if row == 2:
            raise exception

    with pytest.raises(RuntimeError) as raised:
        mod.for_each_row(5, work)
    assert str(raised.value) == "for_each_row: row 2 failed"
    assert raised.value.__cause__ is exception
    assert seen == [0, 1, 2]


def test_an_exception_of_the_standard_library(mod):
    """It becomes a RuntimeError with its own words."""
    with pytest.raises(RuntimeError, match=r"\bat\b.*5.*3"):
        mod.byte_at("abc", 5)


def test_cuda_errors(mod, device):
    """A launch that is refused raises CUDA's own words, and the next one works."""
    if device == "cpu":
        pytest.skip("the CPU library launches nothing")
    mod.launch(0, 1024)
    with pytest.raises(RuntimeError) as raised:
        mod.launch(0, 2048)
    assert str(raised.value) in (
        "cudaGetLastError(): cudaErrorInvalidConfiguration: invalid configuration argument",
        "cudaGetLastError(): cudaErrorInvalidValue: invalid argument",  # of CUDA 13.0 on an H200
    )
    mod.launch(0, 32)
    with pytest.raises(RuntimeError, match=r"cudaErrorInvalidDevice"):
        mod.launch(10_000, 32)
    mod.launch(0, 32)
    assert torch.ones(3, device=device).sum().item() == 3.0


def test_the_line_that_threw_is_in_the_traceback(mod):
    """Python shows the source of the library and the function."""
    with pytest.raises(ValueError, match=r"multiple of 5") as raised:
        mod.split_evenly(12, 5)
    frames = [(entry.path.name, entry.name) for entry in raised.traceback]
    assert ("failures.h", "split_evenly") in frames

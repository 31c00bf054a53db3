# SPDX-License-Identifier: Apache-2.0
# Rows: R3
"""What each framework's tensors support (read, write, return and allocate), or why not.

The results are the table on the page about tensors.
"""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy
import pytest
import tvm_ffi
from _verify import frameworks as tables

from .kits import KITS, Kit, Lacks, NumPy

NONE = "none"  # the framework has no such element type
ALL = "read, write, return"
INPUT = "read, return"  # JAX forbids writes but cannot prevent them
RETURN = "return"  # on a GPU, whose memory this test's functions cannot read
# Newer CuPy versions accept and export more of ml_dtypes' types.
IF_KNOWN = f"{RETURN}|{NONE}|ValueError: dtype is not supported for dlpack export"
NOT_KNOWN = "TypeError: expected a dtype that DLPack supports"

# For each element type, the outcome in PyTorch, NumPy, JAX, CuPy and PaddlePaddle.
SAME_IN_ALL = "bool int8 uint8 int16 int32 int64 float16 float32 float64 complex64 complex128"
NARROW = """float8_e3m4 float8_e4m3 float8_e4m3b11fnuz float8_e4m3fnuz float8_e5m2fnuz
float8_e8m0fnu"""
DTYPES: dict[str, tuple[str, str, str, str, str]] = {
    **dict.fromkeys(SAME_IN_ALL.split(), (ALL, ALL, INPUT, RETURN, ALL)),
    "uint16": (ALL, ALL, INPUT, RETURN, NONE),
    "uint32": (ALL, ALL, INPUT, RETURN, NONE),
    "uint64": (ALL, ALL, INPUT, RETURN, NONE),
    "bfloat16": (ALL, ALL, INPUT, IF_KNOWN, ALL),
    "float8_e4m3fn": (ALL, ALL, INPUT, IF_KNOWN, ALL),
    "float8_e5m2": (ALL, ALL, INPUT, IF_KNOWN, ALL),
    **{
        name: (ALL if name[-4:] in ("fnuz", "0fnu") else NONE, ALL, INPUT, IF_KNOWN, NONE)
        for name in NARROW.split()
    },
    "float8_e4m3b11fnuz": (NONE, ALL, INPUT, IF_KNOWN, NONE),
    "complex32": (ALL, f"{ALL}|{NONE}", NONE, NONE, NONE),  # in ml_dtypes from 0.6 on
    "float4_e2m1fnx2": (ALL, NONE, NONE, NONE, NONE),
    "int4": (NONE, NOT_KNOWN, "ValueError: .*no DLPack equivalent", NONE, NONE),
    "uint4": (NONE, NOT_KNOWN, "ValueError: .*no DLPack equivalent", NONE, NONE),
}
PAIRS = [
    pytest.param(dtype, name, expected, id=f"{name}-{dtype}")
    for dtype, outcomes in DTYPES.items()
    for name, expected in zip(KITS, outcomes, strict=True)
]


@pytest.fixture(scope="module")
def record() -> Iterator[Callable[[str, str, str, str], None]]:
    """Record the results for the page if a session requests records."""
    cells: tables.Cells = {}

    def note(part: str, row: str, column: str, text: str) -> None:
        cells.setdefault(part, {}).setdefault(row, {})[column] = text

    yield note
    if folder := os.environ.get("ROWS_RECORD"):
        root = Path(__file__).resolve().parents[2]
        tables.write_record(root, Path(folder).parents[1], cells)


def told(error: Exception) -> str:
    """Return an error's kind and text, without the names of the function and the argument."""
    text = re.sub(r"^\w+: argument 0 \([\w.]+\): ", "", str(error))
    return f"{type(error).__name__}: {text}"


@pytest.mark.parametrize(("dtype", "name", "expected"), PAIRS)
def test_element_types(elements: Any, record: Any, dtype: str, name: str, expected: str) -> None:
    """Each element type arrives and returns with its bytes intact, or is refused with a reason."""
    try:
        kit = KITS[name]()
    except pytest.skip.Exception as skipped:
        record("dtypes", dtype, name, f"not run: {skipped}")
        raise
    with kit.wide():
        outcome = outcome_of(elements, kit, dtype)
    record("dtypes", dtype, name, outcome)
    if name == "numpy" and outcome == NONE != expected:
        ml_dtypes = pytest.importorskip("ml_dtypes")
        if not hasattr(ml_dtypes, dtype):
            pytest.skip(f"ml_dtypes {ml_dtypes.__version__} has no {dtype}")
    assert re.match(expected, outcome), outcome


def outcome_of(elements: Any, kit: Kit, dtype: str) -> str:
    """Read, write, return and allocate a three-element vector; return the outcome."""
    size = 3 * tvm_ffi.dtype(dtype).itemsize
    raw = bytes([1, 0, 1]) if dtype == "bool" else bytes(range(1, 1 + size))
    try:
        tensor = kit.make(dtype, raw)
    except Lacks:
        return NONE
    assert tensor.shape[0] == 3
    try:
        on_cpu = tvm_ffi.from_dlpack(tensor).device.type == "cpu"
    except (TypeError, ValueError) as error:
        with pytest.raises(type(error)) as caught:
            elements.read(tensor)
        return told(caught.value)
    if on_cpu:
        assert elements.read(tensor) == raw
    back = elements.echo(tensor)
    assert back is tensor or kit.is_tensor(back)
    assert (back.dtype, tuple(back.shape)) == (tensor.dtype, (3,))
    assert kit.address(back) == kit.address(tensor)
    made = elements.allocate_like(tensor)
    assert kit.is_tensor(made)
    assert (made.dtype, tuple(made.shape)) == (tensor.dtype, (3,))
    if not on_cpu:
        return RETURN
    elements.fill(tensor, 1)
    assert kit.bytes_of(tensor, size) == bytes([1]) * size
    return INPUT if kit.name == "jax" else ALL


def frozen(array: Any) -> Any:
    """Make an array read-only."""
    array.flags.writeable = False
    return array


class SubArray(numpy.ndarray):
    """A user-defined array type."""


def sub_tensor(torch: Any) -> Any:
    """Create a tensor of a user-defined type that overrides every PyTorch call."""

    class SubTensor(torch.Tensor):
        @classmethod
        def __torch_function__(cls, function: Any, types: Any, args: Any = (), kwargs: Any = None):
            return super().__torch_function__(function, types, args, kwargs or {})

    return torch.arange(4.0).as_subclass(SubTensor)


def inference(torch: Any) -> Any:
    """Create a tensor in inference mode."""
    with torch.inference_mode():
        return torch.arange(4.0)


def without_storage(torch: Any) -> Any:
    """Create a tensor whose memory was freed."""
    tensor = torch.arange(4.0)
    tensor.untyped_storage().resize_(0)
    return tensor


def fake(torch: Any) -> Any:
    """Create one of the compiler's fake tensors."""
    from torch._subclasses import FakeTensorMode

    with FakeTensorMode():
        return torch.empty(4)


def quantised(torch: Any) -> Any:
    """Create a quantised tensor, a kind that PyTorch is about to drop."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return torch.quantize_per_tensor(torch.ones(3), 0.1, 0, torch.qint8)


def deleted(jax: Any) -> Any:
    """Create an array whose memory was freed."""
    array = jax.numpy.arange(4.0)
    array.delete()
    return array


NO_MEMORY = "ValueError: it has elements but no memory"
READ_ONLY = r"ValueError: .*read-only.*pass tvm_ffi.from_dlpack\(x, allow_read_only=True\)"
# For each kind of tensor: how a framework creates one, and the outcome.
Maker = Callable[[Any], Any]
LAYOUTS: dict[str, dict[str, tuple[Maker, str]]] = {
    "two-dimensional": {
        name: (lambda m: m.arange(6.0).reshape([2, 3]), ALL) for name in ("torch", "numpy", "cupy")
    }
    | {
        "jax": (lambda m: m.numpy.arange(6.0).reshape(2, 3), INPUT),
        "paddle": (lambda m: m.arange(6.0).reshape([2, 3]), ALL),
    },
    "view from the second element on": {
        name: (lambda m: m.arange(6.0)[1:], ALL) for name in ("torch", "numpy", "cupy", "paddle")
    }
    | {"jax": (lambda m: m.numpy.arange(6.0)[1:], INPUT)},
    "every second column": {
        name: (lambda m: m.arange(12.0).reshape([3, 4])[:, ::2], ALL)
        for name in ("torch", "numpy", "cupy", "paddle")
    }
    | {"jax": (lambda m: m.numpy.arange(12.0).reshape(3, 4)[:, ::2], INPUT)},
    "transposed": {
        name: (lambda m: m.arange(12.0).reshape([3, 4]).T, ALL)
        for name in ("torch", "numpy", "cupy", "paddle")
    }
    | {"jax": (lambda m: m.numpy.arange(12.0).reshape(3, 4).T, INPUT)},
    "reversed": {
        "numpy": (lambda m: m.arange(5.0)[::-1], ALL),
        "cupy": (lambda m: m.arange(5.0)[::-1], ALL),
    },
    "0-dimensional": {
        "torch": (lambda m: m.tensor(True), ALL),
        "numpy": (lambda m: m.array(True), ALL),
        "jax": (lambda m: m.numpy.array(True), INPUT),
        "cupy": (lambda m: m.array(True), ALL),
        "paddle": (lambda m: m.to_tensor(True), ALL),
    },
    "empty": {name: (lambda m: m.zeros([0, 3]), ALL) for name in ("torch", "numpy", "cupy")}
    | {
        "jax": (lambda m: m.numpy.zeros((0, 3)), INPUT),
        "paddle": (lambda m: m.zeros([0, 3]), ALL),
    },
    "one element, expanded": {
        "torch": (lambda m: m.ones(1).expand(4), ALL),
        "numpy": (lambda m: m.broadcast_to(m.ones(1), (4,)), READ_ONLY),
        "paddle": (lambda m: m.ones([1]).expand([4]), ALL),
    },
    "read-only": {"numpy": (lambda m: frozen(m.arange(4.0)), READ_ONLY)},
    "of a user's subclass": {
        "torch": (sub_tensor, ALL),
        "numpy": (lambda m: m.arange(4.0).view(SubArray), ALL),
    },
    "requires a gradient": {
        "torch": (lambda m: m.arange(4.0).requires_grad_(), ALL),
        "paddle": (lambda m: m.to_tensor([1.0, 2.0], stop_gradient=False), ALL),
    },
    "parameter": {
        "torch": (lambda m: m.nn.Parameter(m.arange(4.0)), ALL),
        "paddle": (lambda m: m.create_parameter([4], "float32"), ALL),
    },
    "made in inference mode": {"torch": (inference, ALL)},
    "negated when read": {
        "torch": (lambda m: m._neg_view(m.ones(2)), r"ValueError: .*pass x.resolve_neg\(\)")
    },
    "conjugated when read": {
        "torch": (
            lambda m: m.ones(2, dtype=m.complex64).conj(),
            r"ValueError: .*pass x.resolve_conj\(\)",
        )
    },
    "sparse": {
        "torch": (lambda m: m.eye(2).to_sparse(), "ValueError: .*storage"),
        "paddle": (
            lambda m: m.sparse.sparse_coo_tensor([[0, 1], [0, 1]], [1.0, 2.0], [2, 2]),
            "ValueError: ",
        ),
    },
    "quantised": {
        "torch": (
            quantised,
            "ValueError: .*not supported by dlpack",
        )
    },
    "on the meta device": {"torch": (lambda m: m.empty(3, device="meta"), "ValueError: .*meta")},
    "fake": {"torch": (fake, NO_MEMORY)},
    "without its memory": {
        "torch": (without_storage, NO_MEMORY),
        "jax": (deleted, "ValueError: expected an array with memory, got one that was deleted"),
    },
    "random keys": {
        "jax": (lambda m: m.random.key(0), r"TypeError: .*pass jax.random.key_data\(x\)")
    },
    "of the other byte order": {
        "numpy": (lambda m: m.zeros(2, ">f4"), "TypeError: .*in native byte order")
    },
    "of records": {"numpy": (lambda m: m.zeros(2, [("a", "i1"), ("b", "f4")]), NOT_KNOWN)},
    "of objects": {"numpy": (lambda m: m.zeros(2, object), NOT_KNOWN)},
    "of text": {"numpy": (lambda m: m.zeros(2, "U3"), NOT_KNOWN)},
    "of dates": {"numpy": (lambda m: m.zeros(2, "M8[s]"), NOT_KNOWN)},
    "masked": {
        "numpy": (lambda m: m.ma.masked_array([1.0], [1]), r"TypeError: .*pass x.filled\(value\)")
    },
}
MADE = [
    pytest.param(layout, name, *made, id=f"{name}-{layout}")
    for layout, makers in LAYOUTS.items()
    for name, made in makers.items()
]


@pytest.mark.parametrize(("layout", "name", "make", "expected"), MADE)
def test_layouts(
    elements: Any, record: Any, layout: str, name: str, make: Maker, expected: str
) -> None:
    """Each kind of tensor arrives with the values its framework sees, or is refused."""
    try:
        kit = KITS[name]()
    except pytest.skip.Exception as skipped:
        record("layouts", layout, name, f"not run: {skipped}")
        raise
    outcome = outcome_of_layout(elements, kit, make(kit.module))
    record("layouts", layout, name, outcome)
    if name == "cupy" and expected == ALL:
        expected = RETURN
    assert re.match(expected, outcome), outcome
    for other in set(KITS) - set(LAYOUTS[layout]):
        record("layouts", layout, other, NONE)


def outcome_of_layout(elements: Any, kit: Kit, tensor: Any) -> str:
    """Read, write and return the tensor; return the outcome."""
    try:
        back = elements.echo(tensor)
    except (TypeError, ValueError) as error:
        return told(error)
    assert back is tensor or kit.is_tensor(back)
    assert list(back.shape) == list(tensor.shape)
    values = tensor.tolist()
    assert back.tolist() == values
    if tvm_ffi.from_dlpack(tensor).device.type != "cpu":
        return RETURN
    expected = numpy.array(values, dtype=str(tvm_ffi.from_dlpack(tensor).dtype))
    assert elements.read(tensor) == expected.tobytes()
    if kit.name == "jax":
        return INPUT
    elements.fill(tensor, 0)
    assert not numpy.any(tensor.tolist())
    return ALL


@pytest.mark.parametrize("name", ["torch", "numpy", "paddle"])
def test_a_function_writes_into_the_memory_of_a_view(elements: Any, name: str) -> None:
    """Elements inside the view are written, and those outside stay unchanged."""
    kit = KITS[name]()
    whole = kit.module.ones([4, 6])
    elements.fill(whole[1:3, 1::2], 0)
    expected = numpy.ones((4, 6))
    expected[1:3, 1::2] = 0
    assert whole.tolist() == expected.tolist()


def test_jax_cannot_prevent_a_write(elements: Any) -> None:
    """JAX does not mark its arrays read-only, so a function that writes changes them."""
    kit = KITS["jax"]()
    array = kit.module.numpy.ones(4)
    alias = array + 0
    elements.fill(array, 0)
    assert array.tolist() == [0, 0, 0, 0]
    assert alias.tolist() == [1, 1, 1, 1]


MIXTURES = [
    (("jax",), "jax"),
    (("jax", "jax"), "jax"),
    (("jax", "numpy"), "tvm_ffi"),
    (("jax", "torch"), "torch"),
    (("paddle",), "paddle"),
    (("paddle", "numpy"), "tvm_ffi"),
    (("numpy", "jax", "paddle"), "tvm_ffi"),
    (("paddle", "torch", "jax"), "torch"),
    (("cupy",), "cupy"),
    (("cupy", "cupy"), "cupy"),
    (("cupy", "torch"), "torch"),
]


@pytest.mark.parametrize(("names", "expected"), MIXTURES)
def test_result_of_a_mixture(elements: Any, names: tuple[str, ...], expected: str) -> None:
    """One framework gets its own type, PyTorch wins in a mixture; others get tvm_ffi.Tensor."""
    kits = [KITS[name]() for name in names]
    tensors = [kit.make("float32", bytes(12)) for kit in kits]
    result = elements.echo(*tensors)
    if expected == "tvm_ffi":
        assert type(result) is tvm_ffi.Tensor
    else:
        assert KITS[expected]().is_tensor(result)


@pytest.mark.parametrize("name", ["torch", "jax", "paddle"])
@pytest.mark.parametrize("shape", [(6,), (2, 3), (257, 1025)])
def test_a_tensor_that_goes_backward_stays_one(name: str, shape: tuple[int, ...]) -> None:
    """Only NumPy and CuPy support negative strides; PyTorch would abort the process."""
    array = numpy.arange(numpy.prod(shape), dtype="float32").reshape(shape)[..., ::-1]
    got: list[Any] = []
    tensor_type = type(KITS[name]().make("float32", bytes(4)))
    take = tvm_ffi.convert_func(lambda *xs: got.extend(xs), tensor_cls=tensor_type)
    take(array, tvm_ffi.Array([array]))
    assert type(got[0]) is type(got[1][0]) is tvm_ffi.Tensor
    assert numpy.asarray(got[0]).tolist() == numpy.asarray(got[1][0]).tolist() == array.tolist()


@pytest.mark.parametrize("name", ["numpy", "torch", "jax", "paddle"])
@pytest.mark.parametrize("shape", [(), (0,), (1,), (3, 5), (257, 1025)])
def test_tensors_go_back_to_a_framework(name: str, shape: tuple[int, ...]) -> None:
    """Each framework's from_dlpack accepts a tvm_ffi.Tensor, without a copy if possible."""
    kit = KITS[name]()
    source = numpy.arange(numpy.prod(shape) + 64, dtype="float32")
    source = source[-source.ctypes.data % 64 // 4 :][: int(numpy.prod(shape))].reshape(shape)
    tensor = tvm_ffi.from_dlpack(source)
    module = kit.module
    take = {
        "numpy": lambda: module.from_dlpack,
        "torch": lambda: module.from_dlpack,
        "jax": lambda: module.dlpack.from_dlpack,
        "paddle": lambda: module.utils.dlpack.from_dlpack,
    }[name]()
    back = take(tensor)
    assert tuple(back.shape) == shape
    assert back.tolist() == source.tolist()
    if source.size:
        assert kit.address(back) == tensor.data_ptr()


def test_numpy_reads_a_tensor_in_place() -> None:
    """numpy.asarray shares the tensor's memory, even for ml_dtypes' types."""
    for dtype in ("float32", "bfloat16", "float8_e5m2"):
        source = NumPy().make(dtype, bytes(range(1, 9)))
        array = numpy.asarray(tvm_ffi.from_dlpack(source))
        assert array.dtype == source.dtype
        assert numpy.shares_memory(array.view("uint8"), source.view("uint8"))

# SPDX-License-Identifier: Apache-2.0
# Rows: R3
"""The framework of a returned tensor."""

from __future__ import annotations

import sys
from typing import Any

import numpy
import pytest
import tvm_ffi

from .conftest import needs_torch, torch
from .test_tensor_arguments import Producer


def array(kind: str) -> Any:
    """Create a tensor of the kind."""
    if kind == "torch":
        return torch.zeros(2)
    values = numpy.zeros(2, dtype="float32")
    return {
        "numpy": lambda: values,
        "tvm_ffi": lambda: tvm_ffi.from_dlpack(values),
        "other": lambda: Producer(values),
    }[kind]()


def kind_of(tensor: Any) -> str:
    """Name the framework of a tensor."""
    return type(tensor).__module__.partition(".")[0]


@pytest.mark.parametrize(
    ("kinds", "expected"),
    [
        ((), "tvm_ffi"),
        (("numpy",), "numpy"),
        (("numpy", "numpy"), "numpy"),
        (("tvm_ffi",), "tvm_ffi"),
        (("other",), "tvm_ffi"),
        (("numpy", "tvm_ffi"), "tvm_ffi"),
        (("tvm_ffi", "numpy"), "tvm_ffi"),
        (("numpy", "other", "numpy"), "tvm_ffi"),
        pytest.param(("torch",), "torch", marks=needs_torch),
        pytest.param(("numpy", "torch"), "torch", marks=needs_torch),
        pytest.param(("torch", "numpy"), "torch", marks=needs_torch),
        pytest.param(("tvm_ffi", "numpy", "torch"), "torch", marks=needs_torch),
        pytest.param(("torch", "tvm_ffi", "other"), "torch", marks=needs_torch),
    ],
)
def test_result_is_of_the_arguments_framework(
    functions: Any, kinds: tuple[str, ...], expected: str
) -> None:
    """One framework gets its own type, PyTorch wins in a mixture; others get tvm_ffi.Tensor."""
    functions.keep(tvm_ffi.from_dlpack(numpy.arange(4.0)))
    result = functions.kept(*map(array, kinds))
    assert kind_of(result) == expected
    assert numpy.asarray(
        result if expected != "tvm_ffi" else numpy.from_dlpack(result)
    ).tolist() == [
        0,
        1,
        2,
        3,
    ]
    functions.drop_kept()


def test_allocated_tensors_are_the_frameworks(functions: Any, framework: Any) -> None:
    """The environment's allocator uses the framework of the arguments."""
    result = functions.allocate(framework.zeros(1), 2, 3)
    assert type(result) is type(framework.zeros(1))
    assert tuple(result.shape) == (2, 3)
    result[:] = 5
    assert float(result.sum()) == 30


@needs_torch
def test_the_allocator_is_set_for_the_call_only(functions: Any) -> None:
    """A call with PyTorch tensors has an allocator; the next call without them has none."""
    assert functions.has_allocator(torch.zeros(1)) is True
    assert functions.has_allocator() is False
    with pytest.raises(ValueError, match="stop"):
        functions.fail("ValueError", "stop", "", torch.zeros(1))
    assert functions.has_allocator() is False


def test_tensors_without_arguments_come_from_the_default_allocator(functions: Any) -> None:
    """Without a framework, the runtime allocates the memory, aligned to 64 bytes."""
    result = functions.allocate(None, 5)
    assert type(result) is tvm_ffi.Tensor
    assert result.data_ptr() % 64 == 0


def test_results_share_memory(functions: Any, framework: Any) -> None:
    """A returned tensor shares the argument's memory; it is not a copy."""
    source = framework.zeros(3, dtype=framework.float32)
    result = functions.echo(source)
    result[1] = 7
    assert source.tolist() == [0, 7, 0]


def test_an_argument_comes_back_as_the_very_object(functions: Any, framework: Any) -> None:
    """A function that returns its argument gives the same object, even for views."""
    source = framework.arange(12).reshape(3, 4)
    for tensor in (source, source[:, ::2], source[0], framework.zeros(0)):
        count = sys.getrefcount(tensor)
        result = functions.echo(tensor)
        assert result is tensor
        del result
        assert sys.getrefcount(tensor) == count


@needs_torch
def test_a_parameter_comes_back_with_its_gradient(functions: Any) -> None:
    """State that only PyTorch keeps with a tensor is not lost."""
    parameter = torch.nn.Parameter(torch.zeros(2))
    assert functions.echo(parameter) is parameter


@needs_torch
def test_among_several_frameworks_the_array_becomes_a_torch_tensor(functions: Any) -> None:
    """A result belongs to the winning framework, even if it is an argument of another one."""
    values = numpy.zeros(2, "float32")
    result = functions.echo(values, torch.zeros(1))
    assert type(result) is torch.Tensor
    assert result.data_ptr() == values.ctypes.data
    tensor = torch.zeros(2)
    assert functions.echo(tensor, values) is tensor


def test_results_outlive_their_argument(functions: Any, framework: Any) -> None:
    """The memory lives as long as the result."""
    result = functions.echo(framework.full((1000,), 2.0))
    assert float(result.sum()) == 2000


@pytest.mark.parametrize("shape", [(), (0,), (2, 0), (1,) * 12])
def test_unusual_shapes_come_back(functions: Any, framework: Any, shape: tuple[int, ...]) -> None:
    """0-dimensional, empty and many-dimensional tensors come back with their shape."""
    assert tuple(functions.echo(framework.zeros(shape)).shape) == shape


def test_read_only_tensors_come_back_read_only(functions: Any) -> None:
    """A read-only tensor becomes a read-only NumPy array."""
    source = numpy.arange(3.0)
    source.flags.writeable = False
    functions.keep(tvm_ffi.from_dlpack(source, allow_read_only=True))
    assert not functions.kept(numpy.zeros(1)).flags.writeable
    functions.drop_kept()


def test_strided_views_come_back(functions: Any, framework: Any) -> None:
    """A view comes back with its strides."""
    source = framework.arange(12).reshape(3, 4)[:, ::2]
    assert functions.echo(source).tolist() == source.tolist()


def test_borrowed_results_are_refused(functions: tvm_ffi.Module) -> None:
    """A function that returns a borrowed value is at fault, and the error says so."""
    with pytest.raises(SystemError, match="an owned value, got a borrowed one of type index 8"):
        functions.borrowed_text()

# SPDX-License-Identifier: Apache-2.0
# Rows: R5, R6
"""Views lent to a callback, and borrowed tensors, passed on to other C++ functions."""

from __future__ import annotations

import gc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy
import pytest
import tvm_ffi

from .conftest import compile_cpp_library
from .object_classes import Classes

SIZE = 20_000
TOTAL = SIZE * (SIZE - 1) // 2
OTHER_MEMORY = "belongs to an argument of the call, got a view of other memory"


@pytest.fixture(scope="module")
def views(tmp_path_factory: pytest.TempPathFactory) -> tvm_ffi.Module:
    """Load the library built from lent_views.cc."""
    path = tmp_path_factory.mktemp("lent_views") / "lent_views.so"
    compile_cpp_library(Path(__file__).with_name("lent_views.cc"), path)
    return tvm_ffi.load_module(path)


def lend(views: Any, size: int, callback: Callable[[Any], Any]) -> Any:
    """Lend a view of memory owned by C++ and overwritten after the callback."""
    return views.lend(callback, size)


def lend_argument(views: Any, size: int, callback: Callable[[Any], Any]) -> Any:
    """Lend a view of memory owned by an argument of the call."""
    return views.lend_argument(numpy.arange(size, dtype="float32"), callback)


def total(tensor: Any) -> float:
    """Sum a tensor's elements."""
    return float(numpy.asarray(numpy.from_dlpack(tensor), dtype="float64").sum())


@pytest.mark.parametrize("how", [lend, lend_argument])
def test_a_function_reads_a_view(views: Any, how: Any) -> None:
    """A function with a view parameter reads a view lent to a callback and can pass it on."""
    assert how(views, SIZE, views.sum) == TOTAL
    assert how(views, SIZE, lambda x: views.lend_argument(x, views.sum)) == TOTAL
    assert how(views, 0, views.sum) == 0


@pytest.mark.parametrize("function", ["restrided", "through_dlpack", "same", "in_array"])
def test_nothing_owns_a_view_of_other_memory(views: Any, function: str) -> None:
    """A function that would own the tensor refuses a view: its result could outlive the memory."""
    for call in (views[function], lambda x: views[function](x)):
        with pytest.raises(TypeError, match=r"got Tensor \(a view\)|got a lent tensor"):
            lend(views, SIZE, call)


def test_refusals_name_function_and_argument(views: Any) -> None:
    """The error names the function and its argument, even one passed by keyword."""
    for call in (views.restrided, lambda x: views.restrided(tensor=x)):
        with pytest.raises(
            TypeError, match=r"restrided\(.*\).*: argument 0: expected Tensor, got Tensor \(a view"
        ):
            lend(views, SIZE, call)
    with pytest.raises(
        TypeError, match=r"same\(.*\).*: argument 0: expected Any, got Tensor \(a view\)"
    ):
        lend(views, SIZE, views.same)


@pytest.mark.parametrize(
    ("wrap", "place"),
    [
        (lambda x: [1, x], r"list\): element 1"),
        (lambda x: {"a": (x,)}, r"dict\): key 'a' \(tuple\): element 0"),
    ],
)
def test_no_argument_holds_a_view_of_other_memory(views: Any, wrap: Any, place: str) -> None:
    """A container owns its elements, so a list or dict with such a view is refused."""
    expected = rf"^same: argument 0 \({place} \(tvm_ffi\.Tensor\): .*{OTHER_MEMORY}"
    with pytest.raises(ValueError, match=expected):
        lend(views, SIZE, lambda x: views.same(wrap(x)))


def test_no_container_holds_a_view_of_other_memory(views: Any) -> None:
    """Such a view cannot be added to an existing container."""
    numbers: tvm_ffi.List[Any] = tvm_ffi.List([])
    names: tvm_ffi.Dict[Any, Any] = tvm_ffi.Dict({})
    for add in (numbers.append, lambda x: names.update(a=x), lambda x: tvm_ffi.Array([x])):
        with pytest.raises(ValueError, match=OTHER_MEMORY):
            lend(views, SIZE, add)
    assert len(numbers) == len(names) == 0


@pytest.mark.parametrize("field", ["tensor", "any"])
def test_no_field_holds_a_view_of_other_memory(views: Any, classes: Classes, field: str) -> None:
    """An object's field cannot hold one either."""
    node = classes.Node()
    with pytest.raises(ValueError, match=rf"objects\.Node\.{field}: .*{OTHER_MEMORY}"):
        lend(views, SIZE, lambda x: setattr(node, field, x))
    assert getattr(node, field) is None


def test_a_callback_cannot_return_a_view_of_other_memory(views: Any) -> None:
    """A result cannot own one either."""

    def returns(x: Any) -> Any:
        return x

    with pytest.raises(ValueError, match=rf"returns: result \(.*Tensor\): .*{OTHER_MEMORY}"):
        lend(views, SIZE, returns)


def test_stand_ins_of_views(views: Any) -> None:
    """A stand-in for such a view is refused, as nothing keeps the view alive for the call."""

    class StandIn:
        def __init__(self, tensor: Any) -> None:
            self.tensor = tensor

        def __tvm_ffi_object__(self) -> Any:
            return self.tensor

    with pytest.raises(ValueError, match=rf"sum: argument 0 \(StandIn\): .*{OTHER_MEMORY}"):
        lend(views, SIZE, lambda x: views.sum(StandIn(x)))
    assert lend_argument(views, SIZE, lambda x: views.sum(StandIn(x))) == TOTAL


def test_convert_leaves_a_view_as_it_is(views: Any) -> None:
    """Converting a view returns the view itself, for use during the call."""
    assert lend(views, SIZE, lambda x: views.sum(tvm_ffi.convert(x))) == TOTAL


@pytest.mark.parametrize(
    "make",
    [
        lambda views, x: views.restrided(x),
        lambda views, x: views.restrided(tensor=x),
        lambda views, x: views.restrided_first([x]),
        lambda views, x: views.through_dlpack(x),
        lambda views, x: views.same(x),
        lambda views, x: views.in_array(x)[0],
        lambda views, x: tvm_ffi.List([x])[0],
    ],
)
def test_views_of_an_argument_keep_its_memory(views: Any, make: Any) -> None:
    """A result created from a view of an argument's memory keeps that memory alive."""
    kept: list[Any] = []
    lend_argument(views, SIZE, lambda x: kept.append(make(views, x)))
    gc.collect()
    # One of these would reuse memory that had been freed.
    others = [numpy.full(SIZE, -1, dtype="float32") for _ in range(4)]
    assert total(kept[0]) == TOTAL
    del others


@pytest.mark.parametrize("in_callback", [False, True], ids=["call", "callback"])
@pytest.mark.parametrize("function", ["restrided", "restrided_first", "through_dlpack", "same"])
def test_results_keep_a_borrowed_tensor(
    views: Any, framework: Any, function: str, in_callback: bool
) -> None:
    """A result created from a framework's tensor keeps the borrowed memory alive."""
    kept: list[Any] = []
    source = framework.arange(SIZE, dtype=framework.float32)

    def make(x: Any) -> None:
        kept.append(views[function]([x] if function == "restrided_first" else x))

    if in_callback:
        views.call_with(source, make)
    else:
        make(source)
    del source
    gc.collect()
    others = [framework.full((SIZE,), -1.0) for _ in range(4)]
    assert total(kept[0]) == TOTAL
    del others


@pytest.mark.parametrize(
    "copy",
    [
        lambda x: numpy.array(x),
        lambda x: numpy.from_dlpack(x, copy=True),
        lambda x: tvm_ffi.from_dlpack(x.__dlpack__(max_version=(1, 0), copy=True)),
    ],
    ids=["numpy.array", "numpy.from_dlpack", "__dlpack__"],
)
def test_copies_of_views_may_be_kept(views: Any, copy: Callable[[Any], Any]) -> None:
    """A callback may keep a copy of a view, as the error about a kept view suggests."""
    kept: list[Any] = []
    lend(views, SIZE, lambda x: kept.append(copy(x)))
    assert total(kept[0]) == TOTAL
    with pytest.raises(ValueError, match=r"keep a copy, such as numpy.array\(x\)"):
        lend(views, SIZE, kept.append)
    with pytest.raises(BufferError, match=OTHER_MEMORY):
        lend(views, SIZE, numpy.asarray)


def test_a_view_without_dimensions_loses_its_element(views: Any) -> None:
    """A kept one-element view becomes empty, so no function reads its element."""
    kept: list[Any] = []
    with pytest.raises(ValueError, match="expected a borrowed tensor to be released"):
        lend(views, -1, kept.append)
    assert (kept[0].shape, kept[0].numel(), kept[0].data_ptr()) == ((0,), 0, 0)
    assert views.sum(kept[0]) == 0

# SPDX-License-Identifier: Apache-2.0
# Rows: R5, R7
"""The global functions that create, read and change containers from other languages."""

from __future__ import annotations

from typing import Any

import numpy
import pytest
import tvm_ffi
from tvm_ffi import Array, Dict, List, Map


def call(name: str, *arguments: Any) -> Any:
    """Call a global function whose name begins with ``ffi.``."""
    function = tvm_ffi.get_global_func(f"ffi.{name}")
    assert function is not None
    return function(*arguments)


@pytest.mark.parametrize(("kind", "cls"), [("Array", Array), ("List", List)])
def test_sequences(kind: str, cls: Any) -> None:
    """A sequence is created from elements, counted, read and searched."""
    made = call(kind, 1, "two", None, [3])
    assert type(made) is cls
    assert made == [1, "two", None, [3]]
    assert call(kind) == []
    assert call(f"{kind}Size", made) == 4
    assert call(f"{kind}GetItem", made, 1) == "two"
    assert call(f"{kind}Contains", made, "two") is True
    assert call(f"{kind}Contains", made, 1.0) is False
    for index in (-1, 4):
        with pytest.raises(IndexError, match=f"expected an index from 0 to 3, got index {index}"):
            call(f"{kind}GetItem", made, index)


def test_changes_of_a_list() -> None:
    """Each function changes the List passed to it in place."""
    made = List([1, 2, 3])
    call("ListSetItem", made, 0, "one")
    call("ListAppend", made, 4)
    assert made == ["one", 2, 3, 4]
    call("ListInsert", made, 0, 0)
    call("ListInsert", made, 5, 5)
    assert made == [0, "one", 2, 3, 4, 5]
    assert call("ListPop", made, 1) == "one"
    call("ListErase", made, 0)
    assert made == [2, 3, 4, 5]
    call("ListReverse", made)
    assert made == [5, 4, 3, 2]
    call("ListEraseRange", made, 1, 3)
    assert made == [5, 2]
    call("ListReplaceSlice", made, 1, 2, [7, 8])
    assert made == [5, 7, 8]
    call("ListReplaceSlice", made, 0, 1, made)
    assert made == [5, 7, 8, 7, 8]
    call("ListReserve", made, 100)
    call("ListClear", made)
    assert made == []


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("ListSetItem", (2, 0)),
        ("ListInsert", (3, 0)),
        ("ListInsert", (-1, 0)),
        ("ListPop", (-1,)),
        ("ListPop", (2,)),
        ("ListErase", (2,)),
        ("ListEraseRange", (1, 0)),
        ("ListEraseRange", (0, 3)),
        ("ListEraseRange", (-1, 1)),
        ("ListReplaceSlice", (0, 3, [])),
    ],
)
def test_places_beyond_the_ends(name: str, arguments: Any) -> None:
    """An index out of range is an IndexError, and nothing changes."""
    made = List([1, 2])
    with pytest.raises(IndexError):
        call(name, made, *arguments)
    assert made == [1, 2]


@pytest.mark.parametrize(("kind", "cls"), [("Map", Map), ("Dict", Dict)])
def test_mappings(kind: str, cls: Any) -> None:
    """A mapping is created from alternating keys and values, counted, read and searched."""
    made = call(kind, "a", 1, 2, None)
    assert type(made) is cls
    assert list(made.items()) == [("a", 1), (2, None)]
    assert len(call(kind)) == 0
    assert call(f"{kind}Size", made) == 2
    assert call(f"{kind}GetItem", made, "a") == 1
    assert [call(f"{kind}Count", made, key) for key in ("a", "b", 2, 2.0)] == [1, 0, 1, 0]
    with pytest.raises(KeyError, match=f'{kind}::at: expected an existing key, got "zz"'):
        call(f"{kind}GetItem", made, "zz")
    with pytest.raises(ValueError, match="expected key-value pairs, got 1 arguments"):
        call(kind, "a")


@pytest.mark.parametrize("kind", ["Map", "Dict"])
def test_the_object_for_what_is_not_there(kind: str) -> None:
    """None is a value; a missing key returns a dedicated object."""
    made = call(kind, "a", None)
    missing = call("GetInvalidObject")
    assert call(f"{kind}GetItemOrMissing", made, "a") is None
    assert call(f"{kind}GetItemOrMissing", made, "b").same_as(missing)


@pytest.mark.parametrize("kind", ["Map", "Dict"])
@pytest.mark.parametrize("size", [0, 1, 10])
def test_going_through_a_mapping(kind: str, size: int) -> None:
    """The function returns key and value, advances, reports the end and stops there."""
    pairs = [(f"key {i}", i) for i in range(size)]
    made = call(kind, *(part for pair in pairs for part in pair))
    walk = call(f"{kind}ForwardIterFunctor", made)
    if kind == "Dict":
        made.clear()
    seen = []
    for _ in range(size):
        seen.append((walk(0), walk(1)))
        assert walk(2) is (len(seen) < size)
    assert seen == pairs
    assert walk(2) is False
    with pytest.raises(IndexError):
        walk(0)
    with pytest.raises(ValueError, match="step: expected 0, 1 or 2, got 3"):
        walk(3)


def test_changes_of_a_dict() -> None:
    """Each function changes the Dict passed to it in place."""
    made = Dict({"a": 1})
    call("DictSetItem", made, "b", 2)
    assert made == {"a": 1, "b": 2}
    call("DictErase", made, "a")
    call("DictErase", made, "a")
    assert made == {"b": 2}
    call("DictClear", made)
    assert made == {}


def test_the_device_of_a_container() -> None:
    """The first tensor not on the host determines the device; without one it is the CPU."""
    tensor = tvm_ffi.from_dlpack(numpy.zeros(2))
    loop = List([tensor])
    loop.append(loop)
    for value in (1, [], [tensor, {"a": [tensor]}], loop, {"a": 1}, None):
        assert call("ContainerFindFirstNonCPUDevice", value) == tvm_ffi.device("cpu", 0)
    loop.clear()


def test_the_search_for_a_device_ends() -> None:
    """Each container is searched once, however many others contain it."""
    shared = List([])
    shared.extend([shared] * 10)
    deep = shared
    for _ in range(50):
        deep = Array([deep] * 30)
    assert call("ContainerFindFirstNonCPUDevice", deep) == tvm_ffi.device("cpu", 0)
    shared.clear()


def test_metadata_tells_the_types() -> None:
    """The metadata contains the parameter types and the result type."""
    schema = tvm_ffi.get_global_func_metadata("ffi.ListPop")["type_schema"]
    assert '"return":[{"type":"Any"}]' in schema.replace(" ", "")
    assert '{"type":"int"}' in schema.replace(" ", "")

# SPDX-License-Identifier: Apache-2.0
# Rows: R5, R6
"""Field types of Python-defined classes."""

from __future__ import annotations

import copy
import ctypes
import gc
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Optional, Union

import pytest
import tvm_ffi
from tvm_ffi import Object
from tvm_ffi.dataclasses import (
    fields,
    py_class,
)

from .class_makers import new_key
from .conftest import compile_cpp_library

HERE = Path(__file__).resolve().parent


@py_class("field_types_test.Point", eq=True, order=True, unsafe_hash=True)
class Point(Object):
    """A point."""

    x: int
    y: float = 2.5


@pytest.fixture(scope="module")
def mirror(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Load a library with a C++ class for the type mirror.Plan."""
    path = tmp_path_factory.mktemp("mirror") / "plan_mirror.so"
    compile_cpp_library(HERE / "plan_mirror.cc", path)
    return tvm_ffi.load_module(path)


def test_every_type() -> None:
    """Each annotation gives a field of its type, laid out like a member of a C++ class."""

    @py_class(new_key())
    class Every(Object):
        i: int
        f: float
        b: bool
        s: str
        y: bytes
        d: tvm_ffi.dtype
        v: tvm_ffi.Device
        p: ctypes.c_void_p
        a: Any
        o: Optional[int]  # noqa: UP045
        n: None
        li: list[int]
        tu: tuple[int, ...]
        t2: tuple[int, str]
        di: dict[str, int]
        se: Sequence[float]
        ma: Mapping[str, Any]
        bare: list
        fn: Callable[[int], int]
        te: tvm_ffi.Tensor
        sh: tvm_ffi.Shape
        ob: Object
        pt: Point | None
        un: Union[int, str]  # noqa: UP007
        an: Annotated[int, "rows"]

    tensor = tvm_ffi.from_dlpack(__import__("numpy").ones(2))
    values: dict[str, Any] = {
        "i": 1,
        "f": 2,
        "b": True,
        "s": "text" * 9,
        "y": b"bytes",
        "d": "float32",
        "v": tvm_ffi.device("cpu", 1),
        "p": ctypes.c_void_p(64),
        "a": [1],
        "o": None,
        "n": None,
        "li": [1],
        "tu": [1, 2],
        "t2": (1, "b"),
        "di": {"k": 3},
        "se": [1, 2],
        "ma": {"k": None},
        "bare": [None, "x"],
        "fn": lambda x: x + 1,
        "te": tensor,
        "sh": tvm_ffi.Shape([2, 3]),
        "ob": Point(1),
        "pt": None,
        "un": "u",
        "an": 5,
    }
    every = Every(**values)
    assert (every.i, every.f, every.b, every.s, every.y) == (1, 2.0, True, "text" * 9, b"bytes")
    assert every.d == tvm_ffi.dtype("float32")
    assert every.v == tvm_ffi.device("cpu", 1)
    assert type(every.li) is tvm_ffi.List
    assert type(every.tu) is tvm_ffi.Array
    assert type(every.di) is tvm_ffi.Dict
    assert type(every.ma) is tvm_ffi.Map
    assert list(every.se) == [1.0, 2.0]
    assert isinstance(every.se[0], float)
    assert every.fn(4) == 5
    assert every.te.same_as(tensor)
    assert every.sh == (2, 3)
    assert every.ob == Point(1)
    assert every.pt is None
    assert every.un == "u"
    assert every.an == 5
    layout = {each.name: (each.size, each.offset) for each in Every.__tvm_ffi_type_info__.fields}
    assert layout["i"] == (8, 24)
    assert layout["b"] == (1, 40)
    assert layout["s"] == (16, 48)
    assert layout["d"] == (4, 80)
    assert layout["v"] == (8, 84)
    assert layout["p"] == (8, 96)
    copied = copy.copy(every)
    del every, values
    gc.collect()
    assert copied.s == "text" * 9
    assert copied.fn(1) == 2
    assert copied.ob == Point(1)
    assert [each.type for each in fields(Every)][:3] == [int, float, bool]


def test_parts_are_converted_and_checked() -> None:
    """Nested values are converted; on an error, which names the location, nothing is stored."""

    @py_class(new_key())
    class Nested(Object):
        rows: list[list[float]]
        names: dict[str, tuple[int, ...]]
        either: float | int | str

    made = Nested([[1, 2], []], {"a": [1]}, 3)
    assert isinstance(made.rows[0][0], float)
    assert made.either == 3
    assert isinstance(made.either, int)
    shared = tvm_ffi.List([tvm_ffi.List([1.0])])
    assert Nested(shared, {}, "s").rows.same_as(shared)
    for arguments, message in [
        (([[1, "x"]], {}, 1), r"rows: element 0: element 1: expected float, got str"),
        ((3, {}, 1), r"rows: expected List\[List\[float\]\], got int"),
        (([], {2: [1]}, 1), r"names: key 0: expected str, got int"),
        (([], {"a": ["b"]}, 1), r"names: value 0: element 0: expected int, got str"),
        (([], {}, None), r"either: expected float \| int \| str, got None"),
    ]:
        with pytest.raises(TypeError, match=message):
            Nested(*arguments)
    with pytest.raises(TypeError, match="element 0"):
        made.rows = ["x"]
    assert len(made.rows) == 2


def test_cpp_reads_the_members(mirror: Any) -> None:
    """A C++ class with the same members and type key reads the objects directly."""

    @py_class("mirror.Plan")
    class Plan(Object):
        rows: int
        scale: float
        fused: bool
        name: str
        sizes: list[int]
        dtype: tvm_ffi.dtype
        device: tvm_ffi.Device
        extra: Any = None

    plan = Plan(
        3, 0.5, True, "a longer name than small", [7], "bfloat16", tvm_ffi.device("cuda", 2), [1]
    )
    members = list(mirror.members(plan))
    assert members[:5] == [3, 0.5, True, "a longer name than small", 7]
    assert members[5:7] == [tvm_ffi.dtype("bfloat16"), tvm_ffi.device("cuda", 2)]
    assert list(members[7]) == [1]
    assert mirror.field_of(plan, "name") == "a longer name than small"
    mirror.set_field_of(plan, "sizes", tvm_ffi.Array([4, 5]))
    assert list(plan.sizes) == [4, 5]
    assert type(plan.sizes) is tvm_ffi.List
    with pytest.raises(TypeError, match="element 1: expected int, got str"):
        mirror.set_field_of(plan, "sizes", tvm_ffi.Array([4, "x"]))
    with pytest.raises(TypeError, match=r"got field_types_test.Point"):
        mirror.members(Point(1))


def test_scalars_in_containers() -> None:
    """Elements of every scalar type are converted, and refused if their type is wrong."""

    @py_class(new_key())
    class Scalars(Object):
        b: list[bool]
        y: list[bytes]
        d: list[tvm_ffi.dtype]
        v: list[tvm_ffi.Device]
        p: list[ctypes.c_void_p]

    values: dict[str, list[Any]] = {
        "b": [True, False],
        "y": [b"bytes"],
        "d": [tvm_ffi.dtype("int8"), "float32"],
        "v": [tvm_ffi.device("cpu", 1)],
        "p": [ctypes.c_void_p(64)],
    }
    made = Scalars(**values)
    assert list(made.b) == [True, False]
    assert list(made.y) == [b"bytes"]
    assert list(made.d) == [tvm_ffi.dtype("int8"), tvm_ffi.dtype("float32")]
    assert list(made.v) == [tvm_ffi.device("cpu", 1)]
    assert len(made.p) == 1
    for name in values:
        with pytest.raises(TypeError, match=rf"{name}.*element 0"):
            Scalars(**{**values, name: [[1.5]]})


def test_parts_of_optional_containers() -> None:
    """A tuple must have the length of its type; an optional container's error names the element."""

    @py_class(new_key())
    class Parts(Object):
        pair: tuple[int, str]
        maybe: list[int] | None

    with pytest.raises(TypeError, match=r"pair.*got 3 elements"):
        Parts((1, "a", 2), None)
    with pytest.raises(TypeError, match=r"maybe.*element 1.*got str"):
        Parts((1, "a"), [1, "b"])
    assert Parts((1, "a"), None).maybe is None

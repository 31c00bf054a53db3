# SPDX-License-Identifier: Apache-2.0
# Rows: R5, R6
"""Object types defined by Python classes."""

from __future__ import annotations

import copy
import gc
import inspect
import os
import pickle
import subprocess
import sys
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

import pytest
import tvm_ffi
from tvm_ffi import Object
from tvm_ffi.dataclasses import (
    KW_ONLY,
    MISSING,
    asdict,
    field,
    fields,
    init_property,
    is_dataclass,
    py_class,
    replace,
)
from tvm_ffi.serialization import from_json_graph_str, to_json_graph_str

from .class_makers import make_class, new_key


@py_class("py_class_test.Point", eq=True, order=True, unsafe_hash=True)
class Point(Object):
    """A point."""

    x: int
    y: float = 2.5


@py_class("py_class_test.Pair")
class Pair(Object):
    """Two values of any type."""

    first: Any
    second: Any = None


def test_constructor() -> None:
    """Positional and keyword arguments set the fields and are converted to their types."""
    point = Point(1)
    assert (point.x, point.y) == (1, 2.5)
    assert repr(Point(y=3, x=True)) == "py_class_test.Point(x=1, y=3)"
    assert isinstance(Point(1, 3).y, float)
    assert str(inspect.signature(Point)) == "(x: int, y: float = 2.5)"
    assert Point.__match_args__ == ("x", "y")
    assert Point.__doc__ == "A point."


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Point(), r"py_class_test\.Point.*x: expected a value, got none"),
        (lambda: Point("a"), r"x: expected int, got str"),
        (lambda: Point(1.5), r"x: expected int, got float"),
        (lambda: Point(1, 2, 3), r"expected at most 2 arguments by position, got 3"),
        (lambda: Point(1, z=2), r'expected the name of a field, got "z"'),
        (lambda: Point(1, x=2), r"x: expected one value, got two"),
    ],
)
def test_constructor_refuses(make: Callable[[], Any], message: str) -> None:
    """A wrong argument is a TypeError that names the field."""
    with pytest.raises(TypeError, match=message):
        make()


def test_assignment() -> None:
    """Fields convert or refuse assigned values; instances have no other attributes."""
    point = Point(1)
    point.y = 4
    assert point.y == 4.0
    assert isinstance(point.y, float)
    with pytest.raises(TypeError, match=r"py_class_test\.Point\.x: expected int, got str"):
        point.x = "one"
    assert point.x == 1
    with pytest.raises(AttributeError):
        point.z = 1
    with pytest.raises(AttributeError, match="a field cannot be deleted"):
        del point.x


def test_names_of_dtypes() -> None:
    """A dtype field accepts a name; another string is a ValueError, any other type a TypeError."""

    @py_class("py_class_test.OfDtype")
    class OfDtype(Object):
        dtype: tvm_ffi.dtype

    made = OfDtype("int8")
    for make in (OfDtype, lambda value: setattr(made, "dtype", value)):
        with pytest.raises(ValueError, match=r'dtype: expected an element type .*, got "no"'):
            make("no")
        with pytest.raises(TypeError, match="dtype: expected dtype, got int"):
            make(3)
    assert made.dtype == "int8"


def test_comparisons() -> None:
    """Options add comparisons and a hash; without them, an object equals only itself."""
    assert Point(1) == Point(1, 2.5)
    assert Point(1) != Point(2)
    assert Point(1) < Point(2)
    assert hash(Point(1)) == hash(Point(1))
    assert {Point(1): "a"}[Point(1)] == "a"
    assert Pair(1) != Pair(1)
    pair = Pair(1)
    assert pair == tvm_ffi.convert([pair])[0]


def test_copies() -> None:
    """Copies, replacements, pickles and JSON have equal fields; deep copies share nothing."""
    pair = Pair(tvm_ffi.List([1, Point(3)]), "text")
    shallow, deep = copy.copy(pair), copy.deepcopy(pair)
    assert shallow.first.same_as(pair.first)
    assert not deep.first.same_as(pair.first)
    assert deep.first[1] == Point(3)
    assert not deep.first[1].same_as(pair.first[1])
    assert (
        repr(replace(pair, second=4))
        == "py_class_test.Pair(first=[1, py_class_test.Point(x=3, y=2.5)], second=4)"
    )
    assert replace(Point(1), x=7) == Point(7)
    for again in (pickle.loads(pickle.dumps(pair)), from_json_graph_str(to_json_graph_str(pair))):
        assert type(again) is Pair
        assert again.second == "text"
        assert again.first[1] == Point(3)
    assert asdict(Point(1)) == {"x": 1, "y": 2.5}


def test_pickle_imports_the_module(tmp_path: Path) -> None:
    """A process that has not imported the class can read its pickle."""
    (tmp_path / "shapes.py").write_text(
        "import tvm_ffi\nfrom tvm_ffi.dataclasses import py_class\n"
        "@py_class\nclass Inner(tvm_ffi.Object):\n    a: int\n"
        "@py_class\nclass Outer(tvm_ffi.Object):\n    inner: Inner\n"
    )
    environment = {**os.environ, "PYTHONPATH": f"{tmp_path}:{os.environ.get('PYTHONPATH', '')}"}
    write = (
        "import pickle, sys, shapes\n"
        "sys.stdout.buffer.write(pickle.dumps(shapes.Outer(shapes.Inner(5))))"
    )
    read = "import pickle, sys; print(pickle.load(sys.stdin.buffer))"
    data = subprocess.run(
        [sys.executable, "-c", write], env=environment, check=True, capture_output=True
    )
    text = subprocess.run(
        [sys.executable, "-c", read],
        env=environment,
        check=True,
        input=data.stdout,
        capture_output=True,
    )
    assert text.stdout == b"shapes.Outer(inner=shapes.Inner(a=5))\n"


def test_options_of_fields() -> None:
    """Each option of field() takes effect."""

    @py_class(new_key(), eq=True, unsafe_hash=True)
    class Options(Object):
        a: int = field(default=1, repr=False, doc="The first.", metadata={"k": 1})
        b: list[int] = field(default_factory=list, frozen=True)
        c: int = field(default=3, init=False)
        d: int = field(default=0, compare=False)
        e: int = field(default=0, hash=False)
        _: KW_ONLY
        f: int = 9
        g: int = field(default=0, kw_only=False)

    one, two = Options(d=5), Options(d=6)
    assert one == two
    assert hash(one) == hash(two)
    assert not one.b.same_as(two.b)
    assert hash(Options(e=1)) == hash(Options(e=2))
    assert Options(e=1) != Options(e=2)
    assert "a=" not in repr(one)
    assert one.c == 3
    assert Options(1, [], 0, 0, 7).g == 7
    with pytest.raises(TypeError, match="expected the name of a field"):
        Options(c=4)
    with pytest.raises(AttributeError, match="can only be read"):
        one.b = []
    found = {each.name: each for each in fields(Options)}
    assert (found["a"].doc, found["a"].metadata, found["a"].default) == ("The first.", {"k": 1}, 1)
    assert found["b"].default_factory is list
    assert found["b"].frozen
    assert found["b"].default is MISSING
    assert found["f"].kw_only
    assert not found["g"].kw_only
    assert not found["d"].compare
    with pytest.raises(ValueError, match="expected a default or a default_factory, got both"):
        field(default=1, default_factory=int)
    with pytest.raises(TypeError, match="default_factory: expected a callable, got int"):
        field(default_factory=3)
    with pytest.raises(ValueError, match=r"structural_eq: expected one of .*, got 'bogus'"):
        field(structural_eq="bogus")


def test_frozen_and_kw_only() -> None:
    """A frozen class refuses assignment; replace() still creates modified copies."""

    @py_class(new_key(), frozen=True, kw_only=True)
    class Frozen(Object):
        a: int

    frozen = Frozen(a=1)
    with pytest.raises(AttributeError, match="can only be read"):
        frozen.a = 2
    assert replace(frozen, a=3).a == 3
    assert frozen.a == 1
    with pytest.raises(TypeError, match="at most 0 arguments by position"):
        Frozen(1)


def test_structural_kinds() -> None:
    """structural_eq determines how structural comparison treats objects and fields."""
    equal, hashed = tvm_ffi.structural_equal, tvm_ffi.structural_hash

    @py_class(new_key())
    class Var(Object):
        name: str

    @py_class(new_key(), structural_eq="var")
    class Variable(Object):
        name: str = field(structural_eq="ignore")

    @py_class(new_key())
    class Lambda(Object):
        params: list[Variable] = field(structural_eq="def-pattern")
        body: Any
        note: str = field(default="", structural_eq="ignore")

    x, y = Variable("x"), Variable("y")
    assert equal(Lambda([x], [x, 1], "one"), Lambda([y], [y, 1], "two"))
    assert hashed(Lambda([x], [x, 1])) == hashed(Lambda([y], [y, 1]))
    assert not equal(Lambda([x], [x, 1]), Lambda([y], [x, 1]))
    assert not equal(Var("x"), Var("y"))

    @py_class(new_key(), structural_eq="singleton")
    class Single(Object):
        a: int

    @py_class(new_key(), structural_eq=None)
    class Opaque(Object):
        a: int

    assert not equal(Single(1), Single(1))
    with pytest.raises(TypeError, match="structural_eq_hash_kind"):
        equal(Opaque(1), Opaque(1))


def test_inheritance() -> None:
    """A derived class has the base's fields too, and its objects are accepted as the base's."""

    @py_class(new_key())
    class Base(Object):
        a: int
        b: str = "b"

        def doubled(self) -> int:
            return 2 * self.a

    @py_class(new_key())
    class Derived(Base):
        c: float = 0.5

    @py_class(new_key())
    class Holder(Object):
        base: Base

    made = Derived(3, c=1)
    assert (made.a, made.b, made.c, made.doubled()) == (3, "b", 1.0, 6)
    assert Holder(made).base.same_as(made)
    assert type(Holder(made).base) is Derived
    assert [each.name for each in fields(Derived)] == ["a", "b", "c"]
    with pytest.raises(TypeError, match=r"base: expected .*, got py_class_test.Point"):
        Holder(Point(1))
    with pytest.raises(TypeError, match="a: expected a new name, got that of an inherited field"):

        @py_class(new_key())
        class Again(Base):
            a: int


def test_post_init_and_init_property() -> None:
    """Computed fields and __post_init__ follow the constructor, even a user-defined one."""

    @py_class(new_key())
    class Grid(Object):
        rows: int
        cols: int = 4

        @init_property
        def size(self) -> int:
            """How many."""
            return self.rows * self.cols

        def __post_init__(self) -> None:
            self.rows += 1

    grid = Grid(3)
    assert (grid.rows, grid.size) == (4, 12)
    assert "size" not in repr(grid)
    with pytest.raises(TypeError, match="expected the name of a field"):
        Grid(3, size=4)

    @py_class(new_key())
    class Own(Grid):
        def __init__(self, text: str) -> None:
            self.__ffi_init__(len(text), 2)

    assert (Own("abc").size, Own("abc").rows) == (6, 4)

    @py_class(new_key())
    class Failing(Object):
        a: int

        def __post_init__(self) -> None:
            raise ValueError("a: too small")

    with pytest.raises(ValueError, match="a: too small"):
        Failing(1)


def test_small_fields_next_to_those_of_a_base() -> None:
    """A class whose first field fits into its base's padding can be pickled and derived from."""
    base = py_class(new_key())(make_class(__name__, "SmallBase", a="bool"))
    derived = py_class(new_key())(make_class(__name__, "SmallDerived", base, b="bool"))
    last = py_class(new_key())(make_class(__name__, "SmallLast", derived, c="str"))
    made = last(True, False, "text that is long")
    for cls in (base, derived, last):
        globals()[cls.__name__] = cls
    try:
        again = pickle.loads(pickle.dumps(made))
    finally:
        for cls in (base, derived, last):
            del globals()[cls.__name__]
    assert (again.a, again.b, again.c) == (True, False, "text that is long")


def test_constructor_of_a_base() -> None:
    """A base's constructor does not create an object for a derived class."""

    @py_class(new_key())
    class Base(Object):
        a: int

    @py_class(new_key())
    class Derived(Base):
        b: int

        def __init__(self, a: int) -> None:
            super().__init__(a)

    with pytest.raises(TypeError, match=r"Base\.__init__: expected an object of type"):
        Derived(1)

    class Plain(Base):
        def __init__(self) -> None:
            super().__init__(7)

    assert Plain().a == 7


def test_long_chains_are_freed() -> None:
    """A long list of objects is freed without overflowing the stack."""
    head = None
    for i in range(200_000):
        head = Pair(i, head)
    del head


# A cycle through a field, which the collector does not follow.
CYCLES = """
import gc, weakref, tvm_ffi
from typing import Any
from tvm_ffi.dataclasses import py_class
class Payload:
    pass
@py_class("cycle.Node")
class Node(tvm_ffi.Object):
    other: Any = None
    payload: Any = None
def is_freed(value):
    payload = Payload()
    value.payload = payload
    return weakref.ref(payload)
node = Node()
watched = is_freed(node)
del node
assert watched() is None
node = Node()
watched = is_freed(node)
node.other = node
del node
gc.collect()
assert watched() is not None
"""


def test_cycles_through_fields_stay() -> None:
    """A cycle through a field is not freed, as documented; without a cycle, the object is."""
    subprocess.run([sys.executable, "-c", CYCLES], check=True)


def test_fields_are_released() -> None:
    """Objects, defaults and replaced values are freed, but nothing still in use."""

    class Payload:
        pass

    payload = Payload()
    watched = weakref.ref(payload)
    pair = Pair(payload, [payload, {"k": payload}])
    copied = copy.copy(pair)
    assert pair.first is payload
    del payload
    pair.first = pair.second = None
    assert watched() is not None
    del copied
    gc.collect()
    assert watched() is None


def test_class_variables_and_methods() -> None:
    """A member without an annotation, or annotated as ClassVar, is not a field."""

    @py_class(new_key())
    class Plain(Object):
        limit: ClassVar[int] = 3
        a: int = 1
        other = 5

        @staticmethod
        def make() -> Any:
            return Plain(7)

    assert (Plain.limit, Plain().other, Plain.make().a) == (3, 5, 7)
    assert [each.name for each in fields(Plain)] == ["a"]
    assert is_dataclass(Plain)


def test_hooks() -> None:
    """The runtime calls methods with its hook names, from every language."""

    @py_class(new_key())
    class Hooked(Object):
        a: int

        def __ffi_repr__(self, show: Any) -> str:
            return f"<{self.a}>"

        def __s_equal__(self, other: Any, equal: Any) -> bool:
            return True

    assert repr(tvm_ffi.convert([Hooked(1)])) == "(<1>,)"
    assert tvm_ffi.structural_equal(Hooked(1), Hooked(2))


def test_fields_named_self() -> None:
    """The signature names the object as no field is named."""
    made = py_class(new_key())(make_class(__name__, "Selves", **{"self": "int", "self_": "int"}))
    assert str(inspect.signature(made.__init__)).startswith("(self__, /, self: int, self_: int)")
    assert (made(1, 2).self, made(1, self_=2).self_) == (1, 2)

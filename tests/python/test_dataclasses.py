# SPDX-License-Identifier: Apache-2.0
# Rows: R5, R6
"""C++ object types as dataclasses."""

from __future__ import annotations

import copy
import inspect
import operator
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

import pytest
import tvm_ffi
from tvm_ffi import Object, _core, testing
from tvm_ffi.dataclasses import (
    MISSING,
    asdict,
    astuple,
    c_class,
    fields,
    is_dataclass,
    replace,
)

from .conftest import compile_cpp_library
from .object_classes import Classes, call, same_classes  # noqa: F401  (a fixture)

# Type checkers know nothing of their constructors.
TestIntPair: Any = testing.TestIntPair
TestObjectBase: Any = testing.TestObjectBase
TestObjectDerived: Any = testing.TestObjectDerived
SOURCE = Path(__file__).resolve().parents[1] / "snippets" / "tile_plan.cc"


@pytest.fixture(scope="module", autouse=True)
def tiles(tmp_path_factory: pytest.TempPathFactory) -> tvm_ffi.Module:
    """Load the library of tiles."""
    path = tmp_path_factory.mktemp("tiles") / "tile_plan.so"
    compile_cpp_library(SOURCE, path)
    return tvm_ffi.load_module(path)


def tile_class(**options: bool) -> Any:
    """Register a class of the type used by every test of options."""

    @c_class("tile_plan.Tile", **options)
    class Tile(Object):
        rows: int
        cols: int
        stages: int
        tags: list[str]
        uses: int

    return Tile


def test_names() -> None:
    """The module exports its names and is available without a separate import."""
    assert tvm_ffi.dataclasses.c_class is c_class
    assert sorted(tvm_ffi.dataclasses.__all__) == [
        *("Enum", "EnumAttrMap", "EnumState", "Field", "IntEnum", "KW_ONLY", "MISSING", "Object"),
        *("StrEnum", "asdict", "astuple", "auto", "c_class", "entry", "field", "fields"),
        *("gen_abi_cpp", "init_property", "is_dataclass", "py_class", "replace"),
    ]
    assert str(inspect.signature(c_class)).startswith("(type_key: 'str', *, frozen: 'bool' = False")


def test_signature() -> None:
    """The constructor's signature lists its parameters in order, with their defaults."""
    parameters = inspect.signature(tile_class()).parameters
    assert list(parameters) == ["rows", "cols", "stages", "tags"]
    assert parameters["rows"].default is inspect.Parameter.empty
    assert parameters["stages"].default == 2
    assert parameters["tags"].default is MISSING
    assert parameters["tags"].kind is inspect.Parameter.KEYWORD_ONLY
    assert repr(MISSING) == "<MISSING>"
    assert pickle.loads(pickle.dumps(MISSING)) is copy.deepcopy(MISSING) is MISSING


def test_signature_of_a_derived_type() -> None:
    """Fields without a default come first; of those with one, the parent's do."""
    parameters = inspect.signature(TestObjectDerived).parameters
    assert list(parameters) == ["v_map", "v_array", "v_i64", "v_f64", "v_str"]
    assert TestObjectDerived.__match_args__ == tuple(parameters)

    @c_class("tile_plan.SwizzledTile")
    class SwizzledTile(tile_class()):  # type: ignore[misc]
        bits: int

    parameters = inspect.signature(SwizzledTile).parameters
    assert list(parameters) == ["rows", "cols", "stages", "bits", "tags"]


def test_construction() -> None:
    """Arguments set their fields; the others get defaults, created anew by a factory."""
    Tile = tile_class()
    assert astuple(Tile(1, 2)) == (1, 2, 2, [], 0)
    assert astuple(Tile(cols=1, rows=2, tags=["a"], stages=5)) == (2, 1, 5, ["a"], 0)
    first, second = Tile(1, 1), Tile(1, 1)
    first.tags.append("a")
    assert list(second.tags) == []


@pytest.mark.parametrize(
    ("arguments", "keywords", "words"),
    [
        ((1,), {}, "cols: expected a value, got none"),
        ((1, 2, 3, 4), {}, "expected at most 3 arguments by position, got 4"),
        ((1, 2), {"uses": 1}, 'expected the name of a field, got "uses"'),
        ((1, 2), {"rows": 1}, "rows: expected one value, got two"),
        ((1, "x"), {}, "cols: expected int, got str"),
    ],
)
def test_refused_arguments(
    arguments: tuple[Any, ...], keywords: dict[str, Any], words: str
) -> None:
    """A wrong argument is an error that names the type and the field."""
    with pytest.raises(TypeError, match=rf"tile_plan\.Tile\.__ffi_init__: {words}"):
        tile_class()(*arguments, **keywords)


def test_constructor_of_the_type(classes: Classes) -> None:
    """A type with its own constructor keeps it."""

    @c_class("objects.Pair")
    class Pair(Object):
        a: int
        b: int

    pair: Any = Pair
    assert astuple(pair(1, 2)) == (1, 2)
    assert not hasattr(pair.__init__, "__signature__")  # its parameters may not be fields
    with pytest.raises(TypeError):
        pair(a=1, b=2)
    assert astuple(replace(pair(1, 2), b=5)) == (1, 5)


def test_without_a_constructor(classes: Classes) -> None:
    """A class without a constructor cannot be called, even if its base can."""

    @c_class("objects.Stuck")
    class Stuck(classes.Node):  # type: ignore[misc, name-defined]
        pass

    with pytest.raises(TypeError, match="cannot be made by calling"):
        Stuck()
    assert is_dataclass(call("stuck"))
    Tile = tile_class(init=False)
    with pytest.raises(TypeError, match="cannot be made by calling"):
        Tile(1, 2)

    @c_class("tile_plan.SwizzledTile", init=False)
    class SwizzledTile(tile_class()):  # type: ignore[misc]
        pass

    with pytest.raises(TypeError, match="cannot be made by calling"):
        SwizzledTile(1, 2)


def test_init_of_the_body() -> None:
    """An ``__init__`` in the body is kept and can call the constructor."""

    @c_class("tile_plan.Tile", init=False)
    class Square(Object):
        rows: int

        def __init__(self, size: int) -> None:
            self.__ffi_init__(size, size)  # type: ignore[attr-defined]

    assert astuple(Square(3))[:2] == (3, 3)


def test_repr() -> None:
    """The printed form comes from C++; a ``__repr__`` in the body is kept."""
    assert repr(tile_class()(1, 2, tags=["a"])) == (
        'tile_plan.Tile(rows=1, cols=2, stages=2, tags=["a"])'
    )
    assert repr(TestObjectBase()) == 'testing.TestObjectBase(v_i64=10, v_f64=10, v_str="hello")'
    empty = Object.__new__(TestIntPair)
    assert repr(empty) == "<TestIntPair without an object>"

    @c_class("tile_plan.Tile")
    class Quiet(Object):
        def __repr__(self) -> str:
            return "quiet"

    assert repr(Quiet(1, 2)) == "quiet"  # type: ignore[call-arg]

    @c_class("tile_plan.SwizzledTile")
    class Loud(Quiet):
        pass

    assert repr(Loud(1, 2)).startswith("tile_plan.SwizzledTile(")  # type: ignore[call-arg]

    @c_class("tile_plan.SwizzledTile", repr=False)
    class AlsoQuiet(Quiet):
        pass

    assert repr(AlsoQuiet(1, 2)) == "quiet"  # type: ignore[call-arg]


def test_equality() -> None:
    """Objects of one type are compared by the fields that C++ compares."""
    Tile = tile_class(eq=True)
    assert Tile(1, 2) == Tile(1, 2, tags=["not compared"])
    assert Tile(1, 2).__ne__(Tile(1, 2)) is False
    assert Tile(1, 2).__eq__(Tile(1, 3)) is False
    assert Tile(1, 2) != Tile(1, 3)
    assert Tile(1, 2) != 3
    assert Tile(1, 2).__eq__(3) is NotImplemented
    assert len({Tile(1, 2), Tile(1, 2)}) == 2  # the hash is unchanged
    by_identity = tile_class()
    assert by_identity(1, 2) != by_identity(1, 2)


def test_equality_of_the_body() -> None:
    """An ``__eq__`` in the body is kept, and unsafe_hash replaces the None that Python sets."""

    @c_class("tile_plan.Tile", eq=True, unsafe_hash=True)
    class Tile(Object):
        def __eq__(self, other: object) -> bool:
            return True

    tile: Any = Tile
    assert tile(1, 2) == tile(3, 4)
    assert hash(tile(1, 2)) == hash(tile(1, 2))


def test_types_are_not_equal() -> None:
    """Objects of different types are not equal and have no order."""
    Tile = tile_class(eq=True, order=True)

    @c_class("tile_plan.SwizzledTile")
    class SwizzledTile(Tile):  # type: ignore[misc, valid-type]
        bits: int

    assert SwizzledTile(1, 2) == SwizzledTile(1, 2)
    assert SwizzledTile(1, 2) != Tile(1, 2)
    with pytest.raises(TypeError, match="not supported between instances"):
        sorted([SwizzledTile(1, 2), Tile(1, 2)])


def test_order() -> None:
    """The first differing field decides."""
    Tile = tile_class(order=True)
    small, large = Tile(1, 9), Tile(2, 0)
    assert (small < large, small <= large, small > large, small >= large) == (1, 1, 0, 0)
    assert (small < Tile(1, 9), small <= Tile(1, 9)) == (False, True)
    assert (small > Tile(1, 9), small >= Tile(1, 9)) == (False, True)
    with pytest.raises(TypeError):
        sorted([small, 3])
    with pytest.raises(TypeError):
        sorted([tile_class()(1, 2), tile_class()(1, 3)])


def test_order_of_the_body() -> None:
    """A comparison in the body prevents the others from being installed."""

    @c_class("tile_plan.Tile", order=True)
    class Tile(Object):
        def __lt__(self, other: object) -> bool:
            return True

    tile: Any = Tile
    assert tile(2, 2) < tile(1, 1)
    with pytest.raises(TypeError):
        operator.le(tile(1, 1), tile(2, 2))


def test_hash() -> None:
    """Equal objects have equal hashes."""
    Tile = tile_class(eq=True, unsafe_hash=True)
    assert len({Tile(1, 2), Tile(1, 2, tags=["not hashed"]), Tile(2, 1)}) == 2


def test_copies() -> None:
    """A shallow copy shares its contents, a deep copy does not, and both keep the subclass."""

    class Named(tile_class()):  # type: ignore[misc]
        __slots__ = ("__dict__",)

    tile = Named(1, 2, tags=["a"])
    tile.notes = [tile]
    shallow, deep = copy.copy(tile), copy.deepcopy(tile)
    tile.tags.append("b")
    assert (type(shallow), type(deep)) == (Named, Named)
    assert (list(shallow.tags), list(deep.tags)) == (["a", "b"], ["a"])
    assert shallow.notes is tile.notes
    assert deep.notes[0] is deep
    one, two = copy.deepcopy([tile, tile])
    assert one is two


def test_no_copies(classes: Classes) -> None:
    """An object of a non-copyable C++ class is refused by every kind of copy."""

    @c_class("objects.Locked")
    class Locked(Object):
        pass

    locked: Any = call("locked", 3)
    assert type(locked) is Locked
    with pytest.raises(TypeError, match=r"objects\.Locked"):
        copy.copy(locked)
    with pytest.raises(TypeError, match=r"objects\.Locked"):
        replace(locked)
    with pytest.raises(RuntimeError, match=r"objects\.Locked"):
        copy.deepcopy(locked)


def test_replace() -> None:
    """The copy gets new values, even in fields not set by the constructor or from Python."""
    tile = tile_class()(1, 2, tags=["a"])
    other = replace(tile, rows=5, uses=7)
    assert (astuple(other), tile.rows) == ((5, 2, 2, ["a"], 7), 1)
    assert astuple(replace(TestIntPair(1, 2), a=3)) == (3, 2)
    assert astuple(TestIntPair(1, 2).__replace__(b=3)) == (1, 3)


@pytest.mark.parametrize(
    ("use", "words"),
    [
        (lambda: replace(TestIntPair(1, 2), c=1), r"TestIntPair: .* one of a, b; got 'c'"),
        (lambda: replace(TestIntPair(1, 2), a="x"), r"TestIntPair\.a: expected int, got str"),
        (lambda: replace(3), "obj: expected an instance .* got int"),
        (lambda: replace(TestIntPair), "obj: expected an instance .* got the class TestIntPair"),
        (lambda: fields(3), "obj_or_cls: expected a class .* got int"),
        (lambda: fields(Object), "obj_or_cls: expected a class .* got the class Object"),
        (lambda: asdict(TestIntPair), "asdict: obj: expected .* got the class TestIntPair"),
        (lambda: astuple(3), "astuple: obj: expected .* got int"),
        (lambda: c_class(3), "c_class: type_key: expected a str, got int"),  # type: ignore[arg-type]
        (lambda: c_class("tile_plan.Tile")(int), "expected a class derived from tvm_ffi.Object"),
    ],
)
def test_refused_uses(use: Callable[[], object], words: str) -> None:
    """A value that is not a dataclass, a field or an instance is an error that says so."""
    with pytest.raises(TypeError, match=words):
        use()


def test_fields() -> None:
    """A field's description combines the C++ registration with the annotation."""
    Tile = tile_class()
    rows, cols, stages, tags, uses = fields(Tile)
    assert fields(Tile(1, 2)) is fields(Tile)
    assert repr(rows) == "Field('rows')"
    assert (rows.name, rows.type, rows.doc, cols.doc) == ("rows", int, "Rows of the tile.", None)
    assert (rows.default, rows.default_factory) == (MISSING, MISSING)
    assert (stages.default, stages.default_factory) == (2, MISSING)
    assert tags.default is MISSING
    assert list(tags.default_factory()) == []
    assert [field.init for field in fields(Tile)] == [True, True, True, True, False]
    assert [field.kw_only for field in fields(Tile)] == [False, False, False, True, False]
    assert [field.repr for field in fields(Tile)] == [True, True, True, True, False]
    assert [field.compare for field in fields(Tile)] == [True, True, True, False, False]
    assert all(field.hash for field in fields(Tile))
    assert not any(field.frozen for field in fields(Tile))
    assert all(field.frozen for field in fields(TestIntPair))
    assert (uses.type, tags.type) == (int, list[str])


def test_types_that_cannot_be_resolved() -> None:
    """A field has no type if its annotation is missing or cannot be resolved."""

    @c_class("tile_plan.Tile")
    class Tile(Object):
        rows: Unknown  # type: ignore[name-defined]  # noqa: F821
        cols: int

    assert [field.type for field in fields(Tile)] == [None, int, None, None, None]


def test_subclass_of_a_dataclass() -> None:
    """A Python subclass of a dataclass is a dataclass with the same fields."""

    class Sub(TestIntPair):  # type: ignore[misc]
        pass

    assert is_dataclass(Sub)
    assert [field.name for field in fields(Sub)] == ["a", "b"]


def test_fields_of_a_derived_type() -> None:
    """The parent's fields come first, whether or not they were queried before."""
    assert len(fields(TestObjectBase)) == 3
    names = [field.name for field in fields(TestObjectDerived)]
    assert names == ["v_i64", "v_f64", "v_str", "v_map", "v_array"]


def test_registered_class_is_none(classes: Classes) -> None:
    """A class that is only registered is not a dataclass."""
    assert not is_dataclass(classes.Node)


def test_contents() -> None:
    """Objects in containers are converted too, by the given factories."""
    derived = TestObjectDerived(
        v_map={"a": TestIntPair(1, 2)},
        v_array=[TestIntPair(3, 4), [5]],
    )
    assert asdict(derived)["v_map"] == {"a": {"a": 1, "b": 2}}
    assert astuple(derived)[3:] == ({"a": (1, 2)}, [(3, 4), [5]])
    assert asdict(derived, dict_factory=list)[4] == ("v_array", [[("a", 3), ("b", 4)], [5]])
    assert astuple(derived, tuple_factory=list)[4] == [[3, 4], [5]]
    assert type(asdict(derived)["v_array"]) is list


def test_match_args() -> None:
    """Patterns match the positional parameters of the constructor."""
    assert tile_class().__match_args__ == ("rows", "cols", "stages")
    assert not hasattr(tile_class(match_args=False), "__match_args__")


def test_frozen() -> None:
    """No field of a frozen class can be assigned, not even through a derived class."""
    Tile = tile_class(frozen=True)

    @c_class("tile_plan.SwizzledTile")
    class SwizzledTile(Tile):  # type: ignore[misc, valid-type]
        __slots__ = ("__dict__",)

        bits: int

    for made in (Tile(1, 2), SwizzledTile(1, 2)):
        with pytest.raises(AttributeError, match=r"tile_plan\.Tile\.rows: the class is frozen"):
            made.rows = 3
        assert replace(made, rows=3).rows == 3
        assert copy.deepcopy(made).rows == 1
        assert all(field.frozen for field in fields(made))
    made.note = "of Python"
    assert copy.copy(made).note == "of Python"
    with pytest.raises(TypeError, match="expected no __setattr__ in the body of a frozen class"):

        @c_class("tile_plan.Tile", frozen=True)
        class Own(Object):
            def __setattr__(self, name: str, value: object) -> None:
                pass


def test_annotations() -> None:
    """An annotation names a field or is a ClassVar; its only allowed value is ``...``."""
    with pytest.raises(
        TypeError,
        match=r"c_class: Tile\.row: expected a field of tile_plan\.Tile, which has rows, cols, "
        "stages, tags, uses",
    ):

        @c_class("tile_plan.Tile")
        class Tile(Object):
            row: int

    with pytest.raises(TypeError, match=r"Valued\.stages: expected no value, .* got 7"):

        @c_class("tile_plan.Tile")
        class Valued(Object):
            stages: int = 7

    @c_class("tile_plan.Tile")
    class Good(Object):
        stages: int = ...  # type: ignore[assignment]
        limit: ClassVar[int] = 9

    good: Any = Good
    assert (good(1, 2).stages, good.limit) == (2, 9)


def test_unknown_type() -> None:
    """A type that no library registers is an error."""
    with pytest.raises(ValueError, match=r"c_class: type_key: .* got 'tile_plan\.Nothing'"):

        @c_class("tile_plan.Nothing")
        class Nothing(Object):
            pass


def test_objects_arrive() -> None:
    """Objects received from C++ are instances of the class."""
    Tile = tile_class()
    tile = Tile(1, 2)
    assert type(tvm_ffi.convert([tile])[0]) is Tile
    assert _core.registered_class(_core.find_type("tile_plan.Tile") or 0) is Tile


def test_annotations_that_are_not_text() -> None:
    """In a module without the future import, annotations are the types themselves."""
    source = '@c_class("tile_plan.Tile")\nclass Tile(Object):\n    rows: int\n    tags: list[str]\n'
    scope: dict[str, Any] = {"c_class": c_class, "Object": Object}
    code = compile(source, "tile.py", "exec", dont_inherit=True)
    exec(code, scope | {"__name__": __name__}, scope)
    found = {each.name: each.type for each in fields(scope["Tile"])}
    assert (found["rows"], found["tags"]) == (int, list[str])

# SPDX-License-Identifier: Apache-2.0
# Rows: R5, R6
"""Python classes for object types: fields, methods, constructors, subclasses, identity."""

from __future__ import annotations

import copy
import gc
import math
import pickle
import subprocess
import sys
import threading
import weakref
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy
import pytest
import tvm_ffi
from hypothesis import given
from hypothesis import strategies as st
from tvm_ffi import Object, _core, register_object

from .conftest import compile_cpp_library


@pytest.fixture(scope="session")
def objects(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the library of object types, and load it."""
    path = tmp_path_factory.mktemp("objects") / "objects.so"
    compile_cpp_library(Path(__file__).with_name("objects.cc"), path)
    tvm_ffi.load_module(path)
    return path


class Classes:
    """The classes of the library's types."""

    def __init__(self) -> None:
        @register_object("objects.Pair")
        class Pair(Object):
            """Two numbers, in Python."""

        @register_object("objects.Node")
        class Node(Object):
            pass

        @register_object("objects.Leaf")
        class Leaf(Node):
            pass

        @register_object("objects.Stuck")
        class Stuck(Node):
            pass

        self.Pair: Any = Pair
        self.Node: Any = Node
        self.Leaf: Any = Leaf
        self.Stuck: Any = Stuck


@pytest.fixture(scope="session")
def classes(objects: Path) -> Classes:
    """Register them, once."""
    return Classes()


@pytest.fixture(autouse=True)
def same_classes(classes: Classes) -> Any:
    """Let a test register others: those from before come back."""
    yield
    for name in ("Pair", "Node", "Leaf", "Stuck"):
        _core.register_object_class(f"objects.{name}", getattr(classes, name))


def call(name: str, *arguments: Any) -> Any:
    """Call a function of the library."""
    return tvm_ffi.get_global_func(f"objects.{name}")(*arguments)


# Fields


def test_fields_are_read(classes: Classes) -> None:
    """A field is an attribute, and its documentation is the attribute's."""
    pair = classes.Pair(3, 4)
    assert (pair.a, pair.b) == (3, 4)
    assert classes.Pair.a.__doc__ == "The first."
    assert classes.Pair.b.__doc__ is None
    assert classes.Pair.a.__name__ == "a"


@given(
    number=st.integers(-(2**63), 2**63 - 1),
    real=st.floats(),
    flag=st.booleans(),
    narrow=st.integers(-(2**31), 2**31 - 1),
    name=st.text(),
    anything=st.none() | st.integers(-5, 5) | st.text() | st.binary() | st.floats(allow_nan=False),
)
def test_fields_keep_what_is_set(
    classes: Classes, number: int, real: float, flag: bool, narrow: int, name: str, anything: Any
) -> None:
    """A field gives back the value that it was set to."""
    node = classes.Node()
    node.number, node.real, node.flag = number, real, flag
    node.narrow, node.name, node.any = narrow, name, anything
    assert (node.number, node.flag, node.narrow, node.name) == (number, flag, narrow, name)
    assert type(node.flag) is bool
    assert node.real == real or (math.isnan(node.real) and math.isnan(real))
    assert node.any == anything
    assert type(node.any) is type(anything)


@pytest.mark.parametrize(
    ("name", "value", "error", "message"),
    [
        ("number", "x", TypeError, "objects.Node.number: expected int, got str"),
        ("number", None, TypeError, "objects.Node.number: expected int, got None"),
        ("number", 2**70, TypeError, "objects.Node.number: expected int, got BigInt"),
        ("any", {1, 2}, TypeError, "objects.Node.any: set: expected a single value"),
        ("narrow", 2**40, TypeError, "objects.Node.narrow: expected int of 32 bits, got int 10995"),
        ("name", 3, TypeError, "objects.Node.name: expected str, got int 3"),
        ("next", 3, TypeError, "objects.Node.next: expected Object, got int 3"),
        ("tensor", 3, TypeError, "objects.Node.tensor: expected Optional[Tensor], got int 3"),
    ],
)
def test_wrong_values_are_refused(
    classes: Classes, name: str, value: Any, error: type[Exception], message: str
) -> None:
    """A value that does not convert is refused by name, and the field keeps what it had."""
    node = classes.Node()
    before = getattr(node, name)
    with pytest.raises(error) as raised:
        setattr(node, name, value)
    assert str(raised.value).startswith(message)
    assert getattr(node, name) == before


def test_read_only_fields(classes: Classes) -> None:
    """A field that was registered for reading is not written, and none is deleted."""
    pair = classes.Pair(1, 2)
    with pytest.raises(AttributeError, match=r"^objects\.Pair\.a: the field can only be read$"):
        pair.a = 3
    with pytest.raises(AttributeError, match=r"^objects\.Node\.number: a field cannot be deleted$"):
        del classes.Node().number
    assert pair.a == 1


def test_unknown_attributes_are_refused(classes: Classes) -> None:
    """A misspelt field is no new attribute."""
    with pytest.raises(AttributeError, match="nubmer"):
        classes.Node().nubmer = 3
    assert not hasattr(classes.Node(), "__dict__")


def test_fields_ask_for_their_object(classes: Classes) -> None:
    """A field reads no other object than one that has it."""
    for other, got in ((3, "int"), (classes.Node(), "Node")):
        with pytest.raises(TypeError, match=rf"^objects\.Pair\.a: expected an .*, got {got}$"):
            classes.Pair.a.__get__(other)
        with pytest.raises(TypeError, match=r"^objects\.Leaf\.extra: expected"):
            classes.Leaf.extra.store(other, 1)
    assert classes.Pair.a.__get__(None, classes.Pair) is classes.Pair.a


def test_a_tensor_in_a_field_keeps_its_memory(classes: Classes) -> None:
    """A field that holds an array shares its memory, and keeps it."""
    array = numpy.arange(4.0)
    before = sys.getrefcount(array)
    node = classes.Node(tensor=array)
    array[1] = 7
    assert numpy.from_dlpack(node.tensor).tolist() == [0, 7, 2, 3]
    assert sys.getrefcount(array) > before
    node.tensor = None
    gc.collect()
    assert sys.getrefcount(array) == before


def test_fields_hold_objects(classes: Classes) -> None:
    """An object in a field is that very object, of its own class."""
    inner = classes.Leaf(extra=3)
    outer = classes.Node(next=inner)
    assert outer.next == inner
    assert type(outer.next) is classes.Leaf
    assert outer.next is not inner  # another instance for the same object
    opaque = {1, 2}
    outer.any = [].append
    outer.any = type("Carried", (), {"x": opaque})()
    assert outer.any.x is opaque


# Methods


def test_methods(classes: Classes) -> None:
    """Methods take the object first; static ones do not; they have names and documentation."""
    pair = classes.Pair(3, 4)
    assert pair.sum() == 7
    assert classes.Pair.sum(pair) == 7
    bound = pair.sum
    del pair
    assert bound() == 7
    assert classes.Pair.of(5).b == 5
    assert classes.Pair(1, 2).of(6).a == 6
    assert classes.Pair.sum.__doc__ == "Adds them."
    assert classes.Pair.sum.__qualname__ == "objects.Pair.sum"


def test_methods_refuse_what_does_not_fit(classes: Classes) -> None:
    """The message names the method, the argument and what came; errors keep their kind."""
    with pytest.raises(ValueError, match=r"^not 3$"):
        classes.Pair(3, 4).refuse()
    with pytest.raises(TypeError, match=r"objects\.Pair\.sum.*expected objects\.Pair, got objects"):
        classes.Pair.sum(classes.Node())
    with pytest.raises(TypeError, match=r"objects\.Pair\.sum.*expected 1 argument, got 2"):
        classes.Pair(3, 4).sum(1)


def test_methods_of_ancestors(classes: Classes) -> None:
    """A class that skips a parent's class has the parent's members all the same."""

    @register_object("objects.Leaf")
    class Straight(Object):
        pass

    leaf: Any = Straight(extra=4, number=2)
    assert (leaf.extra, leaf.number, leaf.twice()) == (4, 2, 8)


def test_the_class_body_wins(classes: Classes) -> None:
    """What the class defines itself is not replaced by what is registered."""

    @register_object("objects.Pair")
    class Mine(Object):
        b = property(lambda self: "mine too")

        def sum(self) -> str:
            return "mine"

        def __init__(self, both: int) -> None:
            self.__ffi_init__(both, both)  # type: ignore[attr-defined]

    mine: Any = Mine(4)
    assert (mine.a, mine.b, mine.sum()) == (4, "mine too", "mine")
    assert type(call("echo", mine)) is Mine


# Constructors


def test_constructor_of_the_class(classes: Classes) -> None:
    """A registered constructor takes its arguments by position; the message names them."""
    assert classes.Pair(1, 2).b == 2
    with pytest.raises(TypeError, match=r"objects\.Pair.*expected 2 arguments, got 1"):
        classes.Pair(1)
    with pytest.raises(TypeError, match=r"objects\.Pair.*argument 1: expected int, got str"):
        classes.Pair(1, "x")
    with pytest.raises(TypeError, match=r"by position only.*got the keyword 'a'"):
        classes.Pair(a=1, b=2)


def test_constructor_of_the_fields(classes: Classes) -> None:
    """A constructor that is made of the fields takes keywords, and fills in defaults."""
    node = classes.Node(3, 1.5, name="x")
    assert (node.number, node.real, node.flag, node.name) == (3, 1.5, False, "x")
    assert classes.Node(**{"number": 4}).number == 4
    assert classes.Leaf(extra=1, number=5).number == 5
    for arguments, keywords, message in (
        ((), {"zz": 3}, 'expected the name of a field, got "zz"'),
        ((1,), {"number": 3}, "number: expected one value, got two"),
        (range(9), {}, "expected at most 7 arguments by position, got 9"),
        ((), {"number": "x"}, "number: expected int, got str"),
    ):
        with pytest.raises(TypeError, match=message):
            classes.Node(*arguments, **keywords)
    with pytest.raises(TypeError, match="extra: expected a value, got none"):
        classes.Leaf()


def test_no_constructor(classes: Classes) -> None:
    """A type without a constructor refuses to be called, also where its parent has one."""
    for cls in (Object, classes.Stuck, type(call("locked", 3))):
        with pytest.raises(TypeError, match="cannot be made by calling its type"):
            cls()
    assert call("stuck").number == 0
    with pytest.raises(TypeError, match="cannot be made by calling its type"):
        Object.__new__(classes.Stuck)
    with pytest.raises(TypeError):
        Object.__new__(tvm_ffi.Tensor)


def test_init_false(classes: Classes) -> None:
    """With init=False the class keeps the __init__ that it has."""

    @register_object("objects.Pair", init=False)
    class Pair(Object):
        pass

    with pytest.raises(TypeError, match="cannot be made by calling its type"):
        Pair()
    assert Pair.__ffi_init__ is not None  # type: ignore[attr-defined]


# Subclasses


def test_subclass_with_its_own_init(classes: Classes) -> None:
    """A subclass calls the constructor by super(), and may have attributes of its own."""

    class Noted(classes.Pair):  # type: ignore[misc, name-defined]
        __slots__ = ("__dict__", "count")

        def __init__(self, both: int) -> None:
            self.note = "before"
            super().__init__(both, both)
            self.count = both

    noted: Any = Noted(3)
    assert (noted.sum(), noted.note, noted.count) == (6, "before", 3)
    assert isinstance(noted, classes.Pair)
    # The object has no memory of the subclass.
    assert type(call("echo", noted)) is classes.Pair


def test_init_handle_by_constructor(classes: Classes) -> None:
    """An __init__ can take the object of any function."""

    class Twin(classes.Pair):  # type: ignore[misc, name-defined]
        def __init__(self, both: int) -> None:
            self.__init_handle_by_constructor__(classes.Pair.of, both)

    twin: Any = Twin(4)
    assert (twin.a, twin.b) == (4, 4)
    with pytest.raises(TypeError, match="expected an instance without an object"):
        twin.__init__(5)
    assert twin.a == 4
    empty: Any = Twin.__new__(Twin)
    with pytest.raises(TypeError, match="that gives an object, got a int"):
        empty.__init_handle_by_constructor__(int)
    with pytest.raises(TypeError, match="expected a constructor, got no argument"):
        empty.__init_handle_by_constructor__()


def test_instances_without_an_object(classes: Classes) -> None:
    """An instance whose __init__ made no object is refused everywhere, and harms nothing."""

    class Lazy(classes.Node):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            pass

    lazy: Any = Lazy()
    assert lazy.id_ == lazy.__chandle__() == 0
    assert "without an object" in repr(lazy)
    assert lazy == lazy
    assert isinstance(hash(lazy), int)
    for use in (
        lambda: lazy.number,
        lambda: setattr(lazy, "number", 3),
        lambda: call("echo", lazy),
        lambda: classes.Node(next=lazy),
        lambda: classes.Pair.sum(lazy),
        lambda: copy.copy(lazy),
        lambda: copy.deepcopy(lazy),
        lambda: pickle.dumps(lazy),
    ):
        with pytest.raises((TypeError, ValueError), match=r"without an object|without one"):
            use()


def test_a_constructor_that_raises_leaves_nothing(classes: Classes) -> None:
    """An instance whose constructor failed is dropped with all that it had."""

    class Failing(classes.Pair):  # type: ignore[misc, name-defined]
        __slots__ = ("__dict__",)

        def __init__(self, kept: object) -> None:
            self.kept = kept
            super().__init__("no", "numbers")

    kept = {1}
    before = sys.getrefcount(kept), call("pairs_alive")
    for _ in range(3):
        with pytest.raises(TypeError):
            Failing(kept)
    gc.collect()
    assert (sys.getrefcount(kept), call("pairs_alive")) == before


def test_abstract_bases(classes: Classes) -> None:
    """A class can derive from an abstract base class as well."""

    @register_object("objects.Pair")
    class AsSequence(Object, Sequence):  # type: ignore[type-arg]
        def __len__(self) -> int:
            return 2

        def __getitem__(self, i: Any) -> Any:
            return (self.a, self.b)[i]  # type: ignore[attr-defined]

    pair: Any = AsSequence(5, 6)
    assert list(pair) == [5, 6]
    assert isinstance(pair, Sequence)
    assert not isinstance(classes.Pair(1, 2), AsSequence)
    assert not isinstance(3, Object)


# Identity


def test_identity(classes: Classes) -> None:
    """Two instances for one object are equal and have one hash; those of two objects are not."""
    pair = classes.Pair(1, 2)
    again = call("echo", pair)
    assert again is not pair
    assert again == pair
    assert (again != pair) is False
    assert hash(again) == hash(pair)
    assert again.same_as(pair)
    assert again.is_(pair)
    assert again.id_ == pair.__chandle__() != 0
    other = classes.Pair(1, 2)
    assert other != pair
    assert not other.same_as(pair)
    assert not pair.same_as(3)
    assert pair != 3
    assert len({pair, again, other}) == 2
    with pytest.raises(TypeError):
        pair < other  # noqa: B015


def test_weak_references(classes: Classes) -> None:
    """A weak reference tells of the instance, not of the object."""
    pair = classes.Pair(1, 2)
    died: list[int] = []
    reference = weakref.ref(pair, lambda _: died.append(1))
    again = call("echo", pair)
    assert reference() is pair
    del pair
    assert reference() is None
    assert died == [1]
    assert again.a == 1


def test_objects_are_freed(classes: Classes) -> None:
    """An object goes with its last reference."""
    before = call("pairs_alive")
    pairs = [classes.Pair(i, i) for i in range(10)]
    node = classes.Node(next=pairs[0])
    assert call("pairs_alive") == before + 10
    del pairs
    assert call("pairs_alive") == before + 1
    del node
    assert call("pairs_alive") == before


def test_cycles_are_collected(classes: Classes) -> None:
    """An instance with a dictionary that refers to itself is collected, with its object."""

    class Cyclic(classes.Pair):  # type: ignore[misc, name-defined]
        __slots__ = ("__dict__",)

    before = call("pairs_alive")
    cyclic: Any = Cyclic(1, 2)
    cyclic.me = cyclic
    cyclic.bound = cyclic.sum
    del cyclic
    gc.collect()
    assert call("pairs_alive") == before


# Printing, copies, pickles


def test_repr(classes: Classes) -> None:
    """The printed form has the type's name and its fields, unless they are hidden."""
    assert repr(classes.Pair(1, 2)) == "objects.Pair(a=1, b=2)"
    assert repr(classes.Leaf(extra=3, name="x")) == (
        "objects.Leaf(number=1, real=0.5, flag=False, narrow=0, name='x', any=None, next=None, "
        "extra=3)"
    )
    assert repr(call("plain")).startswith("<objects.Plain object at 0x")


def test_repr_of_cycles_and_long_chains(classes: Classes) -> None:
    """An object in itself is printed once; a chain beyond Python's limit is an error."""
    node = classes.Node()
    node.next = node
    try:
        assert repr(node).endswith("next=objects.Node(...))")
        assert repr(node).endswith("next=objects.Node(...))")
    finally:
        node.next = None
    chain = classes.Node()
    for _ in range(5000):
        chain = classes.Node(next=chain)
    with pytest.raises(RecursionError):
        repr(chain)
    while chain is not None:  # C++ would free it recursively
        rest, chain.next = chain.next, None
        chain = rest


def test_repr_of_a_field_that_raises(classes: Classes) -> None:
    """An error in a value's own repr comes through, and the next call is not affected."""

    class Bad:
        def __repr__(self) -> str:
            raise ZeroDivisionError

    node = classes.Node(any=Bad())
    for _ in range(2):
        with pytest.raises(ZeroDivisionError):
            repr(node)


def test_copies(classes: Classes) -> None:
    """A copy is another object with the same fields; a type without copies says so."""
    inner = classes.Pair(1, 2)
    node = classes.Node(5, next=inner)
    shallow = copy.copy(node)
    assert shallow != node
    assert shallow.number == 5
    assert shallow.next == inner

    class Noted(classes.Node):  # type: ignore[misc, name-defined]
        __slots__ = ("__dict__",)

    noted: Any = Noted(6)
    noted.notes = [1]
    assert type(copy.copy(noted)) is Noted
    assert copy.copy(noted).notes is noted.notes
    deep: Any = copy.deepcopy(noted)
    assert type(deep) is Noted
    assert deep.number == 6
    assert deep.notes == [1]
    assert deep.notes is not noted.notes
    with pytest.raises(TypeError, match=r"^cannot copy objects\.Locked"):
        copy.copy(call("locked", 3))


@given(protocol=st.integers(0, pickle.HIGHEST_PROTOCOL), number=st.integers(-5, 5), name=st.text())
def test_pickles(classes: Classes, protocol: int, number: int, name: str) -> None:
    """Objects that their fields describe come back, each once, cycles included."""
    leaf = classes.Leaf(extra=number, name=name)
    node = classes.Node(number, next=leaf, any=leaf)
    leaf.next = node
    back = pickle.loads(pickle.dumps(node, protocol))
    assert back != node
    assert type(back) is classes.Node
    assert type(back.next) is classes.Leaf
    assert back.next == back.any
    assert back.next.next == back
    assert (back.number, back.next.extra, back.next.name) == (number, number, name)
    for one in (leaf, back.next):
        one.next = None  # C++ does not collect cycles


def test_making_an_object_ends_none(classes: Classes) -> None:
    """The __del__ of a class runs once for what its caller made, when that goes."""
    ended = []

    @register_object("objects.Pair")
    class Ending(Object):
        def __del__(self) -> None:
            ended.append(self.a)  # type: ignore[attr-defined]

    @register_object("objects.Node")
    class EndingNode(Object):
        def __init__(self, number: int) -> None:
            self.__init_handle_by_constructor__(_core.type_attribute(*constructor), number)

        def __del__(self) -> None:
            ended.append(self.number)  # type: ignore[attr-defined]

    constructor = _core.find_type("objects.Node"), "__ffi_init__"
    for make in (lambda: Ending(3, 4), lambda: EndingNode(3)):
        made = make()
        copied = copy.copy(made)
        assert ended == []
        del made, copied
        assert ended == [3, 3]
        ended.clear()


def test_slots_are_copied(classes: Classes, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a subclass keeps in slots of its own goes along, as for every Python class."""

    class Labelled(classes.Node):  # type: ignore[misc, name-defined]
        __slots__ = ("__dict__", "label", "unset")
        __qualname__ = "Labelled"

    monkeypatch.setitem(globals(), "Labelled", Labelled)  # where pickle looks for it
    node: Any = Labelled(3)
    node.label, node.note = "x", "y"
    for take in (copy.copy, copy.deepcopy, lambda it: pickle.loads(pickle.dumps(it))):
        taken = take(node)
        assert type(taken) is Labelled
        assert (taken.number, taken.label, taken.note) == (3, "x", "y")
        assert not hasattr(taken, "unset")


def test_what_cannot_be_pickled(classes: Classes) -> None:
    """A type whose objects have more than their fields, or no constructor, is named."""

    @register_object("objects.Hidden")
    class Hidden(Object):
        pass

    for value, message in (
        (classes.Pair(1, 2), r"^cannot pickle objects\.Pair: its objects cannot be made without"),
        (Hidden(), r"^cannot pickle objects\.Hidden: it has members that are not registered"),
        (
            call("between"),
            r"^cannot pickle objects\.Between: it has members that are not registered",
        ),
        (call("locked", 3), r"^cannot pickle objects\.Locked"),
        (tvm_ffi.get_global_func("objects.echo"), r"^cannot pickle ffi\.Function"),
    ):
        for _ in range(2):
            with pytest.raises(TypeError, match=message):
                pickle.dumps(value)


def test_a_member_in_a_gap_is_not_copied(classes: Classes) -> None:
    """What lies in the padding behind a field is not seen: the copy has its default."""

    @register_object("objects.Padded")
    class Padded(Object):
        pass

    padded = Padded(5)
    padded.hide()
    assert padded.is_hidden()
    for copied in (pickle.loads(pickle.dumps(padded)), copy.deepcopy(padded)):
        assert copied.shown == 5
        assert not copied.is_hidden()
    assert copy.copy(padded).is_hidden()


def test_a_pickle_without_its_library(classes: Classes) -> None:
    """A process that has not loaded the library says which type is missing."""
    code = f"import pickle; pickle.loads({pickle.dumps(call('cpp_only'))!r})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "ValueError: cannot unpickle objects.inner.CppOnly: expected its library" in done.stderr


# Registration


def test_types_without_a_class(classes: Classes) -> None:
    """A type that no class is registered for gets one, with those of its ancestors."""
    value = call("cpp_only")
    assert (value.v1, value.v2, value.next()) == (41, 42, 42)
    assert [cls.__name__ for cls in type(value).__mro__] == [
        "CppOnly",
        "BaseOnly",
        "Object",
        "object",
    ]
    assert type(value).__module__ == "objects.inner"
    assert type(call("cpp_only")) is type(value)
    assert repr(value) == "objects.inner.CppOnly(v1=41, v2=42)"

    @register_object("objects.Locked")
    class Locked(Object):
        pass

    assert type(call("locked", 5)) is Locked
    assert call("locked", 5).open() == 5  # type: ignore[attr-defined]


def test_a_class_for_the_parent_comes_late(classes: Classes) -> None:
    """A parent's class is a base of those made for its descendants, also if it comes late."""
    early = call("cpp_only")

    @register_object("objects.BaseOnly")
    class BaseOnly(Object):
        pass

    late = call("echo", early)
    assert isinstance(late, BaseOnly)
    assert (late.v1, late.v2) == (early.v1, early.v2) == (41, 42)
    assert type(call("cpp_only")) is type(late)


def test_the_last_class_stays(classes: Classes) -> None:
    """A class that is registered again replaces the one from before, for new instances."""
    old = call("echo", classes.Pair(1, 2))

    @register_object("objects.Pair")
    class Pair(Object):
        pass

    assert type(call("echo", old)) is Pair
    assert type(old) is classes.Pair
    assert old.a == 1


def test_refused_registrations(classes: Classes) -> None:
    """What cannot be registered is refused by name."""
    for type_key, bases, error, message in (
        ("no.such", (Object,), ValueError, "type_key: expected a type that a loaded library"),
        ("objects.Pair\0", (Object,), ValueError, "type_key: expected a type that a loaded"),
        (3, (Object,), TypeError, "type_key: expected a str, got int"),
        ("objects.Pair", (), TypeError, "expected a class derived from tvm_ffi.Object"),
        ("objects.Pair", (classes.Node,), TypeError, "is derived from that of objects.Node"),
        ("ffi.Tensor", (Object,), TypeError, "ffi.Tensor: expected a class derived from"),
        ("ffi.Function", (Object,), TypeError, "ffi.Function: expected a class derived from"),
    ):
        cls = type(Object)("Wrong", bases, {}) if bases else type("Wrong", (), {})
        with pytest.raises(error, match=message):
            register_object(type_key)(cls)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="got 'NoSuchName'"):

        @register_object
        class NoSuchName(Object):
            pass

    with pytest.raises(TypeError, match="expected a class"):
        register_object("objects.Pair")(lambda: None)  # type: ignore[type-var]


def test_type_info(classes: Classes) -> None:
    """The class tells what is registered."""
    info = classes.Leaf.__tvm_ffi_type_info__
    assert (info.type_key, info.type_cls) == ("objects.Leaf", classes.Leaf)
    assert [field.name for field in info.fields] == ["extra"]
    assert info.fields[0].metadata == {"type_schema": '{"type":"int"}'}
    assert info.fields[0].frozen
    assert info.fields[0].size == 8
    assert not classes.Node.__tvm_ffi_type_info__.fields[0].frozen
    assert classes.Node.__tvm_ffi_type_info__.fields[0].doc == "A whole number."
    methods = {method.name: method for method in classes.Pair.__tvm_ffi_type_info__.methods}
    assert methods["of"].is_static
    assert not methods["sum"].is_static
    assert methods["sum"].doc == "Adds them."


# Threads, and the end


def test_threads_make_one_class(objects: Path) -> None:
    """A type without a class gets one, also where several threads see its first object."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for _ in range(30):
            for key in ("objects.BaseOnly", "objects.inner.CppOnly"):
                _core.forget_class(_core.find_type(key))
            found: list[type] = []
            start = threading.Barrier(8)

            def look(start: Any = start, found: list[type] = found) -> None:
                start.wait()
                found.append(type(call("cpp_only")))

            threads = [threading.Thread(target=look) for _ in range(8)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            assert len(found) == 8
            assert len(set(found)) == 1
    finally:
        sys.setswitchinterval(interval)


def test_threads(classes: Classes) -> None:
    """Several threads make, read, write and drop objects at once."""
    shared = classes.Node()
    errors: list[BaseException] = []
    before = call("pairs_alive")

    def work(seed: int) -> None:
        try:
            for i in range(300):
                pair = classes.Pair(seed, i)
                shared.any = pair
                assert type(shared.any) is classes.Pair
                assert pair.sum() == seed + i
                repr(shared)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    shared.any = None
    assert not errors
    assert call("pairs_alive") == before


def test_objects_outlive_their_module(objects: Path) -> None:
    """Objects that are left when Python ends, after their module is gone, do no harm."""
    code = f"""
import gc, tvm_ffi
module = tvm_ffi.load_module({str(objects)!r}, keep_module_alive=False)
@tvm_ffi.register_object("objects.Node")
class Node(tvm_ffi.Object):
    __slots__ = ("__dict__",)
node = Node(name="left")
node.me = node
node.next = node
other = tvm_ffi.get_global_func("objects.cpp_only")()
del module
gc.collect()
print(node.name, other.v2)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "left 42\n", "")

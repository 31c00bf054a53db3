# SPDX-License-Identifier: Apache-2.0
# Rows: R5, R6
"""When a Python-defined class becomes a type, and which classes are refused."""

from __future__ import annotations

import os
import pickle
import threading
from typing import Any

import pytest
import tvm_ffi
from tvm_ffi import Object, testing
from tvm_ffi.dataclasses import (
    field,
    fields,
    is_dataclass,
    py_class,
)

from .class_makers import make_class, new_key


@py_class("declared_class_test.Point", eq=True, order=True, unsafe_hash=True)
class Point(Object):
    """A point."""

    x: int
    y: float = 2.5


def test_references_to_itself_and_to_later_classes() -> None:
    """Annotations may name the class itself and classes decorated later."""

    @py_class(new_key())
    class Node(Object):
        value: int
        next: Node | None = None
        leaf: Leaf | None = None
        many: list[Leaf] = field(default_factory=list)

    with pytest.raises(
        TypeError, match=r"expected annotations whose names are defined by now.*Leaf"
    ):
        Node(1)

    @py_class(new_key())
    class Leaf(Object):
        value: int

    # Names in a function are resolved where the decorator is applied.
    globals()["Leaf"] = Leaf
    try:
        node = Node(1, Node(2, leaf=Leaf(3)), many=[Leaf(4)])
    finally:
        del globals()["Leaf"]
    assert node.next is not None
    assert node.next.leaf is not None
    assert node.next.leaf.value == 3
    with pytest.raises(TypeError, match="many: element 0: expected"):
        Node(1, many=[Point(1)])


def test_names_of_classes_that_come_later() -> None:
    """A class completes once the classes it names are decorated, before the names are bound."""

    @py_class(new_key(), eq=True)
    class Vertex(Object):
        value: int
        edge: Edge | None = None

    assert not is_dataclass(Vertex)

    @py_class(new_key(), eq=True)
    class Edge(Object):
        end: Vertex

    assert [each.name for each in fields(Vertex)] == ["value", "edge"]
    made = Vertex(1, Edge(Vertex(2)))
    assert pickle.loads(pickle.dumps(made)) == made


def test_names_in_quotes_within_an_annotation() -> None:
    """A quoted name is resolved inside other types too, on every Python version."""
    tile = py_class(new_key())(make_class(__name__, "Tile", rows=int))
    annotations: dict[str, Any] = {
        "many": list["tile"],
        "named": dict[str, list["tile"]] | None,
        "any_number": tuple["tile", ...],
    }
    holder = py_class(new_key())(make_class(__name__, "Holder", **annotations))
    one = tile(3)
    made = holder([one], {"a": [one]}, (one,))
    assert made.named["a"][0].rows == made.many[0].rows == made.any_number[0].rows == 3
    with pytest.raises(TypeError, match="many: element 0: expected"):
        holder([1], None, ())


def test_an_error_stays_with_its_class() -> None:
    """A class that cannot be completed is refused with its reason; others are unaffected."""
    loop: list[Any] = []
    loop.append(loop)
    late = make_class(__name__, "Late", a="LaterThing")
    py_class(new_key())(late)
    for wrong in (loop,):
        cls = make_class(__name__, "Loop", a=Any)
        cls.a = wrong
        with pytest.raises((RecursionError, ValueError, TypeError)):
            py_class(new_key())(cls)
    globals()["LaterThing"] = type("LaterThing", (), {})
    try:
        good = py_class(new_key())(make_class(__name__, "Good", a="int"))
        assert good(1).a == 1
        with pytest.raises(TypeError, match=r"Late\.a: expected the type of a field"):
            late(1)
    finally:
        del globals()["LaterThing"]
    nowhere = type(Object)(
        "Nowhere", (Object,), {"__module__": "nope", "__annotations__": {"a": "int"}}
    )
    assert py_class(new_key())(nowhere)(3).a == 3


def test_declared_again() -> None:
    """An incomplete class may be redeclared, as in a notebook cell."""
    key = new_key()
    first = py_class(key)(make_class(__name__, "Cell", other="Other | None"))
    second = py_class(key)(make_class(__name__, "Cell", other="Other | None"))
    py_class(new_key())(make_class(__name__, "Other", a="int"))
    assert second(None).other is None
    with pytest.raises(TypeError, match="expected the class that was decorated last"):
        first(None)
    with pytest.raises(ValueError, match="expected a new name"):
        py_class(key)(make_class(__name__, "Cell", a="int"))


def test_fork_while_classes_are_defined() -> None:
    """A forked child can define classes regardless of what other threads were doing."""
    stop = threading.Event()

    def define() -> None:
        while not stop.is_set():
            py_class(new_key())(make_class(__name__, "T", a="int"))

    thread = threading.Thread(target=define)
    thread.start()
    try:
        for _ in range(30):
            child = os.fork()
            if child == 0:
                status = 1
                try:
                    made = py_class(f"fork_test.C{os.getpid()}")(make_class(__name__, "C", a="int"))
                    status = 0 if made(4).a == 4 else 1
                finally:
                    os._exit(status)
            assert os.waitpid(child, 0)[1] == 0
    finally:
        stop.set()
        thread.join()


def test_private_functions_check_what_they_are_given() -> None:
    """The functions behind the decorator refuse invalid declarations."""
    define = tvm_ffi.get_global_func("ffi._DefineType")
    declare = tvm_ffi.get_global_func("ffi._DeclareType")
    for wrong in (64, 73, Point.__tvm_ffi_type_info__.type_index):  # type: ignore[attr-defined]
        with pytest.raises(ValueError, match="expected a type that is not defined yet"):
            define(wrong, "", 0, [])
    index = declare(new_key(), 64)
    for kind, declared, message in [
        (99, [], "structural_kind: expected a TVMFFISEqHashKind, got 99"),
        (0, [[]], "expected 6 parts of a field, got 0"),
        (0, [["a", "", "", 0, ["bogus"], None]], 'expected the name of a type, got "bogus"'),
        (0, [["a", "", "", 0, ["List", ["int"], ["int"]], None]], "expected 1 types in it, got 2"),
    ]:
        with pytest.raises(ValueError, match=message):
            define(index, "", kind, declared)
    with pytest.raises(ValueError, match="expected a type whose parent is defined, got that of"):
        define(declare(new_key(), index), "", 0, [])


@pytest.mark.parametrize(
    ("body", "error", "message"),
    [
        (
            {"__annotations__": {"a": "set[int]"}},
            TypeError,
            r"\.a: expected the type of a field.*set\[int\]",
        ),
        ({"__annotations__": {"a": "3"}}, TypeError, r"\.a: expected the type of a field"),
        (
            {"__annotations__": {"a": "list[int, str]"}},
            TypeError,
            r"\.a: expected the type of a field",
        ),
        (
            {"__annotations__": {"class": int}},
            TypeError,
            "expected a name that Python code can use, got 'class'",
        ),
        (
            {"__annotations__": {"a": "list[int]"}, "a": tvm_ffi.List([1])},
            ValueError,
            "expected a default_factory, since all objects would share the default, got a List",
        ),
        (
            {"__annotations__": {"a": "tvm_ffi.dtype"}, "a": field(init=False)},
            TypeError,
            "expected a default, since the constructor does not take the field",
        ),
        ({"__annotations__": {"a": "InitVar[int]"}}, TypeError, r"\.a: .*got InitVar"),
        ({"__annotations__": {"__chandle__": int}}, TypeError, "does not use, got '__chandle__'"),
        ({"__annotations__": {"same_as": int}}, TypeError, "does not use, got 'same_as'"),
        (
            {"a": field(default=1)},
            TypeError,
            r"\.a: expected an annotation with field\(\), got none",
        ),
    ],
)
def test_refused_bodies(body: dict[str, Any], error: type[Exception], message: str) -> None:
    """An invalid field is refused, and the type key stays usable."""
    key = new_key()
    cls = type(Object)("Refused", (Object,), {"__module__": __name__, **body})
    with pytest.raises(error, match=message):
        py_class(key)(cls)

    @py_class(key)
    class Good(Object):
        a: int

    assert Good(1).a == 1


def test_refused_classes() -> None:
    """Wrong options, bases and names are refused."""
    with pytest.raises(
        TypeError, match=r"expected a class derived from tvm_ffi.Object, got <class 'int'>"
    ):
        py_class(int)
    with pytest.raises(ValueError, match="order: expected eq=True"):
        py_class(order=True)
    with pytest.raises(ValueError, match="structural_eq: expected one of"):
        py_class(structural_eq="bogus")
    with pytest.raises(TypeError, match="type_key: expected a str, got int"):
        py_class(type_key=3)  # type: ignore[call-overload]
    with pytest.raises(ValueError, match=r"expected a new name, got 'declared_class_test.Point'"):
        py_class("declared_class_test.Point")(
            type(Object)("Point", (Object,), {"__module__": __name__})
        )
    other = py_class(new_key())(make_class(__name__, "Other", a="int"))
    with pytest.raises(TypeError, match="expected one base class with fields, got"):
        py_class(new_key())(type(Object)("Both", (Point, other), {"__module__": __name__}))
    for base in (testing.TestIntPair, tvm_ffi.Tensor, tvm_ffi.Array):
        with pytest.raises(TypeError, match=r"got one derived from the class of"):
            py_class(new_key())(type(base)("Below", (base,), {"__module__": __name__}))


def test_options_that_are_refused() -> None:
    """An option of the wrong type and a second name are refused."""
    for option in ("frozen", "init", "repr", "eq", "order", "kw_only", "slots"):
        with pytest.raises(TypeError, match=f"py_class: {option}: expected a bool, got str"):
            py_class(**{"eq": True, option: "no"})  # type: ignore[call-overload]
    for option in ("frozen", "init", "repr", "compare", "hash", "kw_only"):
        with pytest.raises(TypeError, match=f"field: {option}: expected a bool, got str"):
            field(**{option: "no"})  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="expected one type key, got 'a' and 'b'"):
        py_class("a", type_key="b")
    with pytest.raises(ValueError, match="expected a name, got an empty string"):
        py_class("")
    with pytest.raises(TypeError, match="doc: expected a str, got int"):
        field(doc=3)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="metadata: expected a mapping, got int"):
        field(metadata=3)  # type: ignore[arg-type]
    for wrong in ("bogus", [], 3):
        with pytest.raises(ValueError, match="structural_eq: expected one of"):
            field(structural_eq=wrong)  # type: ignore[arg-type]
        with pytest.raises(ValueError, match="structural_eq: expected one of"):
            py_class(structural_eq=wrong)  # type: ignore[call-overload]


def test_keyword_mark_by_another_name() -> None:
    """A textual annotation marks KW_ONLY by its last name."""
    made = py_class(new_key())(
        make_class(__name__, "Marked", a="int", _="dataclasses.KW_ONLY", b="int")
    )
    assert made(1, b=2).b == 2
    with pytest.raises(TypeError, match="at most 1 arguments by position"):
        made(1, 2)


def test_threads() -> None:
    """Threads can define types and create objects concurrently."""
    errors = []

    def work() -> None:
        try:
            for _ in range(20):
                made = py_class(new_key())(
                    type(Object)(
                        "T", (Object,), {"__module__": __name__, "__annotations__": {"a": int}}
                    )
                )
                assert [made(i).a for i in range(50)] == list(range(50))
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors


def test_annotation_that_exits() -> None:
    """An annotation that exits the program is refused like any other that raises, and only once."""
    with pytest.raises(TypeError, match=r"Leaves.a: expected the type of a field, got 'exit\(3\)'"):
        py_class(new_key())(make_class(__name__, "Leaves", a="exit(3)"))
    assert py_class(new_key())(make_class(__name__, "Stays", a="int"))(3).a == 3


@pytest.mark.parametrize("first", ["int", "set[int]"])
def test_a_refused_class_stays_as_it_was(first: str) -> None:
    """What refuses a class leaves its body, so that it can be decorated again."""
    cls = make_class(__name__, "Again", a="int", b=first)
    cls.a = 5
    body = dict(vars(cls))
    taken = "declared_class_test.Point"
    with pytest.raises((TypeError, ValueError)):
        py_class(taken if first == "int" else new_key())(cls)
    assert dict(vars(cls)) == body
    cls.__annotations__["b"] = "int"
    assert py_class(new_key())(cls)(b=3).a == 5


def test_an_error_in_the_body_leaves_the_name() -> None:
    """A method that cannot be called is found before the type is defined."""
    key = new_key()
    wrong = make_class(__name__, "Printed", a="int")
    wrong.__ffi_repr__ = 3
    with pytest.raises(TypeError, match="expected a callable, got int"):
        py_class(key)(wrong)
    assert py_class(key)(make_class(__name__, "Printed", a="int"))(3).a == 3


@pytest.mark.parametrize("annotation", ["int", "NeverDecorated"])
def test_a_class_is_decorated_once(annotation: str) -> None:
    """A class that is a type, or waits to be one, cannot be another."""
    cls = py_class(new_key())(make_class(__name__, "Once", a=annotation))
    with pytest.raises(TypeError, match=r"Once: expected a class that is not decorated yet"):
        py_class(new_key())(cls)


def test_interrupted_annotation() -> None:
    """A class whose decoration was interrupted does not take its name later."""

    def interrupt() -> None:
        raise KeyboardInterrupt

    key = new_key()
    globals()["interrupt"] = interrupt
    try:
        with pytest.raises(KeyboardInterrupt):
            py_class(key)(make_class(__name__, "Slow", a="interrupt() or int"))
        globals()["interrupt"] = lambda: None
        py_class(new_key())(make_class(__name__, "Other", a="int"))
    finally:
        del globals()["interrupt"]
    assert py_class(key)(make_class(__name__, "Slow", a="int"))(3).a == 3


def test_annotation_that_decorates_a_class() -> None:
    """An annotation is not evaluated again while what it evaluates decorates another class."""
    globals()["decorate"] = lambda: py_class(new_key())(make_class(__name__, "Made", a="int"))
    try:
        holder = py_class(new_key())(make_class(__name__, "Holder", a="decorate() | Shown | None"))
        py_class(new_key())(make_class(__name__, "Unrelated", a="int"))
        shown = py_class(new_key())(make_class(__name__, "Shown", a="int"))
    finally:
        del globals()["decorate"]
    assert holder(shown(3)).a.a == 3


def test_an_error_does_not_grow() -> None:
    """Each call of a class that cannot be completed raises the error of that call only."""
    cls = py_class(new_key())(make_class(__name__, "Grows", a="NoField"))
    globals()["NoField"] = set
    lengths = []
    try:
        for _ in range(3):
            with pytest.raises(TypeError, match="expected the type of a field") as caught:
                cls(1)
            lengths.append(len(caught.traceback))
    finally:
        del globals()["NoField"]
    assert lengths[1] == lengths[2]


def test_a_base_class_that_waits() -> None:
    """A class may derive from one whose fields are not known yet."""
    base = py_class(new_key())(make_class(__name__, "Waits", a="Awaited | None", b="int"))
    derived = py_class(new_key())(make_class(__name__, "Derived", base, c="int"))
    clash = py_class(new_key())(make_class(__name__, "Clash", base, b="str"))
    assert not is_dataclass(derived)
    with pytest.raises(TypeError, match="the fields of the base class are not known yet"):
        derived(None, 1, 2)
    awaited = py_class(new_key())(make_class(__name__, "Awaited", x="int"))
    made = derived(awaited(3), 1, 2)
    assert [each.name for each in fields(derived)] == ["a", "b", "c"]
    assert (made.a.x, made.b, made.c) == (3, 1, 2)
    assert isinstance(made, base)
    holder = py_class(new_key())(make_class(__name__, "Holder", held=base))
    assert holder(made).held.same_as(made)
    with pytest.raises(TypeError, match=r"Clash\.b: expected a new name, got that of an inherited"):
        clash(None, 1, "x")


def test_a_base_class_that_failed() -> None:
    """A class that derives from one that cannot be completed says so, before and after."""
    base = py_class(new_key())(make_class(__name__, "Fails", a="NoField"))
    derived = py_class(new_key())(make_class(__name__, "Derived", base, b="int"))
    globals()["NoField"] = set
    try:
        py_class(new_key())(make_class(__name__, "Other", a="int"))
    finally:
        del globals()["NoField"]
    message = "Derived: expected a base class that could be defined, got Fails"
    with pytest.raises(TypeError, match=message):
        derived(1, 2)
    with pytest.raises(TypeError, match=message):
        py_class(new_key())(make_class(__name__, "Derived", base, b="int"))
    with pytest.raises(TypeError, match=r"Fails\.a: expected the type of a field"):
        base(1)


def test_a_refused_class_is_not_the_one_that_others_name() -> None:
    """A class that names a refused one goes on waiting for another of that name."""
    holder = py_class(new_key())(make_class(__name__, "Holder", a="Retried | None"))
    with pytest.raises(TypeError, match=r"Retried\.a: expected the type of a field"):
        py_class(new_key())(make_class(__name__, "Retried", a="set[int]"))
    py_class(new_key())(make_class(__name__, "Unrelated", a="int"))
    retried = py_class(new_key())(make_class(__name__, "Retried", a="int"))
    assert holder(retried(3)).a.a == 3

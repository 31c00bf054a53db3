# SPDX-License-Identifier: Apache-2.0
# Rows: R5, R6
"""Fields and methods of object types, accessed through their Python classes."""

from __future__ import annotations

import gc
import math
import sys
from typing import Any

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tvm_ffi import Object, register_object

from .object_classes import Classes, call, same_classes  # noqa: F401  (a fixture)

# Fields


def test_fields_are_read(classes: Classes) -> None:
    """A field is an attribute with the field's documentation."""
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
    """A field returns the value it was set to."""
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
    """A value that does not convert is refused by name, and the field keeps its value."""
    node = classes.Node()
    before = getattr(node, name)
    with pytest.raises(error) as raised:
        setattr(node, name, value)
    assert str(raised.value).startswith(message)
    assert getattr(node, name) == before


def test_read_only_fields(classes: Classes) -> None:
    """A field registered as read-only cannot be written, and no field can be deleted."""
    pair = classes.Pair(1, 2)
    with pytest.raises(AttributeError, match=r"^objects\.Pair\.a: the field can only be read$"):
        pair.a = 3
    with pytest.raises(AttributeError, match=r"^objects\.Node\.number: a field cannot be deleted$"):
        del classes.Node().number
    assert pair.a == 1


def test_unknown_attributes_are_refused(classes: Classes) -> None:
    """A misspelt field name does not create an attribute."""
    with pytest.raises(AttributeError, match="nubmer"):
        classes.Node().nubmer = 3
    assert not hasattr(classes.Node(), "__dict__")


def test_fields_ask_for_their_object(classes: Classes) -> None:
    """A field descriptor refuses an object without that field."""
    for other, got in ((3, "int"), (classes.Node(), "Node")):
        with pytest.raises(TypeError, match=rf"^objects\.Pair\.a: expected an .*, got {got}$"):
            classes.Pair.a.__get__(other)
        with pytest.raises(TypeError, match=r"^objects\.Leaf\.extra: expected"):
            classes.Leaf.extra.store(other, 1)
    assert classes.Pair.a.__get__(None, classes.Pair) is classes.Pair.a


def test_a_tensor_in_a_field_keeps_its_memory(classes: Classes) -> None:
    """A field that holds an array shares its memory and keeps it alive."""
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
    """An object in a field keeps its identity and class."""
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
    """Methods take the object first, except static ones; they have names and documentation."""
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
    """The message names the method, the argument and its type; errors keep their kind."""
    with pytest.raises(ValueError, match=r"^not 3$"):
        classes.Pair(3, 4).refuse()
    with pytest.raises(TypeError, match=r"objects\.Pair\.sum.*expected objects\.Pair, got objects"):
        classes.Pair.sum(classes.Node())
    with pytest.raises(TypeError, match=r"objects\.Pair\.sum.*expected 1 argument, got 2"):
        classes.Pair(3, 4).sum(1)


def test_methods_of_ancestors(classes: Classes) -> None:
    """A class whose parent class is skipped still has the parent's members."""

    @register_object("objects.Leaf")
    class Straight(Object):
        pass

    leaf: Any = Straight(extra=4, number=2)
    assert (leaf.extra, leaf.number, leaf.twice()) == (4, 2, 8)


def test_the_class_body_wins(classes: Classes) -> None:
    """Members defined in the class body are not replaced by registered ones."""

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

# SPDX-License-Identifier: Apache-2.0
# Rows: R5, R6
"""Printed form, copies and pickles of objects."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from typing import Any

import pytest
import tvm_ffi
from hypothesis import given
from hypothesis import strategies as st
from tvm_ffi import Object, _core, register_object

from .object_classes import Classes, call, same_classes  # noqa: F401  (a fixture)


def test_repr(classes: Classes) -> None:
    """The printed form has the type's name and its fields, except hidden ones."""
    assert repr(classes.Pair(1, 2)) == "objects.Pair(a=1, b=2)"
    assert repr(classes.Leaf(extra=3, name="x")) == (
        "objects.Leaf(number=1, real=0.5, flag=False, narrow=0, name='x', any=None, next=None, "
        "extra=3)"
    )
    assert repr(call("plain")).startswith("<objects.Plain object at 0x")


def test_repr_of_cycles_and_long_chains(classes: Classes) -> None:
    """A self-referential object is printed once; a chain beyond Python's limit is an error."""
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
    while chain is not None:  # C++ would free the chain recursively
        rest, chain.next = chain.next, None
        chain = rest


def test_repr_of_a_field_that_raises(classes: Classes) -> None:
    """An error in a value's own repr propagates, and the next call is not affected."""

    class Bad:
        def __repr__(self) -> str:
            raise ZeroDivisionError

    node = classes.Node(any=Bad())
    for _ in range(2):
        with pytest.raises(ZeroDivisionError):
            repr(node)


def test_copies(classes: Classes) -> None:
    """A copy is a new object with the same fields; a non-copyable type is an error that says so."""
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
    """Objects fully described by their fields round-trip, each exactly once, cycles included."""
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
    """A class's __del__ runs once per object that the caller created, when that is dropped."""
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
    """Values in a subclass's own slots are copied too, as for every Python class."""

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
    """A type with state beyond its fields, or without a constructor, is named."""

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
    """A member in the padding after a field is not detected: the copy has its default."""

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
    """A process that has not loaded the library reports the missing type."""
    code = f"import pickle; pickle.loads({pickle.dumps(call('cpp_only'))!r})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "ValueError: cannot unpickle objects.inner.CppOnly: expected its library" in done.stderr


def test_objects_in_containers_are_recreated_for_each_place(classes: Classes) -> None:
    """Objects referenced by fields are recreated once, as ``ffi.DeepCopy`` does for all."""
    part = classes.Node(1)
    whole = classes.Node(2, any=tvm_ffi.List([part, part]), next=part)
    for take in (copy.deepcopy, lambda it: pickle.loads(pickle.dumps(it))):
        taken: Any = take(whole)
        assert taken.next.number == taken.any[0].number == taken.any[1].number == 1
        assert not taken.any[0].same_as(taken.any[1])
        assert not taken.any[0].same_as(taken.next)
    copied: Any = tvm_ffi.get_global_func("ffi.DeepCopy")(whole)
    assert copied.any[0].same_as(copied.any[1])
    assert copied.any[0].same_as(copied.next)

# SPDX-License-Identifier: Apache-2.0
# Rows: R5, R6
"""Constructors of object types, and subclasses in Python."""

from __future__ import annotations

import copy
import gc
import pickle
import sys
from collections.abc import Sequence
from typing import Any

import pytest
import tvm_ffi
from tvm_ffi import Object, register_object

from .object_classes import Classes, call, same_classes  # noqa: F401  (a fixture)

# Constructors


def test_constructor_of_the_class(classes: Classes) -> None:
    """A registered constructor takes positional arguments, which error messages identify."""
    assert classes.Pair(1, 2).b == 2
    with pytest.raises(TypeError, match=r"objects\.Pair.*expected 2 arguments, got 1"):
        classes.Pair(1)
    with pytest.raises(TypeError, match=r"objects\.Pair.*argument 1: expected int, got str"):
        classes.Pair(1, "x")
    with pytest.raises(TypeError, match=r"by position only.*got the keyword 'a'"):
        classes.Pair(a=1, b=2)


def test_constructor_of_the_fields(classes: Classes) -> None:
    """A constructor generated from the fields takes keywords and fills in defaults."""
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


def test_made_of_a_type_index(classes: Classes) -> None:
    """Other languages create an object from a type index, field names and values."""
    make = tvm_ffi.get_global_func("ffi.MakeObjectFromPackedArgs")
    keys = list(tvm_ffi.registry.get_registered_type_keys())
    assert keys[:4] == ["None", "int", "bool", "float"]
    assert {"ffi.Tensor", "objects.Node"} <= {*keys}
    index = classes.Node.__tvm_ffi_type_info__.type_index
    node = make(index, "number", 3, "name", "x")
    assert type(node) is classes.Node
    assert (node.number, node.real, node.name) == (3, 0.5, "x")
    for arguments, message in (
        ((), "expected a type's index and pairs of a field's name and its value, got 0 arguments"),
        ((index, "number"), "got 2 arguments"),
        (("objects.Node",), "argument 0: expected a type's index, got str"),
        ((index, 1, 2), "argument 1: expected the name of a field, got int"),
        ((index, "number", "x"), "number: expected int, got str"),
        ((index, "number", 1, "zz", 2), 'expected names of fields, got "zz"'),
        ((10**6,), "expected a registered type, got 1000000"),
    ):
        with pytest.raises(TypeError, match=message):
            make(*arguments)
    with pytest.raises(RuntimeError, match=r"made without arguments, got ffi\.Tensor"):
        make(70)


def test_no_constructor(classes: Classes) -> None:
    """A type without a constructor cannot be called, even if its parent has one."""
    for cls in (Object, classes.Stuck, type(call("locked", 3))):
        with pytest.raises(TypeError, match="cannot be made by calling its type"):
            cls()
    assert call("stuck").number == 0
    with pytest.raises(TypeError, match="cannot be made by calling its type"):
        Object.__new__(classes.Stuck)
    with pytest.raises(TypeError):
        Object.__new__(tvm_ffi.Tensor)


def test_init_false(classes: Classes) -> None:
    """With init=False the class keeps its existing __init__."""

    @register_object("objects.Pair", init=False)
    class Pair(Object):
        pass

    with pytest.raises(TypeError, match="cannot be made by calling its type"):
        Pair()
    assert Pair.__ffi_init__ is not None  # type: ignore[attr-defined]


# Subclasses


def test_subclass_with_its_own_init(classes: Classes) -> None:
    """A subclass calls the constructor through super() and can have its own attributes."""

    class Noted(classes.Pair):  # type: ignore[misc, name-defined]
        __slots__ = ("__dict__", "count")

        def __init__(self, both: int) -> None:
            self.note = "before"
            super().__init__(both, both)
            self.count = both

    noted: Any = Noted(3)
    assert (noted.sum(), noted.note, noted.count) == (6, "before", 3)
    assert isinstance(noted, classes.Pair)
    # The object does not remember the subclass.
    assert type(call("echo", noted)) is classes.Pair


def test_init_handle_by_constructor(classes: Classes) -> None:
    """An __init__ can take over the object returned by any function."""

    class Twin(classes.Pair):  # type: ignore[misc, name-defined]
        def __init__(self, both: int) -> None:
            self.__init_handle_by_constructor__(classes.Pair.of, both)

    twin: Any = Twin(4)
    assert (twin.a, twin.b) == (4, 4)
    with pytest.raises(TypeError, match="expected an instance that holds no object yet"):
        twin.__init__(5)
    assert twin.a == 4
    empty: Any = Twin.__new__(Twin)
    with pytest.raises(TypeError, match=r"expected a tvm_ffi.Object, got int"):
        empty.__init_handle_by_constructor__(int)
    with pytest.raises(TypeError, match="expected a constructor, got no argument"):
        empty.__init_handle_by_constructor__()


def test_instances_without_an_object(classes: Classes) -> None:
    """An instance whose __init__ created no object is refused everywhere, without harm."""

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
        with pytest.raises((TypeError, ValueError), match=r"holds no object|holds none"):
            use()


def test_a_constructor_that_raises_leaves_nothing(classes: Classes) -> None:
    """An instance whose constructor failed is dropped along with everything it held."""

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
    """A class can also derive from an abstract base class."""

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

# SPDX-License-Identifier: Apache-2.0
# Rows: R5, R6
"""Python classes for object types: identity, registration and threads."""

from __future__ import annotations

import gc
import subprocess
import sys
import threading
import weakref
from pathlib import Path
from typing import Any

import pytest
import tvm_ffi
from tvm_ffi import Function, Object, Tensor, _core, register_object

from .object_classes import Classes, call, same_classes  # noqa: F401  (a fixture)

# Identity


def test_identity(classes: Classes) -> None:
    """Two instances of one object are equal with equal hashes; those of two objects differ."""
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
    """A weak reference follows the instance, not the object."""
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
    """An object is freed with its last reference."""
    before = call("pairs_alive")
    pairs = [classes.Pair(i, i) for i in range(10)]
    node = classes.Node(next=pairs[0])
    assert call("pairs_alive") == before + 10
    del pairs
    assert call("pairs_alive") == before + 1
    del node
    assert call("pairs_alive") == before


def test_cycles_are_collected(classes: Classes) -> None:
    """An instance with a __dict__ that refers to itself is collected, along with its object."""

    class Cyclic(classes.Pair):  # type: ignore[misc, name-defined]
        __slots__ = ("__dict__",)

    before = call("pairs_alive")
    cyclic: Any = Cyclic(1, 2)
    cyclic.me = cyclic
    cyclic.bound = cyclic.sum
    del cyclic
    gc.collect()
    assert call("pairs_alive") == before


# Registration


def test_types_without_a_class(classes: Classes) -> None:
    """A type without a registered class gets one, as do its ancestors."""
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
    """A parent's class is a base of the classes of its descendants, even if registered later."""
    early = call("cpp_only")

    @register_object("objects.BaseOnly")
    class BaseOnly(Object):
        pass

    late = call("echo", early)
    assert isinstance(late, BaseOnly)
    assert (late.v1, late.v2) == (early.v1, early.v2) == (41, 42)
    assert type(call("cpp_only")) is type(late)


def test_the_last_class_stays(classes: Classes) -> None:
    """A class registered later replaces the earlier one for new instances."""
    old = call("echo", classes.Pair(1, 2))

    @register_object("objects.Pair")
    class Pair(Object):
        pass

    assert type(call("echo", old)) is Pair
    assert type(old) is classes.Pair
    assert old.a == 1


def test_refused_registrations(classes: Classes) -> None:
    """An invalid registration is refused with a specific message."""
    for type_key, bases, error, message in (
        ("no.such", (Object,), ValueError, "type_key: expected a type that a loaded library"),
        ("objects.Pair\0", (Object,), ValueError, "type_key: expected a type that a loaded"),
        (3, (Object,), TypeError, "type_key: expected a str, got int"),
        ("objects.Pair", (), TypeError, "expected a class derived from tvm_ffi.Object"),
        ("objects.Pair", (classes.Node,), TypeError, "is derived from that of objects.Node"),
        ("objects.Pair", (Tensor,), TypeError, "expected a class that reads objects of"),
        ("objects.Pair", (Function,), TypeError, "expected a class that reads objects of"),
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
    """The class exposes the registered information."""
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


# Threads and shutdown


def test_threads_make_one_class(objects: Path) -> None:
    """A type without a class gets only one, even if several threads see its first object."""
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


def test_a_class_is_made_while_another_waits() -> None:
    """A base class may wait, as for an import, for a thread that has a class made."""
    declare = tvm_ffi.get_global_func("ffi._DeclareType")
    define = tvm_ffi.get_global_func("ffi._DefineType")

    def define_type(name: str, parent: int) -> int:
        index: int = declare(f"object_test.{name}", parent)
        define(index, "", 0, [])
        return index

    other = define_type("Other", _core.find_type("ffi.Object") or 0)
    waited = []

    base = define_type("Base", _core.find_type("ffi.Object") or 0)

    @register_object("object_test.Base")
    class Base(Object):
        def __init_subclass__(cls) -> None:
            thread = threading.Thread(target=_core.class_of, args=(other,))
            thread.start()
            thread.join(10)
            waited.append(thread.is_alive())

    made = _core.class_of(define_type("Derived", base))
    assert issubclass(made, Base)
    assert waited == [False]


def test_threads(classes: Classes) -> None:
    """Several threads create, read, write and drop objects at once."""
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
    """Objects still alive at exit, after their module is gone, do no harm."""
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

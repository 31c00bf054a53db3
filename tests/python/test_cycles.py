# SPDX-License-Identifier: Apache-2.0
# Rows: R5, R6
"""Python's garbage collector finds cycles through containers and functions."""

from __future__ import annotations

import ctypes
import functools
import gc
import threading
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import tvm_ffi
from tvm_ffi.cpp import load_inline

CYCLES = 10_000


class Owner:
    """Owns a value that refers back to it."""

    kept: Any


def instances(cls: type) -> int:
    """Count the live instances; weak references die before the collector frees the objects."""
    return sum(type(each) is cls for each in gc.get_objects())


def through_function(owner: Owner) -> Any:
    """Return a function created from a callable that holds the owner."""
    return tvm_ffi.Function(functools.partial(id, owner))


WAYS: dict[str, Callable[[Owner], Any]] = {
    "Array": lambda owner: tvm_ffi.Array([1, owner]),
    "List": lambda owner: tvm_ffi.List([1, owner]),
    "Map": lambda owner: tvm_ffi.Map({"a": 1, "b": owner}),
    "Dict": lambda owner: tvm_ffi.Dict({"a": 1, "b": owner}),
    "a key": lambda owner: tvm_ffi.Dict({owner: 1}),
    "a function in a List": lambda owner: tvm_ffi.List([through_function(owner)]),
    "a callable in a Map": lambda owner: tvm_ffi.Map({"a": functools.partial(id, owner)}),
    "containers in containers": lambda owner: tvm_ffi.List([{"a": [(owner,)]}]),
    "a List in a List": lambda owner: tvm_ffi.List([tvm_ffi.List([owner])]),
    "a converted list": lambda owner: tvm_ffi.convert([owner]),
    "a function": through_function,
    "an iterator": lambda owner: iter(tvm_ffi.List([owner])),
    "a backward iterator": lambda owner: reversed(tvm_ffi.Array([owner])),
    "an iterator of keys": lambda owner: iter(tvm_ffi.Dict({owner: 1})),
    "an iterator of pairs": lambda owner: iter(tvm_ffi.Map({"a": owner}).items()),
    "a backward iterator of keys": lambda owner: reversed(tvm_ffi.Map({owner: 1})),
}


@pytest.mark.parametrize("way", WAYS)
def test_cycles_are_collected(way: str) -> None:
    """Thousands of cycles leave nothing behind."""
    alive: weakref.WeakSet[Owner] = weakref.WeakSet()
    for _ in range(CYCLES):
        owner = Owner()
        owner.kept = WAYS[way](owner)
        alive.add(owner)
    del owner
    gc.collect()
    assert (len(alive), instances(Owner)) == (0, 0)


def test_a_sequence_that_holds_its_iterators() -> None:
    """They are collected, as a list's are, and exhausted iterators do no harm."""
    alive: weakref.WeakSet[Owner] = weakref.WeakSet()
    for _ in range(CYCLES):
        owner = Owner()
        members = tvm_ffi.List([owner])
        ended, begun = iter(members), iter(members)
        assert list(ended) == [next(begun)]
        members.extend([iter(members), reversed(members), ended, begun])
        alive.add(owner)
    del owner, members, ended, begun
    gc.collect()
    assert (len(alive), instances(Owner)) == (0, 0)


@pytest.mark.parametrize("make", [tvm_ffi.List, tvm_ffi.Dict])
def test_cycles_without_another_object(make: Any) -> None:
    """A cycle may consist of a container and its own bound method, which cannot be cleared."""
    gc.collect()
    before = instances(make)
    for _ in range(CYCLES):
        container = make()
        if make is tvm_ffi.List:
            container.append(container.clear)
        else:
            container["a"] = container.clear
    del container
    gc.collect()
    assert instances(make) <= before


def test_weak_references_and_finalizers_come_first() -> None:
    """A finalizer in a cycle still sees its container intact."""
    seen = []

    class Ending(Owner):
        def __del__(self) -> None:
            seen.append(len(self.kept))

    owner = Ending()
    owner.kept = tvm_ffi.List([owner, 1, 2])
    del owner
    gc.collect()
    assert seen == [3]


def test_what_is_used_is_not_collected(described: Any) -> None:
    """An object reachable from Python or held by C++ keeps its whole cycle alive."""
    owner = Owner()
    owner.kept = tvm_ffi.List([owner, 1])
    alive = weakref.ref(owner)
    members = owner.kept
    del owner
    gc.collect()
    assert members[0] is alive()
    assert len(members) == 2
    inner = members[0].kept  # the same instance
    del members, inner
    gc.collect()
    assert alive() is None

    owner = Owner()
    owner.kept = tvm_ffi.List([owner, functools.partial(id, owner)])
    alive = weakref.ref(owner)
    described.keep(owner.kept[1])
    del owner
    gc.collect()
    gc.collect()
    assert alive() is not None
    described.keep(None)
    gc.collect()
    assert alive() is None


def test_collecting_during_a_call(functions: Any) -> None:
    """Objects lent to C++ for a call survive, however often the collector runs meanwhile."""

    def collect(container: Any) -> int:
        gc.collect()
        return len(container)

    for way in ("Array", "List", "Map", "Dict"):
        owner = Owner()
        owner.kept = WAYS[way](owner)
        alive = weakref.ref(owner)
        assert functions.call(collect, owner.kept) == 2
        assert alive() is owner
        del owner
        gc.collect()
        assert alive() is None


@pytest.mark.parametrize("way", ["Array", "List", "Map", "Dict", "a function"])
def test_a_call_counts_what_it_is_lent(functions: Any, way: str) -> None:
    """The collector, which only traverses what Python alone owns, therefore leaves it to C++."""
    value = WAYS[way](Owner())
    assert functions.use_count(value) == 2
    assert functions.use_count(value) == 2


def test_collecting_beside_threads(functions: Any) -> None:
    """Calls that use containers without the GIL keep working while another thread collects."""
    owner = Owner()
    owner.kept = tvm_ffi.List([owner, *range(100)])
    over = threading.Event()
    wrong: list[Any] = []

    def work() -> None:
        while not over.is_set():
            mine = Owner()
            mine.kept = tvm_ffi.List([mine, [mine], {"a": mine}])
            same = functions.echo(mine.kept)
            if same[0] is not mine or functions.echo(owner.kept)[0] is not owner:
                wrong.append(same)

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for _ in range(10):
        gc.collect()
    over.set()
    for thread in threads:
        thread.join()
    assert not wrong
    assert owner.kept[0] is owner
    assert len(owner.kept) == 101


def test_deep_containers_are_looked_into_as_far_as_the_stack_allows() -> None:
    """The collector neither overflows the stack nor frees what it did not traverse."""
    owner = Owner()
    nested: Any = tvm_ffi.Array([owner])
    for _ in range(100_000):
        nested = tvm_ffi.Array([nested])
    owner.kept = nested
    gc.collect()
    assert owner.kept is nested


def test_shared_containers_stay_until_they_are_cleared() -> None:
    """A container with another owner may be in use by C++; clear() breaks the cycle."""
    owner = Owner()
    owner.kept = tvm_ffi.List([owner])
    tvm_ffi.storage.set("tests.cycles", owner.kept)
    alive = weakref.ref(owner)
    del owner
    gc.collect()
    assert alive() is not None
    tvm_ffi.storage.get("tests.cycles").clear()
    tvm_ffi.storage.erase("tests.cycles")
    gc.collect()
    assert alive() is None


LEND = """
void lend(tvm::ffi::List<tvm::ffi::Any> members, void* object) {
  TVMFFIObjectHandle lent = nullptr;
  TVM_FFI_CHECK_SAFE_CALL(
      TVMFFIObjectCreateOpaque(object, kTVMFFIOpaquePyObject, nullptr, &lent));
  TVMFFIAny view{};
  view.type_index = kTVMFFIOpaquePyObject;
  view.v_obj = static_cast<TVMFFIObject*>(lent);
  members.push_back(tvm::ffi::AnyView::CopyFromTVMFFIAny(view));
  TVMFFIObjectDecRef(lent);
}
"""


def test_an_object_that_cpp_only_lends_is_not_collected(tmp_path: Path) -> None:
    """An opaque object without a deleter owns no reference, so it is not part of any cycle."""
    lend = load_inline("lend", cpp_sources=LEND, functions="lend", build_directory=tmp_path).lend
    owner = Owner()
    owner.kept = tvm_ffi.List([])
    lend(owner.kept, ctypes.c_void_p(id(owner)))
    address = id(owner)
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(owner))  # as a C++ owner would
    del owner
    gc.collect()
    owner = ctypes.cast(address, ctypes.py_object).value
    assert len(owner.kept) == 1
    ctypes.pythonapi.Py_DecRef(ctypes.py_object(owner))

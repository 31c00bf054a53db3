# SPDX-License-Identifier: Apache-2.0
"""Lists and mappings modified while they are read, or compared with Python's own."""

from __future__ import annotations

import contextlib
from typing import Any

import tvm_ffi
from builds import build_harness
from hypothesis import strategies as st
from ledger import Ledger
from target import expect

HARNESS = tvm_ffi.load_module(build_harness())
ERRORS = (IndexError, KeyError, RecursionError)  # RecursionError: a container that holds itself

INDEX = st.integers(-6, 6) | st.sampled_from([2**31, 2**63 - 1, -(2**63), 2**64])
ITEM = st.integers(0, 3) | st.sampled_from(["a", "a text of many letters"])
CHANGE = st.one_of(
    st.tuples(st.just("append"), ITEM),
    st.tuples(st.just("insert"), INDEX, ITEM),
    st.tuples(st.just("pop"), INDEX),
    st.tuples(st.just("set"), INDEX, ITEM),
    st.tuples(st.just("del"), INDEX),
    st.tuples(st.just("slice"), INDEX, INDEX, st.lists(ITEM, max_size=3)),
    st.tuples(st.just("del slice"), INDEX, INDEX, st.sampled_from([1, 2, -1, -3, 2**40])),
    st.tuples(st.just("clear")),
    st.tuples(st.just("reverse")),
    st.tuples(st.just("self")),
).map(list)
READERS = (
    "for",
    "c++",
    "repr",
    "eq",
    "in",
    "extend",
    "sort",
    "slice itself",
    "hash",
    "model",
    "map",
    "iterator",
)
INPUTS = st.fixed_dictionaries(
    {
        "kind": st.sampled_from(["list", "dict"]),
        "start": st.lists(ITEM, max_size=5),
        "changes": st.lists(CHANGE, min_size=1, max_size=8),
        "reader": st.sampled_from(READERS),
    }
)


def change(target: Any, step: list[Any]) -> Any:
    """Apply one change to a list or a dictionary."""
    what, *more = step
    if isinstance(target, (tvm_ffi.Dict, dict)):
        return change_mapping(target, what, more)
    if what == "append":
        target.append(more[0])
    elif what == "insert":
        target.insert(more[0], more[1])
    elif what == "pop":
        return target.pop(more[0])
    elif what == "set":
        target[more[0]] = more[1]
    elif what == "del":
        del target[more[0]]
    elif what == "slice":
        target[more[0] : more[1]] = more[2]
    elif what == "del slice":
        del target[more[0] : more[1] : more[2]]
    elif what == "clear":
        target.clear()
    elif what == "reverse":
        target.reverse()
    elif what == "self" and not isinstance(target, list):
        target.append(target)
    return None


def change_mapping(target: Any, what: str, more: list[Any]) -> Any:
    """Apply the closest equivalent of a list change to a dictionary."""
    key = repr(more[0]) if more else ""
    if what in ("append", "insert", "set", "slice"):
        target[key] = more[-1]
    elif what == "pop":
        return target.pop(key)
    elif what in ("del", "del slice"):
        del target[key]
    elif what == "clear":
        target.clear()
    elif what == "reverse":
        return list(target.keys())[::-1] and target.popitem()
    elif what == "self" and not isinstance(target, dict):
        target["self"] = target
    return None


class Spoiler:
    """An element whose comparison, hash and repr modify the container that holds it."""

    def __init__(self, do: Any) -> None:
        self.do = do

    def __eq__(self, other: object) -> bool:
        self.do()
        return False

    def __hash__(self) -> int:
        self.do()
        return 1

    def __repr__(self) -> str:
        self.do()
        return "a spoiler"

    def __lt__(self, other: object) -> bool:
        self.do()
        return True


def run(given: Any, ledger: Ledger) -> None:
    """Read a container while it is modified."""
    is_list = given["kind"] == "list"
    start = given["start"] if is_list else {str(i): x for i, x in enumerate(given["start"])}
    target = tvm_ffi.List(start) if is_list else tvm_ffi.Dict(start)
    if given["reader"] == "model":
        compare(target, start, given["changes"])
        return
    steps = iter(given["changes"])

    def do(*seen: Any) -> None:
        step = next(steps, None)
        if step is not None:
            change(target, step)

    if given["reader"] in ("repr", "eq", "in", "hash", "sort"):
        spoiler = Spoiler(do)
        target.append(spoiler) if is_list else target.__setitem__("spoiler", spoiler)
    try:
        read(target, given["reader"], do, is_list)
    finally:
        for step in steps:
            with contextlib.suppress(IndexError, KeyError, TypeError, ValueError):
                change(target, step)
        target.clear()  # a cycle through itself is not collected


def read(target: Any, reader: str, do: Any, is_list: bool) -> None:
    """Read in the given way, with changes in between."""
    if reader == "for":
        for count, _ in enumerate(target):
            do()
            if count > 50:
                break
    elif reader == "c++":
        if is_list:
            HARNESS.read_list(target, do)
        else:
            step = tvm_ffi.get_global_func("ffi.DictForwardIterFunctor")(target)
            while target and step(2):
                step(0), step(1), do()
    elif reader == "repr":
        repr(target)
    elif reader == "eq":
        target == (tvm_ffi.List([*target]) if is_list else tvm_ffi.Dict(dict(target)))  # noqa: B015
        target == ([5] * len(target) if is_list else {"spoiler": 5})  # noqa: B015
    elif reader == "in":
        "missing" in (target if is_list else target.values())  # noqa: B015
    elif reader == "hash":
        hash(tvm_ffi.Array([*target]) if is_list else target)
    elif reader == "extend":
        if is_list:
            target.extend(do() or 1 for _ in range(4))
        else:
            target.update((str(i), do()) for i in range(4))
    elif reader == "sort":
        sorted(target if is_list else target.values())
    elif reader == "slice itself":
        if is_list:
            target[1:2] = target
            target[::2] = (do() or x for x in [*target[::2]])
    elif reader == "map":
        tvm_ffi.Map({"a": target})["a"], tvm_ffi.Array(do() or x for x in [*target])
    elif reader == "iterator":
        iterators = [iter(target), iter(target)]
        for _ in range(8):
            for each in iterators:
                next(each, None)
                do()


def compare(target: Any, start: Any, changes: list[Any]) -> None:
    """Apply the same changes to a container and to Python's own."""
    model = type(start)(start)
    for step in changes:
        numbers = [each for each in step[1:] if isinstance(each, int)]
        if step[0] == "self" or any(not -(2**63) <= each < 2**63 for each in numbers):
            continue  # Python's own raises an OverflowError here, ours clamps the index
        results = []
        for each in (target, model):
            try:
                results.append(("value", change(each, step)))
            except (IndexError, KeyError, TypeError, ValueError, OverflowError) as error:
                results.append(("error", type(error).__name__))
        if isinstance(start, dict) and step[0] == "reverse":
            model = dict(target)  # which pair is removed is unspecified
            continue
        expect(results[0] == results[1], f"{step}: {results[0]}, Python's {results[1]}")
        same = dict(target) == model if isinstance(start, dict) else [*target] == model
        expect(same, f"after {step}: {target!r}, Python's {model!r}")
        expect(len(target) == len(model), f"after {step}: length {len(target)}")

# SPDX-License-Identifier: Apache-2.0
"""Modules that import each other, in any order and repeatedly, compared with a graph search.

Small graphs only: deep and wide ones have their own tests.
"""

from __future__ import annotations

from typing import Any

import tvm_ffi
from builds import build_harness
from hypothesis import strategies as st
from ledger import Ledger
from target import expect

HARNESS = tvm_ffi.load_module(build_harness())
ERRORS = (AttributeError, IndexError)
COUNT = 6
NODE = st.integers(0, COUNT - 1)
INPUTS = st.lists(
    st.one_of(
        st.tuples(st.just("import"), NODE, NODE),
        st.tuples(st.just("import"), NODE, NODE),
        st.tuples(st.just("clear"), NODE, NODE),
        st.tuples(
            st.just("find"),
            NODE,
            st.sampled_from(["take_int64", "missing", "", "__tvm_ffi_take_int64", "a\0b"]),
        ),
        st.tuples(
            st.just("get"), NODE, st.integers(-3, 9) | st.just(2**63 - 1) | st.just(-(2**63))
        ),
        st.tuples(
            st.just("other"),
            NODE,
            st.sampled_from(["metadata", "doc", "source", "write", "pickle", "no module"]),
        ),
    ).map(list),
    max_size=14,
)
MODULES = [tvm_ffi.system_lib(f"fuzz.{i}.") for i in range(COUNT - 1)] + [HARNESS]


def reachable(graph: list[list[int]], start: int) -> set[int]:
    """A module and those that it imports, at any depth."""
    seen, waiting = {start}, [start]
    while waiting:
        for other in graph[waiting.pop()]:
            if other not in seen:
                seen.add(other)
                waiting.append(other)
    return seen


def run(given: Any, ledger: Ledger) -> None:
    """Apply these steps to the modules and to a graph."""
    graph: list[list[int]] = [[] for _ in MODULES]
    try:
        for step in given:
            act(graph, *step)
    finally:
        for module in MODULES:
            module.clear_imports()


def act(graph: list[list[int]], what: str, node: int, more: Any) -> None:
    """Apply one step."""
    module = MODULES[node]
    if what == "import":
        try:
            module.import_module(MODULES[more])
            graph[node].append(more)
        except ValueError as error:
            cyclic = node in reachable(graph, more)
            expect(cyclic, f"{node} must not import {more}, without a cycle: {error}")
        expect(len(module.imports) == len(graph[node]), f"{len(module.imports)} imports")
    elif what == "clear":
        module.clear_imports()
        graph[node].clear()
    elif what == "find":
        there = more == "take_int64" and COUNT - 1 in reachable(graph, node)
        found = module.implements_function(more, query_imports=True)
        expect(found == there, f"module {node} has {more!r}: {found}, expected {there}")
        if there:
            expect(module.get_function(more, query_imports=True)(3) == 1, "another answer")
        else:
            refuse(lambda: module.get_function(more, query_imports=True))
    elif what == "get":
        refuse(lambda: tvm_ffi.get_global_func("ffi.ModuleGetImport")(module, more))
    else:
        asks: dict[str, Any] = {
            "metadata": lambda: module.get_function_metadata("take_int64", True),
            "doc": lambda: module.get_function_doc("take_int64", True),
            "source": lambda: module.inspect_source("c"),
            "write": lambda: module.write_to_file("/dev/null", "o"),
            "pickle": module.__reduce__,
            "no module": lambda: tvm_ffi.get_global_func("ffi.ModuleImportModule")(
                module, HARNESS.take_int64
            ),
        }
        refuse(asks[more])


def refuse(ask: Any) -> None:
    """Do something that may fail, but only with a meaningful error."""
    try:
        ask()
    except (TypeError, ValueError, RuntimeError, AttributeError, IndexError) as error:
        expect(len(str(error)) > 7, f"an error that says nothing: {error!r}")

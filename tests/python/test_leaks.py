# SPDX-License-Identifier: Apache-2.0
# Rows: R3, R5, R6
"""Calls of every kind leave memory use and reference counts unchanged.

``nox -s bench -- leaks`` does the same with a million calls per row.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import tvm_ffi

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "benchmarks"))

from call_rows import Row, all_rows, build_library
from leaks import left_behind

CALLS = 10_000

libc = ctypes.CDLL(None)
libc.malloc.restype = ctypes.c_void_p


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Build the library of the benchmark's functions."""
    return str(build_library(tmp_path_factory.mktemp("leaks") / "calls_library.so"))


@pytest.fixture(scope="module")
def use_count(path: str) -> Callable[[Any], int]:
    """Return the function that reads the reference count of a libtvm_ffi object."""
    return tvm_ffi.load_module(path).use_count


@pytest.fixture(scope="module")
def rows(path: str) -> dict[str, Row]:
    """Return every row of the benchmark."""
    return all_rows(path)


def test_rows_leave_nothing_behind(rows: dict[str, Row], use_count: Callable[[Any], int]) -> None:
    """No row of the benchmark leaks."""
    left = {name: left_behind(row, CALLS, use_count) for name, row in rows.items()}
    assert {name: what for name, what in left.items() if what} == {}


@pytest.mark.parametrize(
    ("statement", "caught"),
    [
        ("kept.append([])", "tracked objects"),
        ("kept.append(1.5 * len(kept))", "blocks of Python"),
        ("increment(None)", "references to None"),
        ("increment(argument)", "references to argument"),
        ("increment(shape)", "references to tvm_ffi.Shape"),
        ("malloc(24)", "malloc bytes"),
        ("share(p)", "shares of p"),
    ],
)
def test_leaks_are_found(
    path: str, use_count: Callable[[Any], int], statement: str, caught: str
) -> None:
    """A leak of each kind, one item per call, is reported by name."""
    module = tvm_ffi.load_module(path)
    names = {
        "kept": [],
        "increment": lambda x: ctypes.pythonapi.Py_IncRef(ctypes.py_object(x)),
        "argument": object(),
        "shape": tvm_ffi.Shape,
        "malloc": libc.malloc,
        "share": module.leak_share,
        "p": module.point(),
    }
    if caught == "references to None" and sys.version_info >= (3, 12):
        pytest.skip("None is immortal")
    used = {name: value for name, value in names.items() if name in statement}
    left = left_behind(Row(statement, used), CALLS, use_count)
    assert left[caught] >= CALLS


def test_what_a_run_does_several_times_is_several_calls(use_count: Callable[[Any], int]) -> None:
    """A row of ten calls runs a tenth as often."""
    names = {"increment": lambda x: ctypes.pythonapi.Py_IncRef(ctypes.py_object(x)), "a": object()}
    row = Row("for _ in range(10): increment(a)", names, times=10)
    assert left_behind(row, CALLS, use_count)["references to a"] == CALLS


def test_rows_do_what_they_are_named_after(rows: dict[str, Row]) -> None:
    """Keywords reach the function itself, and the field is written."""
    by_keyword = rows["3 floats by keyword"]
    assert isinstance(by_keyword.names["f"], tvm_ffi.Function)
    exec(by_keyword.statement, {}, by_keyword.names)
    written = rows["field of an object, set"].names
    exec("p.y = 0", {}, written)
    exec(rows["field of an object, set"].statement, {}, written)
    assert written["p"].y == written["a"] == 5
    method = rows["method of an object"]
    assert eval(method.statement, {}, method.names) == 4


@pytest.mark.parametrize("name", ["callback with a tensor", "callback with a torch tensor"])
def test_callbacks_get_tensors(rows: dict[str, Row], name: str) -> None:
    """There are as many calls as the row divides its time by; each takes and returns a tensor."""
    if name not in rows:
        pytest.skip("the framework is not installed")
    row = rows[name]
    given, returned = [], []

    def callback(x: Any) -> Any:
        given.append(x)
        returned.append(row.names["callback"](x))
        return returned[-1]

    exec(row.statement, {**row.names, "callback": callback})
    assert len(given) == row.times
    assert {type(x) for x in given} == {tvm_ffi.Tensor}
    expected = "torch" if "torch" in name else "tvm_ffi"
    assert {type(x).__module__.split(".")[0] for x in returned} == {expected}

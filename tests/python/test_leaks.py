# SPDX-License-Identifier: Apache-2.0
# Rows: R3, R5, R6
"""Calls of every kind leave memory and reference counts where they were.

``nox -s bench -- leaks`` does the same with a million calls of each row.
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
    """Build the benchmark's functions."""
    return str(build_library(tmp_path_factory.mktemp("leaks") / "calls_library.so"))


@pytest.fixture(scope="module")
def use_count(path: str) -> Callable[[Any], int]:
    """Give the function that tells how many hold an object of libtvm_ffi."""
    return tvm_ffi.load_module(path).use_count


def test_rows_leave_nothing_behind(path: str, use_count: Callable[[Any], int]) -> None:
    """No row of the benchmark does."""
    left = {name: left_behind(row, CALLS, use_count) for name, row in all_rows(path).items()}
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
    """A leak of each kind, of one thing in a call, is told by its name."""
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

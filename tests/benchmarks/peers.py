# SPDX-License-Identifier: Apache-2.0
"""What the same calls cost through other tools that call C++ or C from Python: peers.py RECORD.

All run in one process, on one processor core. They take turns, block by block of a few
milliseconds, and a ratio is the median over the turns.
"""

from __future__ import annotations

import ctypes
import importlib.metadata
import os
import platform
import statistics
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
import tvm_ffi
from build_peers import build, extension
from call_rows import Row
from calls_worker import Timed
from record import circumstances, finish

TURNS = 101
OURS = "this runtime"
VERSIONS = ("torch", "pybind11", "nanobind", "cffi")
STRING, INTS = "kernel", list(range(8))


def call(function: Any, **values: Any) -> Row:
    """Give the row of a call by position."""
    return Row(f"f({', '.join(values)})", {"f": function, **values})


def numbers(get: Callable[[str], Any]) -> dict[str, Row]:
    """Give the rows that are the same for every tool, from what gives a function by its name."""
    return {
        "no argument": call(get("none")),
        "int": call(get("one_int"), a=1),
        "3 floats": call(get("three_floats"), a=1.0, b=2.0, c=3.0),
    }


def cpp_rows(get: Callable[[str], Any]) -> dict[str, Row]:
    """Give the rows of C++, whose strings, lists, tensors and exceptions the tool converts."""
    p, q, r = (torch.zeros(4, 5) for _ in range(3))
    return {
        **numbers(get),
        "str of 6, and back": call(get("same_string"), a=STRING),
        "list of 8 ints": call(get("ints"), a=INTS),
        "1 torch tensor": call(get("one_tensor"), a=p),
        "3 torch tensors": call(get("three_tensors"), a=p, b=q, c=r),
        "ValueError": Row("try:\n    f()\nexcept ValueError:\n    pass", {"f": get("fail")}),
    }


def c_rows(get: Callable[[str], Any], string: Row, ints: Row) -> dict[str, Row]:
    """Give the rows of C, which has neither tensors nor exceptions."""
    return {**numbers(get), "str of 6, and back": string, "list of 8 ints": ints}


def ctypes_rows(library: Path) -> dict[str, Row]:
    """Give the rows of ctypes: what it does not convert, a line of Python does."""
    functions = ctypes.CDLL(str(library))
    integer, real, text = ctypes.c_int64, ctypes.c_double, ctypes.c_char_p
    declared: dict[str, tuple[Any, list[Any]]] = {
        "none": (None, []),
        "one_int": (None, [integer]),
        "three_floats": (None, [real] * 3),
        "same_string": (text, [text]),
        "ints": (integer, [ctypes.POINTER(integer), integer]),
    }
    for name, (result, arguments) in declared.items():
        function = getattr(functions, name)
        function.restype, function.argtypes = result, arguments
    string = Row("f(a.encode()).decode()", {"f": functions.same_string, "a": STRING})
    ints = Row(
        "f((integer * len(a))(*a), len(a))", {"f": functions.ints, "a": INTS, "integer": integer}
    )
    return c_rows(lambda name: getattr(functions, name), string, ints)


def cffi_rows(module: Any) -> dict[str, Row]:
    """Give the rows of cffi, which takes lists, and gives strings as pointers."""
    functions, read = module.lib, module.ffi.string
    # A separate name for the bytes, since the function returns a pointer to them.
    string = Row(
        "b = a.encode()\nread(f(b)).decode()",
        {"f": functions.same_string, "a": STRING, "read": read},
    )
    ints = Row("f(a, len(a))", {"f": functions.ints, "a": INTS})
    return c_rows(lambda name: getattr(functions, name), string, ints)


def all_rows(folder: Path) -> dict[str, dict[str, Row]]:
    """Build everything in a folder, and give each tool's rows."""
    build(folder)
    module = tvm_ffi.load_module(folder / "tvm_ffi_peer.so")
    torch.ops.load_library(folder / "torch_peer.so")

    def lock_kept(name: str) -> tvm_ffi.Function:
        function = module.get_function(name)
        function.release_gil = False
        return function

    def of(peer: Any) -> Callable[[str], Any]:
        return lambda name: getattr(peer, name)

    return {
        OURS: cpp_rows(module.get_function),
        "lock kept": cpp_rows(lock_kept),
        "nanobind": cpp_rows(of(extension(folder, "nanobind_peer"))),
        "pybind11": cpp_rows(of(extension(folder, "pybind11_peer"))),
        "torch.ops": cpp_rows(of(torch.ops.peers)),
        "cffi": cffi_rows(extension(folder, "cffi_peer")),
        "ctypes": ctypes_rows(folder / "functions.so"),
    }


def time_row(tools: dict[str, Row]) -> dict[str, dict[str, float]]:
    """Time one row of each tool, in turns: nanoseconds, and how many times ours they are."""
    timed = {tool: Timed(row) for tool, row in tools.items()}
    turns = [{tool: row.nanoseconds() for tool, row in timed.items()} for _ in range(TURNS)]
    return {
        tool: {
            "ns": round(statistics.median(turn[tool] for turn in turns), 1),
            "of ours": round(statistics.median(turn[tool] / turn[OURS] for turn in turns), 3),
        }
        for tool in tools
    }


def main() -> int:
    """Measure, print and write."""
    with tempfile.TemporaryDirectory(prefix="peers_") as folder:
        tools = all_rows(Path(folder))
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
        measured = {
            name: time_row({tool: rows[name] for tool, rows in tools.items() if name in rows})
            for name in tools[OURS]
        }
    versions = {name: importlib.metadata.version(name) for name in VERSIONS}
    record = {
        "what": "nanoseconds of calls from Python through this runtime and through other tools",
        **circumstances("peers", {"Python": platform.python_version(), **versions}),
        "measured": measured,
    }
    table = [["", *tools]]
    for name, row in measured.items():
        cells = [
            f"{row[tool]['ns']} ({row[tool]['of ours']})" if tool in row else "" for tool in tools
        ]
        table.append([name, *cells])
    return finish(Path(sys.argv[1]), record, table, [])


if __name__ == "__main__":
    sys.exit(main())

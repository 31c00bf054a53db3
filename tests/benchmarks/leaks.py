# SPDX-License-Identifier: Apache-2.0
"""What many runs of each row of call_rows.py leave behind: leaks.py RECORD [CALLS].

What is found is printed and written to RECORD.
"""

from __future__ import annotations

import ctypes
import gc
import os
import platform
import sys
import tempfile
import timeit
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import tvm_ffi
from call_rows import Row, all_rows, build_library
from record import circumstances, finish

# What caches and allocators may retain, however often a row runs: bytes and blocks. A reference
# or a tracked object must never remain.
ALLOWED = {"resident bytes": 1 << 20, "malloc bytes": 1 << 12, "blocks of Python": 64}
# One attempt may also find another thread's memory, or a cache that grows once; a leak is found
# by every attempt.
ATTEMPTS = 3
_PAGE = os.sysconf("SC_PAGE_SIZE")


class _Mallinfo2(ctypes.Structure):
    """What malloc tells: ten sizes, of which two matter here."""

    _fields_ = [
        *((f"other_{i}", ctypes.c_size_t) for i in range(4)),
        ("mapped", ctypes.c_size_t),
        *((f"other_{i}", ctypes.c_size_t) for i in range(4, 6)),
        ("in_use", ctypes.c_size_t),
        *((f"other_{i}", ctypes.c_size_t) for i in range(6, 8)),
    ]


def malloc_bytes() -> int:
    """Give the bytes that malloc has handed out; 0 with a C library that does not tell."""
    mallinfo2 = getattr(ctypes.CDLL(None), "mallinfo2", None)
    if mallinfo2 is None:
        return 0
    mallinfo2.restype = _Mallinfo2
    info = mallinfo2()
    return int(info.in_use + info.mapped)


def resident_bytes() -> int:
    """Give the size of the memory that the process holds."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * _PAGE


def watched(row: Row) -> dict[str, Any]:
    """Give the objects whose references are counted: what a row passes, and what results are."""
    values = {"None": None, "True": True, "False": False, "ValueError": ValueError}
    for name, value in row.names.items():
        values[name] = value
        values[f"type of {name}"] = type(value)
        items: Iterable[Any] = value if isinstance(value, (list, tuple, dict)) else ()
        values |= {f"{name}[{i}]": item for i, item in enumerate(items)}
    for name in ("Function", "Object", "Shape", "Tensor"):
        values[f"tvm_ffi.{name}"] = getattr(tvm_ffi, name)
    return values


def state(row: Row, use_count: Callable[[Any], int]) -> dict[str, int]:
    """Count what the process holds, by name."""
    gc.collect()
    values = watched(row)
    counts = {
        f"references to {name}": sys.getrefcount(value)
        for name, value in values.items()
        # Small integers and short strings are shared, so others may change their counts.
        if not isinstance(value, (int, str)) or isinstance(value, bool)
    }
    counts |= {
        f"shares of {name}": use_count(value)
        for name, value in values.items()
        if isinstance(value, tvm_ffi.Object)
    }
    return counts | {
        "tracked objects": len(gc.get_objects()),
        "blocks of Python": sys.getallocatedblocks(),
        "malloc bytes": malloc_bytes(),
        "resident bytes": resident_bytes(),
    }


def left_behind(row: Row, calls: int, use_count: Callable[[Any], int]) -> dict[str, int]:
    """Tell what has changed, and by how much, after each of several attempts.

    A run that does what its row is named after several times counts as so many calls.
    """
    # timeit disables the cycle collector, which is enabled in normal programs.
    setup = "; ".join(["gc.enable()", *(f"{name} = names[{name!r}]" for name in row.names)])
    timer = timeit.Timer(row.statement, setup, globals={"names": row.names, "gc": gc})
    runs = max(1, calls // row.times)
    timer.timeit(min(runs, 1000))
    # Existing objects are neither counted nor scanned, which would take most of the time.
    gc.collect()
    gc.freeze()
    try:
        return changes(row, timer, runs, use_count)
    finally:
        gc.unfreeze()


def changes(
    row: Row, timer: timeit.Timer, runs: int, use_count: Callable[[Any], int]
) -> dict[str, int]:
    """Run a row as often as it takes for nothing to change, at most ATTEMPTS times."""
    changed: dict[str, int] = {}
    for _ in range(ATTEMPTS):
        before = state(row, use_count)
        # Counted twice, so that one older dictionary of counts is alive each time.
        before = state(row, use_count)
        timer.timeit(runs)
        after = state(row, use_count)
        changed = {name: after[name] - before[name] for name in before}
        changed = {
            name: change
            for name, change in changed.items()
            if (change > ALLOWED[name] if name in ALLOWED else change != 0)
        }
        if not changed:
            break
    return changed


def main() -> int:
    """Look at each row; 1 if one leaves something behind."""
    path = Path(sys.argv[1])
    calls = int(sys.argv[2]) if len(sys.argv) > 2 else 1_000_000
    found = {}
    with tempfile.TemporaryDirectory(prefix="leaks_") as folder:
        library = build_library(Path(folder) / "calls_library.so")
        use_count = tvm_ffi.load_module(library).use_count
        for name, row in all_rows(str(library)).items():
            found[name] = left_behind(row, calls, use_count)
            print(f"{name:40} {found[name] or 'nothing'}", flush=True)
    record = {
        "what": f"{calls:,} calls of each row, and what they leave behind",
        **circumstances("leaks", {"Python": platform.python_version()}),
        "left behind": found,
    }
    return finish(path, record, [], [name for name, left in found.items() if left])


if __name__ == "__main__":
    sys.exit(main())

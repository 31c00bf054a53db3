# SPDX-License-Identifier: Apache-2.0
"""Records how many instructions calls with our runtime take now: baseline.py RECORD.

tests/python/test_instructions.py counts them again, and fails if a row has grown. A record updated
at every edit, like that of instructions.py, would let calls grow little by little; this one is
written only when someone accepts that they have.
"""

from __future__ import annotations

import platform
import sys
import sysconfig
from concurrent.futures import ThreadPoolExecutor
from importlib import metadata
from pathlib import Path

from instructions import count_rows
from record import answer, finish

# The configure options that change what the interpreter executes.
OPTIONS = "--enable-optimizations", "--enable-shared", "--with-lto", "--with-pydebug"
# How much a row may grow. Few counts differ between two runs, and most of those by one percent.
SHARE, INSTRUCTIONS = 0.03, 5
# Where malloc finds memory depends on the state of the heap, and can change a row by more: the
# record keeps the maximum of several runs, and a row has grown if each of several runs says so.
ATTEMPTS = 3


def environment() -> dict[str, str]:
    """What determines the counts apart from our own code."""
    configured = str(sysconfig.get_config_var("CONFIG_ARGS"))
    options = [option for option in OPTIONS if option in configured]
    python = [".".join(map(str, sys.version_info[:2])), platform.python_compiler(), *options]
    return {
        "machine": platform.machine(),
        "g++": answer("g++", "-dumpfullversion"),
        "C library": " ".join(platform.libc_ver()),
        "Python": ", ".join(python),
        "NumPy": metadata.version("numpy"),
        "valgrind": answer("valgrind", "--version").removeprefix("valgrind-"),
    }


def count() -> dict[str, float]:
    """Count every row except PyTorch's, whose import would take most of the time."""
    groups = count_rows(sys.executable, without=["torch"])
    return {name: counted for rows in groups.values() for name, counted in rows.items()}


def most() -> dict[str, float]:
    """Count several times, and keep the maximum."""
    with ThreadPoolExecutor(2) as pool:
        runs = [pool.submit(count) for _ in range(ATTEMPTS)]
        counts = [run.result() for run in runs]
    return {name: max(each[name] for each in counts) for name in counts[0]}


def grown(before: dict[str, float], now: dict[str, float]) -> list[str]:
    """The rows that take more instructions than they may, are new, or are gone."""
    longer = [
        f"{name}: {before.get(name, 'never recorded')} -> {counted}"
        for name, counted in now.items()
        if name not in before or counted > before[name] * (1 + SHARE) + INSTRUCTIONS
    ]
    return longer + [f"{name}: {before[name]} -> gone" for name in before if name not in now]


def always_grown(before: dict[str, float]) -> list[str]:
    """The rows that have grown in every run; the runs end when none is left."""
    least = count()
    for _ in range(ATTEMPTS - 1):
        if not grown(before, least):
            break
        again = count()
        least = {name: min(counted, again[name]) for name, counted in least.items()}
    return grown(before, least)


def main() -> int:
    """Count, print and write."""
    counts = most()
    record: dict[str, object] = {
        "what": "the instructions of calls that tests/python/test_instructions.py starts from",
        "environment": environment(),
        "instructions": counts,
    }
    rows = [["", "instructions"], *([name, str(counted)] for name, counted in counts.items())]
    return finish(Path(sys.argv[1]), record, rows, [])


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: Apache-2.0
"""The instructions of calls, with our runtime and the published one: instructions.py RECORD PEER.

PEER is an interpreter that has the published package. The table is printed and written to RECORD.
Each runtime runs in a process of its own under valgrind's callgrind, which counts the instructions
of all its libraries; what else the machine does changes no count.
"""

from __future__ import annotations

import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from call_rows import LIMIT, TRUSTED, build_library, build_limit
from record import answer, circumstances, finish

HERE = Path(__file__).resolve().parent
# Wider than those of calls.py: the promise is about time, and a row of few instructions may wait
# for memory.
TARGETS = {"geometric mean": 0.8, "each row": 1.75, "of the limit": 1.3}
VERSIONS = """
import importlib.metadata as m, json
names = "numpy", "torch", "apache-tvm-ffi"
print(json.dumps({each.name: each.version for each in m.distributions() if each.name in names}))
"""
# A group of rows, and the instructions of each row.
Counts = dict[str, dict[str, float]]


def build_counter(library: Path) -> None:
    """Build the library that switches callgrind's counting."""
    source = HERE / "counter.cc"
    command = ["g++", "-shared", "-fPIC", "-O2", str(source), "-o", str(library)]
    subprocess.run(command, check=True)


def count_rows(python: str, without: Sequence[str] = (), limit: bool = False) -> Counts:
    """Count each row with the runtime of an interpreter, without those of some frameworks."""
    with tempfile.TemporaryDirectory(prefix="instructions_") as name:
        folder = Path(name)
        for library in ("calls_library.so", "cpp_library.so"):
            build_library(folder / library, python)
        build_counter(folder / "counter.so")
        if limit:
            build_limit(folder / "limit.so")
        command = [
            "valgrind",
            "--tool=callgrind",
            "--instr-atstart=no",
            f"--callgrind-out-file={folder / 'counts'}",
            *(python, str(HERE / "instructions_worker.py"), str(folder), *without),
        ]
        # Otherwise the buckets of strings differ from run to run.
        env = {**os.environ, "PYTHONHASHSEED": "0"}
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=env)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)}:\n{done.stderr[-4000:]}")
    counts: Counts = json.loads(done.stdout)
    return counts


def measured_of(ours: Counts, theirs: Counts) -> dict[str, dict[str, Any]]:
    """Compare row by row; a trusted row is compared with the published runtime's only mode."""
    limits = ours["limit"]
    measured: dict[str, dict[str, Any]] = {}
    for group in ("from Python", "in C++"):
        for row, mine in ours[group].items():
            their = theirs[group][row.removesuffix(TRUSTED)]
            measured[row] = {"ours": mine, "published": their, "ratio": round(mine / their, 3)}
            if least := limits.get(row + LIMIT):
                measured[row] |= {"limit": least, "of limit": round(mine / least, 3)}
            measured[row]["group"] = group
    return measured


def record_of(pythons: list[str]) -> dict[str, Any]:
    """Count, and say where and with what."""
    with ThreadPoolExecutor() as pool:
        ours, theirs = pool.map(lambda each: count_rows(each, limit=each == pythons[0]), pythons)
    measured = measured_of(ours, theirs)
    default = [each["ratio"] for row, each in measured.items() if not row.endswith(TRUSTED)]
    return {
        "what": "instructions of calls, with our runtime and with the published one",
        **circumstances(
            "instructions",
            {
                "Python": platform.python_version(),
                **json.loads(answer(pythons[1], "-c", VERSIONS)),
                "g++": answer("g++", "-dumpfullversion"),
                "valgrind": answer("valgrind", "--version").removeprefix("valgrind-"),
            },
        ),
        "targets": TARGETS,
        "geometric mean": round(statistics.geometric_mean(default), 3),
        "measured": measured,
    }


def missed(record: dict[str, Any]) -> list[str]:
    """What is over its target, of the default mode."""
    over = [
        name
        for name, row in record["measured"].items()
        if not name.endswith(TRUSTED)
        and (row["ratio"] > TARGETS["each row"] or row.get("of limit", 0) > TARGETS["of the limit"])
    ]
    is_slow = record["geometric mean"] > TARGETS["geometric mean"]
    return [*over, *(["geometric mean"] if is_slow else [])]


def main() -> int:
    """Count, print and write; 1 if a target is missed."""
    _, path, peer = sys.argv
    record = record_of([sys.executable, peer])
    rows = [["", "ours", "published", "ratio", "limit", "of limit"]]
    for name, row in record["measured"].items():
        rows.append([name, *(str(row.get(each, "")) for each in rows[0][1:])])
    mean = str(record["geometric mean"])
    rows.append(["geometric mean of the default mode", "", "", mean, "", ""])
    return finish(Path(path), record, rows, missed(record))


if __name__ == "__main__":
    sys.exit(main())

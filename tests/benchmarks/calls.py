# SPDX-License-Identifier: Apache-2.0
"""What calls from Python and C++ cost with our runtime and the published one: calls.py RECORD PEER.

PEER is an interpreter that has the published package. The table is printed and written to RECORD.
Each runtime has a process of its own, on the same processor core; they take turns, block by block
of a few milliseconds, and a row's ratio is the median over the turns, so that what else the machine
does hits both alike.
"""

from __future__ import annotations

import contextlib
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from call_rows import LIMIT, TRUSTED, build_library, build_limit
from record import answer, circumstances, finish

HERE = Path(__file__).resolve().parent
TURNS = 101
PROCESSES = 5
TARGETS = {
    "geometric mean": 0.7,
    "each row": 1.1,
    "of the limit": 1.3,
    "import": 0.05,
    # Checks the file again, to warn if it has changed.
    "load_module, loaded before": 1.5,
}
IMPORT = """
import time
start = time.process_time()
import tvm_ffi
print(1e3 * (time.process_time() - start))
"""
LOAD = """
import sys, time
import tvm_ffi
start = time.process_time()
tvm_ffi.load_module(sys.argv[1])
print(1e3 * (time.process_time() - start))
"""
VERSIONS = """
import importlib.metadata as m, json
print(json.dumps({name: m.version(name) for name in ("numpy", "torch")}))
"""


class Worker:
    """A process that times rows with one runtime."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self.questions, self.answers = process.stdin, process.stdout
        self.rows: dict[str, list[str]] = json.loads(self.answers.readline())
        self.limited = self.rows.pop("limit", [])

    def nanoseconds(self, row: str) -> float:
        """Time one block of a row."""
        print(json.dumps(row), file=self.questions, flush=True)
        return float(self.answers.readline())


@contextlib.contextmanager
def worker(python: str, folder: Path) -> Iterator[Worker]:
    """Build the libraries with a runtime's headers, and run a worker with them."""
    for name in ("calls_library.so", "cpp_library.so"):
        build_library(folder / name, python)
    with subprocess.Popen(
        [python, str(HERE / "calls_worker.py"), str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        yield Worker(process)
        assert process.stdin is not None
        process.stdin.close()


def time_rows(pythons: list[str]) -> dict[str, dict[str, Any]]:
    """Give each row's median times, the median of its ratios, and its group."""
    with contextlib.ExitStack() as stack:
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
        folders = [
            Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="calls_"))) for _ in pythons
        ]
        build_limit(folders[0] / "limit.so")
        ours, theirs = (
            stack.enter_context(worker(python, folder))
            for python, folder in zip(pythons, folders, strict=True)
        )
        return {
            row: {**time_row(row, ours, theirs), **time_limit(row, ours), "group": group}
            for group, rows in ours.rows.items()
            for row in rows
        }


def time_row(row: str, ours: Worker, theirs: Worker) -> dict[str, float]:
    """Time one row in turns; a trusted row is compared with the published runtime's only mode."""
    of_theirs = row.removesuffix(TRUSTED)
    turns = [(ours.nanoseconds(row), theirs.nanoseconds(of_theirs)) for _ in range(TURNS)]
    return {
        "ours": round(statistics.median(mine for mine, _ in turns), 1),
        "published": round(statistics.median(their for _, their in turns), 1),
        "ratio": round(statistics.median(mine / their for mine, their in turns), 3),
    }


def time_limit(row: str, ours: Worker) -> dict[str, float]:
    """Time a row and the same call by limit.cc in turns, if there is one."""
    if row + LIMIT not in ours.limited:
        return {}
    turns = [(ours.nanoseconds(row), ours.nanoseconds(row + LIMIT)) for _ in range(TURNS)]
    return {
        "limit": round(statistics.median(least for _, least in turns), 1),
        "of limit": round(statistics.median(mine / least for mine, least in turns), 3),
    }


def time_import(pythons: list[str]) -> dict[str, float]:
    """Give the median processor time of an import, in milliseconds."""
    # As after an installation by pip: compiled files are kept.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    return time_processes([[python, "-c", IMPORT] for python in pythons])


def time_load(pythons: list[str]) -> dict[str, float]:
    """Give the same of the first load of a library, built with each runtime's headers."""
    with tempfile.TemporaryDirectory(prefix="load_") as folder:
        commands = []
        for name, python in zip(("ours", "published"), pythons, strict=True):
            library = Path(folder, name, "minimal_kernel.so")
            library.parent.mkdir()
            commands.append([python, "-c", LOAD, str(build_library(library, python))])
        return time_processes(commands)


def time_processes(commands: list[list[str]]) -> dict[str, float]:
    """Give the median of what two commands print, each run several times, in turns."""
    for command in commands:
        answer(*command)  # compiles, and fills the disk cache
    turns = [[float(answer(*command)) for command in commands] for _ in range(PROCESSES)]
    ours, theirs = (statistics.median(times) for times in zip(*turns, strict=True))
    milliseconds = {"ours": round(ours, 3), "published": round(theirs, 3)}
    return {**milliseconds, "ratio": round(ours / theirs, 4)}


def record_of(pythons: list[str]) -> dict[str, Any]:
    """Measure, and say where and with what."""
    rows = time_rows(pythons)
    default = [each["ratio"] for row, each in rows.items() if not row.endswith(TRUSTED)]
    version = "import importlib.metadata as m; print(m.version('apache-tvm-ffi'))"
    return {
        "what": "calls from Python and C++, with our runtime and with the published one",
        **circumstances(
            "calls",
            {
                "Python": platform.python_version(),
                **json.loads(answer(pythons[0], "-c", VERSIONS)),
                "apache-tvm-ffi": answer(pythons[1], "-c", version),
            },
        ),
        "targets": TARGETS,
        "geometric mean": round(statistics.geometric_mean(default), 3),
        "measured": {
            **{f"{row}, ns": each for row, each in rows.items()},
            "import, ms": {**time_import(pythons), "group": "from Python"},
            "load_module, first time, ms": {**time_load(pythons), "group": "from Python"},
        },
    }


def missed(record: dict[str, Any]) -> list[str]:
    """What is over its target; the mean, and the limit of each row, are of the default mode."""
    over = [
        name
        for name, row in record["measured"].items()
        if (
            row["ratio"] > TARGETS.get(name.rpartition(", ")[0], TARGETS["each row"])
            or row.get("of limit", 0) > TARGETS["of the limit"]
        )
        and TRUSTED not in name
    ]
    is_slow = record["geometric mean"] > TARGETS["geometric mean"]
    return [*over, *(["geometric mean"] if is_slow else [])]


def main() -> int:
    """Measure, print and write; 1 if a target is missed."""
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

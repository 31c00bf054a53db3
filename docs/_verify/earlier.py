# SPDX-License-Identifier: Apache-2.0
"""The latest results, task by task: a task that passed is not repeated until something changes."""

from __future__ import annotations

import json
import os
import shutil
import time
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, replace
from importlib.metadata import distributions
from pathlib import Path
from typing import Any

from . import closure as closures
from .layout import Layout
from .receipts import Receipt
from .results import Results, Skip
from .tools import Tools
from .whole_file import write_whole


@dataclass(frozen=True)
class Task:
    """One example, page or snippet test on one device, and its input files."""

    name: str
    level: str
    files: tuple[str, ...]
    run: Callable[[], Results]
    nearby: tuple[str, ...] = ()  # files that it may read unobserved; see all_tasks


# Programs that tests look for; if one appears or disappears, everything runs again.
PROGRAMS = ("auditwheel", "clang", "cmake", "cuobjdump", "doxygen", "make", "ninja", "patchelf")
PYTHONS = tuple(f"python3.{minor}" for minor in range(10, 16))
VARIABLES = (
    "ASAN_OPTIONS",
    "LD_PRELOAD",
    "MAX_EXAMPLES",
    "NVSHMEM_HOME",
    "REQUIRE_CUDA",
    "RUN_SLOW",
)
SHORT_LIST = 8  # tasks few enough to name


def task_key(tools: Tools) -> str:
    """Return what every result depends on besides its files: machine, software and runner."""
    path = tools.environment.get("PATH")
    facts = {
        "compilers": tools.compilers,
        "distributions": sorted({f"{d.name} {d.version}" for d in distributions()}),
        "gpu": tools.gpu,
        "package": closures.tree_digest(Path(tools.package).parent) if tools.package else "",
        "programs": [shutil.which(name, path=path) for name in (*PROGRAMS, *PYTHONS)],
        "python": tools.versions["python"],
        "runner": closures.tree_digest(Path(__file__).parent),
        "variables": [os.environ.get(name, "") for name in VARIABLES],
    }
    return json.dumps(facts, sort_keys=True)


class Earlier:
    """The results of tasks that passed, each with the hash of every file that took part."""

    def __init__(self, layout: Layout, key: str) -> None:
        self.root, self.path, self.key = layout.root, layout.tasks, key
        there = json.loads(self.path.read_text()) if self.path.exists() else {}
        self.known: dict[str, dict[str, Any]] = there["tasks"] if there.get("key") == key else {}
        self.kept = 0
        self.ran: dict[str, float] = {}  # the seconds of each
        self.latest: dict[str, dict[str, Any]] = {}

    def again(self, task: Task) -> Results:
        """Run a task, and save its results if it passed."""
        closure = closures.closure_of(self.root, task.files)
        nearby = closures.texts_digest(self.root, task.nearby)
        begin = time.monotonic()
        results = task.run()
        self.ran[task.name] = time.monotonic() - begin
        if not results.failures:
            for receipt in results.receipts:
                closure = receipt.closure | closure
            texts = closures.texts_digest(self.root, closure)
            found = {"closure": closure, "texts": texts, "nearby": nearby, **asdict(results)}
            self.latest[task.name] = found
        return results

    def unless_unchanged(self, task: Task) -> Results:
        """Return a task's last results if all its files are unchanged; otherwise run it."""
        known = self.known.get(task.name)
        if not known or not set(task.files) <= set(known["closure"]):
            return self.again(task)
        if closures.changed(self.root, known["closure"]):
            return self.again(task)
        if known["texts"] != closures.texts_digest(self.root, known["closure"]):
            return self.again(task)
        if task.nearby and known["nearby"] != closures.texts_digest(self.root, task.nearby):
            return self.again(task)
        self.kept += 1
        self.latest[task.name] = known
        receipts = [Receipt(**each) for each in known["receipts"]]
        return Results(receipts, [], [Skip(**each) for each in known["skips"]])

    def said(self, tasks: int) -> str:
        """Report how many tasks ran, and which ones if they are few."""
        names = f": {', '.join(sorted(self.ran))}" if 0 < len(self.ran) <= SHORT_LIST else ""
        return f"ran {len(self.ran)} of {tasks} examples, pages and tests{names}"

    def longest(self) -> str:
        """Report which tasks took longest."""
        tasks = sorted(self.ran.items(), key=lambda task: -task[1])[:SHORT_LIST]
        return "longest: " + ", ".join(f"{name} {spent:.0f} s" for name, spent in tasks)

    def write(self, stamp: dict[str, Any]) -> None:
        """Save the results of this run; results it reused keep their own date."""
        for found in self.latest.values():
            found["receipts"] = [
                each if each["date"] else each | stamp for each in found["receipts"]
            ]
        write_whole(self.path, json.dumps({"key": self.key, "tasks": self.latest}) + "\n")


def stamped(receipts: Iterable[Receipt], stamp: dict[str, Any]) -> list[Receipt]:
    """Return the receipts, each with the date and commit of its run."""
    return [each if each.date else replace(each, **stamp) for each in receipts]

# SPDX-License-Identifier: Apache-2.0
"""What the latest runs found, task by task: a preview keeps what nothing has changed since."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from . import closure as closures
from .layout import Layout
from .receipts import Receipt
from .results import Results, Skip
from .tools import Tools


@dataclass(frozen=True)
class Task:
    """One example, page or snippet test on one device, and the files that it is made of."""

    name: str
    files: tuple[str, ...]
    run: Callable[[], Results]


def task_key(tools: Tools) -> str:
    """What every result depends on besides its files: the tools, the runtime, and the runner."""
    package = closures.tree_digest(Path(tools.package).parent) if tools.package else ""
    runner = closures.tree_digest(Path(__file__).parent)
    return json.dumps([tools.compilers, tools.versions, package, runner], sort_keys=True)


class Earlier:
    """The results of tasks that passed, each with the hash of every file that took part."""

    def __init__(self, layout: Layout, key: str) -> None:
        self.root, self.path, self.key = layout.root, layout.tasks, key
        there = json.loads(self.path.read_text()) if self.path.exists() else {}
        self.known: dict[str, dict] = there["tasks"] if there.get("key") == key else {}
        self.kept = 0
        self.latest: dict[str, dict] = {}

    def again(self, task: Task) -> Results:
        """Run a task, and remember what it found if it passed."""
        closure = closures.closure_of(self.root, task.files)
        results = task.run()
        if not results.failures:
            for receipt in results.receipts:
                closure.update(receipt.closure)
            self.latest[task.name] = {"closure": closure, **asdict(results)}
        return results

    def unless_unchanged(self, task: Task) -> Results:
        """Give what the task found the last time if all its files are as they were; else run it."""
        known = self.known.get(task.name)
        names = set(task.files)
        if not known or not names <= set(known["closure"]):
            return self.again(task)
        if closures.changed(self.root, known["closure"]):
            return self.again(task)
        self.kept += 1
        self.latest[task.name] = known
        receipts = [Receipt(**each) for each in known["receipts"]]
        return Results(receipts, [], [Skip(**each) for each in known["skips"]])

    def write(self, stamp: dict[str, object]) -> None:
        """Keep what this run found; what it left alone keeps the date of its own run."""
        for found in self.latest.values():
            found["receipts"] = [
                each if each["date"] else each | stamp for each in found["receipts"]
            ]
        self.path.write_text(json.dumps({"key": self.key, "tasks": self.latest}) + "\n")


def stamped(receipts: Iterable[Receipt], stamp: dict[str, object]) -> list[Receipt]:
    """The receipts, each with the date and the commit of its run."""
    return [each if each.date else replace(each, **stamp) for each in receipts]

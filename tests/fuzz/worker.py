# SPDX-License-Identifier: Apache-2.0
"""Run a batch of inputs in this process, which a bad input may crash: worker.py FOLDER.

``FOLDER/batch.json`` specifies what to run. Each input is written to ``current.json`` before it
runs; findings go to ``findings.jsonl`` immediately, statistics to ``counts.json`` at the end.
"""

from __future__ import annotations

import contextlib
import faulthandler
import json
import os
import resource
import sys
import time
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

import target
from hypothesis import HealthCheck, Phase, given, seed, settings
from ledger import Ledger

ADDRESS_SPACE = 8 << 30  # so that an absurd length fails instead of exhausting the machine's memory


class Enough(KeyboardInterrupt):
    """Time is up; of a type that hypothesis propagates at once."""


class Batch:
    """Runs inputs and writes the results to its folder."""

    def __init__(self, folder: Path) -> None:
        self.ledger = Ledger()
        self.counts: Counter[str] = Counter()
        self.current = os.open(folder / "current.json", os.O_RDWR | os.O_CREAT | os.O_TRUNC)
        self.findings = open(folder / "findings.jsonl", "a", encoding="ascii")  # noqa: SIM115
        self.folder = folder

    def run(self, name: str, module: Any, value: Any) -> None:
        """Run one input."""
        self.counts["inputs"] += 1
        text = json.dumps({"target": name, "number": self.counts["inputs"], "input": value})
        os.ftruncate(self.current, 0)
        os.pwrite(self.current, text.encode(), 0)
        outcome, wrong = target.judge(module, value, self.ledger)
        self.counts["values" if outcome == "value" else "errors"] += 1
        for kind, problem in wrong:
            self.counts[kind] += 1
            finding = {"target": name, "kind": kind, "problem": problem, "input": value}
            print(json.dumps(finding), file=self.findings, flush=True)

    def end(self) -> None:
        """Write the statistics."""
        self.counts["lent"] = self.ledger.lent
        (self.folder / "counts.json").write_text(json.dumps(self.counts))


def fresh(batch: Batch, name: str, number: int, count: int, seconds: float) -> None:
    """Run new inputs, up to a count or a time limit."""
    module = target.load(name)
    ends: list[float] = []  # hypothesis takes seconds before its first input

    @seed(number)
    @settings(
        max_examples=count,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(module.INPUTS)
    def run(value: Any) -> None:
        if not ends:
            ends.append(time.monotonic() + seconds)
        if time.monotonic() > ends[0]:
            raise Enough
        batch.run(name, module, value)

    with contextlib.suppress(Enough):
        run()


def main(folder: Path) -> None:
    """Run the batch that the folder specifies."""
    faulthandler.enable()
    warnings.simplefilter("ignore")
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, ADDRESS_SPACE))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    work = json.loads((folder / "batch.json").read_text())
    batch = Batch(folder)
    for entry in work["replay"]:
        batch.run(entry["target"], target.load(entry["target"]), entry["input"])
    if work["target"]:
        fresh(batch, work["target"], work["seed"], work["count"], work["seconds"])
    batch.end()


if __name__ == "__main__":
    main(Path(sys.argv[1]))

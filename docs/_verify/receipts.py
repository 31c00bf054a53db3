# SPDX-License-Identifier: Apache-2.0
"""Receipts: one JSON file for each thing that a machine was seen to do."""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass, field
from pathlib import Path

from .closure import Closure

COMPILED = "compiled"
RAN_ON_CPU = "ran on CPU"
RAN_ON_GPU = "ran on GPU"
LEVEL_OF_DEVICE = {"cpu": RAN_ON_CPU, "cuda": RAN_ON_GPU}


@dataclass(frozen=True)
class Receipt:
    """A subject passed at a level; it counts while every file of its closure is unchanged."""

    subject: str
    level: str
    verifies: list[str]  # the files that this result proves, all in the closure
    closure: Closure
    flags: list[str] = field(default_factory=list)  # the compile commands, machine paths removed
    targets: list[str] = field(default_factory=list)  # what device code was made for
    tools: dict[str, str] = field(default_factory=dict)
    runtime: dict[str, str] = field(default_factory=dict)  # commit and whether it was modified
    machine: dict[str, str] = field(default_factory=dict)
    date: str = ""
    doctests: dict[str, str] = field(default_factory=dict)  # digest of each example that ran: line
    skipped: dict[str, str] = field(default_factory=dict)  # digest of each left out: reason

    @property
    def file_name(self) -> str:
        """A flat name, one for each subject, level and kind of machine."""
        kind = "gpu" if "gpu" in self.machine else "cpu"
        text = f"{self.subject}--{self.level}--{kind}"
        return re.sub(r"[^\w.-]+", "-", text.replace("/", ".")) + ".json"


def write_receipt(folder: Path, receipt: Receipt) -> Path:
    """Write a receipt under its own name."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / receipt.file_name
    path.write_text(json.dumps(asdict(receipt), indent=1, sort_keys=True) + "\n")
    return path


def read_receipts(*folders: Path) -> list[Receipt]:
    """All receipts of the folders, merged by union."""
    files = [path for folder in folders for path in sorted(folder.glob("*.json"))]
    return [Receipt(**json.loads(path.read_text())) for path in files]


def remove_receipts(folder: Path, level: str | None = None) -> None:
    """Forget a folder's receipts, or only those of one level."""
    for path in folder.glob("*.json"):
        if level is None or json.loads(path.read_text())["level"] == level:
            path.unlink()

# SPDX-License-Identifier: Apache-2.0
"""Receipts: one JSON file for each observed compilation or run."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path

from .closure import RUNTIME, Closure
from .whole_file import write_whole

COMPILED = "compiled"
RAN_ON_CPU = "ran on CPU"
RAN_ON_GPU = "ran on GPU"
EMULATED = "ran under emulation"  # for CUDA sources run by nox -s emulate, on a CPU
LEVEL_OF_DEVICE = {"cpu": RAN_ON_CPU, "cuda": RAN_ON_GPU}


@dataclass(frozen=True)
class Receipt:
    """A subject passed at a level; it counts while every file of its closure is unchanged."""

    subject: str
    level: str
    verifies: list[str]  # the files that this result proves, all in the closure
    closure: Closure
    flags: list[str] = field(default_factory=list)  # the compile commands, without machine paths
    targets: list[str] = field(default_factory=list)  # targets of the device code
    # For a C++ file, the lines that the preprocessor let through, as ranges of positions among the
    # significant lines (see comments.py); for others, nothing.
    lines: dict[str, list[str]] = field(default_factory=dict)
    # For each Python and shell file, the positions that ran, and why others did not; for a page,
    # why lines of an example did not run, by its digest.
    ran: dict[str, list[str]] = field(default_factory=dict)
    idle: dict[str, dict[str, str]] = field(default_factory=dict)
    tools: dict[str, str] = field(default_factory=dict)
    runtime: dict[str, str] = field(default_factory=dict)  # commit, whether it was modified, how
    machine: dict[str, str] = field(default_factory=dict)
    date: str = ""
    # For each digest of a page's examples: the line of each that ran, "" for one that did not.
    doctests: dict[str, list[str]] = field(default_factory=dict)
    skipped: dict[str, str] = field(default_factory=dict)  # digest of each left out: reason
    said: dict[str, str] = field(default_factory=dict)  # the last line that each program printed
    examples: str = ""  # for a page: one digest for all its doctests, see doctest_digest.py

    @property
    def file_name(self) -> str:
        """A flat name, unique for each subject, level and GPU."""
        kind = self.machine.get("gpu", "cpu")
        text = f"{self.subject}--{self.level}--{kind}"
        return re.sub(r"[^\w.-]+", "-", text.replace("/", ".")) + ".json"


def write_receipt(folder: Path, receipt: Receipt) -> Path:
    """Write a receipt under its own name."""
    path = folder / receipt.file_name
    write_whole(path, json.dumps(asdict(receipt), indent=1, sort_keys=True) + "\n")
    return path


def collisions(receipts: Iterable[Receipt]) -> list[tuple[Receipt, Receipt]]:
    """Return pairs of receipts for different results that have the same name."""
    first: dict[str, Receipt] = {}
    pairs = ((first.setdefault(each.file_name, each), each) for each in receipts)
    return [(a, b) for a, b in pairs if (a.subject, a.level) != (b.subject, b.level)]


def read_folder(folder: Path) -> dict[Path, Receipt]:
    """Read the receipts of a folder that name all their inputs, including a run's runtime."""
    found = {
        path: Receipt(**json.loads(path.read_text())) for path in sorted(folder.glob("*.json"))
    }
    return {path: each for path, each in found.items() if needed_by(each) <= set(each.closure)}


def needed_by(receipt: Receipt) -> set[str]:
    """Return the required names in a receipt's closure, without which it would never be stale."""
    return {*receipt.verifies, *([] if receipt.level == COMPILED else [RUNTIME])}


RANGE = re.compile(r"\d+-\d+")


def checked_receipt(data: object) -> Receipt:
    """Convert a file's content to a receipt; ValueError: it is not one, and why."""
    if not isinstance(data, dict):
        raise ValueError(f"expected an object, got {type(data).__name__}")
    empty = asdict(Receipt("", "", [], {}))
    if unknown := sorted({*data} - {*empty}):
        raise ValueError(f"expected no field {unknown[0]!r}")
    for name, value in data.items():
        wanted = type(empty[name])
        if not isinstance(value, wanted):
            raise ValueError(f"{name}: expected {wanted.__name__}, got {type(value).__name__}")
    if missing := [
        name for name in ("subject", "level", "verifies", "closure") if name not in data
    ]:
        raise ValueError(f"expected {', '.join(missing)}")
    receipt = Receipt(**data)
    texts = [*receipt.verifies, *receipt.flags, *receipt.targets]
    for mapping in (receipt.closure, receipt.tools, receipt.machine, receipt.said):
        texts += mapping.values()
    for ranges in (*receipt.ran.values(), *receipt.lines.values(), *receipt.doctests.values()):
        texts += ranges if isinstance(ranges, list) else [ranges]
    if odd := [text for text in texts if not isinstance(text, str)]:
        raise ValueError(f"expected strings, got {type(odd[0]).__name__}")
    parts = [
        part for each in (receipt.ran, receipt.lines) for some in each.values() for part in some
    ]
    if wrong := [part for part in parts if not RANGE.fullmatch(part)]:
        raise ValueError(f"expected ranges such as 3-7, got {wrong[0]!r}")
    if unnamed := sorted(needed_by(receipt) - {*receipt.closure}):
        raise ValueError(f"closure: expected {', '.join(unnamed)}")
    return receipt


def read_receipts(folder: Path, committed: Path) -> list[Receipt]:
    """Return this machine's receipts and, merged by union, those of other machines' GPUs.

    Committed receipts count only for GPU runs: any machine can compile and run on its CPU itself.
    """
    theirs = [
        each
        for each in read_folder(committed).values()
        if each.level == RAN_ON_GPU and each.machine.get("gpu") and each.runtime.get("commit")
    ]
    return [*read_folder(folder).values(), *theirs]


def remove_receipts(folder: Path) -> None:
    """Delete a folder's receipts."""
    for path in folder.glob("*.json"):
        path.unlink()


def remove_runs(committed: Path, gpu: str, subjects: set[str]) -> None:
    """Delete one GPU's receipts for these subjects, which it has just repeated."""
    for path, receipt in read_folder(committed).items():
        if receipt.machine.get("gpu") == gpu and receipt.subject in subjects:
            path.unlink()

# SPDX-License-Identifier: Apache-2.0
"""The results of a run: receipts, failures and skips."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from .receipts import Receipt


@dataclass(frozen=True)
class Failure:
    """Something that should have passed and did not."""

    subject: str
    level: str
    files: list[str]
    reason: str
    tail: str = ""
    doctest: str = ""  # digest of the only example that failed, if the others are judged


@dataclass(frozen=True)
class Skip:
    """Something that was left out, and why."""

    subject: str
    level: str
    reason: str
    files: list[str] = field(default_factory=list)  # the files it would have proved


@dataclass
class Results:
    """The results of one step, or of several merged."""

    receipts: list[Receipt] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)
    skips: list[Skip] = field(default_factory=list)

    def add(self, other: Results) -> None:
        """Merge by union."""
        self.receipts += other.receipts
        self.failures += other.failures
        self.skips += other.skips

    def fail(
        self,
        subject: str,
        level: str,
        files: list[str],
        reason: str,
        tail: str = "",
        doctest: str = "",
    ) -> None:
        """Record a failure."""
        self.failures.append(Failure(subject, level, files, reason, tail, doctest))

    def skip(self, subject: str, level: str, reason: str, files: Iterable[str] = ()) -> None:
        """Record a skip."""
        self.skips.append(Skip(subject, level, reason, sorted(files)))


def write_list(path: Path, items: list[Any]) -> None:
    """Write dataclass instances as one JSON list."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps([asdict(item) for item in items], indent=1) + "\n")


def read_failures(path: Path) -> list[Failure]:
    """Return the failures that a run recorded; none if nothing ran."""
    return [Failure(**item) for item in json.loads(path.read_text())] if path.exists() else []


def read_skips(path: Path) -> list[Skip]:
    """Return the skips that a run recorded; none if nothing ran."""
    return [Skip(**item) for item in json.loads(path.read_text())] if path.exists() else []

# SPDX-License-Identifier: Apache-2.0
"""Remember the inputs of the last good run, so that a run with the same inputs is skipped."""

from __future__ import annotations

import hashlib
import os
import platform
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

from _verify.closure import digest, tree_digest
from _verify.tools import answer, find_nvcc

from .system import gpus

RECEIPTS = "docs/verification/"


def input_files(root: Path) -> list[str]:
    """All files that git tracks or could track. Receipts are outputs where there is a GPU."""
    done = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
        cwd=root,
        capture_output=True,
        text=True,
        check=True,
    )
    files = sorted(set(filter(None, done.stdout.split("\0"))))
    return [name for name in files if not (gpus() and name.startswith(RECEIPTS))]


def input_digest(root: Path, python: str, records: Iterable[Path] = ()) -> str:
    """One digest of all files, records, tools and devices that a run's result depends on."""
    total = hashlib.sha256()
    for name in input_files(root):
        total.update(f"{name}\0{digest(root / name)}\n".encode())
    for record in records:
        seen = tree_digest(record) if record.is_dir() else digest(record)
        total.update(f"{record.name}\0{seen}\n".encode())
    nvcc = find_nvcc().get("NVCC", "")
    facts = [
        sys.version,
        platform.platform(),
        answer("g++", "--version"),
        answer("doxygen", "--version"),
        answer(nvcc, "--version") if nvcc else "",
        answer(python, "-m", "pip", "freeze", "--disable-pip-version-check"),
        gpus(),
        os.environ.get("REQUIRE_CUDA", ""),
    ]
    total.update("\0".join(facts).encode())
    return total.hexdigest()


class Memory:
    """The digest of the last good run's inputs, and the table that it printed."""

    def __init__(self, build: Path) -> None:
        self.path = build / "docs-passed.txt"
        self.site = build / "site" / "index.html"

    def table_for(self, inputs: str) -> str | None:
        """The table of the last good run, if it had the same inputs and its site is there."""
        if not self.path.exists() or not self.site.exists():
            return None
        first, _, table = self.path.read_text().partition("\n")
        return table if first == inputs else None

    def keep(self, inputs: str, table: str) -> None:
        """Remember a good run."""
        self.path.write_text(f"{inputs}\n{table}")

    def forget(self) -> None:
        """A run has begun; only its end may say that it was good."""
        self.path.unlink(missing_ok=True)

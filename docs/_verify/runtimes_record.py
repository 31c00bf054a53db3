# SPDX-License-Identifier: Apache-2.0
"""Which runtimes each example works under, as ``nox -s interop`` found it: build/runtimes.json."""

from __future__ import annotations

from pathlib import Path

from .closure import trees_digest
from .tree_record import read_tree_record, write_tree_record

FOLDERS = ("include", "src", "python", "examples", "tests/interop")


def made_of(root: Path) -> str:
    """One SHA-256 for all that the labels are about."""
    return trees_digest(root, FOLDERS)


def write_record(root: Path, build: Path, examples: dict[str, dict[str, str]]) -> None:
    """Keep what was found of each example, with what it was found of."""
    write_tree_record(build / "runtimes.json", made_of(root), {"examples": examples})


def record_of(root: Path, build: Path) -> dict[str, dict[str, str]] | None:
    """What was found of the examples of this tree, if it was looked for."""
    record = read_tree_record(build / "runtimes.json", made_of(root))
    return record["examples"] if record else None


def label_of(found: dict[str, str]) -> str:
    """What an example's page says: its claim, if that is what was found."""
    if found["wrong"]:
        return f"Failed: {found['wrong']}"
    if found["only here"]:
        return f"This runtime only: {found['only here']}."
    return "Both runtimes."

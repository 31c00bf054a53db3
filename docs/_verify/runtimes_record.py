# SPDX-License-Identifier: Apache-2.0
"""The runtimes each example works under, as found by ``nox -s interop``: build/runtimes.json."""

from __future__ import annotations

from pathlib import Path

from .closure import trees_digest
from .tree_record import read_tree_record, write_tree_record

FOLDERS = ("include", "src", "python", "examples", "tests/interop")


def made_of(root: Path) -> str:
    """Return one SHA-256 for everything the labels depend on."""
    return trees_digest(root, FOLDERS)


def write_record(root: Path, build: Path, examples: dict[str, dict[str, str]]) -> None:
    """Save the results of each example, with the hash of their inputs."""
    write_tree_record(build / "runtimes.json", made_of(root), {"examples": examples})


def record_of(root: Path, build: Path) -> dict[str, dict[str, str]] | None:
    """Return the results for this tree's examples, if they were recorded."""
    record = read_tree_record(build / "runtimes.json", made_of(root))
    return record["examples"] if record else None


def label_of(found: dict[str, str]) -> str:
    """Return the label for an example's page: its claim, if the results confirm it."""
    if found["wrong"]:
        return f"Failed: {found['wrong']}"
    if found["only here"]:
        return f"This runtime only: {found['only here']}."
    return "Both runtimes."

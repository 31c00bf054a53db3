# SPDX-License-Identifier: Apache-2.0
"""The record that ``nox -s interop`` leaves for the site: build/interop.json."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from .closure import trees_digest
from .tree_record import read_tree_record

FOLDERS = ("include", "src", "python", "tests/interop")
ALONE = 4  # the first columns are for libraries of one kind


def made_of(root: Path) -> str:
    """Return one SHA-256 for everything the table depends on."""
    return trees_digest(root, FOLDERS)


def record_of(root: Path, build: Path) -> dict[str, Any] | None:
    """Return the table for this tree, if it was recorded."""
    return read_tree_record(build / "interop.json", made_of(root))


def part_of(record: dict[str, Any], part: str) -> tuple[list[str], list[list[str]]]:
    """Return headings and rows of ``alone`` (libraries of one kind) or ``crossings`` (of two)."""
    columns = slice(0, ALONE) if part == "alone" else slice(ALONE, None)
    rows = [[row["title"], *row["cells"][columns]] for row in record["rows"]]
    return ["Case", *record["columns"][columns]], rows

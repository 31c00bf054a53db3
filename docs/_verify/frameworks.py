# SPDX-License-Identifier: Apache-2.0
"""The arguments accepted from each framework, as found by tests: build/frameworks.json."""

from __future__ import annotations

import re
from pathlib import Path

from .closure import trees_digest
from .tree_record import read_tree_record, write_tree_record

FOLDERS = ("include", "src", "python", "tests/python")
COLUMNS = {
    "torch": "PyTorch",
    "numpy": "NumPy",
    "jax": "JAX",
    "cupy": "CuPy",
    "paddle": "PaddlePaddle",
}
MISSING = re.compile(
    rf"^ *ModuleNotFoundError: No module named '({'|'.join(COLUMNS)})'$", re.MULTILINE
)
PARTS = {"dtypes": "Element type", "layouts": "Tensor"}
NOT_RUN = "not run"

Cells = dict[str, dict[str, dict[str, str]]]  # part, row, column: the outcome


def missing_framework(source: str, report: str) -> str:
    """Return the framework that an example imports and this machine lacks, or "".

    The name is the display name. A failing import inside other code is a failure of that code.
    """
    found = MISSING.search(report)
    if not found or not re.search(rf"^ *(import|from) +{found.group(1)}\b", source, re.MULTILINE):
        return ""
    return COLUMNS[found.group(1)]


def made_of(root: Path) -> str:
    """Return one SHA-256 for everything the tables depend on."""
    return trees_digest(root, FOLDERS)


def write_record(root: Path, build: Path, cells: Cells) -> None:
    """Save the tests' results, together with those of an earlier run of the same tree."""
    tree = made_of(root)
    earlier = record_of(root, build) or {}
    for part, rows in earlier.items():
        for row, columns in rows.items():
            found = cells.setdefault(part, {}).setdefault(row, {})
            for column, text in columns.items():
                found.setdefault(column, text)
    write_tree_record(build / "frameworks.json", tree, {"cells": cells})


def record_of(root: Path, build: Path) -> Cells | None:
    """Return the tests' results for this tree, if they ran."""
    record = read_tree_record(build / "frameworks.json", made_of(root))
    return record["cells"] if record else None


def table_of(cells: Cells, part: str) -> tuple[list[str], list[list[str]]]:
    """Return the headings and rows of ``dtypes`` or ``layouts``; untested cells say so."""
    rows = [
        [row, *(columns.get(column, NOT_RUN) for column in COLUMNS)]
        for row, columns in cells.get(part, {}).items()
    ]
    return [PARTS[part], *COLUMNS.values()], rows

# SPDX-License-Identifier: Apache-2.0
# Rows: R1, R2, R4, R5, R6, R7
"""The interop table: each case with libraries and runtimes of both kinds, in every combination."""

import json
import subprocess
from pathlib import Path

import pytest
from table import COLUMNS, CROSSINGS, find_cases, write_record
from table import fill_in as fill_in_table
from unsupported import UNSUPPORTED, unsupported

ROOT = Path(__file__).resolve().parents[2]
CASES = find_cases()
CELLS = [(case, column) for case in CASES for column in [*COLUMNS, *CROSSINGS]]


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """Where the libraries are built."""
    return tmp_path_factory.mktemp("interop")


@pytest.fixture(scope="module")
def cells(pythons, folder, pytestconfig) -> dict:
    """All cells; they are kept for the site, and shown at the end of the run."""
    filled = fill_in_table(pythons, folder)
    write_record(ROOT, folder, filled)
    return filled


@pytest.mark.parametrize(
    ("case", "column"), CELLS, ids=[f"{case}-{column.title}" for case, column in CELLS]
)
def test_cell(cells, case, column):
    """The case holds, or fails as the list of what is unsupported says."""
    entry, got = unsupported(case, column), cells[case, column]
    if entry is None:
        assert got == "ok"
    else:
        assert entry.error in got


def test_the_table_is_whole():
    """There are at least 40 cases; what is unsupported is about some cells of them."""
    assert len(CASES) >= 40
    for entry in UNSUPPORTED:
        assert entry.case in CASES
        assert any(entry.where(column) for column in [*COLUMNS, *CROSSINGS])


def test_our_libraries_have_no_unique_symbols(cells, folder):
    """No symbol of a library of ours is shared with other libraries of the process."""
    libraries = sorted((folder / "ours").glob("*.so"))
    assert libraries
    for library in libraries:
        command = ["nm", "-D", "--format=posix", "--defined-only", str(library)]
        table = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        assert [line for line in table.splitlines() if line.split()[1] == "u"] == []


def test_the_record_holds_every_cell(cells):
    """The record has a row for each case and a cell for each column, with reasons where needed."""
    record = json.loads((ROOT / "build" / "interop.json").read_text())
    assert len(record["rows"]) == len(CASES)
    for row in record["rows"]:
        assert len(row["cells"]) == len(COLUMNS) + len(CROSSINGS)

# SPDX-License-Identifier: Apache-2.0
# Rows: R9
"""Both runtimes run the rows of the benchmark of calls, so that each has something beside it."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "benchmarks"))

import calls
from call_rows import TRUSTED


@pytest.fixture(scope="module")
def rows(pythons, tmp_path_factory) -> dict[str, set[str]]:
    """The names of the rows that each runtime has run."""
    found = {}
    for kind, python in pythons.items():
        with calls.worker(python, tmp_path_factory.mktemp(kind)) as worker:
            found[kind] = {row for group in worker.rows.values() for row in group}
    return found


def test_rows_are_the_same(rows):
    """Only the trusted mode is ours alone."""
    ours = {row for row in rows["ours"] if not row.endswith(TRUSTED)}
    assert ours == rows["published"]


def test_a_first_load_is_timed_with_both(pythons, monkeypatch):
    """Each runtime loads a library built with its headers."""
    monkeypatch.setattr(calls, "PROCESSES", 1)
    told = calls.time_load([*pythons.values()])
    assert told["ours"] > 0
    assert told["published"] > 0

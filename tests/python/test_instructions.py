# SPDX-License-Identifier: Apache-2.0
# Rows: R9
"""The benchmark's rows take no more instructions than recorded in docs/benchmarks/baseline.json."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "benchmarks"))

import baseline
import instructions

ROOT = Path(__file__).resolve().parents[2]
RECORD = json.loads((ROOT / "docs" / "benchmarks" / "baseline.json").read_text())


@pytest.fixture
def counter(tmp_path: Path) -> None:
    """Skip where instructions cannot be counted or would not be comparable."""
    if not shutil.which("valgrind"):
        pytest.skip("valgrind is not installed: apt-get install valgrind")
    found, recorded = baseline.environment(), RECORD["environment"]
    if others := [name for name in recorded if found[name] != recorded[name]]:
        told = (f"{name} is {found[name]}, not {recorded[name]}" for name in others)
        pytest.skip(f"the baseline is of another environment: {'; '.join(told)}")
    try:
        instructions.build_counter(tmp_path / "counter.so")
    except subprocess.CalledProcessError:
        pytest.skip("valgrind's headers are not installed")


@pytest.mark.usefixtures("counter")
def test_rows_take_no_more_instructions() -> None:
    """A row that has grown for a good reason must be recorded again."""
    grown = baseline.always_grown(RECORD["instructions"])
    remedy = "To accept that, type nox -s bench -- baseline and commit what it writes"
    assert not grown, "\n".join(["more instructions than before:", *grown, remedy])


@pytest.mark.parametrize(
    ("before", "now", "is_grown"),
    [
        (1000.0, 1035.0, False),
        (1000.0, 1035.1, True),
        (20.0, 25.6, False),
        (20.0, 26.0, True),
        (1000.0, 10.0, False),
    ],
)
def test_what_has_grown(before: float, now: float, is_grown: bool) -> None:
    """Growth within three percent and five instructions is not a failure."""
    told = ["int: " + f"{before} -> {now}"] if is_grown else []
    assert baseline.grown({"int": before}, {"int": now}) == told


def test_rows_that_come_and_go() -> None:
    """The gate names a row without a record and one that is no longer counted."""
    told = ["new: never recorded -> 2.0", "old: 1.0 -> gone"]
    assert baseline.grown({"old": 1.0}, {"new": 2.0}) == told


def test_a_row_has_grown_if_each_run_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """One run with an unlucky heap layout is not a failure, and a passing run is the last."""
    runs = [{"a": 90.0, "b": 9.0}, {"a": 10.0, "b": 90.0}, {"a": 90.0, "b": 80.0}]
    left = [*runs]
    monkeypatch.setattr(baseline, "count", lambda: left.pop(0))
    assert baseline.always_grown({"a": 10.0, "b": 10.0}) == []
    assert left == runs[2:]
    left[:] = runs
    assert baseline.always_grown({"a": 1.0, "b": 90.0}) == ["a: 1.0 -> 10.0"]
    left[:] = runs
    assert baseline.most() == {"a": 90.0, "b": 90.0}


def test_rows_are_compared_by_name() -> None:
    """A row keeps its group and limit; a trusted row is compared with the peer's plain row."""
    ours = {
        "from Python": {"int": 90.0, "int (trusted)": 80.0},
        "in C++": {"String": 10.0},
        "limit": {"int (limit)": 60.0},
    }
    theirs = {"from Python": {"int": 100.0}, "in C++": {"String": 20.0}, "limit": {}}
    plain = {"ours": 90.0, "published": 100.0, "ratio": 0.9, "limit": 60.0, "of limit": 1.5}
    assert instructions.measured_of(ours, theirs) == {
        "int": {**plain, "group": "from Python"},
        "int (trusted)": {"ours": 80.0, "published": 100.0, "ratio": 0.8, "group": "from Python"},
        "String": {"ours": 10.0, "published": 20.0, "ratio": 0.5, "group": "in C++"},
    }


def test_what_is_over_its_target() -> None:
    """A row, its limit and the mean have targets; trusted rows have none."""
    row = {"ratio": 1.0, "of limit": 1.0}
    record = {"geometric mean": 0.5, "measured": {"int": row, "str (trusted)": {"ratio": 9.0}}}
    assert instructions.missed(record) == []
    assert instructions.missed({**record, "geometric mean": 0.9}) == ["geometric mean"]
    for name in row:
        slow = {**record, "measured": {"int": {**row, name: 9.0}}}
        assert instructions.missed(slow) == ["int"]

# SPDX-License-Identifier: Apache-2.0
# Rows: R9
"""The tests named on the page on reliability exist, and its table shows the soak's results."""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path

import pytest
from _setup import line_coverage
from _verify.benchmark_record import coverage_of, soak_of

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "reliability.rst").read_text()
NAMED = re.findall(r"``(tests/[\w/.]+)(?:::(\w+))?``", PAGE)

sys.path.insert(0, str(ROOT / "tests" / "benchmarks"))


def named_in(path: Path) -> set[str]:
    """Return the names of the tests in a Python or C++ file."""
    text = path.read_text()
    if path.suffix == ".cc":
        return set(re.findall(r"_FUNC\(\s*(test_\w+)", text))
    return {each.name for each in ast.walk(ast.parse(text)) if isinstance(each, ast.FunctionDef)}


@pytest.mark.parametrize(("file", "name"), NAMED)
def test_each_test_exists(file: str, name: str) -> None:
    """Renaming or removing a test breaks this one."""
    assert (ROOT / file).is_file()
    assert not name or name in named_in(ROOT / file)


def test_each_promise_names_a_test() -> None:
    """Each list item names a test."""
    lists = PAGE[: PAGE.index("\nMillions of repetitions\n")]
    named = re.findall(r"^\* (.+):\n  ``tests/", lists, re.MULTILINE)
    assert len(named) == len(re.findall(r"^\* ", lists, re.MULTILINE)) > 15


def test_each_trial_is_described() -> None:
    """The page says what each trial repeats."""
    from soak import COUNTS

    assert re.findall(r"^``(\w+)``$", PAGE, re.MULTILINE) == [*COUNTS]


def test_table_of_covered_lines() -> None:
    """Lines that never ran are split by whether they have a reason; the page names the floor."""
    figures = {"lines": 2000, "ran": 1990, "percent": 99.5, "explained": 7}
    assert coverage_of({"folders": {"src": figures}})[1] == [
        ["src", "2,000", "1,990", "99.5 %", "7", "3"]
    ]
    assert f"below {line_coverage.FLOOR:g} %" in PAGE


def test_table_of_the_soak() -> None:
    """Growth is per million repetitions; a failed trial says how it failed."""
    grew = {"malloc bytes": 45, "threads": 1}
    good = {"count": 1000, "over": 900, "crashes": 0, "hangs": 0, "failed": "", "grew": grew}
    bad = {"count": 7, "crashes": 1, "hangs": 0, "failed": "status -11: x", "left behind": {}}
    trials = {"a": {**good, "left behind": {"threads": 1}}, "b": {**good, "left behind": {}}}
    _, rows = soak_of({"trials": {**trials, "c": bad}})
    assert rows == [
        ["a", "1,000", "0", "0", "+50,000", "+1 threads"],
        ["b", "1,000", "0", "0", "+50,000", "nothing"],
        ["c", "7", "1", "0", "", "status -11: x"],
    ]

# SPDX-License-Identifier: Apache-2.0
# Rows: R9
"""The benchmark of calls reports missed targets and takes the median of the turns."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "benchmarks"))

import calls
import calls_worker
from call_rows import Row, build_library

LOADED = "load_module, loaded before, ns"


class Worker:
    """Returns given times and records the rows requested."""

    def __init__(self, *times: float) -> None:
        self.times = list(times)
        self.asked: set[str] = set()
        self.limited: list[str] = []

    def nanoseconds(self, row: str) -> float:
        """Return the next time."""
        self.asked.add(row)
        return self.times.pop(0)


def record(mean: float, importing: float, **ratios: float) -> dict:
    """Return a record with these ratios."""
    rows = {f"{name}, ns": {"ratio": ratio} for name, ratio in ratios.items()}
    return {"geometric mean": mean, "measured": {**rows, "import, ms": {"ratio": importing}}}


@pytest.mark.parametrize(
    ("given", "over"),
    [
        (record(0.7, 0.05, int=1.1, str=0.2), []),
        (record(0.7, 0.05, int=1.101), ["int, ns"]),
        (record(0.701, 0.05, int=0.9), ["geometric mean"]),
        (record(0.5, 0.051, int=0.9), ["import, ms"]),
        (record(0.5, 0.05, **{"load_module, loaded before": 1.5}), []),
        (record(0.5, 0.05, **{"load_module, loaded before": 1.501}), [LOADED]),
    ],
)
def test_what_is_over_its_target(given: dict, over: list[str]) -> None:
    """A row, the mean and the import each have a limit."""
    assert calls.missed(given) == over


def test_a_row_far_from_its_limit() -> None:
    """A row may take 1.3 times the minimum cost of a call."""
    slow = record(0.5, 0.01, int=0.5)
    for of_limit, over in ((1.3, []), (1.301, ["int, ns"])):
        slow["measured"]["int, ns"]["of limit"] = of_limit
        assert calls.missed(slow) == over


def test_limits_are_timed_in_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    """The ratio is the median of the turns; a row without a limit is not timed against one."""
    monkeypatch.setattr(calls, "TURNS", 3)
    ours = Worker(20, 10, 900, 10, 40, 10)
    ours.limited = ["int (limit)"]
    assert calls.time_limit("int", ours) == {"limit": 10, "of limit": 4.0}
    assert ours.asked == {"int", "int (limit)"}
    assert calls.time_limit("str", ours) == {}


def test_trusted_rows_have_no_target() -> None:
    """Trusted rows are only reported alongside the rows of the default mode."""
    slow = record(0.5, 0.01, int=0.5)
    slow["measured"]["1 torch tensor (trusted), ns"] = {"ratio": 2.0}
    assert calls.missed(slow) == []


def test_medians_of_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    """One disturbed turn changes nothing; a trusted row is compared with the peer's plain one."""
    monkeypatch.setattr(calls, "TURNS", 3)
    ours, theirs = Worker(10, 900, 30), Worker(40, 40, 40)
    row = calls.time_row("1 torch tensor (trusted)", ours, theirs)
    assert row == {"ours": 30, "published": 40, "ratio": 0.75}
    assert (ours.asked, theirs.asked) == ({"1 torch tensor (trusted)"}, {"1 torch tensor"})


def test_processes_take_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each program's first run is not counted; one disturbed run changes nothing."""
    monkeypatch.setattr(calls, "PROCESSES", 3)
    said = {"ours": ["99", "2", "1", "9"], "theirs": ["99", "4", "4", "4"]}
    asked: list[str] = []

    def answer(name: str) -> str:
        asked.append(name)
        return said[name].pop(0)

    monkeypatch.setattr(calls, "answer", answer)
    assert calls.time_processes([["ours"], ["theirs"]]) == {
        "ours": 2,
        "published": 4,
        "ratio": 0.5,
    }
    assert asked == ["ours", "theirs"] * 4


def test_import_and_first_load_are_timed(tmp_path: Path) -> None:
    """Each program prints only its milliseconds."""
    library = str(build_library(tmp_path / "minimal_kernel.so"))
    for program in (calls.IMPORT, calls.LOAD):
        assert float(calls.answer(sys.executable, "-c", program, library)) > 0


def test_a_slow_first_call_makes_no_short_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """The calls after the first determine the length of a block and its reported time."""
    now, took = [0.0], [1.0]

    def call() -> None:
        now[0] += took[0]
        took[0] = 1e-6

    monkeypatch.setattr(calls_worker, "process_time", lambda: now[0])
    timed = calls_worker.Timed(Row("f()", {"f": call}))
    assert timed.times == 3000
    assert timed.nanoseconds() == pytest.approx(1000)

# SPDX-License-Identifier: Apache-2.0
# Rows: R2, R5, R6
"""Short runs of the trials of ``nox -s soak``, and their reports of faults."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).resolve().parents[1] / "benchmarks"
sys.path.insert(0, str(BENCHMARKS))

import soak  # noqa: E402  (in a folder that was just named)
from call_rows import build_library  # noqa: E402


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the functions called by the trials, and the library they unload."""
    folder = tmp_path_factory.mktemp("soak")
    build_library(folder / "unloaded.so")
    return build_library(folder / "calls_library.so")


@pytest.mark.parametrize(
    ("name", "count"),
    [("calls", 16_000), ("loads", 200), ("errors", 4000), ("forks", 20), ("everything", 8000)],
)
def test_nothing_fails(library: Path, name: str, count: int) -> None:
    """Each trial ends and leaves no thread or open file behind."""
    found = soak.run_trial(name, count, library)
    assert found["failed"] == ""
    assert (found["crashes"], found["hangs"]) == (0, 0)
    assert (found["grew"]["threads"], found["grew"]["open files"]) == (0, 0)


TRIAL = """
import os, sys, time
sys.path.insert(0, {folder!r})
import soak_trials
kept = []
class Trial:
    def __init__(self, library): pass
    def work(self, count): {work}
soak_trials.TRIALS["forks"] = Trial
soak_trials.LIMIT = 0.2
soak_trials.main("forks", int(sys.argv[2]), sys.argv[3])
"""


@pytest.mark.parametrize(
    ("work", "crashes", "hangs", "said"),
    [
        ("os.abort()", 1, 0, "status -6: "),
        ("soak_trials.fork(lambda: time.sleep(60), 3)", 0, 1, "child 3 hangs"),
        ("soak_trials.fork(lambda: 2, 3)", 1, 0, "child 3 ended with status 2"),
        ("time.sleep(60)", 0, 1, "not done after 2 seconds"),
        ("raise ValueError('no')", 0, 0, "status 1: ValueError: no"),
        ("soak_trials.in_threads([lambda: 1 / 0])", 0, 0, "ZeroDivisionError"),
        ("kept.append(bytearray(2 << 20))", 0, 0, ""),
        ("kept.append(open('/dev/null'))", 0, 0, ""),
    ],
)
def test_faults_are_found(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    work: str,
    crashes: int,
    hangs: int,
    said: str,
) -> None:
    """A crash, a hang, a thread's error, and leaked memory or files are reported."""
    code = TRIAL.format(folder=str(BENCHMARKS), work=work)
    (tmp_path / "soak_trials.py").write_text(code)
    monkeypatch.setattr(soak, "__file__", str(tmp_path / "soak.py"))
    found = soak.run_trial("forks", 10, tmp_path, limit=2 if work == "time.sleep(60)" else 60)
    assert (found["crashes"], found["hangs"]) == (crashes, hangs)
    assert said in found["failed"]
    assert bool(found["failed"]) == bool(said)
    assert bool(soak.left_behind(found)) == (not said)

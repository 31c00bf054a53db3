# SPDX-License-Identifier: Apache-2.0
# Rows: R9
"""The fuzz runner counts inputs and finds crashes, hangs, unexpected errors and bad releases."""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "fuzz"))

import fuzz
import runner
import target
from ledger import Ledger

# A target whose inputs determine their outcome.
PLANTED = """\
import ctypes, os, sys, time
from types import SimpleNamespace
from hypothesis import strategies as st

INPUTS = st.sampled_from(["value", "error"])
ERRORS = (KeyError,)

def run(given, ledger):
    record = SimpleNamespace(released=1)
    ledger.lend(record, None)
    if given == "segfault":
        ctypes.string_at(0)
    elif given == "exit":
        os._exit(3)
    elif given == "leave":
        sys.exit("enough")
    elif given == "hang":
        time.sleep(1000)
    elif given == "odd":
        raise SystemError("nobody expects this one")
    elif given == "mute":
        raise ValueError("no")
    elif given == "recursion":
        raise RecursionError("too deep for the stack")
    elif given == "wrong":
        from target import Wrong
        raise Wrong("two and two are five")
    elif given == "lost":
        record.released = 0
    elif given == "twice":
        record.released = 2
    elif given == "error":
        raise ValueError("expected a value, got an error")
    elif given == "documented":
        raise KeyError("a documented kind of error")
"""


@pytest.fixture
def worker(tmp_path: Path) -> Path:
    """Return a worker whose only target is the planted one."""
    (tmp_path / "targets").mkdir()
    (tmp_path / "targets" / "planted.py").write_text(PLANTED)
    for name in ("worker.py", "target.py", "ledger.py"):
        (tmp_path / name).write_text((runner.FOLDER / name).read_text())
    return tmp_path / "worker.py"


def replay(worker: Path, *inputs: str, limit: float = 60) -> runner.Result:
    """Run inputs of the planted target."""
    entries = tuple({"target": "planted", "input": each} for each in inputs)
    return runner.run_batch(replay=entries, worker=worker, limit=limit)


def test_figures(worker: Path) -> None:
    """Values, errors and producers are counted and are not findings."""
    result = replay(worker, "value", "error", "documented", "value")
    assert result.findings == []
    assert result.counts == {"inputs": 4, "values": 2, "errors": 2, "lent": 4}


@pytest.mark.parametrize(
    ("given", "kind", "problem"),
    [
        ("odd", "unexpected error", "SystemError: nobody expects this one"),
        ("leave", "unexpected error", "SystemExit: enough"),
        ("recursion", "unexpected error", "RecursionError: too deep for the stack"),
        ("mute", "unexpected error", "ValueError that says nothing: no"),
        ("wrong", "wrong value", "two and two are five"),
        ("lost", "release", "released 0 times, expected once"),
        ("twice", "release", "released 2 times, expected once"),
    ],
)
def test_findings(worker: Path, given: str, kind: str, problem: str) -> None:
    """Each problem is reported, and the batch continues."""
    result = replay(worker, "value", given, "value")
    (finding,) = result.findings
    assert (finding["kind"], finding["problem"], finding["input"]) == (kind, problem, given)
    assert result.counts[kind] == 1
    assert result.counts["inputs"] == 3


@pytest.mark.parametrize(
    ("given", "problem"), [("segfault", "SIGSEGV\nFatal Python error"), ("exit", "exit status 3")]
)
def test_crash_of_the_child(worker: Path, given: str, problem: str) -> None:
    """The input that killed the process is the finding; earlier findings are kept."""
    result = replay(worker, "value", "odd", given, "value")
    odd, crash = result.findings
    assert odd["kind"] == "unexpected error"
    assert (crash["kind"], crash["input"]) == ("crash", given)
    assert crash["problem"].startswith(problem)
    assert '"/' not in crash["problem"]
    assert ('"worker.py"' in crash["problem"]) == (given == "segfault")
    assert result.counts["inputs"] == 3
    assert result.counts["crash"] == result.counts["unexpected error"] == 1


def test_hang_of_the_child(worker: Path) -> None:
    """A child stuck on one input is killed, and that input is the finding."""
    result = replay(worker, "value", "hang", limit=1)
    (finding,) = result.findings
    assert (finding["kind"], finding["input"]) == ("hang", "hang")
    assert finding["problem"] == "no end after 1 s"


def test_worker_that_does_not_start(worker: Path) -> None:
    """It is a runner error, not a finding."""
    with pytest.raises(RuntimeError, match=r"(?s)did not start.*No module named 'targets.missing'"):
        runner.run_batch("missing", worker=worker)


def test_seed_decides(worker: Path) -> None:
    """The same seed gives the same counts, and a finding records its seed."""
    counts = [runner.run_batch("planted", seed=5, count=30, worker=worker).counts for _ in "ab"]
    assert counts[0] == counts[1]
    entry = ({"target": "planted", "input": "odd"},)
    (finding,) = runner.run_batch(seed=7, replay=entry, worker=worker).findings
    assert finding["seed"] == 7


def test_release_after_the_end() -> None:
    """A producer released again later is reported while another input runs."""
    ledger = Ledger()
    record = SimpleNamespace(released=1)
    ledger.lend(record, None)
    assert ledger.close() == []
    record.released = 2
    assert ledger.close() == ["released again after its input had ended"]
    assert ledger.close() == []


def test_corpus_of_findings(tmp_path: Path) -> None:
    """A finding is saved as a small file from which it can be replayed."""
    finding = {
        "target": "planted",
        "kind": "crash",
        "problem": "SIGSEGV at 0x7f00 in 'a'",
        "input": [1, {"a": "\ud800"}],
        "seed": 3,
    }
    path = runner.save(finding, tmp_path)
    assert runner.read_corpus(tmp_path) == (finding,)
    assert path.stat().st_size < 300
    other = {**finding, "problem": "SIGSEGV at 0x7e11 in 'b'"}
    assert runner.alike(finding) == runner.alike(other) != runner.alike({**finding, "kind": "hang"})


def test_run_for_some_minutes(tmp_path: Path, monkeypatch: Any, capsys: Any) -> None:
    """Targets take turns with a new seed each, and one finding per cause is kept.

    A cause already in the corpus is kept again: it was fixed and has come back.
    """
    mended = {"target": "a", "kind": "crash", "problem": "SIGSEGV 7", "input": 7, "seed": 7}
    old = runner.save(mended, tmp_path)
    asked = []

    def run_batch(name: str, seed: int, count: int, seconds: float) -> runner.Result:
        asked.append((name, seed))
        found = {"target": name, "kind": "crash", "problem": f"SIGSEGV {seed}", "input": seed}
        return runner.Result(Counter(inputs=10, crash=1), [found] if name == "a" else [])

    monkeypatch.setattr(runner, "run_batch", run_batch)
    clock = iter(range(0, 1000, 10))
    monkeypatch.setattr(fuzz.time, "monotonic", lambda: next(clock))
    results = fuzz.fuzz(["a", "b"], minutes=1, seed=100, jobs=1, corpus=tmp_path)
    assert asked == [("a", 100), ("b", 100), ("a", 101), ("b", 101), ("a", 102)]
    assert results["a"].counts["inputs"] == 30
    (kept,) = {*tmp_path.iterdir()} - {old}
    assert json.loads(kept.read_text())["input"] == 100
    assert capsys.readouterr().out.count("seed 100, kept as") == 1
    lines = runner.table(results).splitlines()
    assert lines[0].split()[:2] == ["target", "inputs"]
    assert [line.split()[:2] for line in lines[1:]] == [["a", "30"], ["b", "20"], ["all", "50"]]


def test_every_target_has_inputs_and_is_known() -> None:
    """The target names on the command line match the files."""
    assert set(target.names()) >= {"dlpack_capsules", "dlpack_exchange", "raw_values", "libraries"}
    assert all((target.FOLDER / f"{name}.py").exists() for name in target.names())

# SPDX-License-Identifier: Apache-2.0
"""Runs batches of inputs in child processes, so that a crash or a hang is only a finding."""

from __future__ import annotations

import hashlib
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parent
CORPUS = FOLDER / "corpus"
START = 900.0  # seconds until the first input, as libraries are compiled first
KINDS = ("crash", "hang", "unexpected error", "release", "wrong value")


@dataclass
class Result:
    """The results of some batches of one target."""

    counts: Counter[str] = field(default_factory=Counter)
    findings: list[dict[str, Any]] = field(default_factory=list)

    def add(self, other: Result) -> None:
        """Add the results of another batch."""
        self.counts += other.counts
        self.findings += other.findings


def run_batch(
    name: str = "",
    seed: int = 0,
    count: int = 1000,
    seconds: float = 3600,
    replay: tuple[dict[str, Any], ...] = (),
    limit: float = 60,
    worker: Path = FOLDER / "worker.py",
) -> Result:
    """Run new inputs of a target in one child process, or replay old ones.

    ``limit`` is the time limit for one input, in seconds.
    """
    work = {"target": name, "seed": seed, "count": count, "seconds": seconds, "replay": [*replay]}
    with tempfile.TemporaryDirectory(prefix="fuzz-") as place:
        folder = Path(place)
        (folder / "batch.json").write_text(json.dumps(work))
        temporary = {"TMPDIR": place, "PYTHONDONTWRITEBYTECODE": "1"}
        with (folder / "stderr").open("wb") as stderr:
            child = subprocess.Popen(
                [sys.executable, str(worker), place],
                cwd=place,
                stdin=subprocess.DEVNULL,
                stdout=stderr,
                stderr=stderr,
                env={**os.environ, **temporary},
                start_new_session=True,
            )
        hung = wait(child, folder / "current.json", limit)
        result = read_result(folder)
        if hung or child.returncode != 0:
            said = (folder / "stderr").read_text(errors="replace")
            current = read_json(folder / "current.json")
            if not current:  # the worker itself is broken
                ended = reason(child.returncode)
                raise RuntimeError(
                    f"the worker of {name or 'the corpus'} did not start: {ended}\n{said}"
                )
            kind = "hang" if hung else "crash"
            how = f"no end after {limit:g} s" if hung else f"{reason(child.returncode)}\n{said}"
            finding = {"kind": kind, "problem": without_folders(how)[:1500]}
            result.findings.append(
                {"target": current["target"], **finding, "input": current["input"]}
            )
            result.counts[kind] += 1
            result.counts["inputs"] = current["number"]
        for finding in result.findings:
            finding["seed"] = seed
        return result


def wait(child: subprocess.Popen[bytes], current: Path, limit: float) -> bool:
    """Wait for a child; if one input exceeds the limit, kill it and return True."""
    last, since = -1, time.monotonic()
    while True:
        try:
            child.wait(timeout=min(0.2, limit / 4))
            return False
        except subprocess.TimeoutExpired:
            changed = current.stat().st_mtime_ns if current.exists() else 0
            allowed = limit if changed and current.stat().st_size else START
            if changed != last:
                last, since = changed, time.monotonic()
            elif time.monotonic() - since > allowed:
                os.killpg(child.pid, signal.SIGKILL)
                child.wait()
                return True


def read_result(folder: Path) -> Result:
    """A child's results: its statistics, or counts of its findings if it did not finish."""
    findings = folder / "findings.jsonl"
    lines = findings.read_text().splitlines() if findings.exists() else []
    found = [json.loads(line) for line in lines]
    counts = Counter(read_json(folder / "counts.json"))
    if not counts:
        counts.update(finding["kind"] for finding in found)
    return Result(counts, found)


def read_json(path: Path) -> dict[str, Any]:
    """A file's contents; empty if the file is missing or empty."""
    text = path.read_text() if path.exists() else ""
    return json.loads(text) if text else {}


def reason(status: int) -> str:
    """How a process ended."""
    return signal.Signals(-status).name if status < 0 else f"exit status {status}"


def without_folders(text: str) -> str:
    """A traceback with file names only, since findings are committed."""
    return re.sub(r'"/[^"\n]*/', '"', text)


def alike(finding: dict[str, Any]) -> str:
    """A key shared by findings with the same cause: the first line without numbers and strings."""
    first = finding["problem"].split("\n")[0]
    text = re.sub(r"0x[0-9a-f]+|-?\d+|'[^']*'|\"[^\"]*\"", "#", first)
    return f"{finding['target']} {finding['kind']} {text}"[:200]


def save(finding: dict[str, Any], corpus: Path = CORPUS) -> Path:
    """Write a finding to a small file in the corpus."""
    digest = hashlib.sha256(json.dumps(finding["input"], sort_keys=True).encode()).hexdigest()[:8]
    corpus.mkdir(parents=True, exist_ok=True)
    path = corpus / f"{finding['target']}-{digest}.json"
    keys = ("target", "input", "kind", "problem", "seed")
    content = {key: finding[key] for key in keys if key in finding}
    path.write_text(json.dumps(content, indent=1) + "\n")
    return path


def read_corpus(corpus: Path = CORPUS) -> tuple[dict[str, Any], ...]:
    """All past findings, and hand-picked inputs."""
    return tuple(json.loads(path.read_text()) for path in sorted(corpus.glob("*.json")))


def table(results: dict[str, Result]) -> str:
    """The statistics of each target."""
    columns = ("inputs", "values", "errors", "lent", *KINDS)
    rows = [(name, *(results[name].counts[column] for column in columns)) for name in results]
    rows.append(("all", *(sum(row[i + 1] for row in rows) for i in range(len(columns)))))
    lines = [f"{'target':<16}" + "".join(f"{column:>17}" for column in columns)]
    lines += [f"{name:<16}" + "".join(f"{count:>17}" for count in row) for name, *row in rows]
    return "\n".join(lines)

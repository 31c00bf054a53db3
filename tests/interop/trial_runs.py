# SPDX-License-Identifier: Apache-2.0
"""Run the programs in ``trials`` under both packages, and say how each of them ends."""

from __future__ import annotations

import datetime
import json
import os
import platform
import re
import signal
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from _verify.closure import digest
from _verify.tools import cpu_name, runtime_commit

ROOT = Path(__file__).resolve().parents[2]
TRIALS = Path(__file__).resolve().parent / "trials"
RECORD = ROOT / "docs" / "compared" / "trials.json"
SECONDS = 30
# Kilobytes: a program that takes more memory fails; the stack is that of most systems.
LIMITS = "ulimit -c 0; ulimit -S -s 8192; ulimit -v 8388608; "
LONGEST = 160  # characters of an error in the record
ERROR, RESULT, SIGNAL, STATUS, HANG = "error", "result", "signal", "status", "hang"
RAISED = re.compile(r"^([A-Za-z_][\w.]*)(?:: (.*))?$")
Outcome = dict[str, str]


def programs() -> list[Path]:
    """All trials."""
    return sorted(TRIALS.glob("*.py"))


def outcome_of(python: str, program: Path, seconds: float = SECONDS) -> Outcome:
    """How a program ends: by an error, with a result, by a signal, with a status, or not at all."""
    command = ["sh", "-c", LIMITS + 'exec "$@"', "sh", python, str(program)]
    variables = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, timeout=seconds, env=variables
        )
    except subprocess.TimeoutExpired:
        return {"how": HANG, "said": "does not end"}
    if done.returncode < 0:
        return {"how": SIGNAL, "said": f"ends by {signal.Signals(-done.returncode).name}"}
    if done.returncode == 0:
        return {"how": RESULT, "said": "; ".join(done.stdout.splitlines())}
    if said := raised(done.stderr):
        return {"how": ERROR, "said": said}
    return {"how": STATUS, "said": f"ends with status {done.returncode}"}


def in_time(python: str, program: Path, seconds: float = SECONDS) -> Outcome:
    """How a program ends; on a busy machine a second try gets four times as long."""
    outcome = outcome_of(python, program, seconds)
    return outcome_of(python, program, 4 * seconds) if outcome["how"] == HANG else outcome


def raised(printed: str) -> str:
    """The error that ended a program, with the first line of its message; empty if none did."""
    _, found, last = printed.rpartition("Traceback (most recent call last):\n")
    for line in last.splitlines() if found else ():
        if RAISED.match(line):
            return without_places(line)[:LONGEST]
    return ""


def without_places(text: str) -> str:
    """A message without the addresses and the temporary folders of one run."""
    text = re.sub(r"\b0x[0-9a-f]+", "0x...", text)
    return re.sub(r"/\S*/(?=[\w.]+\.(?:so|py)\b)", "", text)


def classified(outcome: Outcome) -> tuple[str, str]:
    """What must be the same in each run: of an error the type, of anything else all of it."""
    how, said = outcome["how"], outcome["said"]
    return how, said.partition(":")[0] if how == ERROR else said


def run_all(pythons: dict[str, str]) -> dict[str, dict[str, Outcome]]:
    """How each program ends under each package, by the name of its file."""
    jobs = [(name, file) for file in programs() for name in pythons]
    with ThreadPoolExecutor(2) as pool:
        outcomes = list(pool.map(lambda job: in_time(pythons[job[0]], job[1]), jobs))
    found: dict[str, dict[str, Outcome]] = {}
    for (name, file), outcome in zip(jobs, outcomes, strict=True):
        found.setdefault(file.name, {})[name] = outcome
    return found


def version_of(python: str, name: str) -> str:
    """The version of a package that an interpreter has."""
    question = f"from importlib.metadata import version; print(version({name!r}))"
    return subprocess.check_output([python, "-c", question], text=True).strip()


def record_of(pythons: dict[str, str], found: dict[str, dict[str, Outcome]]) -> dict[str, Any]:
    """What the file keeps: where and of what it was made, and a row for each program."""
    tools = {name: version_of(pythons["published"], name) for name in ("torch", "numpy")}
    return {
        "date": datetime.date.today().isoformat(),
        "machine": f"{cpu_name()}, {os.cpu_count()} cores, {platform.system()}",
        "versions": {"Python": platform.python_version(), **tools, **runtime_commit(ROOT)},
        "published": version_of(pythons["published"], "apache-tvm-ffi"),
        "trials": {
            name: {"sha256": digest(TRIALS / name), **outcomes} for name, outcomes in found.items()
        },
    }


def as_text(record: dict[str, Any]) -> str:
    """The record with a line for each trial, so that changes can be merged."""
    parts = [f" {json.dumps(key)}: {json.dumps(value)}" for key, value in record.items()]
    rows = ",\n".join(f"  {json.dumps(k)}: {json.dumps(v)}" for k, v in record["trials"].items())
    parts[-1] = f' "trials": {{\n{rows}\n }}'
    return "{\n" + ",\n".join(parts) + "\n}\n"

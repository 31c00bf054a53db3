# SPDX-License-Identifier: Apache-2.0
"""Repeat what programs do, for long, and see what is lost: soak.py RECORD [SHARE].

Each trial of soak_trials.py runs in a process of its own, which may crash or hang. A SHARE below 1
runs that part of the repetitions. The status is 1 if a trial failed, or left something behind.
"""

from __future__ import annotations

import json
import platform
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from call_rows import build_library
from record import circumstances, finish

COUNTS = {
    "calls": 10_000_000,
    "loads": 100_000,
    "errors": 1_000_000,
    "forks": 1000,
    "everything": 1_000_000,
}
# What caches and allocators may keep over a whole trial. A thread or a file may never stay.
ALLOWED = {"malloc bytes": 1 << 18, "resident bytes": 4 << 20, "blocks of Python": 512}
LIMIT = 3600  # seconds of one trial


def run_trial(name: str, count: int, library: Path, limit: float = LIMIT) -> dict[str, Any]:
    """What a trial prints; or how it failed."""
    program = Path(__file__).with_name("soak_trials.py")
    command = [sys.executable, "-W", "ignore", str(program), name, str(count), str(library)]
    found: dict[str, Any] = {"count": count, "crashes": 0, "hangs": 0, "failed": ""}
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=limit)
    except subprocess.TimeoutExpired:
        return {**found, "hangs": 1, "failed": f"not done after {limit:g} seconds"}
    if done.returncode == 0:
        return {**found, **json.loads(done.stdout.splitlines()[-1])}
    words = (done.stderr.strip().splitlines() or ["no word"])[-1]
    hung = words.endswith(" hangs")
    return {
        **found,
        "crashes": int(done.returncode < 0 or "ended with status" in words),
        "hangs": int(hung),
        "failed": f"status {done.returncode}: {words}",
    }


def left_behind(trial: dict[str, Any]) -> dict[str, int]:
    """What grew by more than caches and allocators may keep."""
    grew: dict[str, int] = trial.get("grew", {})
    return {what: change for what, change in grew.items() if change > ALLOWED.get(what, 0)}


def main() -> int:
    """Run all trials, one after the other; 1 if one missed."""
    share = float(sys.argv[2]) if len(sys.argv) > 2 else 1.0
    found: dict[str, dict[str, Any]] = {}
    with tempfile.TemporaryDirectory(prefix="soak_") as folder:
        library = build_library(Path(folder) / "calls_library.so")
        build_library(Path(folder) / "unloaded.so")
        for name, count in COUNTS.items():
            found[name] = run_trial(name, max(160, int(count * share)), library)
            found[name]["left behind"] = left_behind(found[name])
            print(f"{name:12} {found[name]}", flush=True)
    record = {
        "what": "Repeated operations, and what they leave behind",
        **circumstances("soak", {"Python": platform.python_version()}),
        "trials": found,
    }
    missed = [name for name, each in found.items() if each["failed"] or each["left behind"]]
    return finish(Path(sys.argv[1]), record, [], missed)


if __name__ == "__main__":
    sys.exit(main())

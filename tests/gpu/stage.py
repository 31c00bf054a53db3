# SPDX-License-Identifier: Apache-2.0
"""Run one command of verify.sh: log its output, enforce its time limit, and record its skips."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

LEFT_OUT = 77  # the exit status of a stage that this machine cannot run
GRACE = 10  # seconds between SIGTERM and SIGKILL
TICK = 15  # seconds between calls of `tick`
MOST_REASONS, WIDEST = 10, 160  # in the table: a terminal or a service may show only its end
# Printed by docs/verify.py, kernels.py, sanitizers.py, prepare.py and pytest's summary.
REASON = re.compile(r"(FAILED|ERROR|missed:|left out:|SKIPPED \[\d+\]) ")
SKIPS = ("left out:", "SKIPPED")


@dataclass
class Result:
    """How a stage ended."""

    name: str
    outcome: str
    seconds: float = 0
    written: str = ""
    reasons: list[str] = field(default_factory=list)

    @property
    def failed(self) -> bool:
        """Whether the stage should have passed but did not."""
        return self.outcome not in ("passed", "left out")

    def note(self, line: str) -> None:
        """Keep a line that reports a failure or a skip, without duplicates."""
        if REASON.match(line) and line[:WIDEST] not in self.reasons:
            self.reasons.append(line[:WIDEST])


def run(
    result: Result,
    command: list[str],
    *,
    cwd: Path,
    env: Mapping[str, str],
    log: Path,
    limit: float,
    tick: Callable[[], None],
) -> None:
    """Run a command for at most ``limit`` seconds and record how it ended."""
    begun = time.monotonic()
    process = subprocess.Popen(
        command,
        cwd=cwd,
        env=dict(env),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        preexec_fn=os.setpgrp,  # so that all its processes can be stopped together
    )
    assert process.stdout is not None
    copier = threading.Thread(target=copy, args=(process.stdout, log, result), daemon=True)
    copier.start()
    result.outcome = "failed: interrupted"
    try:
        result.outcome = outcome_of(wait(process, begun + limit, tick), limit)
    finally:
        stop(process)
        copier.join(timeout=GRACE)
        result.seconds += time.monotonic() - begun


def copy(output: IO[str], log: Path, result: Result) -> None:
    """Copy output to the log and to stdout, line by line."""
    with output, log.open("a") as file:
        for line in output:
            file.write(line)
            file.flush()
            sys.stdout.write(line)
            sys.stdout.flush()
            result.note(line.rstrip())


def wait(process: subprocess.Popen[str], deadline: float, tick: Callable[[], None]) -> int | None:
    """Return the exit status, or None at the deadline."""
    while (left := deadline - time.monotonic()) > 0:
        try:
            return process.wait(timeout=min(TICK, left))
        except subprocess.TimeoutExpired:
            tick()
    return None


def outcome_of(status: int | None, limit: float) -> str:
    """Describe how a command ended."""
    if status is None:
        return f"failed: stopped after {limit:.0f} s"
    if status < 0:
        return f"failed: crashed: {signal.Signals(-status).name}"
    return {0: "passed", LEFT_OUT: "left out"}.get(status, f"failed: exit status {status}")


def stop(process: subprocess.Popen[str]) -> None:
    """Terminate a command and all processes that it left behind."""
    if process.poll() is None:
        signal_group(process.pid, signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(timeout=GRACE)
    signal_group(process.pid, signal.SIGKILL)
    process.wait()


def signal_group(group: int, number: int) -> None:
    """Send a signal to a process group, if any process remains."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(group, number)


def table(results: list[Result]) -> str:
    """One row per stage, followed by its failures and skips."""
    rows = [("stage", "result", "seconds", "written")]
    rows += [(each.name, each.outcome, f"{each.seconds:.0f}", each.written) for each in results]
    widths = [max(len(row[i]) for row in rows) for i in range(4)]
    lines = []
    for row, reasons in zip(rows, [[], *(each.reasons for each in results)], strict=True):
        cells = [text.ljust(width) for text, width in zip(row, widths, strict=True)]
        lines.append("  ".join(cells).rstrip())
        failures_first = sorted(reasons, key=lambda reason: reason.startswith(SKIPS))
        lines += [f"    {reason}" for reason in failures_first[:MOST_REASONS]]
        if len(reasons) > MOST_REASONS:
            lines.append(f"    and {len(reasons) - MOST_REASONS} more, in the log")
    return "\n".join(lines)

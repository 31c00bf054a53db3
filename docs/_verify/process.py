# SPDX-License-Identifier: Apache-2.0
"""Run one command and describe how it ended."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

TAIL_LINES = 25
LIMIT = float(os.environ.get("COMMAND_LIMIT", "900"))  # seconds that one command may take


@dataclass(frozen=True)
class Outcome:
    """How a command ended, and its output."""

    status: int | None  # None: it exceeded its limit
    output: str
    limit: float

    @property
    def ok(self) -> bool:
        """Whether the command ended with status 0."""
        return self.status == 0

    @property
    def reason(self) -> str:
        """How the command ended; for a crash, the name of its signal."""
        if self.status is None:
            return f"ran past {self.limit:.0f} s"
        if self.status < 0:
            return f"crashed: {signal.Signals(-self.status).name}"
        return f"exit status {self.status}"

    @property
    def last(self) -> str:
        """The last line of the output that is not blank, or an empty string."""
        lines = [line.strip() for line in self.output.splitlines() if line.strip()]
        return lines[-1] if lines else ""

    @property
    def tail(self) -> str:
        """The last lines of the output."""
        return "\n".join(self.output.rstrip().splitlines()[-TAIL_LINES:])


def run(
    command: Sequence[str],
    *,
    cwd: Path,
    env: Mapping[str, str],
    limit: float = LIMIT,
    pass_fds: Sequence[int] = (),
) -> Outcome:
    """Run a command, collecting its output and errors in the order they arrive."""
    try:
        done = subprocess.run(
            list(command),
            cwd=cwd,
            env=dict(env),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            timeout=limit,
            pass_fds=pass_fds,
            check=False,
        )
    except subprocess.TimeoutExpired as expired:
        output = expired.stdout or b""
        text = output.decode(errors="replace") if isinstance(output, bytes) else output
        return Outcome(None, text, limit)
    return Outcome(done.returncode, done.stdout, limit)

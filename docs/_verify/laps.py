# SPDX-License-Identifier: Apache-2.0
"""The time spent in each step of a run, as one line."""

from __future__ import annotations

import time


class Laps:
    """The seconds of each step since construction, in order."""

    def __init__(self) -> None:
        self.last = time.monotonic()
        self.seconds: dict[str, float] = {}

    def end(self, step: str) -> None:
        """End a step; the next one begins."""
        now = time.monotonic()
        self.seconds[step] = self.seconds.get(step, 0.0) + now - self.last
        self.last = now

    def __str__(self) -> str:
        """Return one line, for example ``time: libraries 70 s, tests 5 s; 75 s in all``."""
        parts = ", ".join(f"{step} {spent:.0f} s" for step, spent in self.seconds.items())
        return f"time: {parts}; {sum(self.seconds.values()):.0f} s in all"

# SPDX-License-Identifier: Apache-2.0
"""Counts how often each producer's memory is released."""

from __future__ import annotations

from collections import deque
from typing import Protocol


class Record(Protocol):
    """Updated by a producer's deleter."""

    released: int


class Ledger:
    """Tracks the memory lent during one input, and its release."""

    REMEMBERED = 200  # past producers that are watched for another release

    def __init__(self) -> None:
        self.owed: list[Record] = []
        self.old: deque[tuple[Record, int, object]] = deque(maxlen=self.REMEMBERED)
        self.alive: list[object] = []
        self.lent = 0

    def lend(self, record: Record, producer: object) -> None:
        """Record memory that must be released exactly once."""
        self.owed.append(record)
        self.alive.append(producer)
        self.lent += 1

    def keep(self, producer: object) -> None:
        """Keep a producer that will never be released."""
        self.alive.append(producer)

    def missing(self) -> bool:
        """Whether any memory has not been released yet."""
        return any(record.released == 0 for record in self.owed)

    def close(self) -> list[str]:
        """Finish the input, and return what went wrong."""
        counts = [record.released for record in self.owed]
        problems = [f"released {count} times, expected once" for count in counts if count != 1]
        if any(record.released != count for record, count, _ in self.old):
            problems.append("released again after its input had ended")
            self.old.clear()
        alive = [*self.alive]
        self.old.extend((record, record.released, alive) for record in self.owed)
        self.owed, self.alive = [], []
        return problems

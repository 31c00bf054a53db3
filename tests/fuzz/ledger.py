# SPDX-License-Identifier: Apache-2.0
"""Counts how often the memory of each producer is released."""

from __future__ import annotations

from collections import deque
from typing import Protocol


class Record(Protocol):
    """What a producer's deleter writes to."""

    released: int


class Ledger:
    """What was lent in the course of one input, and what came back."""

    REMEMBERED = 200  # ended producers that are watched for another release

    def __init__(self) -> None:
        self.owed: list[Record] = []
        self.old: deque[tuple[Record, int, object]] = deque(maxlen=self.REMEMBERED)
        self.alive: list[object] = []
        self.lent = 0

    def lend(self, record: Record, producer: object) -> None:
        """Note memory that must come back once."""
        self.owed.append(record)
        self.alive.append(producer)
        self.lent += 1

    def keep(self, producer: object) -> None:
        """Keep what nobody will release."""
        self.alive.append(producer)

    def missing(self) -> bool:
        """Whether something has not come back yet."""
        return any(record.released == 0 for record in self.owed)

    def close(self) -> list[str]:
        """End the input, and say what went wrong."""
        counts = [record.released for record in self.owed]
        problems = [f"released {count} times, expected once" for count in counts if count != 1]
        if any(record.released != count for record, count, _ in self.old):
            problems.append("released again after its input had ended")
            self.old.clear()
        alive = [*self.alive]
        self.old.extend((record, record.released, alive) for record in self.owed)
        self.owed, self.alive = [], []
        return problems

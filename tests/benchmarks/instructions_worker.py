# SPDX-License-Identifier: Apache-2.0
"""Counts the instructions of rows of call_rows.py, under callgrind: instructions_worker.py FOLDER.

It answers one line of JSON: for each group, the instructions of one run of each row. Frameworks
that are named after the folder are not imported, and their rows are left out.
"""

from __future__ import annotations

import ctypes
import gc
import json
import re
import statistics
import sys
import timeit
from pathlib import Path

# Before the rows import them: the import of a module that is None fails.
sys.modules |= dict.fromkeys(sys.argv[2:])  # type: ignore[arg-type]

from call_rows import Row, all_rows, cpp_rows, limit_rows  # noqa: E402

# What first runs learn, build and allocate is not part of a count.
WARM_UP = 32
# Approximate instructions per block: what surrounds a block sometimes differs by hundreds.
INSTRUCTIONS_OF_A_BLOCK = 1_000_000
MOST_RUNS = 300
BLOCKS = 3


class Counter:
    """Counts the instructions of this process between two points."""

    def __init__(self, folder: Path) -> None:
        self.library = ctypes.CDLL(str(folder / "counter.so"))
        self.folder = folder
        self.dumps = 0
        self.library.start()

    def counts(self, timer: timeit.Timer, *runs: int) -> list[int]:
        """Run a statement as often as each number says, and count each time."""
        for times in runs:
            self.library.begin()
            timer.timeit(times)
            self.library.end()
        # All are read afterwards, so that each count starts from the same state.
        return [self.read_dump() for _ in runs]

    def read_dump(self) -> int:
        """Read what callgrind wrote next."""
        self.dumps += 1
        path = self.folder / f"counts.{self.dumps}"
        total = re.search(r"^(?:summary|totals): (\d+)", path.read_text(), re.MULTILINE)
        assert total, f"{path}: no total"
        path.unlink()
        return int(total[1])

    def per_run(self, row: Row) -> float:
        """Give the instructions of what a row is named after."""
        setup = "; ".join(f"{name} = names[{name!r}]" for name in row.names)
        timer = timeit.Timer(row.statement, setup, globals={"names": row.names})
        timer.timeit(max(2, WARM_UP // row.times))
        once, twice = self.counts(timer, 1, 2)
        runs = min(MOST_RUNS, max(1, INSTRUCTIONS_OF_A_BLOCK // max(1, twice - once)))
        gc.collect()
        counts = self.counts(timer, *([runs, 2 * runs] * (BLOCKS + 1)))[2:]
        # The difference excludes one-time work: the timer, and the switches of the counter.
        differences = [twice - once for once, twice in zip(counts[::2], counts[1::2], strict=True)]
        return round(statistics.median(differences) / runs / row.times, 1)


def main() -> None:
    """Count every row."""
    folder = Path(sys.argv[1])
    calls, limit = str(folder / "calls_library.so"), folder / "limit.so"
    groups = {
        "from Python": all_rows(calls),
        "in C++": cpp_rows(str(folder / "cpp_library.so")),
        "limit": limit_rows(calls, str(limit)) if limit.exists() else {},
    }
    counter = Counter(folder)
    counted = {
        group: {name: counter.per_run(row) for name, row in rows.items()}
        for group, rows in groups.items()
    }
    print(json.dumps(counted))


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: Apache-2.0
"""Times rows of call_rows.py with the runtime of this interpreter: calls_worker.py FOLDER.

It answers one line of JSON for each line that it reads, so that calls.py lets one worker run at a
time: first the names of the rows by group; then, for the name of a row, the nanoseconds of one run.
"""

from __future__ import annotations

import json
import sys
import timeit
from pathlib import Path
from time import process_time

from call_rows import Row, all_rows, cpp_rows, limit_rows

# Long enough for the clock, short enough that other load on the machine hits few blocks.
SECONDS_OF_A_BLOCK = 0.003


class Timed:
    """One row and how often a block runs it."""

    def __init__(self, row: Row) -> None:
        setup = "; ".join(f"{name} = names[{name!r}]" for name in row.names)
        self.timer = timeit.Timer(row.statement, setup, process_time, {"names": row.names})
        self.per_run = row.times
        self.times = 1
        # What a first call learns or builds is not part of the time, nor of a block's length.
        self.timer.timeit(1)
        while (seconds := self.timer.timeit(self.times)) < SECONDS_OF_A_BLOCK / 4:
            self.times *= 4
        self.times = max(1, round(self.times * SECONDS_OF_A_BLOCK / seconds))

    def nanoseconds(self) -> float:
        """Time one block."""
        return 1e9 * self.timer.timeit(self.times) / self.times / self.per_run


def main() -> None:
    """Answer until nothing is asked any more."""
    folder = Path(sys.argv[1])
    groups = {
        "from Python": all_rows(str(folder / "calls_library.so")),
        "in C++": cpp_rows(str(folder / "cpp_library.so")),
    }
    limit = folder / "limit.so"
    limits = limit_rows(str(folder / "calls_library.so"), str(limit)) if limit.exists() else {}
    found = [*groups.values(), limits]
    rows = {name: Timed(row) for group in found for name, row in group.items()}
    names = {group: [*of_group] for group, of_group in groups.items()}
    print(json.dumps({**names, "limit": [*limits]}), flush=True)
    for line in sys.stdin:
        print(rows[json.loads(line)].nanoseconds(), flush=True)


if __name__ == "__main__":
    main()

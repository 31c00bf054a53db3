# SPDX-License-Identifier: Apache-2.0
"""Fuzz untrusted inputs: fuzz.py [--minutes N] [--seed N] [--jobs N] [TARGET...].

Prints statistics for each target, and exits with status 1 if there was a finding; findings are
saved in tests/fuzz/corpus. Each batch of inputs runs in a child process.
"""

from __future__ import annotations

import argparse
import itertools
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Lock

sys.path.insert(0, str(Path(__file__).resolve().parent))

import runner
import target

INPUTS, SECONDS = 3000, 20  # limits of a batch, whichever is reached first


def fuzz(
    targets: list[str], minutes: float, seed: int, jobs: int, corpus: Path = runner.CORPUS
) -> dict[str, runner.Result]:
    """Run batches of the targets in turn until time is up; keep one finding per cause."""
    results = {name: runner.Result() for name in targets}
    end, lock = time.monotonic() + 60 * minutes, Lock()
    seen: set[str] = set()  # not those of the corpus, which are fixed: one may recur
    turns = ((name, seed + turn) for turn in itertools.count() for name in targets)

    def work() -> None:
        while (left := end - time.monotonic()) > 0:
            with lock:
                name, number = next(turns)
            result = runner.run_batch(name, number, INPUTS, min(SECONDS, left))
            with lock:
                results[name].add(result)
                for finding in result.findings:
                    if (cause := runner.alike(finding)) not in seen:
                        seen.add(cause)
                        path = runner.save(finding, corpus)
                        print(f"{cause}\n  seed {number}, kept as {path}", flush=True)

    with ThreadPoolExecutor(jobs) as pool:
        for done in [pool.submit(work) for _ in range(jobs)]:
            done.result()
    return results


def main() -> int:
    """Read the command line, fuzz, and print the statistics."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("targets", nargs="*", metavar="TARGET", help="all if none is named")
    parser.add_argument("--minutes", type=float, default=5, help="how long, 5 unless given")
    parser.add_argument("--seed", type=int, default=None, help="the first seed; else by the clock")
    parser.add_argument(
        "--jobs", type=int, default=2, help="child processes at once, 2 if not given"
    )
    given = parser.parse_args()
    if unknown := {*given.targets} - {*target.names()}:
        parser.error(f"no such target: {' '.join(unknown)}; there are {' '.join(target.names())}")
    seed = int(time.time()) if given.seed is None else given.seed
    print(f"seed {seed}", flush=True)
    results = fuzz(given.targets or target.names(), given.minutes, seed, given.jobs)
    print(runner.table(results))
    return 1 if any(result.findings for result in results.values()) else 0


if __name__ == "__main__":
    sys.exit(main())

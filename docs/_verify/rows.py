# SPDX-License-Identifier: Apache-2.0
"""Which tests cover which row of the requirements, and the latest results for this tree.

A test file names its rows in a comment at its top, ``// Rows: R6, R7`` or ``# Rows: R6``. A
session that sets ``ROWS_RECORD`` saves there, for each test file, the result of each test.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from .closure import trees_digest

TITLES = {
    "R1": "Tensors",
    "R2": "Allocation",
    "R3": "Passing tensors across",
    "R4": "Streams and devices",
    "R5": "Functions, modules, export",
    "R6": "Errors",
    "R7": "Values and the C ABI",
    "R8": "The pages",
    "R9": "Proof",
}
NAMED = re.compile(r"^(?://|#|/\*) Rows: (R\d(?:, R\d)*)$", re.MULTILINE)
FOLDERS = ("include", "src", "python", "examples", "tests")
SESSIONS = {
    "tests/docs": "machinery",
    "tests/browser": "browser",
    "tests/examples": "docs",
    "tests/snippets": "docs",
    "tests/interop": "interop",
}
LATER = {"browser": "run on this site once it is built: nox -s browser"}
ORDER = ("failed", "passed", "skipped", "not run")  # precedence of the outcomes of two sessions

Results = dict[str, list[str]]  # a test's name: its outcome, and the reason for a skip


def made_of(root: Path) -> str:
    """Return one SHA-256 for the runtime and its tests: another tree's results do not count."""
    return trees_digest(root, FOLDERS)


def rows_of(path: Path) -> list[str]:
    """Return the rows that a test file names."""
    named = NAMED.search(path.read_text())
    return named.group(1).split(", ") if named else []


def test_files(root: Path) -> list[str]:
    """Return every test file, relative to the root, except those of the toy project."""
    found = [path for pattern in ("test_*.py", "test_*.cc") for path in root.rglob(pattern)]
    inside = [path.relative_to(root).as_posix() for path in found if path.is_file()]
    return sorted(name for name in inside if name.startswith("tests/") and "/toy/" not in name)


def session_of(name: str) -> str:
    """Return the session that runs a test file."""
    return SESSIONS.get(name.rsplit("/", 1)[0], "tests")


def merge(first: Results, second: Results) -> Results:
    """Keep the more informative of two results of a test: a failure, a pass, then a skip."""
    both = dict(first)
    for test, result in second.items():
        both[test] = min(both.get(test, result), result, key=lambda each: ORDER.index(each[0]))
    return both


def write_record(folder: Path, name: str, tree: str, results: Results) -> None:
    """Save the results of a file's tests; for tests left out, keep the tree's earlier results."""
    path = folder / f"{name.replace('/', '.')}.json"
    earlier = json.loads(path.read_text()) if path.exists() else {}
    if earlier.get("tree") == tree:
        results = {
            **results,
            **earlier["tests"],
            **{t: r for t, r in results.items() if r[0] != "not run"},
        }
    folder.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"file": name, "tree": tree, "tests": results}, indent=1))


def read_records(root: Path, build: Path) -> dict[str, Results]:
    """Return the results for this tree, by test file."""
    tree = made_of(root)
    found: dict[str, Results] = {}
    for path in sorted((build / "rows").glob("*/*.json")):
        record = json.loads(path.read_text())
        if record["tree"] == tree:
            found[record["file"]] = merge(found.get(record["file"], {}), record["tests"])
    return found


def told(results: Iterable[list[str]]) -> str:
    """Summarize how many tests had each outcome, and why some were skipped."""
    results = list(results)
    counts = Counter(outcome for outcome, _ in results)
    reasons = sorted({reason for outcome, reason in results if outcome == "skipped" and reason})
    because = {"skipped": f" ({'; '.join(reasons)})" if reasons else ""}
    parts = [f"{counts[each]} {each}{because.get(each, '')}" for each in ORDER if counts[each]]
    return ", ".join(parts)


def row_table(root: Path, build: Path) -> list[list[str]]:
    """Return, for each row of the requirements, its test files and their results."""
    records = read_records(root, build)
    files = {name: rows_of(root / name) for name in test_files(root)}
    lines = []
    for row, title in TITLES.items():
        subject = f"{row} {title}"
        for name in [name for name, rows in files.items() if row in rows]:
            session = session_of(name)
            missing = LATER.get(session, f"no run of this tree: nox -s {session}")
            result = told(records[name].values()) if name in records else missing
            lines.append([subject, name, result])
            subject = ""
    return lines

# SPDX-License-Identifier: Apache-2.0
"""Run the doctests of the pages under the published package: build/published_pages.json.

``nox -s interop`` writes the record. The libraries that the doctests load are built with that
package's headers by the examples' own scripts.
"""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from .closure import digest, trees_digest
from .doctest_plugin import FAILED
from .layout import Layout
from .pages import NO_TESTS_COLLECTED, doctest_command, find_pages, with_plugin
from .process import run
from .tree_record import read_tree_record, write_tree_record

FOLDERS = ("examples", "tests/interop")
FILES = ("docs/_setup/lock.txt", "docs/_verify/doctest_plugin.py")
LONGEST = 160  # characters of a result
TO_THE_END = (0, 1)  # exit codes of pytest, which also leaves a record when interrupted

Found = dict[str, Any]  # for one page: digest of its text, passes, skips and differences


def made_of(root: Path) -> str:
    """Return one SHA-256 for the inputs of the results, apart from the page."""
    return "".join([trees_digest(root, FOLDERS), *(digest(root / name) for name in FILES)])


def pages_of(layout: Layout) -> list[str]:
    """Return the site's pages that contain a doctest; docstrings belong only to this package."""
    return [page for page in find_pages(layout) if page.startswith("docs/")]


def run_past_crashes(
    name: str,
    command_of: Callable[[list[Any]], list[str]],
    record: Path,
    cwd: Path,
    environment: Mapping[str, str],
) -> tuple[dict[str, Any], dict[Any, str]]:
    """Run pytest until it completes, each time without the tests that crashed before.

    ``command_of`` creates the command, given the crashed tests. Returns pytest's record, and
    for each crash how the process ended.
    RuntimeError: pytest did not complete, although no test crashed the process.
    """
    crashed: dict[Any, str] = {}
    while True:
        outcome = run(command_of([*crashed]), cwd=cwd, env=with_plugin(environment))
        seen: dict[str, Any] = json.loads(record.read_text()) if record.exists() else {"begun": ""}
        # State left by a crash may crash again at process exit, and no tests may be left.
        at_exit = (outcome.status or 0) < 0 or outcome.status == NO_TESTS_COLLECTED
        if "begun" not in seen and (outcome.status in TO_THE_END or (crashed and at_exit)):
            return seen, crashed
        if not seen.get("begun") or seen["begun"] in crashed:
            raise RuntimeError(f"{name}: {outcome.reason}: {outcome.tail}")
        crashed[seen["begun"]] = outcome.reason
        record.unlink()


def replay(
    page: str, python: str, layout: Layout, libraries: Path, environment: Mapping[str, str]
) -> Found:
    """Run one page in an interpreter that has the published package; see run_past_crashes."""
    with tempfile.TemporaryDirectory() as folder:
        record = Path(folder) / "record.json"

        def command_of(crashed: list[int]) -> list[str]:
            command = doctest_command(python, page, "cpu", layout.root, libraries, record)
            return [*command, "--page-crashed", *map(str, crashed)] if crashed else command

        seen, crashed = run_past_crashes(page, command_of, record, libraries, environment)
    differ = [
        {
            **{key: each[key] for key in ("digest", "place", "line")},
            "got": crashed.get(each["line"]) or shortened(each["got"], libraries),
        }
        for each in seen["failed"]
        if each["reason"] == FAILED
    ]
    return {
        "text": digest(layout.root / page),
        "passed": sum(bool(line) for lines in seen["doctests"].values() for line in lines),
        "skipped": seen["skipped"],
        "differ": differ,
    }


def shortened(got: str, libraries: Path) -> str:
    """Return a result on one line without the names of this machine's folders."""
    text = re.sub(r"(?<![\w.:/])/[\w./-]+/(?=[\w.-]+)", "", got.replace(f"{libraries}/", ""))
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}..."


def write_record(layout: Layout, pages: Mapping[str, Found]) -> None:
    """Save the results of each page."""
    path = layout.build / "published_pages.json"
    write_tree_record(path, made_of(layout.root), {"pages": dict(pages)})


def record_of(root: Path, build: Path) -> dict[str, Found]:
    """Return the results of the current pages; pages edited since are left out."""
    record = read_tree_record(build / "published_pages.json", made_of(root)) or {"pages": {}}
    pages: dict[str, Found] = record["pages"]
    return {page: found for page, found in pages.items() if found["text"] == digest(root / page)}

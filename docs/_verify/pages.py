# SPDX-License-Identifier: Apache-2.0
"""Run the doctests of the pages and docstrings, each page in its own process."""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from . import closure as closures
from .doctest_digest import page_digest
from .layout import Layout
from .process import run
from .receipts import LEVEL_OF_DEVICE, Receipt
from .results import Results
from .tools import Tools

DOCS = Path(__file__).resolve().parent.parent
NO_TESTS_COLLECTED = 5


def holds_doctest(path: Path) -> bool:
    """Whether a file contains a doctest prompt."""
    return ">>>" in path.read_text()


def find_pages(layout: Layout) -> list[str]:
    """Return every page and Python file that contains a doctest prompt, relative to the root."""
    folders = {"docs": (".rst", ".md"), "python": (".py",), "examples": (".py",)}
    found = []
    for folder, suffixes in folders.items():
        for path in sorted((layout.root / folder).rglob("*")):
            if path.suffix in suffixes and layout.holds(path) and holds_doctest(path):
                found.append(layout.relative(path))
    return found


def doctest_command(
    python: str, page: str, device: str, root: Path, libraries: Path, record: Path
) -> list[str]:
    """Return the command with which an interpreter runs the doctests of a page."""
    return [
        *(python, "-m", "pytest", "-q", "--tb=short", "--noconftest"),
        *("-c", str(DOCS / "_verify" / "pytest.ini"), "--rootdir", str(root)),
        *("-p", "no:cacheprovider", "-p", "no:doctest", "-p", "_verify.doctest_plugin"),
        *("--page-device", device, "--page-libraries", str(libraries)),
        *("--page-record", str(record), str(root / page)),
    ]


def with_plugin(environment: Mapping[str, str]) -> dict[str, str]:
    """Return an environment in which that command finds this package."""
    paths = [str(DOCS), environment.get("PYTHONPATH", "")]
    return {**environment, "PYTHONPATH": ":".join(filter(None, paths))}


def run_page(
    page: str,
    device: str,
    layout: Layout,
    tools: Tools,
    library_closures: Mapping[str, closures.Closure],
) -> Results:
    """Run one page's doctests on one device."""
    results = Results()
    level = LEVEL_OF_DEVICE[device]
    closure = closures.closure_of(layout.root, [page, closures.RUNTIME])
    text = (layout.root / page).read_text()
    with tempfile.TemporaryDirectory() as folder:
        record = Path(folder) / "record.json"
        where = layout.root, layout.libraries
        command = doctest_command(sys.executable, page, device, *where, record)
        outcome = run(command, cwd=layout.libraries, env=with_plugin(tools.environment))
        seen: dict[str, Any] = {"begun": 0}
        if record.exists():
            seen = json.loads(record.read_text())
        if "begun" in seen:
            ended = outcome.reason if not outcome.ok else "it ended without a record"
            place = f" in line {seen['begun']}" if seen["begun"] else ""
            results.fail(page, level, [page], f"doctests: {ended}{place}", outcome.tail)
            return results
        if outcome.status == NO_TESTS_COLLECTED and not seen["doctests"]:
            return results  # the prompt is part of the prose
        if not seen["failed"] and not outcome.ok:
            results.fail(page, level, [page], f"doctests: {outcome.reason}", outcome.tail)
            return results
        if closures.changed(layout.root, closure):
            results.fail(page, level, [page], f"doctests: {page} was edited while they ran")
            return results
    for each in seen["failed"]:
        tail = outcome.tail if each is seen["failed"][-1] else ""
        reason = f"the doctest in line {each['line']}: {each['reason']}"
        results.fail(page, level, [page], reason, tail, doctest=each["digest"])
    closure.update(seen["reads"])
    for library in seen["loaded"]:
        closure.update(library_closures.get(library, {}))
    for reason in sorted(set(seen["skipped"].values())):
        count = list(seen["skipped"].values()).count(reason)
        results.skip(page, level, f"{count} doctest example(s): {reason}")
    # A failed example did not pass on this device, even if it ran to completion.
    for digest in {each["digest"] for each in seen["failed"]} & {*seen["doctests"]}:
        seen["doctests"][digest] = [""] * len(seen["doctests"][digest])
    if seen["doctests"]:
        results.receipts.append(
            Receipt(
                subject=page,
                level=level,
                verifies=[],  # the examples below are what ran, not the page as a file
                closure=closure,
                tools=tools.versions,
                machine=tools.machine_of(device),
                doctests=seen["doctests"],
                said={page: outcome.last},
                skipped=seen["skipped"],
                idle=seen["idle"],
                examples=page_digest(page, text),
            )
        )
    return results

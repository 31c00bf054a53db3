# SPDX-License-Identifier: Apache-2.0
"""Run the tests of the other files that pages show: scripts, build files, captured output."""

from __future__ import annotations

import json
import re
import sys
import tempfile
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import Any

from . import closure as closures
from .executed import Trace
from .helpers import helpers_of
from .layout import Layout
from .pages import DOCS, NO_TESTS_COLLECTED
from .process import run
from .receipts import COMPILED, LEVEL_OF_DEVICE, Receipt
from .results import Results
from .tools import Tools

# The files that a test declares, as named in its source.
DECLARED = re.compile(r"""\b(?:shows|captured)\(\s*["']([^"']+)["']""")


def find_snippet_tests(layout: Layout) -> list[str]:
    """Return the test files under tests/snippets, relative to the root."""
    folder = layout.root / "tests" / "snippets"
    return [layout.relative(path) for path in sorted(folder.rglob("test_*.py"))]


def programs(layout: Layout) -> list[str]:
    """Return the Python and shell files that a page may show, relative to the root."""
    folders = ("examples", *(f"tests/{name}" for name in ("benchmarks", "examples", "snippets")))
    found = [path for folder in folders for path in (layout.root / folder).rglob("*")]
    return sorted(layout.relative(path) for path in found if path.suffix in (".py", ".sh"))


def run_snippet_test(test: str, device: str, layout: Layout, tools: Tools) -> Results:
    """Run one test file on one device; a receipt for each file that its passing tests ran."""
    results = Results()
    level = LEVEL_OF_DEVICE[device]
    declared = sorted(set(DECLARED.findall((layout.root / test).read_text())))
    started = [path for path in declared if path.endswith(".py")]
    helpers = [each for path in (test, *started) for each in helpers_of(layout, path)]
    closure = closures.closure_of(layout.root, [test, *helpers, closures.RUNTIME])
    traced = sorted({*declared, *programs(layout)})
    before = closures.closure_of(layout.root, traced)
    with tempfile.TemporaryDirectory() as folder, Trace() as trace:
        record = Path(folder) / "record.json"
        command = [
            *(sys.executable, "-m", "pytest", "-q", "--tb=short"),
            *("-c", str(DOCS / "_verify" / "pytest.ini"), "--rootdir", str(layout.root)),
            *("-p", "no:cacheprovider", "-p", "_verify.snippet_plugin"),
            *("-p", "_verify.skips_plugin"),
            *("--snippet-device", device, "--snippet-libraries", str(layout.libraries)),
            *("--snippet-record", str(record), str(layout.root / test)),
        ]
        environment = trace.environment(tools.environment, traced, compiles=device == "cpu")
        outcome = run(command, cwd=layout.root, env=environment)
        nothing: dict[str, Any] = {"shown": [], "skipped": [], "reads": {}}
        seen = json.loads(record.read_text()) if record.exists() else nothing
        named = {file for each in seen["shown"] for file in each["closure"]}
        lines = trace.fields(layout.root, sorted({*traced, *named}))
    records = seen["shown"]
    for each in seen["skipped"]:
        results.skip(each["test"], level, each["reason"], each["files"])
    failed = {each["path"] for each in records if each["outcome"] == "failed"}
    if not outcome.ok and outcome.status != NO_TESTS_COLLECTED:
        # A test that failed before it could declare its files is charged to those its source names.
        passed = {each["path"] for each in records if each["outcome"] == "passed"} - failed
        files = sorted({test, *failed, *(set(declared) - passed)})
        results.fail(test, level, files, f"{test}: {outcome.reason}", outcome.tail)
    # A skipped case proves nothing, and does not affect the cases that ran.
    ran = [each for each in records if each["outcome"] == "passed"]
    for path in sorted({each["path"] for each in ran} - failed):
        of_path = [each for each in ran if each["path"] == path]
        # Other processes read files too, of which at least the programs are known.
        made_of = {file: before[file] for file in before if file in lines["ran"]}
        made_of |= seen["reads"] | closure
        for each in of_path:
            made_of.update(each["closure"])
        if edited := closures.changed(layout.root, made_of):
            reason = f"{test}: edited while it ran: {', '.join(edited)}"
            results.fail(path, level, [path], reason)
            continue
        verifies = proved_files(path, of_path, device)
        receipt = Receipt(
            subject=f"{path} by {test}",
            level=level,
            verifies=verifies,
            closure=made_of,
            ran={file: lines["ran"][file] for file in verifies if file in lines["ran"]},
            idle={file: lines["idle"][file] for file in verifies if file in lines["idle"]},
            said={test: outcome.last},
            tools=tools.versions,
            machine=tools.machine_of(device),
        )
        results.receipts += as_compiled(receipt, path, device, tools)
    return results


def proved_files(path: str, records: list[dict[str, Any]], device: str) -> list[str]:
    """Return the files proved by the cases that ran a path; without a GPU, no other CUDA source."""
    files = {file for each in records for file in each["closure"]}
    return sorted(f for f in files if device != "cpu" or f == path or not f.endswith(".cu"))


def as_compiled(receipt: Receipt, path: str, device: str, tools: Tools) -> list[Receipt]:
    """Return a receipt as is; for a CUDA source without a GPU, one for its compilation by nvcc."""
    if device != "cpu" or PurePosixPath(path).suffix != ".cu":
        return [receipt]
    if "nvcc" not in tools.compilers:
        return []
    nvcc = {"nvcc": tools.compilers["nvcc"]}
    return [replace(receipt, level=COMPILED, verifies=[path], tools=nvcc)]

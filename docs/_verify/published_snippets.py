# SPDX-License-Identifier: Apache-2.0
"""The tests of shown files, run under the published package, and the record that the site reads.

A failure there is a difference between the packages: a page that shows the file needs a note.
"""

from __future__ import annotations

import ast
import functools
import re
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .closure import digest, trees_digest
from .comments import without_comments
from .layout import Layout
from .pages import DOCS
from .published_pages import run_past_crashes, shortened
from .regions import region_lines
from .snippets import DECLARED
from .tree_record import read_tree_record, write_tree_record

FOLDERS = ("examples", "tests/cpp", "tests/interop", "tests/snippets")
FILES = (
    "docs/_setup/lock.txt",
    *(f"docs/_verify/{name}.py" for name in ("outcomes_plugin", "published_cpp", "snippet_plugin")),
)
# The result of a test: its outcome, the error's first line, and the shown files that it ran.
Outcomes = dict[str, dict[str, Any]]


def made_of(root: Path) -> str:
    """Return a digest of the outcomes' inputs, apart from the pages."""
    return "".join([trees_digest(root, FOLDERS), *(digest(root / name) for name in FILES)])


def run_tests(
    file: str, python: str, layout: Layout, libraries: Path, environment: Mapping[str, str]
) -> Outcomes:
    """Run a file of snippet tests in an interpreter that has the published package.

    RuntimeError: it found no test, or see run_past_crashes.
    """
    with tempfile.TemporaryDirectory() as folder:
        record = Path(folder) / "record.json"

        def command_of(crashed: list[str]) -> list[str]:
            return [
                *(python, "-m", "pytest", "-q", "--tb=short", "--rootdir", str(layout.root)),
                *("-c", str(DOCS / "_verify/pytest.ini"), "-p", "no:cacheprovider"),
                *("-p", "_verify.snippet_plugin", "-p", "_verify.outcomes_plugin"),
                *("--snippet-libraries", str(libraries), "--outcomes-record", str(record)),
                *(f"--left-out={name}" for name in crashed),
                str(layout.root / file),
            ]

        seen, crashed = run_past_crashes(file, command_of, record, layout.root, environment)
    found: Outcomes = seen["outcomes"]
    for name, reason in crashed.items():
        found[name] = {"outcome": "failed", "got": reason, "files": []}
    text = (layout.root / file).read_text()
    for name, each in found.items():
        if each["outcome"] == "failed" and not each["files"]:  # it ended before it declared them
            each["files"] = files_named(text, function_of(name))
    for each in found.values():
        each["got"] = shortened(each["got"], libraries)
    return found


def write_record(
    layout: Layout,
    found: Mapping[str, Outcomes],
    cpp: Mapping[str, dict[str, Any]],
    left_out: dict[str, str],
) -> None:
    """Save each test's result, by file, and the files of tests that were not run."""
    path = layout.build / "published_snippets.json"
    fields = {"tests": dict(found), "cpp": dict(cpp), "left out": left_out}
    write_tree_record(path, made_of(layout.root), fields)


@dataclass
class Snippets:
    """The results of the tests; empty if they did not run on this tree."""

    root: Path
    tests: dict[str, Outcomes] = field(default_factory=dict)
    cpp: dict[str, dict[str, Any]] = field(default_factory=dict)  # see published_cpp.py
    left_out: dict[str, str] = field(default_factory=dict)

    def difference(self, path: str, region: str) -> str:
        """Return a shown file's or region's result under the published package, or "" if the same.

        In a test file, those tests count that contain part of the region, or that use a name
        defined in it; for another file, all tests that ran it: one that passes is enough.
        """
        if path in self.cpp:
            return cpp_difference((self.root / path).read_text(), region, self.cpp[path])
        if path in self.tests:
            tests = find_tests((self.root / path).read_text(), region)
            cases = [each for name, each in self.tests[path].items() if function_of(name) in tests]
            return next((each["got"] for each in cases if each["outcome"] == "failed"), "")
        cases = [
            each
            for outcomes in self.tests.values()
            for each in outcomes.values()
            if path in each["files"] and each["outcome"] != "skipped"
        ]
        if any(each["outcome"] == "passed" for each in cases):
            return ""
        return next((each["got"] for each in cases), "")


def record_of(root: Path, build: Path) -> Snippets:
    """Return the results of this tree's tests, if they ran."""
    record = read_tree_record(build / "published_snippets.json", made_of(root))
    if record is None:
        return Snippets(root)
    return Snippets(root, record["tests"], record["cpp"], record["left out"])


def cpp_difference(text: str, region: str, found: dict[str, Any]) -> str:
    """Return the result for a region of a C++ test file: see published_cpp.run_cpp_tests.

    Code that does not compile differs. So does code in, or used by, the nearest tests, directly or
    through other definitions, if all of them fail or do not compile.
    """
    first, last = region_lines(text, region) if region else (0, text.count("\n") + 1)
    for begin, end, said in found["taken"]:
        if begin <= last and end > first:
            return f"error: {said}"
    lines = without_comments(text).splitlines()
    words = {
        index: set(re.findall(r"\w+", "\n".join(lines[each["first"] - 1 : each["last"]])))
        for index, each in enumerate(found["definitions"])
    }
    reached = {
        index
        for index, each in enumerate(found["definitions"])
        if each["first"] <= last and each["last"] > first
    }
    seen: set[int] = set()
    while reached - seen:
        names = {name for index in reached for name in found["definitions"][index]["names"]}
        tests = [test for test, function in found["tests"].items() if function in names]
        if tests:
            endings = [ending_of(test, found) for test in tests]
            return endings[0] if all(endings) else ""
        seen = reached
        reached = seen | {index for index in words if words[index] & names}
    return ""


def ending_of(test: str, found: dict[str, Any]) -> str:
    """Return the error of a C++ test; empty if it passed or was skipped."""
    if result := found["outcomes"].get(test):
        return str(result["got"]) if result["outcome"] == "failed" else ""
    places = [
        (each["first"], each["last"])
        for each in found["definitions"]
        if found["tests"][test] in each["names"]
    ]
    taken = [said for begin, end, said in found["taken"] if (begin, end) in places]
    return f"error: {taken[0] if taken else 'it does not compile'}"


def function_of(name: str) -> str:
    """Return the function in a test's name, which also has the file, and possibly the case."""
    return name.partition("::")[2].partition("[")[0]


@functools.cache  # a site asks three times per region
def find_tests(text: str, region: str) -> frozenset[str]:
    """Return the tests that contain lines of a region or file, or use a name defined there.

    They may use it through other functions, fixtures and tables of the file.
    """
    body = ast.parse(text).body
    first, last = region_lines(text, region) if region else (0, text.count("\n") + 1)
    inside = {node for node in body if node.lineno <= last and (node.end_lineno or 0) > first}
    users = inside | users_of(inside, body)
    return frozenset(name for node in users if (name := test_name(node)))


def files_named(text: str, test: str) -> list[str]:
    """Return the files that a test declares as shown, in its own code or in code it uses."""
    body = ast.parse(text).body
    used = {node for node in body if test_name(node) == test}
    for node in body:
        if not test_name(node) and used & users_of({node}, body):
            used.add(node)
    segments = (ast.get_source_segment(text, node) or "" for node in used)
    return sorted({file for segment in segments for file in DECLARED.findall(segment)})


def users_of(nodes: set[ast.stmt], body: list[ast.stmt]) -> set[ast.stmt]:
    """Return a module's statements that use names defined by others, directly or indirectly."""
    found: set[ast.stmt] = set()
    while True:
        defined = {name for node in nodes | found for name in names_defined(node)}
        more = {node for node in body if defined & names_used(node)} - nodes - found
        if not more:
            return found
        found |= more


def test_name(node: ast.stmt) -> str:
    """Return the name of a test; empty if the statement is not one."""
    if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
        return node.name
    return ""


def names_defined(node: ast.stmt) -> Iterator[str]:
    """Yield the names that a module's statement defines."""
    if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
        yield node.name
    else:
        for each in ast.walk(node):
            if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store):
                yield each.id


def names_used(node: ast.stmt) -> set[str]:
    """Return the names that a statement uses, including fixtures."""
    names = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
    return names | {each.arg for each in ast.walk(node) if isinstance(each, ast.arg)}

# SPDX-License-Identifier: Apache-2.0
"""The directive ``trials``: how small programs end under this package and the published one."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Any

from _verify.closure import digest
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from sphinx.util.typing import ExtensionMetadata

from .verification import in_its_own_box, table
from .versions import circumstances_of

RECORD = "docs/compared/trials.json"
PROGRAMS = "tests/interop/trials"
AGAIN = "UPDATE_COMPARED=1 nox -s interop -- tests/interop/test_trials.py"
RESULT = "result"


def programs_of(root: Path) -> dict[str, Path]:
    """Return all programs, by file name."""
    return {path.name: path for path in sorted((root / PROGRAMS).glob("*.py"))}


def problems_of(root: Path, record: dict[str, Any]) -> list[str]:
    """Return why the record must not be shown: it must cover all current programs."""
    programs, trials = programs_of(root), record["trials"]
    found = [f"{PROGRAMS}/{name} is missing" for name in trials if name not in programs]
    for name, path in programs.items():
        if name not in trials:
            found.append(f"{PROGRAMS}/{name} was never run")
        elif digest(path) != trials[name]["sha256"]:
            found.append(f"{PROGRAMS}/{name} was edited since it was run")
    return found


def description_of(program: Path) -> str:
    """Return what a program tries: the first line of its docstring."""
    return (ast.get_docstring(ast.parse(program.read_text())) or "").partition("\n")[0]


def ends_alike(trial: dict[str, Any]) -> bool:
    """Whether both packages raise an error, of whatever type, or end the same way."""
    ours, published = trial["ours"], trial["published"]
    same_way: bool = ours["how"] == published["how"]
    return same_way and (ours["how"] == "error" or ours["said"] == published["said"])


def end_of(outcome: dict[str, str]) -> nodes.Node:
    """Return how a program ended: its output or error as printed, or the signal in words."""
    said = outcome["said"]
    if outcome["how"] not in ("error", RESULT):
        return nodes.Text(said)
    before = "prints: " if outcome["how"] == RESULT else ""
    return nodes.inline("", "", nodes.Text(before), nodes.literal("", said, generated=True))


def rows_of(root: Path, record: dict[str, Any]) -> list[list[str | nodes.Node]]:
    """Return a row for each program; those that end alike come last."""
    programs = programs_of(root)
    rows: list[list[str | nodes.Node]] = []
    for name in sorted(programs, key=lambda each: (ends_alike(record["trials"][each]), each)):
        trial = record["trials"][name]
        said = nodes.Text(f"{description_of(programs[name])} ")
        what = nodes.inline("", "", said, nodes.literal("", name))
        rows.append([what, end_of(trial["ours"]), end_of(trial["published"])])
    return rows


class Trials(SphinxDirective):
    """Shows a row for each program, how many end alike, and where they were tried."""

    def run(self) -> list[nodes.Node]:
        """Create the table, or refuse a record that does not match the programs."""
        root = Path(self.config.verify_root)
        for name in (RECORD, *(f"{PROGRAMS}/{each}" for each in programs_of(root))):
            self.env.note_dependency(str(root / name))
        try:
            record = json.loads((root / RECORD).read_text())
        except (OSError, ValueError) as problem:
            raise self.error(f"trials: {problem}") from problem
        if problems := problems_of(root, record):
            raise self.error("\n".join(["trials:", *problems, f"Type: {AGAIN}"]))
        headings = ["Trial", "This runtime", f"apache-tvm-ffi {record['published']}"]
        alike = sum(map(ends_alike, record["trials"].values()))
        told = (
            f"{alike} of {len(record['trials'])} trials end alike, those at the end of the table: "
            "both packages raise an error, or both print the same."
        )
        where = nodes.emphasis("", circumstances_of(record))
        return [
            in_its_own_box(table(headings, rows_of(root, record))),
            nodes.paragraph("", told),
            nodes.paragraph("", "", where),
        ]


def setup(app: Sphinx) -> ExtensionMetadata:
    """Register the directive."""
    app.setup_extension("_ext.evidence_of_build")
    app.add_directive("trials", Trials)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

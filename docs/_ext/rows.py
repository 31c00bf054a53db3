# SPDX-License-Identifier: Apache-2.0
"""The directive ``rows``: each row of the requirements, the tests that show it, their results."""

from __future__ import annotations

import re
from pathlib import Path

from _verify.rows import row_table
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from sphinx.util.typing import ExtensionMetadata

from .made_html import folded
from .verification import table

HEADINGS = ["Tests", "Result"]


def grouped(lines: list[list[str]]) -> dict[str, list[list[str]]]:
    """Group tests and their results by row, which only its first line names."""
    groups: dict[str, list[list[str]]] = {}
    row = ""
    for subject, *test in lines:
        row = subject or row
        groups.setdefault(row, []).append(test)
    return groups


def in_short(row: str, tests: list[list[str]]) -> str:
    """Return the line that remains visible when a row is folded: file count and problems."""
    failed = sum(re.match(r"\d+ failed", result) is not None for _, result in tests)
    missing = sum(re.search("^no run|not run$", result) is not None for _, result in tests)
    parts = [f"{row}: {len(tests)} test file{'s' * (len(tests) != 1)}"]
    parts += [f"{failed} failed"] if failed else []
    parts += [f"{missing} not run, or not all of it, on this tree"] if missing else []
    return ", ".join(parts)


class Rows(SphinxDirective):
    """Shows a table for each row; if this tree's tests have not run, it names the session."""

    def run(self) -> list[nodes.Node]:
        """Create the tables from the test files and the records of their runs."""
        root = Path(self.config.verify_root)
        lines = row_table(root, root / self.config.verify_build)
        return [
            folded(in_short(row, tests), [table(HEADINGS, [list(test) for test in tests])])
            for row, tests in grouped(lines).items()
        ]


def setup(app: Sphinx) -> ExtensionMetadata:
    """Register the directive."""
    app.setup_extension("_ext.evidence_of_build")
    app.setup_extension("_ext.made_html")
    app.add_directive("rows", Rows)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

# SPDX-License-Identifier: Apache-2.0
"""The directive ``captures``: what examples or single calls do while a CUDA graph is captured."""

from __future__ import annotations

from _verify.captures import CALLS, EXAMPLES
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from sphinx.util.typing import ExtensionMetadata

from .verification import in_its_own_box, table

EXAMPLE_HEADINGS = ["Example", "Function", "In a capture", "Recorded, or the error"]
CALL_HEADINGS = ["Call", "In a capture", "Recorded, or the error", "Rule"]


def literal(text: str) -> nodes.literal:
    """Return code that tests have verified."""
    return nodes.literal("", text, generated=True)


def example_rows() -> list[list[str | nodes.Node]]:
    """Return a row for each function of an example."""
    return [
        [literal(example), literal(function), outcome.in_short(), outcome.in_words()]
        for (example, function), outcome in EXAMPLES.items()
    ]


def call_rows() -> list[list[str | nodes.Node]]:
    """Return a row for each call, with a link to CUDA's rule, or why there is none."""
    rows: list[list[str | nodes.Node]] = []
    for call, (outcome, rule) in CALLS.items():
        link = nodes.reference("", "CUDA's documentation", refuri=rule)
        rows.append(
            [
                call,
                outcome.in_short(),
                outcome.in_words(),
                link if rule.startswith("https:") else rule,
            ]
        )
    return rows


TABLES = {"examples": (EXAMPLE_HEADINGS, example_rows), "calls": (CALL_HEADINGS, call_rows)}


class Captures(SphinxDirective):
    """Shows one of the tables: ``examples`` or ``calls``."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Create the table from the rows that the tests assert."""
        if self.arguments[0] not in TABLES:
            raise self.error(f"captures: expected one of {[*TABLES]}, got {self.arguments[0]}")
        headings, rows = TABLES[self.arguments[0]]
        return [in_its_own_box(table(headings, rows()))]


def setup(app: Sphinx) -> ExtensionMetadata:
    """Register the directive."""
    app.add_directive("captures", Captures)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

# SPDX-License-Identifier: Apache-2.0
"""The directive ``verification``: tables of what was verified, generated from the receipts."""

from __future__ import annotations

from collections import Counter

from _verify.evidence import Evidence
from _verify.line_kinds import KINDS
from _verify.receipts import RAN_ON_CPU, RAN_ON_GPU
from _verify.table import example_rows
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from sphinx.util.typing import ExtensionMetadata

from .evidence_of_build import evidence_of
from .made_html import folded
from .snippet_gate import Snippet, by_page, judged
from .verification_summary import HEADINGS, summary_rows

EXAMPLE_HEADINGS = ["Example", "Compiled by g++", "Compiled by nvcc", RAN_ON_CPU, RAN_ON_GPU]
SNIPPET_HEADINGS = ["Lines", "Shows", "Verified"]


class SnippetTables(nodes.General, nodes.Element):
    """A placeholder for the tables of all pages' snippets, filled in once all are read."""


class LineTable(nodes.General, nodes.Element):
    """A placeholder for the table of all pages' lines."""


class SummaryTable(nodes.General, nodes.Element):
    """A placeholder for the table of what was done with all pages' snippets."""


LATE = {"lines": LineTable, "snippets": SnippetTables, "summary": SummaryTable}


def cell(content: str | nodes.Node) -> nodes.entry:
    """Return a table cell."""
    inner = nodes.Text(content) if isinstance(content, str) else content
    return nodes.entry("", nodes.paragraph("", "", inner))


def table(headings: list[str], rows: list[list[str | nodes.Node]]) -> nodes.table:
    """Return a table with one row of headings."""
    group = nodes.tgroup("", cols=len(headings))
    group += [nodes.colspec(colwidth=1) for _ in headings]
    head = nodes.thead("", nodes.row("", *[cell(text) for text in headings]))
    body = nodes.tbody("", *[nodes.row("", *[cell(each) for each in row]) for row in rows])
    group += [head, body]
    wrapped = nodes.table("", group, classes=["verification"])
    return wrapped


def in_its_own_box(made: nodes.table) -> nodes.container:
    """Return a scrollable table, like those which the theme wraps for a page's own tables."""
    return nodes.container("", made, classes=["table-wrapper"])


def tool_rows(evidence: Evidence) -> list[list[str | nodes.Node]]:
    """Return each tool with its version, for each kind of machine that wrote a receipt."""
    rows: set[tuple[str, str, str]] = set()
    for receipt in evidence.receipts:
        machine = receipt.machine.get("gpu") or receipt.machine.get("cpu", "")
        rows.update((machine, name, version) for name, version in receipt.tools.items())
        if "driver" in receipt.machine:
            rows.add((machine, "GPU driver", receipt.machine["driver"]))
    return [list(row) for row in sorted(rows)]


class Verification(SphinxDirective):
    """Shows a table: ``summary``, ``examples``, ``lines``, ``tools``, ``skips`` or ``snippets``."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Create the table, or a placeholder if it depends on all pages."""
        evidence = evidence_of(self.config)
        wanted = self.arguments[0]
        self.env.note_reread()  # receipts change without the page
        if wanted in LATE:
            return [LATE[wanted]()]
        tables = {
            "examples": (EXAMPLE_HEADINGS, example_rows(evidence)),
            "tools": (["Machine", "Tool", "Version"], tool_rows(evidence)),
            "skips": (
                ["What", "Level", "Reason"],
                [
                    list(row)
                    for row in sorted({(s.subject, s.level, s.reason) for s in evidence.skips})
                ],
            ),
        }
        if wanted not in tables:
            raise self.error(f"verification: expected one of {[*tables, *LATE]}, got {wanted}")
        headings, rows = tables[wanted]
        return [table(headings, rows)] if rows else [nodes.paragraph("", "None.")]


def link_to(app: Sphinx, docname: str, page: str) -> nodes.reference:
    """Return a link from one page to another, by its title."""
    uri = app.builder.get_relative_uri(docname, page)
    return nodes.reference("", app.env.titles[page].astext(), internal=True, refuri=uri)


def folded_table(
    app: Sphinx,
    docname: str,
    page: str,
    headings: list[str],
    rows: list[list[str | nodes.Node]],
    count: int,
) -> nodes.Element:
    """Return a table about a page, folded below the page's title and a count."""
    link = link_to(app, docname, page)
    inside = [nodes.paragraph("", "", link), in_its_own_box(table(headings, rows))]
    return folded(f"{link.astext()}: {count}", inside)


def snippet_rows(snippets: list[Snippet]) -> list[list[str | nodes.Node]]:
    """Return a row for each file and result: the page's lines, the file with regions, the result.

    One row for each snippet would make the page too long for a browser to lay out quickly.
    """
    groups: dict[tuple[str, str], list[tuple[str, str]]] = {}
    for each in snippets:
        file, _, region = each.shows.partition(" [")
        groups.setdefault((file, each.state), []).append((str(each.line or ""), region))
    rows: list[list[str | nodes.Node]] = []
    for (file, state), members in groups.items():
        lines = ", ".join(line for line, _ in members if line)
        regions = [f"[{region}" if region else "(whole)" for _, region in members]
        shown = ", ".join(regions) if any(region for _, region in members) else ""
        rows.append([lines, f"{file} {shown}".rstrip(), state])
    return rows


def line_rows(app: Sphinx, docname: str) -> list[list[str | nodes.Node]]:
    """Count each page's lines of code by what was done with them; the last row is the sum."""
    rows: list[list[str | nodes.Node]] = []
    total: Counter[str] = Counter()
    for page, snippets in by_page(judged(app.env)).items():
        lines = sum((Counter(snippet.lines) for snippet in snippets), Counter[str]())
        total += lines
        rows.append(
            [link_to(app, docname, page), str(lines.total()), *(str(lines[kind]) for kind in KINDS)]
        )
    return [*rows, ["All pages", str(total.total()), *(str(total[kind]) for kind in KINDS)]]


def fill_in(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Replace the placeholders with the tables that depend on all pages."""
    for place in list(doctree.findall(SummaryTable)):
        rows = summary_rows(judged(app.env), evidence_of(app.config).receipts)
        place.replace_self(in_its_own_box(table(HEADINGS, [list(row) for row in rows])))
    for place in list(doctree.findall(LineTable)):
        headings = ["Page", "Lines", *(kind[0].upper() + kind[1:] for kind in KINDS)]
        place.replace_self(in_its_own_box(table(headings, line_rows(app, docname))))
    for place in list(doctree.findall(SnippetTables)):
        made: list[nodes.Node] = []
        for page, snippets in by_page(judged(app.env)).items():
            rows, count = snippet_rows(snippets), len(snippets)
            made.append(folded_table(app, docname, page, SNIPPET_HEADINGS, rows, count))
        place.replace_self(made)


def setup(app: Sphinx) -> ExtensionMetadata:
    """Register the directive; the snippets are known once the check has passed."""
    app.setup_extension("_ext.evidence_of_build")
    app.setup_extension("_ext.made_html")
    for placeholder in LATE.values():
        app.add_node(placeholder)
    app.add_directive("verification", Verification)
    app.connect("doctree-resolved", fill_in)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

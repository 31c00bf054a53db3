# SPDX-License-Identifier: Apache-2.0
"""The directive ``differences``: the pages' doctests that fail under the published package."""

from __future__ import annotations

from collections import Counter

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from sphinx.util.typing import ExtensionMetadata

from .only_here import found_by, literal, page_name, page_of
from .verification import folded_table

HEADINGS = ["Line", "Shown", "Under the published package"]


class Place(nodes.General, nodes.Element):
    """A placeholder for the table, which is created once all pages are read."""


class Differences(SphinxDirective):
    """Shows how many examples also pass there, and a table of the others for each page."""

    def run(self) -> list[nodes.Node]:
        """Return a placeholder."""
        return [Place()]


def tables(app: Sphinx, docname: str) -> list[nodes.Node]:
    """Return the totals and the folded tables."""
    layout, found = found_by(app)
    if not found.pages:
        return [nodes.paragraph("", "No run of these pages: nox -s interop.")]
    folds: list[nodes.Node] = []
    differ = 0
    for name in sorted(app.env.found_docs):
        page = page_name(app, name)
        made = page_of(app.env.get_doctree(name), page, layout, found)
        if made.rows:
            differ += len(made.rows)
            rows: list[list[str | nodes.Node]] = [
                [str(line), literal(code), literal(got)] for line, code, got in made.rows
            ]
            folds.append(folded_table(app, docname, name, HEADINGS, rows, len(rows)))
    passed = sum(each["passed"] for each in found.pages.values())
    told = f"{passed} doctest examples of {len(found.pages)} pages"
    if tests := found.snippets.tests:
        outcomes = Counter(o["outcome"] for file in tests.values() for o in file.values())
        outcomes += Counter(
            o["outcome"] for file in found.snippets.cpp.values() for o in file["outcomes"].values()
        )
        told += f" and {outcomes['passed']} tests of shown files"
    said = [nodes.paragraph("", f"{told} pass under the published package too; {differ} differ.")]
    if left_out := found.snippets.left_out:
        names = ", ".join(f"{name} ({why})" for name, why in left_out.items())
        said.append(nodes.paragraph("", f"Not run there: {names}."))
    return [*said, *folds]


def fill_in(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Replace the placeholder with the tables."""
    for place in list(doctree.findall(Place)):
        place.replace_self(tables(app, docname))


def setup(app: Sphinx) -> ExtensionMetadata:
    """Register the directive."""
    app.setup_extension("_ext.only_here")
    app.setup_extension("_ext.verification")
    app.add_node(Place)
    app.add_directive("differences", Differences)
    app.connect("doctree-resolved", fill_in)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

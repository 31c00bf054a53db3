# SPDX-License-Identifier: Apache-2.0
"""The directive ``outside-links``: every address outside the site, with the pages that use it."""

from __future__ import annotations

from collections import defaultdict

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.ext.intersphinx import (
    resolve_reference_detect_inventory,
    resolve_reference_in_inventory,
)
from sphinx.util.docutils import SphinxDirective
from sphinx.util.typing import ExtensionMetadata

from .verification import in_its_own_box, table

HEADINGS = ["Address", "Pages"]
OUTSIDE = ("http://", "https://")


class LinkTable(nodes.General, nodes.Element):
    """A placeholder for the table until all pages have been read."""


class OutsideLinks(SphinxDirective):
    """Shows the table."""

    def run(self) -> list[nodes.Node]:
        """Return a placeholder: the links are known only once all pages are read."""
        return [LinkTable()]


def name_of_another(app: Sphinx, page: str, node: addnodes.pending_xref) -> str:
    """Return the address of a name that another project documents and this one does not."""
    if inventory := node.get("inventory"):  # named by a page
        found = resolve_reference_in_inventory(app.env, inventory, node, nodes.Text(""))
        return found["refuri"] if found is not None else ""
    found = resolve_reference_detect_inventory(app.env, node, nodes.Text(""))
    if found is None:
        return ""
    role, target = node["reftype"], node["reftarget"]
    domain = app.env.domains[node["refdomain"]]
    ours = domain.resolve_xref(app.env, page, app.builder, role, target, node, nodes.Text(""))
    return "" if ours else found["refuri"]


def addresses_of(app: Sphinx, docname: str) -> set[str]:
    """Return every address outside the site that a page links to."""
    page = app.env.get_doctree(docname)
    found = {node.get("refuri", "") for node in page.findall(nodes.reference)}
    found |= {name_of_another(app, docname, node) for node in page.findall(addnodes.pending_xref)}
    return {address for address in found if address.startswith(OUTSIDE)}


def fill_in(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Replace the placeholder with the table."""
    for place in list(doctree.findall(LinkTable)):
        pages_by_address = defaultdict(list)
        for page in sorted(app.env.found_docs):
            for address in addresses_of(app, page):
                pages_by_address[address].append(page)
        rows = []
        for address, pages in sorted(pages_by_address.items()):
            links = nodes.inline()
            for page in pages:
                title = app.env.titles[page].astext()
                uri = app.builder.get_relative_uri(docname, page)
                links += [nodes.reference("", title, internal=True, refuri=uri), nodes.Text(", ")]
            links.pop()
            rows.append([nodes.reference("", address, refuri=address), links])
        made = table(HEADINGS, rows)
        made["classes"].append("outside-links")
        place.replace_self(in_its_own_box(made) if rows else nodes.paragraph("", "None."))


def setup(app: Sphinx) -> ExtensionMetadata:
    """Register the directive; the table is created when its page is written."""
    app.add_directive("outside-links", OutsideLinks)
    app.add_node(LinkTable)
    app.connect("doctree-resolved", fill_in)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

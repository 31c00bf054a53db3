# SPDX-License-Identifier: Apache-2.0
"""Give each tab's content its label, for readers of the book and of pages without scripts."""

from __future__ import annotations

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.typing import ExtensionMetadata
from sphinx_tabs.tabs import SphinxTabsPanel, SphinxTabsTablist


def label_panels(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Label the panels; in a book, which has no scripts, they are placed one below the other."""
    for tabs in list(doctree.findall(SphinxTabsTablist)):
        panels = [node for node in tabs.parent if isinstance(node, SphinxTabsPanel)]
        for tab, panel in zip(tabs, panels, strict=True):
            panel["data-label"] = tab.astext()
        if app.builder.name == "epub":
            for panel in panels:
                label = nodes.paragraph("", "", nodes.strong("", panel["data-label"]))
                panel.replace_self(nodes.container("", label, *panel.children))
            tabs.parent.remove(tabs)


def setup(app: Sphinx) -> ExtensionMetadata:
    """Label them when a page is written; also add the script that remembers a choice."""
    app.setup_extension("sphinx_tabs.tabs")
    app.connect("doctree-resolved", label_panels)
    app.add_js_file("tabs_memory.js")
    return {"parallel_read_safe": True, "parallel_write_safe": True}

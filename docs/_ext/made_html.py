# SPDX-License-Identifier: Apache-2.0
"""HTML that the build makes itself, around nodes or alone: plots, and what is folded away.

The check of all pages refuses raw HTML. No page can write this node; other builders leave it out.
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.typing import ExtensionMetadata


class MadeHtml(nodes.General, nodes.Element):
    """Stands for HTML ``before`` and ``after`` its children until the page is written."""


def folded(summary: str, children: Iterable[nodes.Node]) -> MadeHtml:
    """Nodes that the reader unfolds; no script takes part."""
    before = f'<details class="folded"><summary>{escape(summary)}</summary>'
    return MadeHtml("", *children, before=before, after="</details>")


def put_in(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Put the HTML in its place."""
    for node in list(doctree.findall(MadeHtml)):
        parts = [
            nodes.raw("", node["before"], format="html"),
            *node.children,
            nodes.raw("", node["after"], format="html"),
        ]
        node.replace_self(parts)


def setup(app: Sphinx) -> ExtensionMetadata:
    """Put it in last, when every table has been made."""
    app.add_node(MadeHtml)
    app.connect("doctree-resolved", put_in, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

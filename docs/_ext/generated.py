# SPDX-License-Identifier: Apache-2.0
"""Mark the declarations that are made from docstrings: the check refuses those typed by hand."""

from __future__ import annotations

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.ext.autodoc import AutodocDirective  # type: ignore[attr-defined]
from sphinx.util.typing import ExtensionMetadata

DOCUMENTED = (
    *("attribute", "class", "data", "decorator", "exception"),
    *("function", "method", "module", "property", "type"),
)


def mark_generated(node: nodes.Node) -> None:
    """Mark every declaration in a node."""
    for declaration in node.findall(addnodes.desc):
        declaration["generated"] = True


class MarkedAutodoc(AutodocDirective):
    """Autodoc's directive, whose declarations count as read from the code."""

    def run(self) -> list[nodes.Node]:
        """Mark what autodoc made."""
        made = super().run()
        for node in made:
            mark_generated(node)
        return made


def replace_directives(app: Sphinx) -> None:
    """Replace autodoc's directives, all of which one class stands for."""
    for name in DOCUMENTED:
        app.add_directive(f"auto{name}", MarkedAutodoc, override=True)


def setup(app: Sphinx) -> ExtensionMetadata:
    """Replace the directives when autodoc has added them, which it does late."""
    app.setup_extension("sphinx.ext.autodoc")
    app.connect("builder-inited", replace_directives)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

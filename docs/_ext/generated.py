# SPDX-License-Identifier: Apache-2.0
"""Mark the declarations generated from docstrings: the check refuses those typed by hand.

Each page lists the files from which its declarations were generated, with their hashes.
"""

from __future__ import annotations

from pathlib import Path

from _verify.closure import RUNTIME, digest, runtime_of_run
from _verify.layout import Layout
from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.ext.autodoc import AutodocDirective  # type: ignore[attr-defined]
from sphinx.util.typing import ExtensionMetadata

from .evidence_of_build import evidence_of
from .node_origin import DOCSTRING, repository_file

QUOTED = "quoted"  # in a page's metadata
DOCUMENTED = (
    *("attribute", "class", "data", "decorator", "exception"),
    *("function", "method", "module", "property", "type"),
)


def mark_generated(node: nodes.Node, file: str = "") -> None:
    """Mark every declaration in a node, with the file that declares it if known."""
    for declaration in node.findall(addnodes.desc):
        declaration["generated"] = True
        declaration["declared_in"] = file


def declared_in(declaration: addnodes.desc, layout: Layout) -> str:
    """Return the file a declaration quotes; a compiled module's may be in any runtime file."""
    if declaration["declared_in"]:
        return str(declaration["declared_in"])
    match = DOCSTRING.match(declaration.source or "")
    return (repository_file(match["file"], layout) if match else None) or RUNTIME


def note_quoted(app: Sphinx, doctree: nodes.document) -> None:
    """Record what a page quotes, as it is while the page is read."""
    layout = evidence_of(app.config).layout
    made = (each for each in doctree.findall(addnodes.desc) if each.get("generated"))
    app.env.metadata[app.env.docname][QUOTED] = {
        file: digest_now(file, layout.root)
        for file in sorted({declared_in(each, layout) for each in made})
    }


def digest_now(file: str, root: Path) -> str:
    """Return the hash of a file including its comments, which are quoted too, or of the runtime."""
    return runtime_of_run(root)[RUNTIME] if file == RUNTIME else digest(root / file)


class MarkedAutodoc(AutodocDirective):
    """Autodoc's directive, whose declarations count as read from the code."""

    def run(self) -> list[nodes.Node]:
        """Mark autodoc's output."""
        made = super().run()
        for node in made:
            mark_generated(node)
        return made


def replace_directives(app: Sphinx) -> None:
    """Replace autodoc's directives, which all share one class."""
    for name in DOCUMENTED:
        app.add_directive(f"auto{name}", MarkedAutodoc, override=True)


def setup(app: Sphinx) -> ExtensionMetadata:
    """Replace the directives once autodoc has added them, which it does late."""
    app.setup_extension("sphinx.ext.autodoc")
    app.setup_extension("_ext.evidence_of_build")
    app.connect("builder-inited", replace_directives)
    app.connect("doctree-read", note_quoted, priority=900)  # Sphinx sets the metadata before
    return {"parallel_read_safe": True, "parallel_write_safe": True}

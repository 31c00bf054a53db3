# SPDX-License-Identifier: Apache-2.0
"""The directive ``kernels``: a table of the kernels' pages: first sentences and archives."""

from __future__ import annotations

import re
from pathlib import Path

from _verify.archives import archive_path
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from sphinx.util.typing import ExtensionMetadata

from .evidence_of_build import evidence_of

# The comment at the top, the title with its line below, then the first line of the first paragraph.
OPENING = re.compile(r"\A(?:\.\. .*\n|\s*\n)*(?P<title>\S.*)\n=+\n\s*\n(?P<first>\S.*)\n")


def opening(page: Path) -> tuple[str, str]:
    """Give a page's title and its first sentence; ValueError if it does not begin with them."""
    found = OPENING.match(page.read_text())
    if not found:
        raise ValueError(f"{page.name}: expected a title and then a sentence on a line of its own")
    return found["title"], found["first"]


class Kernels(SphinxDirective):
    """Shows the pages of the folder that its argument names, in the order of its content."""

    required_arguments = 1
    has_content = True

    def run(self) -> list[nodes.Node]:
        """Make the table and the navigation; a page that one of them lacks is an error."""
        folder = self.arguments[0]
        pages = Path(self.env.doc2path(self.env.docname)).parent / folder
        order = " ".join(self.content).split()
        there = {path.stem: path for path in sorted(pages.glob("*.rst"))}
        if unnamed := sorted(there.keys() - set(order)):
            raise self.error(f"kernels: expected {', '.join(unnamed)} to be named here too")
        if missing := [name for name in order if name not in there]:
            raise self.error(f"kernels: expected {folder} to have {', '.join(missing)}")
        text = [".. list-table::", "   :class: kernels", "   :widths: 30 55 15", ""]
        for name in order:
            self.env.note_dependency(str(there[name]))
            try:
                title, first = opening(there[name])
            except ValueError as error:
                raise self.error(f"kernels: {error}") from None
            text += [f"   * - :doc:`{title} <{folder}/{name}>`", f"     - {first}"]
            packed = archive_path(name, evidence_of(self.config).layout).exists()
            text += [f"     - :archive:`{name}`" if packed else "     -"]
        text += ["", ".. toctree::", "   :hidden:", ""]
        text += [f"   {folder}/{name}" for name in order]
        return self.parse_text_to_nodes("\n".join(text) + "\n")


def setup(app: Sphinx) -> ExtensionMetadata:
    """Register the directive."""
    app.setup_extension("_ext.archives")
    app.add_directive("kernels", Kernels)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

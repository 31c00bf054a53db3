# SPDX-License-Identifier: Apache-2.0
"""Insert the repository's address into the command that clones it, or state that it is unknown."""

from __future__ import annotations

import os
import shlex

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from sphinx.util.typing import ExtensionMetadata

from .repository import clone_address

FILE = "tests/snippets/clone.sh"
PLACE = '"$ADDRESS"'
UNKNOWN = (
    "This copy of the site was built without the repository's address: "
    "set ``ADDRESS`` to the URL or the folder that you got the project from."
)


class WhereUnknown(nodes.General, nodes.Element):
    """Holds the sentence until the page is written: the address may change without the page."""


class CloneAddress(SphinxDirective):
    """Shows a sentence about ``$ADDRESS`` if the command cannot show the address itself."""

    def run(self) -> list[nodes.Node]:
        """Create the sentence."""
        return [WhereUnknown("", *self.parse_text_to_nodes(UNKNOWN))]


def put_in(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Replace the variable in each block that shows the command, or keep the sentence."""
    address = clone_address(os.environ)
    for place in list(doctree.findall(WhereUnknown)):
        place.replace_self([] if address else place.children)
    for block in doctree.findall(nodes.literal_block):
        if address and block.get("snippet", {}).get("file") == FILE:
            text = block.astext().replace(PLACE, shlex.quote(address))
            block.rawsource = text
            block[:] = [nodes.Text(text)]


def setup(app: Sphinx) -> ExtensionMetadata:
    """Register the directive; the command itself was judged as it is in its file."""
    app.add_node(WhereUnknown)
    app.add_directive("clone-address", CloneAddress)
    app.connect("doctree-resolved", put_in)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

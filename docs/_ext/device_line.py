# SPDX-License-Identifier: Apache-2.0
"""Show how ``device`` is set, in the first doctest of a page that uses it.

The runner sets it before each page, to each device in turn, so the page's own text cannot.
"""

from __future__ import annotations

import ast
import doctest
from collections.abc import Iterator

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.typing import ExtensionMetadata

NAME = "device"
LINE = f'>>> {NAME} = "cpu"  # or "cuda"\n'
AFTER_THE_STATES = 600  # the states find blocks by their text


def names_in(text: str) -> Iterator[ast.Name]:
    """Yield the uses and assignments of the name in a block of examples."""
    for example in doctest.DocTestParser().get_examples(text):
        try:
            found = list(ast.walk(ast.parse(example.source)))
        except SyntaxError:
            continue  # an example of a syntax error
        yield from (each for each in found if isinstance(each, ast.Name) and each.id == NAME)


def first_use(doctree: nodes.document) -> nodes.Element | None:
    """Return the first block that uses the name; None if none does, or if the page sets it."""
    kinds = (nodes.literal_block, nodes.doctest_block)
    for block in doctree.findall(lambda found: isinstance(found, kinds)):
        text = block.astext()
        if "snippet" not in block.attributes and text.lstrip().startswith(">>>"):
            for name in names_in(text):
                return block if isinstance(name.ctx, ast.Load) else None
    return None


def add_line(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Insert the line at the start of that block, or before the block if its lines are numbered."""
    block = first_use(doctree)
    if block is None:
        return
    place = block.parent.index(block)
    state = block.parent[place + 1 : place + 2]
    if any("did not run" in each.astext() for each in state):
        block.parent.insert(place, nodes.doctest_block(LINE, LINE.rstrip("\n")))
        return
    text = LINE + block.astext()
    block.rawsource = text
    block[:] = [nodes.Text(text)]


def setup(app: Sphinx) -> ExtensionMetadata:
    """Add the line when a page is written: the check of all pages judges the page's own text."""
    app.connect("doctree-resolved", add_line, priority=AFTER_THE_STATES)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

# SPDX-License-Identifier: Apache-2.0
"""The directive ``frameworks``: which arguments are accepted, as recorded by this tree's tests."""

from __future__ import annotations

import re
from pathlib import Path

from _verify.frameworks import PARTS, record_of, table_of
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from sphinx.util.typing import ExtensionMetadata

from .verification import table

ERROR = re.compile(r"\w+Error: ")


class Frameworks(SphinxDirective):
    """Shows ``dtypes`` or ``layouts``."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Create the table, or name the session that does."""
        wanted = self.arguments[0]
        if wanted not in PARTS:
            raise self.error(f"frameworks: expected one of {', '.join(PARTS)}, got {wanted!r}")
        root = Path(self.config.verify_root)
        cells = record_of(root, root / self.config.verify_build)
        if cells is None:
            return [nodes.paragraph("", "No run of this tree: nox -s tests.")]
        headings, rows = table_of(cells, wanted)
        return [table(headings, [[cell_of(text) for text in row] for row in rows])]


def cell_of(text: str) -> str | nodes.Node:
    """Return a cell's text; errors are literal, so that every character is kept, even quotes."""
    return nodes.literal(text, text, generated=True) if ERROR.match(text) else text


def setup(app: Sphinx) -> ExtensionMetadata:
    """Register the directive."""
    app.setup_extension("_ext.evidence_of_build")
    app.add_directive("frameworks", Frameworks)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

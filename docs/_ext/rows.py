# SPDX-License-Identifier: Apache-2.0
"""The directive ``rows``: each row of the requirements, the tests that show it, their results."""

from __future__ import annotations

from pathlib import Path

from _verify.rows import row_table
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from sphinx.util.typing import ExtensionMetadata

from .verification import table

HEADINGS = ["Row", "Tests", "Result"]


class Rows(SphinxDirective):
    """Shows the table; where this tree's tests have not run, it names the session to run."""

    def run(self) -> list[nodes.Node]:
        """Make the table from the test files and the records of their runs."""
        root = Path(self.config.verify_root)
        lines = row_table(root, root / self.config.verify_build)
        return [table(HEADINGS, [list(line) for line in lines])]


def setup(app: Sphinx) -> ExtensionMetadata:
    """Register the directive."""
    app.setup_extension("_ext.evidence_of_build")
    app.add_directive("rows", Rows)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

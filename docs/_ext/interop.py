# SPDX-License-Identifier: Apache-2.0
"""The directive ``interop``: the table that ``nox -s interop`` recorded for this tree."""

from __future__ import annotations

from pathlib import Path

from _verify.interop_record import part_of, record_of
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from sphinx.util.typing import ExtensionMetadata

from .verification import table


class Interop(SphinxDirective):
    """Shows ``alone`` (libraries of one kind), ``crossings`` (of two kinds) or ``reasons``."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Create the table, or name the session that does."""
        root = Path(self.config.verify_root)
        record = record_of(root, root / self.config.verify_build)
        if record is None:
            return [nodes.paragraph("", "No run of this tree: nox -s interop.")]
        wanted = self.arguments[0]
        if wanted == "reasons":
            items = [nodes.list_item("", nodes.paragraph("", note)) for note in record["reasons"]]
            return [nodes.enumerated_list("", *items)] if items else [nodes.paragraph("", "None.")]
        if wanted not in ("alone", "crossings"):
            raise self.error(f"interop: expected 'alone', 'crossings' or 'reasons', got {wanted!r}")
        return [table(*part_of(record, wanted))]


def setup(app: Sphinx) -> ExtensionMetadata:
    """Register the directive."""
    app.setup_extension("_ext.evidence_of_build")
    app.add_directive("interop", Interop)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

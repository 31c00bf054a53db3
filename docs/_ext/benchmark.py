# SPDX-License-Identifier: Apache-2.0
"""The directive ``benchmark``: a table that ``nox -s bench`` measured, and where and when."""

from __future__ import annotations

from pathlib import Path

from _verify.benchmark_record import (
    circumstances_of,
    kernels_of,
    leaks_of,
    record_of,
    table_of,
)
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from sphinx.util.typing import ExtensionMetadata

from .verification import table


class Benchmark(SphinxDirective):
    """Shows one part: ``calls``, ``kernels``, ``leaks`` or ``slim``."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Make the table, or name the session that would."""
        part = self.arguments[0]
        root = Path(self.config.verify_root)
        self.env.note_dependency(str(root / "docs" / "benchmarks" / f"{part}.json"))
        record = record_of(root, part)
        if record is None:
            return [nodes.paragraph("", f"Not measured yet: nox -s bench -- {part}.")]
        if part == "kernels":
            tables = kernels_of(record)
        else:
            made = leaks_of(record) if part == "leaks" else table_of(record)
            tables = [(*made, circumstances_of(record))]
        shown: list[nodes.Node] = []
        for headings, rows, where in tables:
            shown.append(table(headings, [list(row) for row in rows]))
            shown.append(nodes.paragraph("", "", nodes.emphasis("", where)))
        return shown


def setup(app: Sphinx) -> ExtensionMetadata:
    """Register the directive."""
    app.setup_extension("_ext.evidence_of_build")
    app.add_directive("benchmark", Benchmark)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

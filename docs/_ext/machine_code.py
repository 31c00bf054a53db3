# SPDX-License-Identifier: Apache-2.0
"""The directive ``machine-code``: facts about an example's kernels, and their disassembly."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, ClassVar

from _verify.layout import Layout
from _verify.machine_code_record import COLUMNS, LISTED, listing_path, record_of, rows_of
from docutils import nodes
from docutils.parsers.rst import directives
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from sphinx.util.typing import ExtensionMetadata

from .made_html import folded
from .verification import in_its_own_box, table


class MachineCode(SphinxDirective):
    """Shows what ``nox -s machine_code`` found in the kernels of the example that it names.

    Or what it found with the change that the option ``planted`` names.
    """

    required_arguments = 1
    option_spec: ClassVar[dict[str, Any]] = {"planted": directives.unchanged_required}

    def run(self) -> list[nodes.Node]:
        """Make a table for each architecture, or name the session that would."""
        name = self.arguments[0]
        root = Path(self.config.verify_root)
        build = root / self.config.verify_build
        if not (Layout.of(root).examples / name).is_dir():
            raise self.error(f"machine-code: expected the name of an example, got {name!r}")
        self.env.note_reread()  # the record changes without the page
        if (record := record_of(root, build)) is None:
            text = "Not examined on this tree; nox -s machine_code does it."
            return [nodes.paragraph("", "", nodes.emphasis("", text))]
        planted = self.options.get("planted")
        facts = record["planted"][name].get(planted) if planted else record["examples"][name]
        if not facts:
            raise self.error(f"machine-code: found no kernels of {name} {planted or ''}")
        made: list[nodes.Node] = []
        for architecture in dict.fromkeys([LISTED, *(each["architecture"] for each in facts)]):
            rows: list[list[str | nodes.Node]] = [
                [nodes.literal("", kernel, generated=True), *cells]
                for kernel, *cells in rows_of(facts, architecture)
            ]
            shown = in_its_own_box(table([architecture, *COLUMNS], rows))
            made.append(shown if architecture == LISTED else folded(f"{architecture}", [shown]))
        path = listing_path(build, f"{name}_{planted}" if planted else name, LISTED)
        page = Path(self.env.doc2path(self.env.docname)).parent
        link = addnodes.download_reference(
            "",
            "",
            nodes.literal("", path.name, classes=["xref", "download"]),
            refdoc=self.env.docname,
            refdomain="",
            reftype="download",
            refexplicit=True,
            reftarget=Path(os.path.relpath(path, page)).as_posix(),
            refwarn=False,
        )
        parts = [nodes.Text(f"Compiled by {record['tools']}; the disassembly: "), link]
        return [*made, nodes.paragraph("", "", *parts, nodes.Text("."))]


def setup(app: Sphinx) -> ExtensionMetadata:
    """Register the directive."""
    app.setup_extension("_ext.evidence_of_build")
    app.setup_extension("_ext.made_html")
    app.add_directive("machine-code", MachineCode)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

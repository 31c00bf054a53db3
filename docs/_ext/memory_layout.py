# SPDX-License-Identifier: Apache-2.0
"""The directive ``memory-layout``: draws structs as measured by a compiled program.

A column starts at the margin: ``Tensor | owns a share of the object``. Below it, indented, are the
structs that are adjacent in memory, each with the fields to draw where some share their
bytes: ``TVMFFIAny: type_index zero_padding v_obj``. A line ``->`` draws a pointer to what follows.
HTML gets drawings; every other format gets the program's output.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

from _verify.measured_layout import Column, read_structs, struct_of, text_of
from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from sphinx.util.typing import ExtensionMetadata, OptionSpec

from .evidence_of_build import evidence_of
from .layout_drawing import draw

RECORD = "tests/snippets/captured/abi_layout.txt"


class LayoutDrawing(nodes.General, nodes.Element):
    """Holds the columns; its child is the text that other formats show, which the gate judges."""


class MemoryLayout(SphinxDirective):
    """Draws the columns named in its content, above the caption from its option."""

    has_content = True
    option_spec: ClassVar[OptionSpec] = {"caption": directives.unchanged_required}

    def run(self) -> list[nodes.Node]:
        """Create the figure; a struct or field that was not measured is an error."""
        root = Path(self.config.verify_root)
        self.env.note_dependency(str(root / RECORD))
        try:
            structs = read_structs((root / RECORD).read_text())
            columns = self.columns(structs)
        except (OSError, ValueError) as problem:
            raise self.error(f"memory-layout: {problem}") from problem
        drawing = LayoutDrawing(columns=columns, serial=self.env.new_serialno("memory-layout"))
        text = "\n\n".join(text_of(column) for column in columns)
        block = nodes.literal_block(text, text, language="text")
        block["snippet"] = {"file": RECORD, "region": "", "line": self.lineno}
        self.set_source_info(block)
        drawing += block
        figure = nodes.figure("", drawing, classes=["memory-layout"])
        parsed, messages = self.parse_inline(self.options.get("caption", ""))
        figure += nodes.caption("", "", *parsed)
        state = evidence_of(self.config).state(RECORD)
        said = nodes.inline("", f"offsets measured · {state}", classes=["snippet-verified"])
        figure += nodes.legend("", nodes.paragraph("", "", said, classes=["snippet"]))
        self.set_source_info(figure)
        return [figure, *messages]

    def columns(self, structs: dict[str, Any]) -> list[Column]:
        """Parse the content.

        ValueError: it names something not measured, or does not start with a column.
        """
        found: list[Column] = []
        for line in filter(str.strip, self.content):
            name, _, rest = (each.strip() for each in line.partition(":"))
            if not line.startswith(" "):
                title, _, note = (each.strip() for each in line.partition("|"))
                found.append(Column(title, note, []))
            elif not found:
                raise ValueError(f"expected the name of a column first, got {line.strip()!r}")
            elif name == "->":
                found[-1].parts.append(None)
            else:
                found[-1].parts.append(struct_of(structs, name, rest.split()))
        return found


def show_drawing(translator: nodes.NodeVisitor, node: LayoutDrawing) -> None:
    """Write the drawings in place of the text."""
    serial = f"{node['serial']}"
    columns = (draw(each, f"layout-{serial}-{i}") for i, each in enumerate(node["columns"]))
    translator.body.append(
        '<div class="memory-layout-columns">\n' + "\n".join(columns) + "\n</div>"
    )
    raise nodes.SkipNode


def show_text(translator: nodes.NodeVisitor, node: LayoutDrawing) -> None:
    """Leave the output to the text inside."""


def setup(app: Sphinx) -> ExtensionMetadata:
    """Register the directive, and the node for each format."""
    app.setup_extension("_ext.evidence_of_build")
    text = (show_text, show_text)
    drawn = (show_drawing, show_text)
    # Not for "epub" too: one node with that handler would hide all other handlers from the book.
    app.add_node(LayoutDrawing, html=drawn, text=text, latex=text, man=text, texinfo=text)
    app.add_directive("memory-layout", MemoryLayout)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

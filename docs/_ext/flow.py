# SPDX-License-Identifier: Apache-2.0
"""The directive ``flow``: draws how a value or a call passes from one place to the next.

Its content is a definition list: the title of each column contains a list of steps, each with the
place that runs it as the classifier. A last paragraph ``Passes on: ...`` labels the arrow to the
next step. HTML gets drawings; every other format gets the list. The option ``test`` names the
tests that verify the figure.
"""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from sphinx.util.typing import ExtensionMetadata, OptionSpec

from .flow_drawing import Column, Step, draw

PASSES = "Passes on: "


class FlowDrawing(nodes.General, nodes.Element):
    """Its child is the list that other formats show."""


def step_of(item: nodes.definition_list_item) -> Step:
    """Return one step; ValueError: it lacks the place that runs it, or what it does."""
    term = item[0]
    where = [each.astext() for each in item.findall(nodes.classifier)]
    said = [" ".join(each.astext().split()) for each in item[-1].findall(nodes.paragraph)]
    passes = said.pop().removeprefix(PASSES) if said and said[-1].startswith(PASSES) else ""
    if len(where) != 1 or not said:
        raise ValueError(
            f"expected a step, the place that runs it and what it does, got {term.astext()!r}"
        )
    return Step(term.astext(), where[0], " ".join(said), passes, bool(list(term.findall(is_code))))


def is_code(node: nodes.Node) -> bool:
    """Whether a node is shown as code; this holds for a link to a name, resolved or not."""
    return isinstance(node, nodes.literal)


def columns_of(drawing: nodes.Element) -> list[Column]:
    """Return the columns; ValueError: the content is anything else."""
    if [type(child) for child in drawing] != [nodes.definition_list]:
        raise ValueError("expected a definition list of columns, and nothing else")
    columns = []
    for item in drawing[0]:
        lists = list(item[-1].children)
        if [type(each) for each in lists] != [nodes.definition_list]:
            raise ValueError(f"{item[0].astext()}: expected a definition list of steps")
        columns.append(Column(item[0].astext(), tuple(step_of(each) for each in lists[0])))
    return columns


def files_of(tests: str, root: Path) -> list[str]:
    """Return the files of the named tests; ValueError: none is named, or one does not exist."""
    files = {}
    for test in tests.split():
        name, _, function = test.partition("::")
        if not (root / name).is_file() or f"def {function}(" not in (root / name).read_text():
            raise ValueError(f"expected the option test to name tests, got {test}")
        files[name] = function
    if not files:
        raise ValueError("expected the option test, which names the tests of what is drawn")
    return list(files)


def legend_of(files: list[str]) -> nodes.legend:
    """Return the line that names the test files."""
    said = nodes.paragraph("", "Tested by ", classes=["snippet"])
    for number, name in enumerate(files):
        said += [nodes.Text(", ")] * bool(number) + [nodes.literal("", name)]
    return nodes.legend("", said)


class Flow(SphinxDirective):
    """Draws the columns in its content, above the caption."""

    has_content = True
    option_spec: ClassVar[OptionSpec] = {
        "caption": directives.unchanged_required,
        "test": directives.unchanged_required,
    }

    def run(self) -> list[nodes.Node]:
        """Create the figure; content that cannot be drawn, or a missing test, is an error."""
        self.assert_has_content()
        drawing = FlowDrawing("", *self.parse_content_to_nodes())
        drawing["serial"] = self.env.new_serialno("flow")
        try:
            columns_of(drawing)
            files = files_of(self.options.get("test", ""), Path(self.config.verify_root))
        except ValueError as problem:
            raise self.error(f"flow: {problem}") from problem
        for name in files:
            self.env.note_dependency(str(Path(self.config.verify_root) / name))
        figure = nodes.figure("", drawing, classes=["memory-layout"])
        parsed, messages = self.parse_inline(self.options.get("caption", ""))
        figure += nodes.caption("", "", *parsed)
        figure += legend_of(files)
        self.set_source_info(figure)
        return [figure, *messages]


def show_drawing(translator: nodes.NodeVisitor, node: FlowDrawing) -> None:
    """Write the drawings in place of the list."""
    drawn = (draw(each, f"flow-{node['serial']}-{i}") for i, each in enumerate(columns_of(node)))
    body = "\n".join(drawn)
    translator.body.append(f'<div class="memory-layout-columns">\n{body}\n</div>')
    raise nodes.SkipNode


def show_list(translator: nodes.NodeVisitor, node: FlowDrawing) -> None:
    """Leave the output to the list inside."""


def setup(app: Sphinx) -> ExtensionMetadata:
    """Register the directive, and the node for each format."""
    listed = (show_list, show_list)
    drawn = (show_drawing, show_list)
    app.add_node(FlowDrawing, html=drawn, text=listed, latex=listed, man=listed, texinfo=listed)
    app.add_directive("flow", Flow)
    app.setup_extension("_ext.evidence_of_build")
    return {"parallel_read_safe": True, "parallel_write_safe": True}

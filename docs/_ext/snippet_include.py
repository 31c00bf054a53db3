# SPDX-License-Identifier: Apache-2.0
"""``literalinclude`` that shows, under the code, its file and what was verified on what."""

from __future__ import annotations

import os
from pathlib import Path, PurePosixPath
from typing import ClassVar

from _verify.regions import region_lines, without_markers
from docutils import nodes
from docutils.parsers.rst import directives
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.directives.code import LiteralInclude
from sphinx.util.typing import ExtensionMetadata, OptionSpec

from .evidence_of_build import evidence_of

LANGUAGES = {
    ".c": "c",
    ".cc": "cpp",
    ".cu": "cuda",
    ".cuh": "cuda",
    ".h": "cpp",
    ".patch": "diff",
    ".py": "python",
    ".sh": "bash",
    ".toml": "toml",
    ".txt": "text",
}
# Every other option selects lines, changes them or adds to them, which nothing verified.
ALLOWED = {"class", "language", "name", "region"}


class VerifiedInclude(LiteralInclude):
    """Shows a file or one of its regions; the check of all pages reads the ``snippet`` mark."""

    option_spec: ClassVar[OptionSpec] = {
        **LiteralInclude.option_spec,  # refused below: Sphinx warns of an unknown one only once
        "region": directives.unchanged_required,
    }

    def run(self) -> list[nodes.Node]:
        """Include the text, mark it, and say under it what is known of it."""
        evidence = evidence_of(self.config)
        file = Path(os.path.normpath(self.env.relfn2path(self.arguments[0])[1]))
        root = evidence.layout.root
        path = file.relative_to(root).as_posix() if file.is_relative_to(root) else str(file)
        mark = {"file": path, "region": self.options.get("region", ""), "line": self.lineno}
        if refused := sorted(set(self.options) - ALLOWED):
            expected = ", ".join(sorted(ALLOWED))
            reason = f"literalinclude: expected the options {expected}, got {', '.join(refused)}"
            return [self.problem(mark, reason)]
        try:
            self.choose_region(file)
        except (OSError, UnicodeDecodeError, ValueError) as problem:
            return [self.problem(mark, str(problem))]
        if "language" not in self.options:
            name = "cmake" if file.name == "CMakeLists.txt" else LANGUAGES.get(file.suffix, "text")
            self.options["language"] = name
        found = super().run()
        blocks = [block for node in found for block in node.findall(nodes.literal_block)]
        if not blocks:
            return [self.problem(mark, " ".join(node.astext() for node in found))]
        block = blocks[0]
        text = without_markers(block.astext()).strip("\n") + "\n"
        block.rawsource = text
        block[:] = [nodes.Text(text)]
        block["snippet"] = mark
        return [*found, self.state_line(path, mark["region"])]

    def choose_region(self, file: Path) -> None:
        """Turn the region into the lines that the parent class includes."""
        if "region" not in self.options:
            file.read_text()  # a missing file is a problem of the page, not a mere warning
            return
        first, last = region_lines(file.read_text(), self.options["region"])
        self.options["lines"] = f"{first + 1}-{last}"
        self.options["dedent"] = None

    def problem(self, mark: dict[str, str], reason: str) -> nodes.Node:
        """A block that stands for what could not be shown; the check reports it."""
        block = nodes.literal_block("", "", language="text")
        self.set_source_info(block)
        block["snippet"] = {**mark, "problem": reason}
        return block

    def state_line(self, path: str, region: str) -> nodes.Node:
        """The file, its download link, and a place for what was verified on what.

        The page may be read before that changes, so the place is filled when the page is written.
        """
        download = addnodes.download_reference(
            "",
            "",
            nodes.literal("", PurePosixPath(path).name, classes=["xref", "download"]),
            refdoc=self.env.docname,
            refdomain="",
            reftype="download",
            refexplicit=True,
            reftarget=self.arguments[0],
            refwarn=False,
            reftitle=f"Download {path}",
            of_snippet=True,  # which is judged itself
        )
        where = nodes.inline("", f"{PurePosixPath(path).parent}/", classes=["snippet-folder"])
        what = nodes.inline("", "", classes=["snippet-verified"], state_of=(path, region))
        return nodes.paragraph("", "", where, download, nodes.Text(" "), what, classes=["snippet"])


def setup(app: Sphinx) -> ExtensionMetadata:
    """Replace the directive; rst and MyST pages both look it up by this name."""
    app.setup_extension("_ext.evidence_of_build")
    app.add_directive("literalinclude", VerifiedInclude, override=True)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

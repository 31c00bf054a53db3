# SPDX-License-Identifier: Apache-2.0
"""A ``literalinclude`` that shows, under the code, its file and how it was verified."""

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
# All other options select, change or add lines, and the result was not verified.
ALLOWED = {"class", "language", "name", "region"}


class VerifiedInclude(LiteralInclude):
    """Shows a file or one of its regions; the check of all pages reads the ``snippet`` mark."""

    option_spec: ClassVar[OptionSpec] = {
        **LiteralInclude.option_spec,  # refused below: Sphinx warns about an unknown one only once
        "region": directives.unchanged_required,
    }

    def run(self) -> list[nodes.Node]:
        """Include the text, mark it, and show its state under it."""
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
        """Convert the region to the line range that the parent class includes."""
        if "region" not in self.options:
            file.read_text()  # make a missing file a problem of the page, not just a warning
            return
        first, last = region_lines(file.read_text(), self.options["region"])
        self.options["lines"] = f"{first + 1}-{last}"
        self.options["dedent"] = None

    def problem(self, mark: dict[str, str], reason: str) -> nodes.Node:
        """Return a block in place of code that could not be shown; the check reports it."""
        block = nodes.literal_block("", "", language="text")
        self.set_source_info(block)
        block["snippet"] = {**mark, "problem": reason}
        return block

    def state_line(self, path: str, region: str) -> nodes.Node:
        """Return the file, its download link, and a placeholder for what was verified.

        The page may be read before that changes, so this is filled in when the page is written.
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
            of_snippet=True,  # the snippet is judged itself
        )
        where = nodes.inline("", f"{PurePosixPath(path).parent}/", classes=["snippet-folder"])
        what = nodes.inline("", "", classes=["snippet-verified"], state_of=(path, region))
        return nodes.paragraph("", "", where, download, nodes.Text(" "), what, classes=["snippet"])


def setup(app: Sphinx) -> ExtensionMetadata:
    """Replace the directive; rst and MyST pages both look it up by this name."""
    app.setup_extension("_ext.evidence_of_build")
    app.add_directive("literalinclude", VerifiedInclude, override=True)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

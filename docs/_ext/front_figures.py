# SPDX-License-Identifier: Apache-2.0
"""The directive ``front-figures``: figures for a call, a compilation and the verified code."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from _verify.benchmark_record import record_of, why_stale
from _verify.closure import runtime_files
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from sphinx.util.typing import ExtensionMetadata

from .snippet_gate import judged

CALL = "1 torch tensor, ns"
COMPILATION = "compile, seconds"


class VerifiedCount(nodes.General, nodes.Inline, nodes.Element):
    """A placeholder for the number of verified pieces of code, until all pages have been read."""


def of_calls(record: dict[str, Any]) -> tuple[str, str]:
    """Return the time of a call with a tensor, and the speed relative to the published package."""
    row = record["measured"][CALL]
    return f"{row['ours']:,.0f} ns", (
        f"for a call from Python with a PyTorch tensor: {1 / row['ratio']:.1f} times as fast as "
        f"the published package, and {1 / record['geometric mean']:.1f} times on average over "
        "all calls that were :doc:`measured <performance>`"
    )


def of_compilation(record: dict[str, Any]) -> tuple[str, str]:
    """Return the compile time with the headers."""
    row = record["measured"][COMPILATION]
    return f"{row['ours']:.1f} s", (
        "for g++ to compile a kernel file; with the published package's headers, "
        f"{row['published']:.1f} s"
    )


FIGURES = {"calls": of_calls, "slim": of_compilation}
OF_ALL = "pieces of code on this site are :doc:`verified <verification>`: run, or at least compiled"


def figure(value: nodes.Node, words: list[nodes.Node]) -> nodes.container:
    """Return one number and its meaning."""
    strong = nodes.paragraph("", "", value, classes=["front-value"])
    return nodes.container("", strong, *words, classes=["front-figure"])


class FrontFigures(SphinxDirective):
    """Shows the figures that have records."""

    def run(self) -> list[nodes.Node]:
        """Create them from the records; the count is known only once all pages are read."""
        root = Path(self.config.verify_root)
        found = []
        for part, words_of in FIGURES.items():
            for name in (f"docs/benchmarks/{part}.json", *runtime_files(root)):
                self.env.note_dependency(str(root / name))
            if record := record_of(root, part):
                value, words = words_of(record)
                if why_stale(root, part, record):
                    words += ", measured before the latest changes"
                found.append(figure(nodes.strong("", value), self.parse_text_to_nodes(f"{words}.")))
        found.append(figure(VerifiedCount(), self.parse_text_to_nodes(f"{OF_ALL}.")))
        return [nodes.container("", *found, classes=["front-figures"])]


def fill_in(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Replace the placeholder with the count."""
    for place in list(doctree.findall(VerifiedCount)):
        snippets = judged(app.env)
        verified = sum(each.verified for each in snippets)
        place.replace_self(nodes.strong("", f"{verified:,} of {len(snippets):,}"))


def setup(app: Sphinx) -> ExtensionMetadata:
    """Register the directive; its last figure is created when its page is written."""
    app.setup_extension("_ext.evidence_of_build")
    app.add_node(VerifiedCount)
    app.add_directive("front-figures", FrontFigures)
    app.connect("doctree-resolved", fill_in)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

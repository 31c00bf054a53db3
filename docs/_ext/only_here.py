# SPDX-License-Identifier: Apache-2.0
"""The directive ``only-here``: a note on features of this runtime only, checked against a record.

``nox -s interop`` also runs the doctests of all pages, and the tests of shown files, under the
published package. Any difference needs a note in its section, or in an enclosing one. A note that
nothing on the page requires must name the tests that show the difference,
``:test: tests/interop/test_x.py::test_y``. Any other note is refused, in every build; for a page
edited after that run, only its shown files and the named tests are judged.
"""

from __future__ import annotations

import ast
import functools
import os
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any, ClassVar

from _verify.doctest_digest import block_examples
from _verify.layout import Layout
from _verify.pages import holds_doctest
from _verify.published_pages import Found
from _verify.published_pages import record_of as record_of_pages
from _verify.published_snippets import Snippets
from _verify.published_snippets import record_of as record_of_snippets
from _verify.rows import read_records
from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.errors import SphinxError
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective
from sphinx.util.typing import ExtensionMetadata

from .evidence_of_build import evidence_of
from .node_origin import origin_of

logger = logging.getLogger(__name__)

LABEL = "This runtime only"
SHOWN = 3  # differences listed in one note; the table lists all


class WrongNotes(SphinxError):
    """A difference without a note, or a note without a difference."""

    category = "Notes on this runtime"


class OnlyHere(SphinxDirective):
    """A note that begins with the label; the differences are added when the page is written."""

    has_content = True
    option_spec: ClassVar[dict[str, Any]] = {"test": directives.unchanged_required}

    def run(self) -> list[nodes.Node]:
        """Create the note."""
        self.assert_has_content()
        note = nodes.note("", *self.parse_content_to_nodes())
        if not note.children or not isinstance(note[0], nodes.paragraph):
            raise self.error("only-here: expected a paragraph first, which the label begins")
        note["only_here"] = self.options.get("test", "").split()
        self.set_source_info(note)
        ended = ". " if note[0].astext()[:1].isupper() else ": "  # before a whole sentence
        note[0].insert(0, [nodes.strong("", LABEL), nodes.Text(ended)])
        return [note]


@dataclass
class Records:
    """The recorded results of the pages' doctests and of the tests of shown files."""

    pages: dict[str, Found]
    snippets: Snippets


@dataclass
class Page:
    """A page's differences, each with the note that describes it, and its problems."""

    rows: list[tuple[int, str, str]] = field(default_factory=list)  # line, code, result
    of_note: dict[nodes.note, list[tuple[str, str]]] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)


def is_note(node: nodes.Node) -> bool:
    """Whether a node is a note of this directive."""
    return isinstance(node, nodes.note) and "only_here" in node


def sections_around(node: nodes.Node) -> Iterator[nodes.Node]:
    """Yield the sections that contain a node, innermost first; the page is the last."""
    while node.parent is not None:
        node = node.parent
        if isinstance(node, (nodes.section, nodes.document)):
            yield node


def note_for(block: nodes.Node, order: list[nodes.Node]) -> nodes.note | None:
    """Return the note for a block: in the innermost section with notes, the next or the last."""
    later = order[order.index(block) :]
    for section in sections_around(block):
        here = [
            n for n in order if isinstance(n, nodes.note) and next(sections_around(n)) is section
        ]
        if here:
            return next((note for note in here if note in later), here[-1])
    return None


def examples_of(
    order: list[nodes.Node], page: str, layout: Layout
) -> Iterator[tuple[nodes.Node, str, int, str]]:
    """Yield each doctest example of a page: block, digest, number among equal ones, first line.

    Another check judges text that cannot be parsed as examples.
    """
    places: Counter[str] = Counter()
    for node in order:
        if isinstance(node, nodes.Element) and not is_note(node) and "snippet" not in node:
            text = node.rawsource if node.rawsource.lstrip().startswith(">>>") else node.astext()
            if ">>>" not in text or origin_of(node, page, layout).file != page:
                continue
            try:
                found = block_examples(text)
            except ValueError:
                continue
            lines = text.splitlines()
            for digest, before in found:
                yield node, digest, places[digest], lines[before].strip().removeprefix(">>> ")
                places[digest] += 1


def page_of(doctree: nodes.document, page: str, layout: Layout, records: Records) -> Page:
    """Match the differences of a page with its notes."""
    found = records.pages.get(page)
    kinds = (nodes.literal_block, nodes.doctest_block)
    order = [node for node in doctree.findall() if is_note(node) or isinstance(node, kinds)]
    made = Page(of_note={note: [] for note in order if isinstance(note, nodes.note)})

    def tell(block: nodes.Node, line: int, code: str, got: str) -> None:
        """Add a difference to the table and to its note."""
        made.rows.append((line, code, got))
        if note := note_for(block, order):
            made.of_note[note].append((code, got))
        else:
            said = f"{code}: under the published package one gets: {got}"
            made.problems.append(f"{page}:{line}: {said}; no only-here note says so")

    waiting: dict[tuple[str, int], dict[str, Any]] = {}
    if found is not None:
        waiting = {(each["digest"], each["place"]): each for each in found["differ"]}
        for block, digest, place, code in examples_of(order, page, layout):
            if each := waiting.pop((digest, place), None):
                tell(block, each["line"], code, each["got"])
    for each in waiting.values():
        said = "a doctest differs, and no block of the page shows it"
        made.problems.append(f"{page}:{each['line']}: {said}")
    shown = [node for node in order if isinstance(node, nodes.Element) and "snippet" in node]
    for node in shown:
        if got := records.snippets.difference(node["snippet"]["file"], node["snippet"]["region"]):
            tell(node, node["snippet"]["line"], label_of(node), got)
    # Doctests skipped there may differ; a page without doctests is never run.
    known = not found["skipped"] if found else not holds_doctest(layout.root / page)
    if not records.snippets.tests:
        known = known and not any(node["snippet"]["file"].startswith("tests/") for node in shown)
    for note, differing in made.of_note.items():
        if not note["only_here"] and not differing and known:
            said = "nothing in its section differs under the published package"
            made.problems.append(f"{page}:{note.line}: {said}, and the note names no test")
    for text in doctree.findall(nodes.paragraph):
        by_hand = text.astext().startswith(LABEL) and not is_note(text.parent)
        of_page = by_hand and origin_of(text, page, layout).file == page
        if of_page and "runtimes" not in text["classes"]:
            made.problems.append(f"{page}:{text.line}: a note typed by hand: use only-here")
    return made


def label_of(block: nodes.Element) -> str:
    """Return the file and region that a block shows."""
    path, region = block["snippet"]["file"], block["snippet"]["region"]
    return f"{PurePosixPath(path).name} [{region}]" if region else PurePosixPath(path).name


def wrong_test(name: str, layout: Layout, records: dict[str, Any]) -> str:
    """Return why a named test shows no difference; empty if it exists and did not fail.

    ``FILE::TEST[CASE]`` names the cases with that prefix.
    """
    file, _, test = name.partition("::")
    path, function = layout.root / file, test.partition("[")[0]
    if not file.startswith("tests/interop/") or not path.is_file():
        return f"expected FILE::TEST with a file of tests/interop, got {name}"
    if not function.startswith("test_"):
        return f"expected the name of a test, got {name}"
    tree = ast.parse(path.read_text())
    if function not in {each.name for each in tree.body if isinstance(each, ast.FunctionDef)}:
        return f"{file} has no test {function}"
    if file not in records:
        return ""  # its tests did not run on this tree
    begin = test.rstrip("]") if "[" in test else f"{test}["
    told = {r[0] for case, r in records[file].items() if case == test or case.startswith(begin)}
    return "" if told == {"passed"} else f"{name}: {', '.join(sorted(told)) or 'no such case'}"


@functools.cache
def load(root: str, build: str) -> Records:
    """Read the records, once per build."""
    where = Path(root), Path(build)
    return Records(record_of_pages(*where), record_of_snippets(*where))


def forget(app: Sphinx) -> None:
    """Reread them."""
    load.cache_clear()


def found_by(app: Sphinx) -> tuple[Layout, Records]:
    """Return the project, and the recorded results for its current pages and tests."""
    layout = evidence_of(app.config).layout
    return layout, load(str(layout.root), str(layout.build))


def page_name(app: Sphinx, docname: str) -> str:
    """Return the file of a page, relative to the root."""
    return os.path.relpath(app.env.doc2path(docname), evidence_of(app.config).layout.root)


def literal(text: str) -> nodes.literal:
    """Return code or output from a record."""
    return nodes.literal("", text, generated=True)


def check(app: Sphinx, env: BuildEnvironment) -> list[str]:
    """Judge the notes of all pages, and raise if one is wrong or missing; a preview warns."""
    layout, found = found_by(app)
    records = read_records(layout.root, layout.build)
    pages = {page_name(app, docname): docname for docname in sorted(env.found_docs)}
    unseen = [page for page, each in found.pages.items() if each["differ"] and page not in pages]
    problems = [f"{page}: doctests differ, and the site has no such page" for page in unseen]
    for page, docname in pages.items():
        made = page_of(env.get_doctree(docname), page, layout, found)
        problems += made.problems
        for note in made.of_note:
            reasons = [wrong_test(name, layout, records) for name in note["only_here"]]
            problems += [f"{page}:{note.line}: {reason}" for reason in reasons if reason]
    if problems and not app.config.verify_preview:
        raise WrongNotes("\n".join([str(len(problems)), *problems]))
    for problem in problems:
        logger.warning("%s", problem)
    return []


def show(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Add to each note the results under the published package."""
    layout, found = found_by(app)
    page = page_name(app, docname)
    for note, differing in page_of(doctree, page, layout, found).of_note.items():
        items = nodes.bullet_list()
        for code, got in differing[:SHOWN]:
            line = nodes.paragraph("", "", literal(code), nodes.Text(": "), literal(got))
            items += nodes.list_item("", line)
        if items.children:
            more = len(differing) - len(items)
            also = f" (and {more} more, which the page on verification lists)" if more else ""
            note += [nodes.paragraph("", f"Under the published package{also}:"), items]


def setup(app: Sphinx) -> ExtensionMetadata:
    """Register the directive; the check runs in every build, like that of the snippets."""
    app.setup_extension("_ext.evidence_of_build")
    app.add_directive("only-here", OnlyHere)
    app.connect("builder-inited", forget)
    app.connect("env-updated", check)
    app.connect("doctree-resolved", show)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

# SPDX-License-Identifier: Apache-2.0
"""Refuse to build a site that shows unverified code.

The check reads the doctrees of all pages, so that it covers code from any origin: a
tab, a MyST page, a docstring or a Doxygen comment. It raises, and it runs in every build, even
one that rereads no page: a warning would appear once and then be forgotten.

Code whose every run was skipped, with a reason, makes the site partial: each page states what was
not run and why, and ``build/partial.txt`` lists it. Do not publish a partial site.
"""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from _verify.doctest_digest import block_examples
from _verify.evidence import Evidence, did_not_run, gpu_runs
from _verify.line_kinds import DID_NOT_RUN, TEXT, lines_of_file
from _verify.receipts import RAN_ON_CPU, RAN_ON_GPU
from _verify.regions import normalised
from _verify.whole_file import write_whole
from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.errors import SphinxError
from sphinx.util import logging
from sphinx.util.typing import ExtensionMetadata

from . import images, literals
from .downloads import offered
from .evidence_of_build import evidence_of
from .node_origin import Origin, origin_of

logger = logging.getLogger(__name__)

BY_HAND = (
    "a code block typed by hand: show a region of a tested file (literalinclude, or a Doxygen "
    "snippet), write a doctest, or include output that a test captured"
)
DECLARED = "a name declared by hand: the reference is made from the headers and the docstrings"
HTML_COMMENT = re.compile(r"<!--(?:(?!-->).)*-->", re.DOTALL)
JUDGED = (
    *(nodes.literal_block, nodes.doctest_block, nodes.raw, nodes.literal, nodes.comment),
    *(nodes.line_block, nodes.option_list, nodes.image),
    *(addnodes.desc, addnodes.desc_inline, addnodes.productionlist),
    addnodes.download_reference,
)
DOCTEST_LANGUAGES = {None, "default", "pycon", "python"}

Places = Counter[str]  # number of such examples earlier on the page, by digest


class UnverifiedSnippets(SphinxError):
    """The site would show unverified code."""

    category = "Unverified snippets"


@dataclass(frozen=True)
class Snippet:
    """One piece of code on a page, and its evidence."""

    page: str
    docname: str
    line: int | None
    shows: str
    state: str
    problem: str = ""
    not_run: str = ""
    lines: Mapping[str, int] = field(default_factory=dict)
    file: str = ""
    region: str = ""
    section: str = ""  # anchor of the enclosing section; empty for the page's first section

    @property
    def verified(self) -> bool:
        """Whether it was proved, and may be published."""
        return not self.problem and not self.not_run


@dataclass(frozen=True)
class Verdict:
    """A piece of code, and what the evidence says about it."""

    shows: str
    state: str = ""  # what was verified on which device
    problem: str = ""  # why it must not be shown
    not_run: str = ""  # why this machine could not run it
    lines: Mapping[str, int] = field(default_factory=dict)  # how many, by what was done with them
    file: str = ""  # the file whose receipts prove it
    region: str = ""


def included(block: nodes.literal_block, evidence: Evidence) -> Verdict:
    """Judge an included block."""
    mark = block["snippet"]
    shows = mark["file"] + (f" [{mark['region']}]" if mark["region"] else "")
    if "problem" in mark:
        return Verdict(shows, problem=mark["problem"])
    return of_file(shows, mark["file"], mark["region"], evidence)


def of_file(
    shows: str, path: str, region: str, evidence: Evidence, *, every_line: bool = True
) -> Verdict:
    """Judge a file, or a region of it."""
    problem = evidence.why_not(path, region, every_line=every_line)
    # If something ran the file, its problem is not a skip.
    unproved = problem and not evidence.of(path)
    skipped = evidence.skipped_whole(path, region) if not problem else ""
    if reasons := evidence.not_run_here(path) if unproved else skipped:
        return Verdict(shows, f"not run here: {reasons}", not_run=reasons)
    lines = {} if problem else lines_of_file(evidence, path, region)
    state = evidence.state(path, region)
    return Verdict(shows, state, problem, lines=lines, file=path, region=region)


def download(
    node: addnodes.download_reference, origin: Origin, evidence: Evidence
) -> Verdict | None:
    """Judge a link to a file or archive; None if each file was proved, or is shown above it."""
    target = node["reftarget"]
    if node.get("of_snippet") or "://" in target:
        return None
    shows = f"download of {target}"
    try:
        files = offered(target, origin.page, evidence.layout)
        verdicts = [
            of_file(f"{shows}: {file}", file, "", evidence, every_line=False) for file in files
        ]
    except ValueError as problem:  # also for a binary file
        return Verdict(shows, problem=str(problem))
    not_run = next((verdict for verdict in verdicts if verdict.not_run), None)
    return next((verdict for verdict in verdicts if verdict.problem), not_run)


def doctest(
    text: str, language: str | None, origin: Origin, evidence: Evidence, places: Places
) -> Verdict:
    """Judge a doctest block: each of its examples must have passed in its place."""
    shows = f"doctest in {origin.file}" if origin.file != origin.page else "doctest"
    if language not in DOCTEST_LANGUAGES:
        return Verdict(shows, problem=f"a doctest is Python, and this block says {language}")
    try:
        examples = block_examples(text)
    except ValueError as error:
        return Verdict(shows, problem=f"a doctest that cannot be read: {error}")
    if not examples:
        return Verdict(shows, problem=BY_HAND)
    digests = [digest for digest, _ in examples]
    for failure in evidence.failures_of(origin.file or ""):
        if failure.doctest in ("", *digests):
            return Verdict(shows, problem=f"a doctest that no run passed: {failure.reason}")
    file, runs, earlier = origin.file or "", [], []
    for key in digests:
        place = places[key] if file == origin.page else None
        runs.append(evidence.doctest_runs(file, key, place))
        earlier.append(evidence.with_earlier_runtime.doctest_runs(file, key, place))
        places[key] += 1
    missing = [key for key, found in zip(digests, runs, strict=True) if not found]
    if not missing:
        receipts = [receipt for found in runs for receipt in found]
        ran = [RAN_ON_CPU] if any(r.level == RAN_ON_CPU for r in receipts) else []
        idle = {
            first + line: why
            for (key, first), found in zip(examples, runs, strict=True)
            for line, why in evidence.doctest_idle(found, key).items()
        }
        before = [receipt for found in earlier for receipt in found if all(earlier)]
        state = " · ".join([*ran, *gpu_runs(receipts, before), *did_not_run(idle)])
        lines = lines_of_doctest(text, bool(ran), len(idle))
        return Verdict(shows, state, lines=lines, file=file)
    skipped = evidence.skipped_doctests(file)
    if all(key in skipped for key in missing):
        reasons = ", ".join(sorted({skipped[key] for key in missing}))
        return Verdict(shows, f"not run here: {reasons}", not_run=reasons)
    return Verdict(shows, problem="a doctest that no run passed")


def lines_of_doctest(text: str, on_cpu: bool, idle: int) -> dict[str, int]:
    """Count the lines of a block of examples by what was done with them; output was compared."""
    lines = [line for line in text.splitlines() if line.strip()]
    source = sum(line.lstrip().startswith((">>>", "...")) for line in lines)
    ran = RAN_ON_CPU if on_cpu else RAN_ON_GPU
    return {ran: source - idle, DID_NOT_RUN: idle, TEXT: len(lines) - source}


def judge(
    node: nodes.Element, origin: Origin, evidence: Evidence, places: Places
) -> Verdict | None:
    """Judge a node; None if it is not code.

    The places count the page's doctests; a page's nodes are judged in order.
    """
    text = node.rawsource if node.rawsource.lstrip().startswith(">>>") else node.astext()
    if isinstance(node, nodes.raw):
        # An HTML comment at the top of a Markdown page shows nothing; other raw text is not needed.
        shown = HTML_COMMENT.sub("", text).strip() or ">>>" in text
        what = f"raw {node.get('format', '')}"
        return Verdict(what, problem="text that Sphinx cannot read") if shown else None
    if isinstance(node, addnodes.desc):
        return None if node.get("generated") else Verdict("declaration", problem=DECLARED)
    if isinstance(node, nodes.comment):
        hidden = "a doctest that the reader does not see"
        return Verdict("comment", problem=hidden) if ">>>" in text else None
    if isinstance(node, addnodes.desc_inline):
        typed = not literals.NAMES.fullmatch(text)  # Breathe creates one from each exception's name
        return Verdict(f"expression {text}", problem=BY_HAND) if typed else None
    if isinstance(node, addnodes.productionlist):
        return Verdict("production list", problem=BY_HAND)
    if isinstance(node, nodes.line_block | nodes.option_list):
        return Verdict(node.tagname.replace("_", " "), problem=BY_HAND)
    if isinstance(node, nodes.image):
        problem = images.problem_of(f"docs/{node['uri']}", evidence.layout.root)
        return Verdict(f"image {node['uri']}", problem=problem) if problem else None
    if isinstance(node, addnodes.download_reference):
        return download(node, origin, evidence)
    if isinstance(node, nodes.literal):
        if "code" in node["classes"]:
            return Verdict("code role", problem=BY_HAND)
        problem = literals.problem_of(node)
        return Verdict(f"literal {node.astext()}", problem=problem) if problem else None
    if "snippet" in node.attributes:
        return included(node, evidence)
    if isinstance(node, nodes.doctest_block) or text.lstrip().startswith(">>>"):
        return doctest(text, node.get("language"), origin, evidence, places)
    if same := evidence.verified_texts().get(normalised(text)):
        lines, state = lines_of_file(evidence, *same), evidence.state(*same)
        return Verdict(f"text of {same[0]}", state, lines=lines, file=same[0], region=same[1])
    return Verdict(f"{node.get('language', 'code')} block", problem=BY_HAND)


def snippets_of(docname: str, env: BuildEnvironment, evidence: Evidence) -> Iterator[Snippet]:
    """Yield all snippets of one page, in order."""
    page = os.path.relpath(env.doc2path(docname), evidence.layout.root)
    places: Places = Counter()
    for node in env.get_doctree(docname).findall(lambda found: isinstance(found, JUDGED)):
        origin = origin_of(node, page, evidence.layout)
        found = judge(node, origin, evidence, places)
        if found:
            problem = found.problem
            if problem and origin.file != page:
                problem = f"{origin.said}: {problem}"
            line = node["snippet"]["line"] if "snippet" in node.attributes else origin.line
            yield Snippet(
                *(page, docname, line, found.shows, found.state, problem, found.not_run),
                lines=found.lines,
                file=found.file if found.state else "",
                region=found.region,
                section=anchor_of(node),
            )


def anchor_of(node: nodes.Element) -> str:
    """Return the anchor of the enclosing section; empty for the page's first section."""
    around: nodes.Node | None = node
    while around is not None and not isinstance(around, nodes.section):
        around = around.parent
    if around is None or isinstance(around.parent, nodes.document):
        return ""
    return str(around["ids"][0]) if around["ids"] else ""


def message(snippets: Iterable[Snippet]) -> str:
    """Return what is wrong with each snippet, one per line, as ``page:line: what: why``."""
    lines = []
    for snippet in snippets:
        place = f"{snippet.page}:{snippet.line}" if snippet.line else snippet.page
        why = snippet.problem or f"not run here: {snippet.not_run}"
        lines.append(f"{place}: {snippet.shows}: {why}")
    return "\n".join(lines)


def check(app: Sphinx, env: BuildEnvironment) -> list[str]:
    """Judge every page, and raise if a snippet has a problem; return the pages to rewrite.

    A preview lists the problems instead, and its pages show them.
    UnverifiedSnippets: one message that lists all of them.
    """
    before = by_page(judged(env))
    evidence = evidence_of(app.config)
    found = [s for docname in sorted(env.found_docs) for s in snippets_of(docname, env, evidence)]
    problems = [snippet for snippet in found if snippet.problem]
    if problems:
        # Sphinx wraps exceptions in advice about bug reports; the file contains only the list.
        evidence.layout.unverified.write_text(message(problems) + "\n")
        if not app.config.verify_preview:
            raise UnverifiedSnippets(f"{len(problems)}\n{message(problems)}")
        logger.warning("unverified snippets: %d\n%s", len(problems), message(problems))
    if not_run := [snippet for snippet in found if snippet.not_run]:
        evidence.layout.partial.write_text(message(not_run) + "\n")
    kept, banner = vars(env), (len(not_run), len(found))
    kept["judged_snippets"] = found
    before_banner, kept["banner"] = kept.get("banner"), banner
    if banner != before_banner:  # it is on every page
        return sorted(env.found_docs)
    after = by_page(found)
    return [name for name in env.found_docs if before.get(name) != after.get(name)]


def judged(env: BuildEnvironment) -> list[Snippet]:
    """Return all snippets as judged by the last check; Sphinx saves them with the environment."""
    kept: list[Snippet] = vars(env).get("judged_snippets", [])
    return kept


def by_page(snippets: list[Snippet]) -> dict[str, list[Snippet]]:
    """Group the snippets by page."""
    pages: dict[str, list[Snippet]] = {}
    for snippet in snippets:
        pages.setdefault(snippet.docname, []).append(snippet)
    return pages


def show_unproved(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Show at the top of a page the snippets not run and, in a preview, those with problems."""
    of_page = by_page(judged(app.env)).get(docname, [])
    boxes = {
        "Not verified": (nodes.danger, [s for s in of_page if s.problem]),
        "Not run on the machine that built this site": (
            nodes.warning,
            [s for s in of_page if s.not_run],
        ),
    }
    for title, (kind, snippets) in boxes.items():
        if snippets:
            lines = [nodes.line("", line) for line in message(snippets).splitlines()]
            head = nodes.paragraph("", "", nodes.strong("", title))
            doctree.insert(0, kind("", head, nodes.line_block("", *lines)))


def announce_partial(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """State at the top of every page of a partial site that it is partial."""
    snippets = judged(app.env)
    count = sum(bool(snippet.not_run) for snippet in snippets)
    if count:
        context["theme_announcement"] = (
            f"This site is partial: the machine that built it could not run {count} of its "
            f"{len(snippets)} snippets."
        )


def write_snippets(app: Sphinx, exception: Exception | None) -> None:
    """After a successful build, write the list of snippets for the table."""
    if exception is None and not app._warncount and not app.config.verify_preview:
        path: Path = evidence_of(app.config).layout.snippets
        rows = [{**asdict(s), "verified": s.verified} for s in judged(app.env)]
        write_whole(path, json.dumps(rows, indent=1) + "\n")


def setup(app: Sphinx) -> ExtensionMetadata:
    """Check once all pages have been read; that event occurs in every build."""
    app.setup_extension("_ext.evidence_of_build")
    app.add_config_value("verify_preview", False, "", types=frozenset({bool}))
    app.connect("env-updated", check)
    app.connect("doctree-resolved", show_unproved)
    app.connect("html-page-context", announce_partial)
    app.connect("build-finished", write_snippets)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

# SPDX-License-Identifier: Apache-2.0
"""Answers for an assistant: verified code with its receipts, or the reason for having none."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from _verify.evidence import EARLIER, Evidence
from _verify.receipts import RAN_ON_CPU, RAN_ON_GPU, Receipt
from _verify.search_words import FILE, read_words

from .built_site import EDITED, PAGES, QUOTED, RECEIPTS, SNIPPETS, BuiltSite, Shown
from .ranking import Ranking, lines_of, sections_of

# Maximum characters of a query or name: comparing longer ones with all names would take seconds.
LONGEST = 300
MOST_RESULTS = 25
LEFT_OUT = "(code left out: see withheld; the tool snippet gives what is verified)"


@dataclass(frozen=True)
class State:
    """A file or region shown on a page, and its current state."""

    file: str
    region: str
    on_cpu: bool
    on_gpu: bool
    state: str  # in the page's words
    refused: str  # why the tool snippet would refuse it, or empty


@dataclass(frozen=True)
class Result:
    """A section that matches a query."""

    title: str
    page: str
    anchor: str
    source: str  # its address within the site
    excerpt: str
    snippets: list[State]


@dataclass(frozen=True)
class Found:
    """The results of a search, best first."""

    query: str
    results: list[Result]


@dataclass(frozen=True)
class Proof:
    """The short form of a receipt; the tool receipt returns all of it."""

    id: str
    level: str
    device: str
    commit: str
    modified: bool  # whether the tree differed from the commit
    date: str
    tools: dict[str, str]
    sha256: str  # of the file's code without comments, as of the run


@dataclass(frozen=True)
class Snippet:
    """Code exactly as the page shows it, and its receipts."""

    file: str
    region: str
    code: str
    state: str
    on_cpu: bool
    on_gpu: bool
    sha256: str  # of the whole file
    pages: list[str]  # addresses of the sections that show it
    source: str  # address of its receipts
    receipts: list[Proof]


@dataclass(frozen=True)
class WholeReceipt:
    """A receipt, and those of its files that have changed."""

    id: str
    source: str
    edited: list[str]
    receipt: dict[str, Any]


@dataclass(frozen=True)
class Page:
    """A page as Markdown."""

    page: str
    source: str
    text: str
    withheld: list[str]  # everything on the page not verified now, with reasons
    snippets: list[State]


def address(page: str, anchor: str = "") -> str:
    """Return the address of a section within the site."""
    return f"{page}.html#{anchor}" if anchor else f"{page}.html"


def checked(tool: str, name: str, value: str) -> str:
    """Return an argument if it is short enough; otherwise raise ValueError."""
    if len(value) > LONGEST:
        raise ValueError(f"{tool}: {name}: expected at most {LONGEST} characters, got {len(value)}")
    return value


def unknown(tool: str, what: str, got: str, known: Iterable[str]) -> ValueError:
    """Return an error that suggests similar names."""
    near = difflib.get_close_matches(got, [*dict.fromkeys(known)], n=5, cutoff=0.4)
    similar = f"similar: {', '.join(near)}" if near else "nothing is similar; try the tool search"
    return ValueError(f"{tool}: expected {what}, got {got!r}; {similar}")


def without_code(text: str) -> str:
    """Return a page with each code block replaced by a remark."""
    return "\n".join(
        line if before is None else f"{before}{LEFT_OUT}"
        for line, code, before in lines_of(text)
        if not code or before is not None
    )


def state_of(file: Path) -> tuple[int, ...]:
    """Return values that change when a file is written or replaced; empty if it does not exist."""
    try:
        state = file.lstat()
    except FileNotFoundError:
        return ()
    return state.st_ino, state.st_mtime_ns, state.st_ctime_ns, state.st_size


class Answers:
    """Answers from one site about one tree."""

    def __init__(self, folder: Path, root: Path) -> None:
        """Read the site; ValueError: see BuiltSite."""
        self.folder, self.root = folder, root
        self.read()

    def read(self) -> None:
        """Read the output of the last build."""
        # Files written meanwhile no longer match the stamp, and are read for the next answer.
        stamp, site = self.built(), BuiltSite(self.folder, self.root)
        listed = site.layout.root / "docs" / FILE
        search_words = read_words(listed.read_text()) if listed.is_file() else {}
        ranking = Ranking(sections_of(site), search_words)
        self.site, self.ranking, self.stamp = site, ranking, stamp

    def built(self) -> list[tuple[int, ...]]:
        """Return values that change when the site, its lists or its receipts change."""
        lists = (self.folder / name for name in (SNIPPETS, PAGES, QUOTED))
        return [
            state_of(file) for file in (*lists, *sorted((self.folder / RECEIPTS).glob("*.json")))
        ]

    def current(self) -> tuple[BuiltSite, Evidence]:
        """Return the site, reread if it was rebuilt, and what is currently proved."""
        if self.built() != self.stamp:
            try:
                self.read()
            except ValueError as error:
                raise ValueError(f"{error}; if the site is being built, ask again") from error
        return self.site, self.site.evidence()

    def state(self, shown: Shown, evidence: Evidence) -> State:
        """Return what is known of a file or a region."""
        refused = self.site.why_not(shown, evidence)
        if refused:
            return State(shown.file, shown.region, False, False, "", refused)
        levels = {receipt.level for receipt in evidence.proofs(shown.file, shown.region)}
        return State(
            shown.file,
            shown.region,
            RAN_ON_CPU in levels,
            RAN_ON_GPU in levels,
            evidence.state(shown.file, shown.region),
            "",
        )

    def states(self, shown: Iterable[Shown], evidence: Evidence) -> list[State]:
        """Return the states of several files or regions, each once."""
        each = {(one.file, one.region): one for one in shown if one.included}
        return [self.state(one, evidence) for one in each.values()]

    def search(self, query: str, limit: int = 8) -> Found:
        """Find sections by their headings, their text and the names of the code they show."""
        checked("search", "query", query)
        if not 1 <= limit <= MOST_RESULTS:
            raise ValueError(f"search: limit: expected 1 to {MOST_RESULTS}, got {limit}")
        _, evidence = self.current()
        return Found(
            query,
            [
                Result(
                    title=each.title,
                    page=each.page,
                    anchor=each.anchor,
                    source=address(each.page, each.anchor),
                    excerpt=each.excerpt,
                    snippets=self.states(each.shown, evidence),
                )
                for each in self.ranking.best(query, limit)
            ],
        )

    def snippet(self, file: str, region: str = "") -> Snippet:
        """Return the code of a region or whole file; ValueError: it is not verified now."""
        checked("snippet", "file", file)
        checked("snippet", "region", region)
        site, evidence = self.current()
        shown = site.by_name.get((file, region))
        if shown is None:
            names = [each.name for each in site.by_name.values()]
            got = f"{file} [{region}]" if region else file
            raise unknown("snippet", "a file and a region that a page shows", got, names)
        state = self.state(shown, evidence)
        if state.refused:
            raise ValueError(f"snippet: {shown.name} is not verified: {state.refused}")
        same = [each for each in site.shown if (each.file, each.region) == (file, region)]
        return Snippet(
            file=file,
            region=region,
            code=site.text(shown),
            state=state.state,
            on_cpu=state.on_cpu,
            on_gpu=state.on_gpu,
            sha256=shown.sha256,
            pages=[*dict.fromkeys(address(each.page, each.section) for each in same)],
            source=f"{RECEIPTS}/{file}.html",
            receipts=[proof(r, now, file) for r, now in site.proofs(shown, evidence)],
        )

    def receipt(self, id: str) -> WholeReceipt:
        """Return everything a receipt records; ValueError: the site has no such receipt."""
        checked("receipt", "id", id)
        site, evidence = self.current()
        found = site.receipts.get(id)
        if found is None:
            raise unknown("receipt", "the id of a receipt of the site", id, site.receipts)
        return WholeReceipt(id, f"{RECEIPTS}/{id}", evidence.edited(found), asdict(found))

    def page(self, name: str) -> Page:
        """Return a page as Markdown, without its code if any of it is not verified now.

        ValueError: the site has no such page, or the page quotes declarations edited since.
        """
        checked("page", "name", name)
        site, evidence = self.current()
        known = name.removesuffix(".md").removesuffix(".html")
        if known not in site.pages:
            raise unknown("page", "the name of a page", name, site.pages)
        text, shown = site.page_text(known), site.on_page.get(known, [])
        if text is None:
            raise ValueError(
                f"page: expected {known}.md as the build wrote it, got another or none: if the "
                "site is being built, ask again; if not, delete it and build it with nox -s docs"
            )
        if edited := site.edited_since(known, evidence):
            files = ", ".join(edited)
            raise ValueError(f"page: {known} quotes declarations of {files}: {EDITED}")
        withheld = [
            f"{each.name or each.shows}: {why}"
            for each in shown
            if (why := site.why_not(each, evidence))
        ]
        if withheld:
            text = without_code(text)
        states = self.states(shown, evidence)
        return Page(known, address(known), text, [*dict.fromkeys(withheld)], states)


def proof(receipt: Receipt, now: bool, file: str) -> Proof:
    """Return the short form of a receipt."""
    return Proof(
        id=receipt.file_name,
        level=receipt.level if now else f"{receipt.level}{EARLIER}",
        device=receipt.machine.get("gpu", "CPU"),
        commit=receipt.runtime.get("commit", ""),
        modified=receipt.runtime.get("modified") == "yes",
        date=receipt.date,
        tools=receipt.tools,
        sha256=receipt.closure.get(file, ""),
    )

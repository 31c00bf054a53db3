# SPDX-License-Identifier: Apache-2.0
"""A built site as an assistant reads it: its pages, its snippets and their receipts.

The site records what it showed when it was built. Whether that is still proved is re-evaluated for
each answer, by the rules that decide what a page may show.
"""

from __future__ import annotations

import hashlib
import io
import json
import re
import textwrap
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from _verify.bounded_receipt import bounded_receipt
from _verify.closure import RUNTIME
from _verify.evidence import Evidence
from _verify.layout import Layout
from _verify.receipts import EMULATED, Receipt
from _verify.regions import region_lines, without_markers

SNIPPETS = "snippets.json"
PAGES = "pages.json"  # hash of each page's Markdown
QUOTED = "quoted.json"  # hash of each file whose declarations a page quotes
RECEIPTS = "receipts"
EDITED = "edited since the site was built: nox -s docs builds it again"
# Required fields of a row in the list of snippets; rows have others too.
FIELDS = ("docname", "section", "shows", "file", "region", "sha256", "problem", "not_run")
FILE_AND_REGION = re.compile(r"(\S*/\S+)(?: \[([\w-]+)\])?")


@dataclass(frozen=True)
class Shown:
    """One piece of code on a page, as listed in the site's snippets."""

    page: str
    section: str  # anchor of the enclosing section; empty for the page's first section
    shows: str
    file: str
    region: str
    sha256: str  # of the whole file when the site was built
    problem: str
    not_run: str

    @property
    def name(self) -> str:
        """The file, and the region unless it is shown whole."""
        return f"{self.file} [{self.region}]" if self.region else self.file

    @property
    def included(self) -> bool:
        """Whether this is a file or a region rather than a doctest."""
        return bool(self.file) and not self.shows.startswith("doctest")


def inside(folder: Path, name: str) -> Path | None:
    """Return the file of that name, or None if it does not exist or is outside the folder."""
    try:
        path = (folder / name).resolve()
        return path if path.is_file() and path.is_relative_to(folder.resolve()) else None
    except (OSError, RuntimeError, ValueError):  # a name no file can have, or a symlink loop
        return None


def parsed(data: str | bytes, path: Path, what: str) -> Any:
    """Parse a file's JSON; ValueError: it is invalid or nested too deeply."""
    try:
        return json.loads(data)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"site: expected {what} in {path}: {error}") from error


def read_list(folder: Path, name: str, what: str) -> Any:
    """Parse a JSON file that every build writes."""
    path = inside(folder, name)
    if path is None:
        raise ValueError(
            f"site: expected {name} in {folder}, found none: nox -s docs builds a site"
        )
    return parsed(path.read_bytes(), path, what)


def shown_text(data: bytes, region: str) -> str:
    """Return the text of a file, or of one of its regions, exactly as a page shows it."""
    text = io.StringIO(data.decode(), newline=None).read()
    if region:
        first, last = region_lines(text, region)
        text = textwrap.dedent("".join(text.splitlines(keepends=True)[first:last]))
    return without_markers(text).strip("\n") + "\n"


def shown_of(row: dict[str, str]) -> Shown:
    """Convert a row of the list; a row that has not passed names its file only in its text."""
    file, region = row["file"], row["region"]
    if not file and (found := FILE_AND_REGION.fullmatch(row["shows"])):
        file, region = found[1], found[2] or ""
    same = {name: row[name] for name in ("section", "shows", "sha256", "problem", "not_run")}
    return Shown(page=row["docname"], file=file, region=region, **same)


def read_shown(folder: Path) -> list[Shown]:
    """Read the list of snippets; ValueError: no build wrote it so."""
    rows = read_list(folder, SNIPPETS, "a list of snippets")
    if not isinstance(rows, list):
        raise ValueError(f"site: expected a list in {SNIPPETS}, got {type(rows).__name__}")
    for row in rows:
        if not isinstance(row, dict) or not all(isinstance(row.get(key), str) for key in FIELDS):
            raise ValueError(
                f"site: expected rows with the texts {', '.join(FIELDS)} in {SNIPPETS}"
            )
    return [shown_of(row) for row in rows]


def read_pages(folder: Path) -> dict[str, str]:
    """Read the hash of each page's Markdown; ValueError: no build wrote it so."""
    pages = read_list(folder, PAGES, "the hashes of pages")
    if not isinstance(pages, dict) or not all(isinstance(each, str) for each in pages.values()):
        raise ValueError(f"site: expected an object with the hash of each page in {PAGES}")
    return pages


def read_quoted(folder: Path) -> dict[str, dict[str, str]]:
    """Read which files' declarations each page quotes; ValueError: no build wrote it so."""
    quoted = read_list(folder, QUOTED, "the files that pages quote")
    if not isinstance(quoted, dict) or not all(
        isinstance(files, dict) and all(isinstance(sha256, str) for sha256 in files.values())
        for files in quoted.values()
    ):
        raise ValueError(f"site: expected an object with the files of each page in {QUOTED}")
    return quoted


def receipt_of(path: Path) -> Receipt:
    """Read a receipt from a file; ValueError: it contains none."""
    try:
        return bounded_receipt(path)
    except ValueError as error:
        raise ValueError(f"site: expected a receipt in {path}: {error}") from error


class BuiltSite:
    """The output of one build of the site, read once."""

    def __init__(self, folder: Path, root: Path) -> None:
        """Read the site; ValueError: it does not exist, or is too old to list its snippets."""
        self.folder, self.layout = folder.resolve(), Layout.of(root)
        self.shown = read_shown(self.folder)
        self.on_page: dict[str, list[Shown]] = defaultdict(list)
        for each in self.shown:
            self.on_page[each.page].append(each)
        self.by_name = {(each.file, each.region): each for each in self.shown if each.included}
        self.pages = read_pages(self.folder)
        self.quoted = read_quoted(self.folder)
        if unlisted := sorted({*self.pages} - {*self.quoted}):
            raise ValueError(f"site: expected {unlisted[0]} in {QUOTED}")
        self.receipts = {
            path.name: receipt_of(path)
            for path in sorted((self.folder / RECEIPTS).glob("*.json"))
            if not path.is_symlink() and inside(self.folder, f"{RECEIPTS}/{path.name}")
        }

    def page_text(self, name: str) -> str | None:
        """Return the Markdown of a page, or None if it is not as the build wrote it."""
        path = inside(self.folder, f"{name}.md")
        data = path.read_bytes() if path else b""
        same = hashlib.sha256(data).hexdigest() == self.pages[name]
        return data.decode() if path and same else None

    def edited_since(self, page: str, evidence: Evidence) -> list[str]:
        """Return the files whose declarations a page quotes and that have changed since."""
        return [
            file
            for file, sha256 in self.quoted[page].items()
            if (
                evidence.changed({file: sha256})
                if file == RUNTIME
                else not self.has_digest(file, sha256)
            )
        ]

    def has_digest(self, file: str, sha256: str) -> bool:
        """Whether a file of the tree has that hash."""
        path = inside(self.layout.root, file)
        return path is not None and hashlib.sha256(path.read_bytes()).hexdigest() == sha256

    def shown_bytes(self, shown: Shown) -> bytes | None:
        """Return the contents of a file, or None if they are not what the build showed."""
        path = inside(self.layout.root, shown.file)
        data = path.read_bytes() if path else b""
        return data if path and hashlib.sha256(data).hexdigest() == shown.sha256 else None

    def evidence(self) -> Evidence:
        """Return what the receipts prove of the current tree; each file is hashed again."""
        emulated = [r for r in self.receipts.values() if r.level == EMULATED]
        others = [r for r in self.receipts.values() if r.level != EMULATED]
        return Evidence(self.layout, others, emulated=emulated)

    def why_not(self, shown: Shown, evidence: Evidence) -> str:
        """Return why a piece of code must not appear in an answer; empty if it may."""
        if shown.problem:
            return shown.problem
        if shown.not_run:
            return f"not run on the machine that built the site: {shown.not_run}"
        if not shown.file:
            return ""  # a picture, or a name
        if inside(self.layout.root, shown.file) is None:
            return "the repository has no such file"
        if self.shown_bytes(shown) is None:
            return EDITED
        if shown.included:
            return evidence.why_not(shown.file, shown.region)
        runs = [r for r in evidence.receipts if r.subject == shown.file and r.doctests]
        return "" if any(not evidence.edited(r) for r in runs) else "edited since its run"

    def text(self, shown: Shown) -> str:
        """Return the code exactly as the page shows it; ValueError: it has just been edited."""
        data = self.shown_bytes(shown)
        if data is None:
            raise ValueError(f"snippet: {shown.name} is not verified: {EDITED}")
        return shown_text(data, shown.region)

    def proofs(self, shown: Shown, evidence: Evidence) -> list[tuple[Receipt, bool]]:
        """Return the receipts of a file or region, and whether each holds for this runtime."""
        now = evidence.proofs(shown.file, shown.region)
        earlier = evidence.with_earlier_runtime.proofs(shown.file, shown.region)
        return [(r, True) for r in now] + [(r, False) for r in earlier if r not in now]

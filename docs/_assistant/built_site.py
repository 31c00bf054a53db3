# SPDX-License-Identifier: Apache-2.0
"""A built site as an assistant reads it: its pages, its snippets and their receipts.

The site says what was shown when it was built. Whether that is still proved is judged again for
each answer, by the rules that decide what a page may show.
"""

from __future__ import annotations

import json
import re
import textwrap
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from _verify.closure import digest
from _verify.evidence import Evidence
from _verify.layout import Layout
from _verify.receipts import EMULATED, Receipt, checked_receipt
from _verify.regions import region_lines, without_markers

SNIPPETS = "snippets.json"
RECEIPTS = "receipts"
FILE_AND_REGION = re.compile(r"(\S*/\S+)(?: \[([\w-]+)\])?")


@dataclass(frozen=True)
class Shown:
    """One piece of code on a page, as the site's list of snippets has it."""

    page: str
    section: str  # the anchor of the section around it; empty for the page's first section
    shows: str
    file: str
    region: str
    sha256: str  # of the whole file when the site was built
    problem: str
    not_run: str

    @property
    def name(self) -> str:
        """The file, and the region if it is not shown whole."""
        return f"{self.file} [{self.region}]" if self.region else self.file

    @property
    def included(self) -> bool:
        """Whether it is a file or a region, and not a doctest."""
        return bool(self.file) and not self.shows.startswith("doctest")


def inside(folder: Path, name: str) -> Path | None:
    """The file of that name; None if there is none, or if it is not in the folder."""
    try:
        path = (folder / name).resolve()
        return path if path.is_file() and path.is_relative_to(folder.resolve()) else None
    except (OSError, ValueError):  # a name that no file can have
        return None


def shown_text(text: str, region: str) -> str:
    """The text of a file, or of a region of it, exactly as a page shows it."""
    if region:
        first, last = region_lines(text, region)
        text = textwrap.dedent("".join(text.splitlines(keepends=True)[first:last]))
    return without_markers(text).strip("\n") + "\n"


def shown_of(row: dict[str, Any]) -> Shown:
    """A row of the list; one that has not passed names its file only in its words."""
    file, region = row["file"], row["region"]
    if not file and (found := FILE_AND_REGION.fullmatch(row["shows"])):
        file, region = found[1], found[2] or ""
    same = {name: row[name] for name in ("section", "shows", "sha256", "problem", "not_run")}
    return Shown(page=row["docname"], file=file, region=region, **same)


def receipt_of(path: Path) -> Receipt:
    """The receipt in a file; ValueError: it holds none."""
    try:
        return checked_receipt(json.loads(path.read_text()))
    except ValueError as error:
        raise ValueError(f"site: expected a receipt in {path}: {error}") from error


class BuiltSite:
    """What one build of the site left; all of it is read once."""

    def __init__(self, folder: Path, root: Path) -> None:
        """Read the site; ValueError: there is none, or it is too old to have a list of snippets."""
        self.folder, self.layout = folder.resolve(), Layout.of(root)
        listed = inside(self.folder, SNIPPETS)
        if listed is None:
            raise ValueError(
                f"site: expected {SNIPPETS} in {self.folder}, found none: nox -s docs builds a site"
            )
        self.shown = [shown_of(row) for row in json.loads(listed.read_text())]
        self.on_page: dict[str, list[Shown]] = defaultdict(list)
        for each in self.shown:
            self.on_page[each.page].append(each)
        self.by_name = {(each.file, each.region): each for each in self.shown if each.included}
        pages = (path.relative_to(self.folder) for path in self.folder.rglob("*.md"))
        self.pages = {
            path.with_suffix("").as_posix(): found
            for path in sorted(pages)
            if not path.parts[0].startswith("_") and (found := inside(self.folder, str(path)))
        }
        self.receipts = {
            path.name: receipt_of(path)
            for path in sorted((self.folder / RECEIPTS).glob("*.json"))
            if inside(self.folder, f"{RECEIPTS}/{path.name}")
        }

    def evidence(self) -> Evidence:
        """What the receipts prove of the tree as it is now; each file is hashed again."""
        emulated = [r for r in self.receipts.values() if r.level == EMULATED]
        others = [r for r in self.receipts.values() if r.level != EMULATED]
        return Evidence(self.layout, others, emulated=emulated)

    def why_not(self, shown: Shown, evidence: Evidence) -> str:
        """Why a piece of code may not be in an answer; empty if it may."""
        if shown.problem:
            return shown.problem
        if shown.not_run:
            return f"not run on the machine that built the site: {shown.not_run}"
        if not shown.file:
            return ""  # a picture, or a name
        path = inside(self.layout.root, shown.file)
        if path is None:
            return "the repository has no such file"
        if digest(path) != shown.sha256:
            return "edited since the site was built: nox -s docs builds it again"
        if shown.included:
            return evidence.why_not(shown.file, shown.region)
        runs = [r for r in evidence.receipts if r.subject == shown.file and r.doctests]
        return "" if any(not evidence.edited(r) for r in runs) else "edited since its run"

    def text(self, shown: Shown) -> str:
        """The code, exactly as the page shows it."""
        return shown_text((self.layout.root / shown.file).read_text(), shown.region)

    def proofs(self, shown: Shown, evidence: Evidence) -> list[tuple[Receipt, bool]]:
        """The receipts of a file or a region, and whether each holds for the runtime as it is."""
        now = evidence.proofs(shown.file, shown.region)
        earlier = evidence.with_earlier_runtime.proofs(shown.file, shown.region)
        return [(r, True) for r in now] + [(r, False) for r in earlier if r not in now]

# SPDX-License-Identifier: Apache-2.0
"""Find the sections of a site that match a query, best first."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from .built_site import BuiltSite, Shown, inside, parsed

WORD = re.compile(r"[^\W_]+")
HEADING = re.compile(r"#{1,6} (.+)")
# A code block may start inside a quotation or list item.
FENCE = re.compile(r"((?:[ >\t]|[-*+] |\d+[.)] )*)(`{3,})[^`]*")
LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
MARKS = re.compile(r"[`*\\]")
EXCERPT = 240  # characters
# Weights of a word in the title, in a file or region name, and in the page's title.
IN_TITLE, IN_NAMES, IN_PAGE_TITLE = 6, 4, 2


def words_of(text: str) -> list[str]:
    """Return the words of a text; the parts of a name such as read_only count separately."""
    found = WORD.findall(text.casefold())
    return [word.removesuffix("s") if len(word) > 3 else word for word in found]


def plain(title: str) -> str:
    """Return a title without Markdown markup."""
    return MARKS.sub("", LINK.sub(r"\1", title)).strip()


@dataclass
class Section:
    """A heading of a page, the text up to the next heading, and the code shown there."""

    page: str
    anchor: str
    title: str
    page_title: str
    lines: list[str] = field(default_factory=list)
    excerpt: str = ""
    shown: list[Shown] = field(default_factory=list)

    @cached_property
    def counts(self) -> Counter[str]:
        """Number of occurrences of each word in the text."""
        return Counter(words_of("\n".join(self.lines)))

    @cached_property
    def weights(self) -> Counter[str]:
        """Weight of each word outside the text."""
        names = " ".join(f"{each.file} {each.region}" for each in self.shown)
        found: Counter[str] = Counter()
        for weight, text in (
            (IN_TITLE, self.title),
            (IN_NAMES, names),
            (IN_PAGE_TITLE, self.page_title),
        ):
            for word in {*words_of(text)}:
                found[word] += weight
        return found


def anchors_of(folder: Path) -> dict[tuple[str, str], list[str]]:
    """Return the anchors of each page's titles, in order, from the site's search index."""
    path = inside(folder, "searchindex.js")
    if path is None:
        return {}
    text = path.read_text(errors="replace")
    index = parsed(text[text.find("{") : text.rfind("}") + 1], path, "an index")
    names, titles = index.get("docnames"), index.get("alltitles")
    if not isinstance(names, list) or not isinstance(titles, dict):
        raise ValueError(f"site: expected docnames and alltitles in {path}")
    found: dict[tuple[str, str], list[str]] = defaultdict(list)
    for title, places in titles.items():
        for place in places if isinstance(places, list) else [places]:
            match place:
                case [int(number), str() | None as anchor] if 0 <= number < len(names):
                    found[str(names[number]), plain(title)].append(anchor or "")
                case _:
                    raise ValueError(
                        f"site: expected places of titles in {path}, got {place!r:.40}"
                    )
    return found


def lines_of(text: str) -> Iterator[tuple[str, bool, str | None]]:
    """Yield each line, whether it belongs to a code block, and the text before a block it opens."""
    fence = ""
    for line in text.split("\n"):
        opened = None if fence else FENCE.fullmatch(line)
        yield line, bool(fence or opened), opened[1] if opened else None
        bare = line.strip(" >\t")
        if opened:
            fence = opened[2]
        elif fence and bare.startswith(fence) and not bare.strip("`"):
            fence = ""


def sections_of(site: BuiltSite) -> list[Section]:
    """Return all sections of the pages."""
    anchors = anchors_of(site.folder)
    found = []
    for page in site.pages:
        sections = list(split(page, site.page_text(page) or "", anchors))
        by_anchor = {each.anchor: each for each in reversed(sections)}
        for shown in site.on_page.get(page, []):
            if shown.included and sections:
                by_anchor.get(shown.section, sections[0]).shown.append(shown)
        found += sections
    return found


def split(page: str, text: str, anchors: Mapping[tuple[str, str], list[str]]) -> Iterator[Section]:
    """Yield the sections of a page."""
    section: Section | None = None
    page_title = ""
    used: Counter[str] = Counter()
    for line, code, _ in lines_of(text):
        heading = None if code else HEADING.fullmatch(line)
        if heading:
            if section:
                yield section
            title = plain(heading[1])
            places = anchors.get((page, title), [])
            anchor = places[used[title]] if used[title] < len(places) else ""
            used[title] += 1
            page_title = page_title or title
            section = Section(page, "" if title == page_title else anchor, title, page_title)
            continue
        if section and not code and not section.excerpt and line[:1].isalpha():
            section.excerpt = plain(line)[:EXCERPT]
        if section:
            section.lines.append(line)
    if section:
        yield section


class Ranking:
    """The sections of a site, ready to be searched."""

    def __init__(self, sections: list[Section], search_words: Mapping[str, str]) -> None:
        """Count words; the search words are those that lead the site's own search to a page."""
        self.sections = sections
        self.search_words = {
            " ".join(words_of(words)): target for words, target in search_words.items()
        }
        self.known = Counter(word for each in sections for word in {*each.counts, *each.weights})

    def best(self, query: str, limit: int) -> list[Section]:
        """Return the sections that match a query, best first."""
        typed = words_of(query)
        scored = [(self.score(each, typed), each) for each in self.sections]
        fitting = [pair for pair in scored if pair[0] > 0]
        fitting.sort(key=lambda pair: -pair[0])
        return [section for _, section in fitting[:limit]]

    def score(self, section: Section, typed: list[str]) -> float:
        """Score a section: rare words count more, and so does matching all words."""
        total, matched, words = 0.0, 0, {*typed}
        for word in words:
            count, weight = section.counts[word], section.weights[word]
            if count or weight:
                rare = math.log(1 + len(self.sections) / self.known[word])
                total += rare * (weight + 2 * count / (count + 2))
                matched += 1
        share = matched / len(words) if words else 0.0
        return total * share + self.by_list(section, typed)

    def by_list(self, section: Section, typed: list[str]) -> float:
        """Return the bonus from the list of search words, largest if the whole query is listed."""
        target = f"{section.page}#{section.anchor}".rstrip("#")
        text = f" {' '.join(typed)} "
        added = 0.0
        for words, place in self.search_words.items():
            if place == target and f" {words} " in text:
                share = len(words.split()) / len(typed)
                added = max(added, 1000.0 if share == 1 else 20 * share)
        return added

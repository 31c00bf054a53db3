# SPDX-License-Identifier: Apache-2.0
"""Check that every link inside a built site has a target: links.py build/site.

This covers all links and anchors of its pages, Markdown and text files. Nothing is fetched;
an external link in a page's text must be on the page that lists external links.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urljoin, urlsplit

LIST = "outside_links.html"
LINKS = {"a": "href", "link": "href", "img": "src", "script": "src", "object": "data"}
MARKDOWN_CODE = re.compile(r"^( *)(```+|~~~+).*?^ *\2|`[^`\n]*`", re.MULTILINE | re.DOTALL)
MARKDOWN_LINK = re.compile(r"\]\(<?([^)\s>]+)>?\)")
# Copies of sources, and files offered as they are, are not part of the site's own text.
LEFT_OUT = ("_downloads", "_sources", "_static")


class Page(HTMLParser):
    """The links and the anchors of one page."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.anchors: set[str] = set()
        self.in_text = False
        self.outside: set[str] = set()
        self.feed(path.read_text())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Record a tag's anchor and link."""
        named = {name: value for name, value in attrs if value}
        self.anchors.update(named[name] for name in ("id", "name") if name in named)
        self.in_text = self.in_text or tag == "article"
        if link := named.get(LINKS.get(tag, "")):
            self.links.append(link)
            if self.in_text and link.startswith(("http://", "https://")):
                self.outside.add(link)
        refresh = named.get("content", "") if tag == "meta" else ""
        if named.get("http-equiv") == "refresh" and "url=" in refresh:
            self.links.append(refresh.partition("url=")[2])

    def handle_endtag(self, tag: str) -> None:
        """Record the end of the text."""
        self.in_text = self.in_text and tag != "article"


page_of = cache(Page)


def files_of(site: Path) -> Iterator[Path]:
    """Yield the pages and texts of a site."""
    for kind in ("*.html", "*.md", "*.txt"):
        for path in sorted(site.rglob(kind)):
            if path.relative_to(site).parts[0] not in LEFT_OUT:
                yield path


def links_of(path: Path) -> list[str]:
    """Return the targets of a file's links, each once."""
    if path.suffix == ".html":
        return sorted(set(page_of(path).links))
    return sorted(set(MARKDOWN_LINK.findall(MARKDOWN_CODE.sub("", path.read_text()))))


def problem_of(site: Path, name: str, link: str) -> str | None:
    """Return what is wrong with a link on a page; None if it is valid or external."""
    if urlsplit(link).scheme or link.startswith("//"):
        return None
    parts = urlsplit(urljoin(f"/{name}", link))
    path = unquote(parts.path).lstrip("/")
    if link.startswith("/"):  # below the path where the site is published, which may be unknown
        while "/" in path and not (site / path).exists():
            path = path.partition("/")[2]
    target = site / path
    target = target / "index.html" if target.is_dir() else target
    if not target.is_file():
        return "no such file"
    anchor = unquote(parts.fragment)
    if anchor and target.suffix == ".html" and anchor not in page_of(target).anchors:
        return "no such anchor"
    return None


def dead_links(site: Path) -> tuple[int, list[str]]:
    """Return the number of links, and a line for each dead one."""
    count, dead = 0, []
    for path in files_of(site):
        name = path.relative_to(site).as_posix()
        for link in links_of(path):
            count += 1
            if problem := problem_of(site, name, link):
                dead.append(f"{name}: {link}: {problem}")
    return count, dead


def unlisted_links(site: Path) -> list[str]:
    """Return a line for each external link that is not listed, if there is a list."""
    if not (site / LIST).exists():
        return []
    listed = page_of(site / LIST).outside
    return [
        f"{path.relative_to(site).as_posix()}: {link}: not on {LIST}"
        for path in files_of(site)
        if path.suffix == ".html"
        for link in sorted(page_of(path).outside - listed)
    ]


def main(site: Path) -> int:
    """Print the dead links, and the external links that are not listed."""
    count, dead = dead_links(site)
    unlisted = unlisted_links(site)
    print(*dead, *unlisted, f"{count} links, {len(dead)} of them broken", sep="\n")
    return 1 if dead or unlisted else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))

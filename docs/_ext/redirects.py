# SPDX-License-Identifier: Apache-2.0
"""Pages at old addresses that redirect to the current page, as listed in one file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.errors import SphinxError
from sphinx.util.typing import ExtensionMetadata


class WrongRedirect(SphinxError):
    """A redirect to a page that does not exist, or that would replace a page."""

    category = "Wrong redirect"


def read_redirects(text: str) -> dict[str, str]:
    """Map old pages to new ones; a line is ``old -> new``, and ``#`` begins a comment."""
    found: dict[str, str] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        words = line.partition("#")[0].split()
        if not words:
            continue
        if len(words) != 3 or words[1] != "->":
            raise WrongRedirect(f"line {number}: expected old -> new, got {line!r}")
        old, _, new = words
        if old in found:
            raise WrongRedirect(f"line {number}: {old} is listed twice")
        found[old] = new
    return found


def pages(app: Sphinx) -> Iterator[tuple[str, dict[str, str], str]]:
    """Create a page for each line of the file."""
    file = Path(app.srcdir) / "redirects.txt"
    there = app.env.found_docs
    if app.builder.name != "html" or not file.exists():
        return
    for old, new in read_redirects(file.read_text()).items():
        if new not in there:
            raise WrongRedirect(f"{old} -> {new}: expected a page, and there is none named {new}")
        if old in there:
            raise WrongRedirect(f"{old} -> {new}: there is a page named {old}")
        target = app.builder.get_relative_uri(old, new)
        yield old, {"title": app.env.titles[new].astext(), "target": target}, "redirect.html"


def setup(app: Sphinx) -> ExtensionMetadata:
    """Create the pages after all others."""
    app.connect("html-collect-pages", pages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

# SPDX-License-Identifier: Apache-2.0
"""Find the file in which part of a page was written: the page itself, a docstring or a header."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from _verify.closure import digest
from _verify.layout import Layout
from docutils import nodes

DOCSTRING = re.compile(r"^(?P<file>.*?):?docstring of (?P<name>.+)$")
HEADERS = ("*.h", "*.hpp", "*.cuh")


@dataclass(frozen=True)
class Origin:
    """Where a node was written. The file is None if unknown."""

    page: str
    file: str | None
    line: int | None
    said: str  # for messages


def sources(node: nodes.Node) -> Iterator[tuple[str, int | None]]:
    """Yield the sources of the node, then of the nodes before and around it."""
    current: nodes.Node | None = node
    while current is not None:
        if current.source:
            yield current.source, current.line
        siblings = current.parent.children if current.parent is not None else []
        before = siblings[: siblings.index(current)] if current in siblings else []
        yield from ((each.source, None) for each in reversed(before) if each.source)
        current = current.parent


@functools.cache
def repository_file(name: str, layout: Layout) -> str | None:
    """Return the repository's file of that name; an installed copy counts as its original.

    Looked up once per build: most nodes of a page name the same file.
    """
    path = Path(name)
    if not path.is_file():
        return None
    if layout.holds(path) and "site-packages" not in path.parts:
        return layout.relative(path)
    parts = path.parts
    for start in range(len(parts) - 1, 0, -1):
        candidate = layout.root.joinpath("python", *parts[start:])
        if candidate.is_file() and digest(candidate) == digest(path):
            return layout.relative(candidate)
    return None


@functools.cache
def header_lines(root: Path) -> list[tuple[Path, frozenset[str]]]:
    """Return the lines of each header, without comment markers; read once per build."""
    found = []
    for pattern in HEADERS:
        for path in sorted((root / "include").rglob(pattern)):
            lines = frozenset(line.strip().lstrip("*/ ") for line in path.read_text().splitlines())
            found.append((path, lines))
    return found


def header_with(text: str, layout: Layout) -> str | None:
    """Return the header whose comments contain these lines; Doxygen's XML lacks line numbers."""
    wanted = {line.strip().lstrip("*/ ") for line in text.splitlines() if line.strip()}
    for path, lines in header_lines(layout.root):
        if wanted and wanted <= lines:
            return layout.relative(path)
    return None


def origin_of(node: nodes.Node, page: str, layout: Layout) -> Origin:
    """Return where a node of a page was written."""
    for source, line in sources(node):
        match = DOCSTRING.match(source)
        if match:
            file = repository_file(match["file"], layout)
            said = f"{file or match['file'] or 'an extension'} (docstring of {match['name']})"
            return Origin(page, file, None, said)
        file = repository_file(source, layout)
        if file == page and in_description(node):
            break
        if file:
            return Origin(page, file, line if file == page else None, file)
    # Breathe's nodes have no source of their own, or the page's.
    file = header_with(node.astext(), layout)
    return Origin(page, file or page, None, f"{file} (a Doxygen comment)" if file else page)


def in_description(node: nodes.Node) -> bool:
    """Whether a node is in the description of a name, like the text of docstrings and comments."""
    current: nodes.Node | None = node.parent
    while current is not None:
        if current.tagname in ("desc", "desc_content"):
            return True
        current = current.parent
    return False

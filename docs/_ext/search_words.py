# SPDX-License-Identifier: Apache-2.0
"""Words for which a search lists one page or section first, as given in ``search_words.txt``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from _verify.search_words import FILE, read_words
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.errors import SphinxError
from sphinx.util.typing import ExtensionMetadata


class WrongSearchWords(SphinxError):
    """A line whose target does not exist, or that cannot be read."""

    category = "Wrong search words"


def title_of(env: BuildEnvironment, target: str) -> str:
    """Return the title under which a page or section is listed among the results."""
    page, _, anchor = target.partition("#")
    if page not in env.found_docs:
        raise WrongSearchWords(f"{target}: expected a page, and there is none named {page}")
    title = str(env.titles[page].astext())
    if not anchor:
        return title
    for node in env.get_doctree(page).findall(nodes.Element):
        if anchor in node.get("ids", []):
            section = node
            while not isinstance(section, nodes.section):
                section = section.parent
            return f"{title} > {section.next_node(nodes.title).astext()}"
    raise WrongSearchWords(f"{target}: expected an anchor, and {page} has none named {anchor}")


def rows_of(app: Sphinx) -> list[list[str]]:
    """Return, for each text, what is typed, and the page, section and title of the result."""
    file = Path(app.srcdir) / FILE
    if not file.exists():
        return []
    rows = []
    try:
        listed = read_words(file.read_text())
    except ValueError as error:
        raise WrongSearchWords(str(error)) from None
    for words, target in listed.items():
        page, _, anchor = target.partition("#")
        rows.append([words, page, anchor and f"#{anchor}", title_of(app.env, target)])
    return rows


def for_search(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: object
) -> None:
    """Pass the words to the search page."""
    if pagename == "search":
        context["search_words"] = rows_of(app)


def setup(app: Sphinx) -> ExtensionMetadata:
    """Pass the words when the search page is created, after all others."""
    app.connect("html-page-context", for_search)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

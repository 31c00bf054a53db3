# SPDX-License-Identifier: Apache-2.0
"""The page ``404.html``, which a server shows for any address, at any depth, without a page.

It loads no file, and its links start with the path of the site, so that it works at every depth.
"""

from __future__ import annotations

from collections.abc import Iterator

from sphinx.application import Sphinx
from sphinx.util.typing import ExtensionMetadata

from .page_order import page_order
from .repository import path_of


def pages(app: Sphinx) -> Iterator[tuple[str, dict[str, object], str]]:
    """Create the page, with links to the pages at the top of each part."""
    if app.builder.name != "html":
        return
    base = path_of(app.config.html_baseurl)
    links = [
        (base + app.builder.get_target_uri(name), app.env.titles[name].astext())
        for name in page_order(app.env)
        if name.count("/") < 2  # the top of each part is enough
    ]
    search = base + app.builder.get_target_uri("search")
    yield "404", {"title": "No such page", "links": links, "search": search}, "not_found.html"


def setup(app: Sphinx) -> ExtensionMetadata:
    """Create the page after all others."""
    app.connect("html-collect-pages", pages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

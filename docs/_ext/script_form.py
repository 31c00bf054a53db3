# SPDX-License-Identifier: Apache-2.0
"""A form that needs a script: it is in the site's pages, but not in the book or the Markdown."""

from __future__ import annotations

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.typing import ExtensionMetadata


class ScriptForm(nodes.General, nodes.Element):
    """A placeholder for the form ``html`` and its ``script`` until the page is written."""


def fill_in(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Replace the placeholder with the form, or remove it."""
    for place in list(doctree.findall(ScriptForm)):
        if app.builder.name == "html":
            form = nodes.raw("", place["html"], format="html", script=place["script"])
            place.replace_self(form)
        else:
            place.parent.remove(place)


def add_script(
    app: Sphinx,
    page: str,
    template: str,
    context: dict[str, object],
    doctree: nodes.document | None,
) -> None:
    """Add the scripts of a page's forms."""
    for form in doctree.findall(nodes.raw) if doctree is not None else ():
        if "script" in form:
            app.add_js_file(form["script"])


def setup(app: Sphinx) -> ExtensionMetadata:
    """Fill in last, once every table has been created."""
    app.add_node(ScriptForm)
    app.connect("doctree-resolved", fill_in, priority=900)
    app.connect("html-page-context", add_script)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

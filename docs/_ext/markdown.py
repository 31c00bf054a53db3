# SPDX-License-Identifier: Apache-2.0
"""A Markdown file beside each page, for programs.

``llms.txt`` lists these files, and ``llms-full.txt`` contains the text of all of them.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from urllib.parse import unquote

from _verify.links import MARKDOWN_CODE, MARKDOWN_LINK
from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.builders import Builder
from sphinx.util.typing import ExtensionMetadata

from .markdown_writer import to_markdown
from .page_order import page_order

ANCHOR = re.compile(r'<a id="([^"]+)"></a>')
LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
CODE_OR_LINK = re.compile(
    f"{MARKDOWN_CODE.pattern}|{MARKDOWN_LINK.pattern}", re.MULTILINE | re.DOTALL
)


def target(address: str, page: str, builder: Builder) -> str:
    """Return the Markdown address of a link on a page."""
    if address.startswith("download:"):
        path = posixpath.join("_downloads", address.removeprefix("download:"))
        return posixpath.relpath(path, posixpath.dirname(page) or ".")
    if "://" in address or address.startswith("mailto:"):
        return address
    path, mark, anchor = address.partition("#")
    named = posixpath.normpath(posixpath.join(posixpath.dirname(page), path.removesuffix(".html")))
    if not path or named == page:
        return mark + anchor
    file = path.removesuffix(".html") + ".md" if named in builder.env.found_docs else path
    return file + mark + anchor


def write_page(
    app: Sphinx,
    pagename: str,
    template: str,
    context: dict[str, object],
    doctree: nodes.document | None,
) -> str | None:
    """Write the file of a page, and pass its name to the page's template."""
    if doctree is None or app.builder.name != "html":
        return None
    file = Path(app.outdir) / f"{pagename}.md"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(to_markdown(doctree, lambda address: target(address, pagename, app.builder)))
    context["markdown_page"] = f"{posixpath.basename(pagename)}.md"
    return None


def first_sentence(text: str) -> str:
    """Return the first line of text below the title; empty if anything else comes first."""
    parts = text.split("\n\n")
    paragraphs = [part for part in parts if not part.startswith(("# ", "<a id="))]
    first = paragraphs[0].strip().partition("\n")[0] if paragraphs else ""
    # Its links are relative to its page, but this list is elsewhere.
    plain = LINK.sub(r"\1", first)
    return "" if plain.startswith(("#", "|", "-", "!", ">", "**", "```")) else plain


def listed(name: str, app: Sphinx) -> str:
    """Return the line of a page: its title, its address, and its first sentence."""
    sentence = first_sentence((Path(app.outdir) / f"{name}.md").read_text())
    title = app.env.titles[name].astext()
    return f"- [{title}]({name}.md): {sentence or f'Reference of {title}.'}"


def write_list(app: Sphinx, exception: Exception | None) -> None:
    """List all pages, under the captions of the front page's tables of contents."""
    if exception is not None or app.builder.name != "html":
        return
    root = app.config.root_doc
    front = first_sentence((Path(app.outdir) / f"{root}.md").read_text())
    lines = [f"# {app.config.project}", "", f"> {front}", "", listed(root, app)]
    order = page_order(app.env)
    for tree in app.env.get_doctree(root).findall(addnodes.toctree):
        names = [name for _, top in tree["entries"] for name in below(top or "", app, order)]
        caption = tree.get("caption") or "Pages"
        lines += ["", f"## {caption}", "", *(listed(name, app) for name in names)]
    (Path(app.outdir) / "llms.txt").write_text("\n".join(lines) + "\n")


def without_dead_anchors(texts: dict[str, str]) -> dict[str, str]:
    """Return the texts of files, without link anchors that the target file lacks.

    Such anchors are names within a paragraph, and long ones that Breathe adds to the usual ones.
    """
    known = {name: set(ANCHOR.findall(text)) for name, text in texts.items()}

    def settled(name: str, text: str) -> str:
        """Return one corrected text."""

        def link_or_code(found: re.Match[str]) -> str:
            """Return the replacement for a link; code is kept."""
            path, mark, anchor = (found[3] or "").partition("#")
            file = (
                posixpath.normpath(posixpath.join(posixpath.dirname(name), path)) if path else name
            )
            if not mark or "://" in path or file not in known or unquote(anchor) in known[file]:
                return found[0]
            return f"]({path or posixpath.basename(name)})"

        return CODE_OR_LINK.sub(link_or_code, text)

    return {name: settled(name, text) for name, text in texts.items()}


def settle_anchors(app: Sphinx, exception: Exception | None) -> None:
    """Correct the links of all files, once each file exists."""
    if exception is None and app.builder.name == "html":
        names = [f"{name}.md" for name in app.env.found_docs]
        before = {name: (Path(app.outdir) / name).read_text() for name in names}
        for name, text in without_dead_anchors(before).items():
            if text != before[name]:
                (Path(app.outdir) / name).write_text(text)


def moved(text: str, name: str) -> str:
    """Return a page's Markdown with its links relative to the site's root folder."""

    def address(found: re.Match[str]) -> str:
        """Return the replacement for a link; code is kept."""
        link = found[3] or ""
        if not link or "://" in link or link.startswith("mailto:"):
            return found[0]
        if link.startswith("#"):
            return f"]({name}{link})"
        return f"]({posixpath.normpath(posixpath.join(posixpath.dirname(name), link))})"

    return CODE_OR_LINK.sub(address, text)


def write_whole(app: Sphinx, exception: Exception | None) -> None:
    """Write the text of all pages to one file, in reading order, each under its address."""
    if exception is not None or app.builder.name != "html":
        return
    names = [f"{name}.md" for name in page_order(app.env)]
    texts = [(name, (Path(app.outdir) / name).read_text()) for name in names]
    parts = [f"<!-- {name} -->\n\n{moved(text, name)}" for name, text in texts]
    (Path(app.outdir) / "llms-full.txt").write_text("\n".join(parts))


def below(top: str, app: Sphinx, order: list[str]) -> list[str]:
    """Return a page and all pages in its tables of contents, in reading order."""
    there, found = [top], set()
    while there:
        name = there.pop()
        if name not in found:
            found.add(name)
            there += app.env.toctree_includes.get(name, [])
    return [name for name in order if name in found]


def setup(app: Sphinx) -> ExtensionMetadata:
    """Write a page's file along with its HTML, when all links are resolved."""
    app.connect("html-page-context", write_page)
    app.connect("build-finished", settle_anchors)
    app.connect("build-finished", write_list)
    app.connect("build-finished", write_whole)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

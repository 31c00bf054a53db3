# SPDX-License-Identifier: Apache-2.0
"""Write a page that has been resolved for HTML as plain Markdown.

The only HTML in it is the anchors, above elements whose names are link targets.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from html import escape, unescape

from docutils import nodes
from sphinx import addnodes
from sphinx_tabs.tabs import SphinxTabsTablist

Link = Callable[[str], str]  # from an address on the page to one in Markdown; empty: no link

LEFT_OUT = (
    *(nodes.comment, nodes.raw, nodes.target, nodes.substitution_definition, nodes.system_message),
    *(nodes.meta, addnodes.index, addnodes.toctree, SphinxTabsTablist),
)
# Their children are blocks, and they have no text of their own.
PLAIN = (
    *(nodes.document, nodes.container, nodes.compound, nodes.legend, nodes.topic, nodes.sidebar),
    *(nodes.line_block, addnodes.only, addnodes.desc_content, addnodes.centered),
)
SPECIAL = re.compile(r"([\\`*<\[\]])")
SUMMARY = re.compile(r"<summary>(.*?)</summary>")
LANGUAGES = {"default": "python", "none": "text", "pycon3": "pycon"}


class Writer:
    """Converts nodes to Markdown, with links mapped by a function."""

    def __init__(self, link: Link) -> None:
        self.link = link

    # Inline text.

    def inline(self, node: nodes.Node) -> str:
        """Return a node as inline text."""
        if isinstance(node, LEFT_OUT):
            return ""
        if isinstance(node, nodes.Text):
            return SPECIAL.sub(r"\\\1", node.astext())
        if isinstance(node, nodes.literal):
            return code_span(node.astext())
        if isinstance(node, nodes.image):
            return self.image(node)
        text = "".join(self.inline(child) for child in node.children)
        if isinstance(node, nodes.strong):
            return f"**{text}**" if text else ""
        if isinstance(node, addnodes.literal_emphasis):
            return text  # part of a type, inside its own markup
        if isinstance(node, (nodes.emphasis, nodes.title_reference)):
            return f"*{text}*" if text else ""
        if isinstance(node, nodes.superscript):
            return f"^{text}"  # as in 2^32
        if isinstance(node, nodes.subscript):
            return f"\\_{text}"
        if isinstance(node, nodes.reference):
            address = self.link(address_of(node))
            return f"[{text}]({address})" if address and text else text
        return text

    def image(self, node: nodes.image) -> str:
        """Return an image with its alternative text."""
        return f"![{node.get('alt', '')}]({node['uri']})"

    # Blocks.

    def blocks(self, found: Iterable[nodes.Node], level: int) -> str:
        """Return blocks separated by empty lines."""
        written = (self.block(node, level).strip("\n") for node in found)
        return "\n\n".join(text for text in written if text)

    def block(self, node: nodes.Node, level: int) -> str:
        """Return one block, below its anchors; the level is that of the next heading within it."""
        written = self.without_anchors(node, level)
        if not isinstance(node, nodes.Element) or isinstance(node, nodes.container):
            return written  # the panel of a tab has a name for scripts
        ids = node["ids"]
        return f"{anchors(ids)}\n\n{written}" if ids and written else written

    def without_anchors(self, node: nodes.Node, level: int) -> str:
        """Return one block."""
        if isinstance(node, nodes.raw) and (summary := SUMMARY.search(node.astext())):
            return f"**{unescape(summary[1])}**"  # not folded in Markdown
        if isinstance(node, LEFT_OUT):
            return ""
        for kind, write in self.KINDS:
            if isinstance(node, kind):
                return write(self, node, level)
        classes = getattr(node, "attributes", {}).get("classes", [])
        if "sd-dropdown" in classes:
            return f"**{self.paragraph(node[0], level)}**\n\n{self.blocks(node[1:], level)}"
        if "sd-card" in classes:
            return self.card(node, level)
        if isinstance(node, PLAIN):
            label = node.get("data-label")
            said = self.blocks(node.children, level)
            return f"**{label}**\n\n{said}" if label else said
        children = node.children
        if children and any(isinstance(child, (nodes.Text, nodes.Inline)) for child in children):
            return self.paragraph(node, level)
        return self.blocks(children, level)

    def section(self, node: nodes.Element, level: int) -> str:
        """Return a section; everything after its title is one level deeper."""
        title = f"{'#' * min(level, 6)} {self.inline(node[0]).strip()}"
        return f"{title}\n\n{self.blocks(node.children[1:], level + 1)}"

    def paragraph(self, node: nodes.Element, level: int) -> str:
        """Return a paragraph, with its sentences kept on their lines."""
        if any(isinstance(child, nodes.Sequential) for child in node.children):
            return self.blocks(node.children, level)  # a table of contents is such a paragraph
        text = "".join(self.inline(child) for child in node.children)
        return "\n".join(line.strip() for line in text.splitlines())

    def rubric(self, node: nodes.Element, level: int) -> str:
        """Return a heading that no table of contents lists."""
        return f"**{self.paragraph(node, level)}**"

    def code(self, node: nodes.Element, level: int) -> str:
        """Return a code block with its language."""
        text = node.astext().strip("\n")
        language = node.get("language", "text")
        if text.lstrip().startswith(">>>"):
            language = "pycon"
        fence = "`" * max(3, 1 + max(map(len, re.findall(r"`+", text)), default=0))
        return f"{fence}{LANGUAGES.get(language, language)}\n{text}\n{fence}"

    def items(self, node: nodes.Element, level: int) -> str:
        """Return a list; the content of each item is indented."""
        numbered = isinstance(node, nodes.enumerated_list)
        written = []
        for number, item in enumerate(node.children, start=node.get("start", 1)):
            mark = f"{number}. " if numbered else "- "
            written.append(mark + indented(self.blocks(item.children, level), len(mark)))
        return "\n".join(written)

    def definitions(self, node: nodes.Element, level: int) -> str:
        """Return terms with their definitions; also fields with their content."""
        written = []
        for item in node.children:
            names = item[:-1] if isinstance(item[-1], nodes.Element) else item.children
            name = ", ".join(self.paragraph(each, level) for each in names)
            body = self.blocks(item[-1].children, level)
            space = "\n\n" if body.startswith(("- ", "1. ", "`" * 3, "|")) else " "
            written.append("- " + indented(f"**{name}**:{space}{body}", 2))
        return "\n".join(written)

    def quote(self, node: nodes.Element, level: int) -> str:
        """Return a quotation, or a note: each of its lines is marked."""
        said = self.blocks(node.children, level)
        named = isinstance(node, nodes.block_quote) or isinstance(node[0], nodes.title)
        if not named:  # the HTML writer adds the title
            said = f"**{type(node).__name__.capitalize()}**\n\n{said}"
        return "\n".join(f"> {line}".rstrip() for line in said.splitlines())

    def heading(self, node: nodes.Element, level: int) -> str:
        """Return the title of a note or a table."""
        return f"**{self.paragraph(node, level)}**"

    def declaration(self, node: nodes.Element, level: int) -> str:
        """Return a documented name: its signatures are headings, its content one level deeper."""
        signatures = [child for child in node if isinstance(child, addnodes.desc_signature)]
        parts = []
        for each in signatures:
            newest = each["ids"][:1]  # the others are long, and from earlier versions of Sphinx
            parts += [anchors(newest)] * bool(newest)
            parts.append(f"{'#' * min(level, 6)} {code_span(signature(each))}")
        return "\n\n".join([*parts, self.block(node[-1], level + 1)])

    def table(self, node: nodes.Element, level: int) -> str:
        """Return a table; a cell that spans columns is followed by empty ones."""
        head: list[list[str]] = []
        body: list[list[str]] = []
        for row in node.findall(nodes.row):
            cells: list[str] = []
            for entry in row:
                cells += [self.cell(entry, level), *[""] * entry.get("morecols", 0)]
            (head if isinstance(row.parent, nodes.thead) else body).append(cells)
        width = max((len(row) for row in [*head, *body]), default=0)
        rows = [*(head or [[]]), *body]
        full = [[*row, *[""] * (width - len(row))] for row in rows]
        lines = [f"| {' | '.join(row)} |" for row in full]
        lines.insert(max(1, len(head)), f"|{' --- |' * width}")
        titles = [self.heading(each, level) for each in node if isinstance(each, nodes.title)]
        return "\n\n".join([*titles, "\n".join(lines)])

    def cell(self, entry: nodes.Element, level: int) -> str:
        """Return a cell, on one line."""
        parts = [
            code_span(" ".join(child.astext().split()))
            if isinstance(child, (nodes.literal_block, nodes.doctest_block))
            else self.block(child, level)
            for child in entry
        ]
        return " ".join(" ".join(parts).split()).replace("|", "\\|")

    def picture(self, node: nodes.Element, level: int) -> str:
        """Return a block image."""
        return self.image(node)

    def card(self, node: nodes.Element, level: int) -> str:
        """Return a card of the front page: its title, which is a link, and its text."""
        links = [self.link(each.get("refuri", "")) for each in node.findall(nodes.reference)]
        title, text = "", []
        for part in node.findall(lambda each: isinstance(each, nodes.Element)):
            if "sd-card-title" in part["classes"]:
                title = self.paragraph(part, level)
            elif isinstance(part, nodes.paragraph) and not part.next_node(nodes.reference):
                text.append(self.paragraph(part, level))
        name = f"[{title}]({links[-1]})" if links and links[-1] else title
        return f"- {name}: {' '.join(' '.join(text).split())}"

    KINDS = (
        (nodes.section, section),
        (nodes.title, heading),
        (nodes.paragraph, paragraph),
        (nodes.caption, paragraph),
        (nodes.line, paragraph),
        (nodes.rubric, rubric),
        ((nodes.literal_block, nodes.doctest_block), code),
        ((nodes.bullet_list, nodes.enumerated_list), items),
        ((nodes.definition_list, nodes.field_list), definitions),
        (addnodes.desc, declaration),
        ((nodes.block_quote, nodes.Admonition), quote),
        (nodes.table, table),
        (nodes.image, picture),
    )


def address_of(node: nodes.Element) -> str:
    """Return a link's target; a file to download is a link too."""
    if "filename" in node:
        return f"download:{node['filename']}"
    return f"#{node['refid']}" if "refid" in node else str(node.get("refuri", ""))


def anchors(ids: Iterable[str]) -> str:
    """Return anchors for these link targets, the same as on the page."""
    return "".join(f'<a id="{escape(each)}"></a>' for each in ids)


def code_span(text: str) -> str:
    """Return inline code."""
    text = " ".join(text.split())
    ticks = "`" * (1 + max(map(len, re.findall(r"`+", text)), default=0))
    space = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{ticks}{space}{text}{space}{ticks}" if text else ""


def signature(node: nodes.Element) -> str:
    """Return a declaration on one line."""
    lines = [child for child in node if isinstance(child, addnodes.desc_signature_line)]
    return " ".join(line.astext() for line in lines) if lines else node.astext()


def indented(text: str, width: int) -> str:
    """Indent all lines but the first."""
    first, *others = text.split("\n")
    return "\n".join([first, *(" " * width + line if line else "" for line in others)])


def to_markdown(doctree: nodes.document, link: Link) -> str:
    """Return a whole page."""
    return Writer(link).blocks(doctree.children, 1) + "\n"

# SPDX-License-Identifier: Apache-2.0
"""The gallery of example kernels: cards, topics, and a form that shows the cards of some topics.

``gallery.toml`` beside the kernels' pages has what no page contains: formulas and topics. Readers
without scripts get the topics as a list, with links to the pages.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import escape
from pathlib import Path

import tomllib
from _verify.archives import archive_path
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from sphinx.util.typing import ExtensionMetadata

from .evidence_of_build import evidence_of
from .script_form import ScriptForm

DATA = "gallery.toml"
SCRIPT = "gallery.js"
# The comment at the top, the title and its underline, and the first line of the first paragraph.
OPENING = re.compile(r"\A(?:\.\. .*\n|\s*\n)*(?P<title>\S.*)\n=+\n\s*\n(?P<first>\S.*)\n")
PROMISE = re.compile(r"After this page (?:you|your library) can (?=\w)")


@dataclass(frozen=True)
class Topic:
    """A topic that a kernel may teach, and how to detect it in the kernel's files."""

    label: str
    says: str  # as reStructuredText
    source: str = ""  # searched for in each source
    unless: str = ""  # a source that contains it does not count
    page: str = ""  # searched for in the page
    file: str = ""  # a file name, or a pattern of names


@dataclass(frozen=True)
class Kernel:
    """A card. Texts are reStructuredText."""

    formula: str
    topics: tuple[str, ...]
    page: str
    title: str
    teaches: str


@dataclass(frozen=True)
class Gallery:
    """All topics and kernels by name."""

    topics: dict[str, Topic]
    kernels: dict[str, Kernel]


def opening(page: Path) -> tuple[str, str]:
    """Return a page's title, and what its first sentence promises the reader.

    ValueError: the page does not begin with them.
    """
    found = OPENING.match(page.read_text())
    if not found:
        raise ValueError(f"{page.name}: expected a title and then a sentence on a line of its own")
    promise = PROMISE.match(found["first"])
    if not promise:
        raise ValueError(f"{page.name}: expected 'After this page you can', got {found['first']!r}")
    teaches = found["first"][promise.end() :]
    return found["title"], teaches[0].upper() + teaches[1:]


def read_gallery(folder: Path) -> Gallery:
    """Read the data in a folder of pages; ValueError: it contradicts the pages or itself."""
    data = tomllib.loads((folder / DATA).read_text())
    topics = {name: Topic(**given) for name, given in data["topics"].items()}
    kernels = {}
    for name, given in data["kernels"].items():
        if unknown := sorted(set(given["topics"]) - topics.keys()):
            raise ValueError(f"{DATA}: {name} has the unknown topic {', '.join(unknown)}")
        if "page" not in given:
            path = folder / f"{name}.rst"
            if not path.exists():
                raise ValueError(f"{DATA}: {name} has no page {path.name}")
            title, teaches = opening(path)
            given = {"page": name, "title": title, "teaches": teaches, **given}
        kernels[name] = Kernel(**{**given, "topics": tuple(given["topics"])})
    pages = {path.stem for path in folder.glob("*.rst")} - {"index"}
    if missing := sorted(pages - kernels.keys()):
        raise ValueError(f"{DATA}: expected {', '.join(missing)} to be listed too")
    return Gallery(topics, kernels)


class GalleryDirective(SphinxDirective):
    """Helpers shared by all gallery directives."""

    def gallery(self) -> Gallery:
        """Return the gallery in the folder of this page."""
        folder = Path(self.env.doc2path(self.env.docname)).parent
        for path in (folder / DATA, *folder.glob("*.rst")):
            self.env.note_dependency(str(path))
        try:
            return read_gallery(folder)
        except ValueError as error:
            raise self.error(f"{self.name}: {error}") from None

    def text(self, text: str, *classes: str) -> nodes.paragraph:
        """Parse one paragraph."""
        (made,) = self.parse_text_to_nodes(text)
        assert isinstance(made, nodes.paragraph)
        made["classes"] += classes
        return made


def topic_id(name: str) -> str:
    """Return the anchor of a topic."""
    return f"topic-{name.replace('_', '-')}"


class KernelCards(GalleryDirective):
    """Shows the cards of the kernels named in its content, and nests their pages below this one."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        """Create cards and navigation."""
        gallery = self.gallery()
        names = " ".join(self.content).split()
        if unknown := [name for name in names if name not in gallery.kernels]:
            raise self.error(f"{self.name}: expected {DATA} to have {', '.join(unknown)}")
        cards = [self.card(name, gallery) for name in names]
        below = [name for name in names if gallery.kernels[name].page == name]
        toctree = "\n".join([".. toctree::", "   :hidden:", "", *(f"   {name}" for name in below)])
        return [
            nodes.container("", *cards, classes=["kernel-cards"]),
            *self.parse_text_to_nodes(f"{toctree}\n"),
        ]

    def card(self, name: str, gallery: Gallery) -> nodes.Node:
        """Return the card of a kernel."""
        kernel = gallery.kernels[name]
        tags = nodes.paragraph("", "", classes=["kernel-topics"])
        for topic in kernel.topics:
            if tags.children:
                tags += nodes.Text(" · ")
            label = gallery.topics[topic].label
            tags += nodes.reference("", label, internal=True, refid=topic_id(topic))
        parts = [
            self.text(f":doc:`{kernel.title} <{kernel.page}>`", "kernel-title"),
            self.text(kernel.formula, "kernel-formula"),
            self.text(kernel.teaches),
            tags,
        ]
        if archive_path(name, evidence_of(self.config).layout).exists():
            parts.append(self.text(f":archive:`{name}`", "archive"))
        return nodes.container(
            "", *parts, classes=["kernel-card", *(topic_id(topic) for topic in kernel.topics)]
        )


class KernelTopics(GalleryDirective):
    """Lists the topics, each with its kernels."""

    def run(self) -> list[nodes.Node]:
        """Create the list."""
        gallery = self.gallery()
        made = nodes.definition_list()
        for name, topic in gallery.topics.items():
            links = ", ".join(
                f":doc:`{each} <{kernel.page}>`"
                for each, kernel in gallery.kernels.items()
                if name in kernel.topics
            )
            term = nodes.term("", topic.label, ids=[topic_id(name)])
            says = nodes.definition("", self.text(topic.says), self.text(links))
            made += nodes.definition_list_item("", term, says)
        return [made]


def form(gallery: Gallery) -> str:
    """Return the form; its script shows it."""
    boxes = "".join(
        f'<label><input type="checkbox" value="{topic_id(name)}"> {escape(topic.label)}</label>'
        for name, topic in gallery.topics.items()
    )
    return (
        '<form class="kernel-picker" aria-label="Kernels by topic" autocomplete="off" hidden>'
        f"<fieldset><legend>Only kernels with</legend>{boxes}</fieldset>"
        '<p><output></output> <button type="reset">Show all</button></p></form>'
    )


class KernelPicker(GalleryDirective):
    """Shows the form."""

    def run(self) -> list[nodes.Node]:
        """Create its placeholder."""
        return [ScriptForm(html=form(self.gallery()), script=SCRIPT)]


def setup(app: Sphinx) -> ExtensionMetadata:
    """Register the directives."""
    app.setup_extension("_ext.archives")
    app.setup_extension("_ext.script_form")
    app.add_directive("kernel-cards", KernelCards)
    app.add_directive("kernel-topics", KernelTopics)
    app.add_directive("kernel-picker", KernelPicker)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

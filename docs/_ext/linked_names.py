# SPDX-License-Identifier: Apache-2.0
"""Refuse to build a site whose prose names something of the reference without a link to it.

A literal is such a name if it is spelled as the reference spells it, whole or from any part on:
``tvm_ffi.load_module``, ``Tensor::FromEnvAlloc``, ``FromEnvAlloc()``. A last part that is a plain
word, such as ``data``, is none.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.errors import SphinxError
from sphinx.util.typing import ExtensionMetadata

SEPARATOR = re.compile(r"::|\.")
# Small letters and digits alone: too often a parameter, a file or a word.
PLAIN = re.compile(r"[a-z0-9]*")
# A link has its own text; a title cannot be one; a description is made from the code.
LINKS = (
    *(nodes.reference, nodes.title, nodes.rubric, addnodes.pending_xref),
    *(addnodes.download_reference, addnodes.desc),
)


class UnlinkedNames(SphinxError):
    """The prose has names that lead nowhere."""

    category = "Unlinked names"


def spellings(names: Iterable[str]) -> set[str]:
    """All the ways in which prose may spell these names."""
    found: set[str] = set()
    for name in names:
        starts = [0, *(match.end() for match in SEPARATOR.finditer(name))]
        found.update(name[start:] for start in starts)
    return {each for each in found if not PLAIN.fullmatch(each)}


def literals(doctree: nodes.document) -> Iterator[nodes.literal]:
    """The literals of a page's prose that are no links."""
    for literal in doctree.findall(nodes.literal):
        parent = literal.parent
        while parent is not None and not isinstance(parent, LINKS):
            parent = parent.parent
        if parent is None:
            yield literal


def line_of(node: nodes.Node) -> int | str:
    """The line of the paragraph that a node is in."""
    while node is not None:
        if node.line:
            return int(node.line)
        node = node.parent
    return "?"


def unlinked(doctree: nodes.document, known: set[str]) -> Iterator[tuple[int | str, str]]:
    """Each name of a page that should be a link, with its line."""
    for literal in literals(doctree):
        text = literal.astext()
        if text.removesuffix("()") in known:
            yield line_of(literal), text


def check(app: Sphinx, env: BuildEnvironment) -> None:
    """Look through all pages, and raise with a list of what is not linked."""
    names = (
        name
        for domain in ("c", "cpp", "py")
        for name, _, kind, *_ in env.domains[domain].get_objects()
        if kind not in ("functionParam", "templateParam")
    )
    known = spellings(names) - set(app.config.plain_names)
    found = []
    for docname in sorted(env.found_docs):
        for line, text in unlinked(env.get_doctree(docname), known):
            found.append(f"{env.doc2path(docname, False)}:{line}: {text}")
    if found:
        raise UnlinkedNames(
            f"{len(found)} names of the reference are no links\n" + "\n".join(found)
        )


def setup(app: Sphinx) -> ExtensionMetadata:
    """Check when all pages have been read."""
    app.add_config_value("plain_names", [], "env", types=frozenset({list}))
    app.connect("env-updated", check)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

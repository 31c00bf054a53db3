# SPDX-License-Identifier: Apache-2.0
"""Refuse to build a site whose prose names an entry of the reference without linking to it.

A literal counts as such a name if it is spelled as in the reference, in full or as a suffix:
``tvm_ffi.load_module``, ``Tensor::FromEnvAlloc``, ``FromEnvAlloc()``. If its last part is a plain
word, such as ``data``, it does not count.
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
# Only lowercase letters and digits: too often a parameter, a file or a word.
PLAIN = re.compile(r"[a-z0-9]*")
# A link has its own text; a title cannot be one; a description is generated from the code.
LINKS = (
    *(nodes.reference, nodes.title, nodes.rubric, addnodes.pending_xref),
    *(addnodes.download_reference, addnodes.desc),
)


class UnlinkedNames(SphinxError):
    """The prose contains names that are not linked."""

    category = "Unlinked names"


def spellings(names: Iterable[str]) -> set[str]:
    """Return all the ways in which prose may spell these names."""
    found: set[str] = set()
    for name in names:
        starts = [0, *(match.end() for match in SEPARATOR.finditer(name))]
        found.update(name[start:] for start in starts)
    return {each for each in found if not PLAIN.fullmatch(each)}


def literals(doctree: nodes.document) -> Iterator[nodes.literal]:
    """Yield the literals in a page's prose that are not links."""
    for literal in doctree.findall(nodes.literal):
        parent = literal.parent
        while parent is not None and not isinstance(parent, LINKS):
            parent = parent.parent
        if parent is None:
            yield literal


def line_of(node: nodes.Node) -> int | str:
    """Return the line of the paragraph that contains a node."""
    while node is not None:
        if node.line:
            return int(node.line)
        node = node.parent
    return "?"


def unlinked(doctree: nodes.document, known: set[str]) -> Iterator[tuple[int | str, str]]:
    """Yield each name on a page that should be a link, with its line."""
    for literal in literals(doctree):
        text = literal.astext()
        if text.removesuffix("()") in known:
            yield line_of(literal), text


def check(app: Sphinx, env: BuildEnvironment) -> None:
    """Check all pages, and raise with a list of unlinked names."""
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
            f"{len(found)} names of the reference are not links\n" + "\n".join(found)
        )


def setup(app: Sphinx) -> ExtensionMetadata:
    """Check once all pages have been read."""
    app.add_config_value("plain_names", [], "env", types=frozenset({list}))
    app.connect("env-updated", check)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

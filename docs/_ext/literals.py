# SPDX-License-Identifier: Apache-2.0
"""Distinguish names in prose from code typed as literals.

A literal in a sentence is prose. A table cell, list item or paragraph of only literals looks like
a code block, so it may contain only names: one word each, such as a file, a type or ``f()``.
"""

from __future__ import annotations

import re

from docutils import nodes

# An option's dashes; words joined by dots, colons, slashes and dashes; template parameters or a
# placeholder; the parentheses of a call, without its arguments.
NAME = r"(?:--?|[./]+)?[A-Za-z_][\w./:-]*(?:\+\+)?(?:<[\w:,. ]+>[\w./:-]*)?(?:\((?:\.\.\.)?\))?"
NAMES = re.compile(rf"{NAME}(?:, {NAME})*")
LETTER = re.compile(r"[^\W\d_]")
CODE = "code typed as literals: without a sentence around them, literals may only be names"


def block_of(literal: nodes.literal) -> nodes.Element:
    """Return the paragraph, title or term that contains a literal."""
    block = literal.parent
    while isinstance(block, nodes.Inline):
        block = block.parent
    return block


def is_prose(block: nodes.Element, literals: list[nodes.literal]) -> bool:
    """Whether a block contains a word outside its literals."""
    inside = sum(len(LETTER.findall(literal.astext())) for literal in literals)
    return len(LETTER.findall(block.astext())) > inside


def problem_of(literal: nodes.literal) -> str:
    """Return why a page must not show a literal, or "". A block's first literal represents all.

    The record of a run is not code typed by hand.
    """
    if literal.get("generated"):
        return ""
    if "role" in literal:
        return f"the role {literal['role']} formats code: write ``text`` for a name"
    block = block_of(literal)
    literals = list(block.findall(nodes.literal))
    if literal is not literals[0] or is_prose(block, literals):
        return ""
    return "" if NAMES.fullmatch(" ".join(block.astext().split())) else CODE

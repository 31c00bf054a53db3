# SPDX-License-Identifier: Apache-2.0
"""Explain why lines of C and C++ files did not run."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from .comments import without_comments
from .cpp_statements import MACRO_CALL, all_lines, descendants, head, macros, tree
from .statements import NEEDS_GPU, Lines
from .survival import cuda_lines

if TYPE_CHECKING:
    from tree_sitter import Node

NAMES_GPU = re.compile("CUDA|GPU|cuda")
AT_COMPILE_TIME = "constexpr: evaluated by the compiler, if at all"
REFUSED = "the compiler refuses it"


def cpp_reasons(text: str, lines: Lines, *, refused: bool) -> dict[int, str]:
    """Return why lines of C++ text did not run: the compiler refused it, or they need a GPU.

    Lines need a GPU if only nvcc compiles them, if an enclosing branch, function or macro names it,
    or if only such lines use them. No line of such a part or a ``constexpr`` function may have run.
    """
    if refused and not lines.ran:
        return dict.fromkeys(lines.idle, REFUSED)
    why = dict.fromkeys(cuda_lines(text), NEEDS_GPU)
    parts: list[tuple[str, set[int]]] = [(name, part) for name, (part, _) in macros(text).items()]
    defined: list[tuple[str, set[int]]] = []
    for node in descendants(tree(text)):
        within = {*all_lines(node)}
        if node.type == "function_definition":
            constant = any(each.text == b"constexpr" for each in node.named_children)
            if constant and not within & lines.ran:
                why.update(dict.fromkeys(within, AT_COMPILE_TIME))
            parts.append((text_of(node.child_by_field_name("declarator")), within))
        elif node.type == "class_specifier":
            defined.append((text_of(node.child_by_field_name("name")), within))
        elif node.type == "if_statement":
            condition = text_of(node.child_by_field_name("condition"))
            parts.append((condition, within - head(node)))
        elif node.type == "expression_statement" and MACRO_CALL.match(node.text or b""):
            parts.append((text_of(node), within))
    for named, part in parts:
        if NAMES_GPU.search(named) and not part & lines.ran:
            why.update(dict.fromkeys(part, NEEDS_GPU))
    code = list(enumerate(without_comments(text).split("\n"), start=1))
    for name, part in defined:
        uses = {n for n, line in code if re.search(rf"\b{name}\b", line)} - part
        if uses and not part & lines.ran and all(why.get(n) == NEEDS_GPU for n in uses):
            why.update(dict.fromkeys(part, NEEDS_GPU))
    return why


def text_of(node: Node | None) -> str:
    """Return the text of a node, which may be missing."""
    return ((node.text if node else None) or b"").decode()

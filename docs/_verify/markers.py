# SPDX-License-Identifier: Apache-2.0
"""Find region markers inside a string or comment that spans more than their line.

Text between such markers looks like code, but no compiler sees it.
"""

from __future__ import annotations

import ast
import contextlib
import functools
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import PurePosixPath

from .comments import C_LIKE, COMMENT_OR_LITERAL
from .regions import region_lines
from .statements import shell_texts


def blocks(path: str, text: str) -> Iterator[range]:
    """Yield the lines, counted from 0, of each string or comment, which may be one line.

    Invalid Python yields none, since no run has any of its lines.
    """
    suffix = PurePosixPath(path).suffix
    if suffix in C_LIKE:
        for found in COMMENT_OR_LITERAL.finditer(text):
            first = text.count("\n", 0, found.start())
            yield range(first, first + found[0].count("\n") + 1)
    elif suffix == ".py":
        with contextlib.suppress(SyntaxError):
            for node in ast.walk(ast.parse(text)):
                if isinstance(node, ast.Constant | ast.JoinedStr) and node.end_lineno:
                    yield range(node.lineno - 1, node.end_lineno)
    elif suffix == ".sh" and find_spec("tree_sitter_bash"):  # installed wherever the site is built
        yield from shell_texts(text)


@functools.cache  # a site asks once per region of a file
def long_blocks(path: str, text: str) -> tuple[range, ...]:
    """Return the blocks of a text that span more than one line."""
    return tuple(block for block in blocks(path, text) if len(block) > 1)


def hidden_marker(path: str, text: str, name: str) -> str:
    """Return why the markers of a region do not count; empty if they are separate comments."""
    first, last = region_lines(text, name)
    for block in long_blocks(path, text):
        if first - 1 in block or last in block:
            return f"line {block[0] + 1} begins a string or a comment that holds its marker"
    return ""

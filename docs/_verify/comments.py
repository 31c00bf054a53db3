# SPDX-License-Identifier: Apache-2.0
"""Find the significant lines of a file: without comments, blank lines and trailing blanks.

Two files with the same significant lines mean the same to a compiler or interpreter, except for
the line numbers that they report. If that is uncertain, the text is kept unchanged.

A site requests the lines of a file once for each of its regions: a text is parsed once.
"""

from __future__ import annotations

import functools
import io
import re
import tokenize
from collections.abc import Iterable, Mapping
from pathlib import PurePosixPath
from types import MappingProxyType

DEVICE_CODE = {".cu", ".cuh"}
C_LIKE = DEVICE_CODE | {".c", ".cc", ".cpp", ".cxx", ".h", ".hpp"}
# A number is matched so that its digit separators do not start a character literal. A line
# comment continues after a backslash at the end of its line.
COMMENT_OR_LITERAL = re.compile(
    r"""\b\d(?:'?[\w.])*"""
    r"""|(?<!\w)(?:u8|[uUL])?R"(?P<mark>[^()\\\s]*)\(.*?\)(?P=mark)\""""
    r"""|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'"""
    r"""|(?P<comment>//(?:\\[ \t\r]*\n|[^\n])*|/\*.*?\*/)""",
    re.DOTALL,
)
# In these, a line starting with # may be no comment, or may begin a multiline comment.
SPANS_LINES = {".sh": re.compile("<<"), ".cmake": re.compile(r"\[=*\[")}
# A line in which each string that starts also ends, whatever quotes and escapes it contains.
CLOSED = re.compile(
    r"""(?:[^'"\\$]|\\.|\$(?!')|'[^']*'|"(?:[^"\\$`]|\\.|\$(?!\()|\$\((?:[^()"'`]|"[^"`]*")*\))*")*\\?"""
)


@functools.cache
def without_comments(text: str) -> str:
    """Return C++ text with each comment replaced by one blank and the comment's line breaks."""

    def blank(match: re.Match[str]) -> str:
        return " " + "\n" * match[0].count("\n") if match["comment"] else match[0]

    return COMMENT_OR_LITERAL.sub(blank, text)


def lines_of_c(text: str) -> dict[int, str]:
    """Return the significant lines of a C, C++ or CUDA file, by number."""
    fixed: set[int] = set()
    for match in COMMENT_OR_LITERAL.finditer(text):
        if breaks := match[0].count("\n"):
            after = text[match.end() :].partition("\n")[0]
            # Line breaks in a comment join the text before it to the text after it.
            if not match["comment"] or after.strip():
                first = text.count("\n", 0, match.start()) + 1
                fixed.update(range(first, first + breaks))
    return kept(without_comments(text).split("\n"), fixed)


def lines_of_python(text: str) -> dict[int, str]:
    """Return the significant lines of a Python file, by number; all lines if it is invalid."""
    lines = text.split("\n")
    fixed: set[int] = set()
    begun: list[int] = []  # the lines in which the enclosing f-strings start
    try:
        if tokenize.detect_encoding(io.BytesIO(text.encode()).readline)[0] != "utf-8":
            return numbered(text)
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            (first, column), (last, _) = token.start, token.end
            kind = tokenize.tok_name[token.type]
            if kind == "ERRORTOKEN":
                return numbered(text)
            if kind.endswith("STRING_START"):
                begun.append(first)
            elif kind.endswith("STRING_END"):
                fixed.update(range(begun.pop(), last))
            elif kind == "STRING":
                fixed.update(range(first, last))
            elif kind == "COMMENT" and not begun and not token.line.startswith("#!"):
                lines[first - 1] = lines[first - 1][:column]
    except (tokenize.TokenError, SyntaxError):
        return numbered(text)
    return kept(lines, fixed)


def lines_of_script(text: str, suffix: str) -> dict[int, str]:
    """Return the significant lines of a shell script or a CMake file, by number.

    Only whole lines are treated as comments, and none if a string or here-document spans lines, or
    after a backslash, which can make the line part of a word.
    """
    lines: list[str] = []
    if SPANS_LINES[suffix].search(text):
        return numbered(text)
    for line in text.split("\n"):
        continued = lines and lines[-1].rstrip().endswith("\\")
        if line.lstrip().startswith("#") and not line.startswith("#!") and not continued:
            line = ""
        elif line.count('"') % 2 or line.count("'") % 2 or not CLOSED.fullmatch(line):
            return numbered(text)
        lines.append(line)
    return kept(lines, set())


def kept(lines: list[str], fixed: set[int]) -> dict[int, str]:
    """Return the lines without trailing blanks, and without empty lines.

    A line whose end is fixed is kept unchanged, and so is one that ends with a backslash, even with
    blanks after it; the line after a backslash is kept even if it is empty.
    """
    found: dict[int, str] = {}
    continued = False
    for number, line in enumerate(lines, start=1):
        bare = line.rstrip()
        splices = bare.endswith("\\")
        if number in fixed or splices:
            found[number] = line
        elif bare or continued:
            found[number] = bare
        continued = splices
    return found


def numbered(text: str) -> dict[int, str]:
    """Return all lines, by number."""
    return dict(enumerate(text.split("\n"), start=1))


def counting_lines(path: str, text: str) -> dict[int, str]:
    """Return the significant lines of a file, by number; all lines unless it is a source."""
    name = PurePosixPath(path)
    if name.suffix in C_LIKE:
        return lines_of_c(text)
    if name.suffix in (".py", ".pyi"):
        return lines_of_python(text)
    suffix = ".cmake" if name.name == "CMakeLists.txt" else name.suffix
    return lines_of_script(text, suffix) if suffix in SPANS_LINES else numbered(text)


def positions(path: str, text: str, numbers: Iterable[int]) -> set[int]:
    """Return line positions among significant lines, from 1: comments do not shift them."""
    place = places(path, text)
    return {place[number] for number in numbers if number in place}


@functools.cache
def places(path: str, text: str) -> Mapping[int, int]:
    """Return the position of each significant line, by number."""
    numbers = counting_lines(path, text)
    return MappingProxyType({number: place for place, number in enumerate(numbers, start=1)})

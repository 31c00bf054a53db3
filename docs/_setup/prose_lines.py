# SPDX-License-Identifier: Apache-2.0
"""Extract the English of pages, C++ comments and Python docstrings, and find words to avoid."""

from __future__ import annotations

import io
import itertools
import re
import tokenize
from collections.abc import Iterable, Iterator

from _verify.comments import COMMENT_OR_LITERAL

BREAK = "\N{PILCROW SIGN}"  # a line without prose, so that no sentence continues across it
LITERAL = re.compile(r"``.+?``|:[\w:+-]+:`[^`\n]+`|`[^`\n]+`_{0,2}|\bhttps?://\S+")
# Doctests, directive options, tracebacks, and heading underlines.
NO_PROSE = re.compile(r"\s*(>>>|\.\.\.( |$)|:[\w-]+:)|[A-Z]\w*(Error|Warning): |\s*([=~^-])\4{2,}$")
CAPTION = re.compile(r"\s*:(?:alt|caption): (.+)")
DIRECTIVE = re.compile(r"( *)\.\. (?:([\w-]+)::|_|\|)")
OF_PROSE = {
    "admonition",
    "caution",
    "dropdown",
    "flow",
    "hint",
    "list-table",
    "note",
    "only-here",
    "tip",
    "warning",
}
# Doxygen commands: those naming a parameter, those whose name is part of the sentence, and others.
PARAMETER = re.compile(r"\\t?param(\[[\w,]+\])? [\w.]+")
NAMED = re.compile(r"\\(?:ref|p|c|a|e) (\S+)")
COMMAND = re.compile(r"\\\w+(\{[^}]*\})?")
ROW = re.compile(r"   \* - (\".+\")\n     - (.+)\n")
ENTRY = re.compile(r"\s*\*{0,2}\w+(, \*{0,2}\w+)*( : .+)?$")  # of a numpydoc section


def prose_of_page(text: str) -> Iterator[str]:
    """Yield each line of a page, with a break instead of code and directives, except captions."""
    code: int | None = None  # the indent of the directive being skipped
    fenced = False
    for line in text.splitlines():
        indent = len(line) - len(line.lstrip())
        if line.startswith("```"):
            fenced = not fenced
            yield BREAK
            continue
        if caption := CAPTION.match(line):
            yield f"{caption[1].removesuffix('.')}."  # a separate paragraph
            continue
        if code is not None and (not line or indent > code):
            yield BREAK
            continue
        code = None
        if found := DIRECTIVE.match(line):
            if found[2] not in OF_PROSE:
                code = len(found[1])
            yield BREAK
        elif fenced or not line.strip() or NO_PROSE.match(line):
            yield BREAK
        else:
            yield line


def prose_of_cpp(text: str) -> Iterator[str]:
    """Yield the comments of C++ and CUDA code, line by line."""
    lines = [BREAK] * len(text.splitlines())
    for match in COMMENT_OR_LITERAL.finditer(text):
        first = text.count("\n", 0, match.start())
        is_behind_code = bool(text[: match.start()].rpartition("\n")[2].strip())
        code = False
        for number, line in enumerate((match["comment"] or "").splitlines(), start=first):
            code = (code or "\\code" in line) and "\\endcode" not in line
            words = line.strip().removesuffix("*/").lstrip("/*!< ").rstrip()
            if words and not code and not words.startswith(("SPDX", "namespace", "\\endcode")):
                words = NAMED.sub(r"`\1`", PARAMETER.sub("", words))
                # A comment after code is one line, with or without a full stop.
                lines[number] = COMMAND.sub("", words).strip() + "." * is_behind_code
    yield from (line or BREAK for line in lines)


def prose_of_python(text: str) -> Iterator[str]:
    """Yield the docstrings and comments of Python code, line by line."""
    lines = [BREAK] * len(text.splitlines())
    before = tokenize.NEWLINE
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        first = token.start[0] - 1
        if token.type == tokenize.COMMENT:
            if "SPDX" not in token.string:
                stop = "" if token.line.lstrip().startswith("#") else "."
                lines[first] = token.string.lstrip("#: ") + stop
        elif token.type == tokenize.STRING and before in (tokenize.INDENT, tokenize.NEWLINE):
            docstring = token.string.lstrip("rR").strip('"')
            for number, line in enumerate(prose_of_page(docstring), start=first):
                lines[number] = BREAK if ENTRY.match(line) else line
        if token.type not in (tokenize.NL, tokenize.COMMENT, tokenize.DEDENT):
            before = token.type
    yield from lines


def without_literals(lines: Iterable[str]) -> str:
    """Return the text of lines, with a distinct word in place of each literal."""
    numbers = itertools.count()
    return LITERAL.sub(lambda _: f"L{next(numbers)}iteral", "\n".join(lines))


def rules_of(page: str) -> dict[str, str]:
    """Map each expression in the first table of the page Writing Style to its replacement.

    A slash separates alternatives, as in "stand/stands on/under".
    """
    table = page.partition(".. list-table::")[2].partition(".. list-table::")[0]
    found = {}
    for row in ROW.finditer(table):
        for expression in re.findall(r'"([^"]+)"', row[1]):
            found[expression] = row[2]
    if not found:
        raise ValueError("rules_of: expected a table with a row of quoted words, got none")
    return found


def pattern_of(expression: str) -> re.Pattern[str]:
    """Return the case-insensitive pattern for an expression of that table."""
    words = (f"(?:{'|'.join(map(re.escape, word.split('/')))})" for word in expression.split())
    return re.compile(rf"\b{' '.join(words)}\b", re.IGNORECASE)


def words_to_avoid(prose: str, rules: dict[str, str]) -> Iterator[tuple[int, str]]:
    """Yield the number of each line with such words, and the message; quotations are exempt."""
    patterns = {pattern_of(expression): instead for expression, instead in rules.items()}
    for number, line in enumerate(prose.splitlines(), start=1):
        plain = re.sub(r'"[^"]*"', "", line)
        for pattern, instead in patterns.items():
            if found := pattern.search(plain):
                yield number, f'"{found[0]}": write {instead}'

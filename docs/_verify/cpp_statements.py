# SPDX-License-Identifier: Apache-2.0
"""Classify the lines of C and C++ files by gcov's counts in a run.

gcov reports no line of an uninstantiated template, or of a branch that ``if constexpr``
discards, so the statements come from a parser: those that gcov does not report did not run.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from .comments import without_comments
from .statements import Lines

if TYPE_CHECKING:
    from tree_sitter import Node

SIMPLE = {
    "break_statement",
    "co_return_statement",
    "co_yield_statement",
    "continue_statement",
    "expression_statement",
    "field_initializer",
    "goto_statement",
    "return_statement",
    "throw_statement",
}
# These generate machine code only if they compute something.
DECLARATIONS = {
    "alias_declaration",
    "declaration",
    "static_assert_declaration",
    "type_definition",
    "using_declaration",
}
HEADS = {
    "do_statement",
    "for_range_loop",
    "for_statement",
    "if_statement",
    "switch_statement",
    "while_statement",
}
# These may generate no machine code: a jump, an empty statement, a loop without a condition, a name
# cast to void, and a macro. A single capital letter is a template's type.
MAY_BE_SILENT = re.compile(
    rb"(?:break|continue)?;|(?:for \(;;\)|while \((?:true|1)\)|do\b).*"
    rb"|(?:\(void\)\s*\w+(?:, )?)+;|static_cast<void>\(\w+\);|[A-Z][A-Z0-9_]+\(.*",
    re.DOTALL,
)
NOT_READ = re.compile(r"^\s*(?:#|namespace\b)|\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*\(")
MACRO_CALL = re.compile(rb"[A-Z][A-Z0-9_]+\(")
KEPT_BY_COMPILER = {b"constexpr", b"extern", b"static"}
MACRO = re.compile(
    r"^[ \t]*#[ \t]*define[ \t]+(?P<name>\w+)(?P<body>\(?(?:[^\n]*\\[ \t]*\n)*[^\n]*)", re.MULTILINE
)
NAME = re.compile(r"\b[A-Za-z_]")
# The parser does not know macros before declarations, or CUDA's keywords.
BEFORE_DECLARATION = re.compile(
    r"\b[A-Z][A-Z0-9]*_[A-Z0-9_]*\b(?= +[A-Za-z_])"
    r"|\b__(?:constant|device|forceinline|global|host|noinline|restrict|shared)__\b"
    r"|\b__launch_bounds__\([^()]*\)"
)


@dataclass
class Block:
    """The statements and declarations between two braces; each is the set of its lines.

    Macro calls and declarations with an initial value are also in ``likely``: if gcov reports
    nothing in the block, they did not run.
    """

    statements: list[set[int]] = field(default_factory=list)
    declarations: list[set[int]] = field(default_factory=list)
    likely: list[set[int]] = field(default_factory=list)


def tree(text: str) -> Node:
    """Parse the file with tree-sitter; ImportError: it is not installed."""
    import tree_sitter_cpp
    from tree_sitter import Language, Parser

    readable = BEFORE_DECLARATION.sub(blank, MACRO.sub(blank, text))
    return Parser(Language(tree_sitter_cpp.language())).parse(readable.encode()).root_node


def blank(found: re.Match[str]) -> str:
    """Replace a match with blanks, keeping its line breaks."""
    return re.sub(r"[^\n]", " ", found[0])


def descendants(root: Node) -> Iterator[Node]:
    """Yield a node and all its descendants."""
    nodes = [root]
    while nodes:
        node = nodes.pop()
        nodes += node.children
        yield node


def all_lines(node: Node) -> range:
    """Return the lines that a node spans, counted from 1."""
    # A preprocessor directive ends at the start of the next line.
    last = node.end_point[0] + (node.end_point[1] > 0)
    return range(node.start_point[0] + 1, max(last, node.start_point[0] + 1) + 1)


def bodies(node: Node) -> Iterator[Node]:
    """Yield the outermost blocks within a node."""
    for child in node.named_children:
        if child.type == "compound_statement":
            yield child
        else:
            yield from bodies(child)


def own_lines(node: Node) -> set[int]:
    """Return the lines of a statement, excluding those inside the blocks of its lambdas."""
    lines = {*all_lines(node)}
    for body in bodies(node):
        lines -= {*all_lines(body)[1:-1]}
    return lines


def head(node: Node) -> set[int]:
    """Return the lines of a condition or loop before its body."""
    body = node.child_by_field_name("consequence") or node.child_by_field_name("body")
    first = node.start_point[0] + 1
    if body is None:
        return {first}
    last = body.start_point[0] + (body.type == "compound_statement" or 0)
    lines = {*range(first, max(first, last) + 1)}
    if node.type == "do_statement":
        lines |= {*range(body.end_point[0] + 1, node.end_point[0] + 2)}
    return lines


def blocks(root: Node) -> Iterator[Block]:
    """Yield the blocks of a file; the first holds calls outside functions."""
    outside = Block()
    yield outside
    yield from inside(root, outside, within=False)


def inside(node: Node, block: Block, *, within: bool) -> Iterator[Block]:
    """Sort the descendants of a node into the block that contains them, and yield inner blocks."""
    for child in node.named_children:
        kind = child.type
        if kind == "compound_statement":
            inner = Block()
            yield inner
            yield from inside(child, inner, within=True)
            continue
        silent = MAY_BE_SILENT.fullmatch(child.text or b"")
        if kind in SIMPLE:
            spans = block.declarations if silent and within else block.statements
            if MACRO_CALL.match(child.text or b""):
                spans.append({*all_lines(child)})
                block.likely.append({*all_lines(child)})
                continue  # gcov assigns everything in its arguments to its first line
            spans.append(own_lines(child))
        elif kind in DECLARATIONS and within:
            block.declarations.append(own_lines(child))
            words = {each.text for each in child.children}
            computes = any(each.type == "init_declarator" for each in child.children)
            if computes and not words & KEPT_BY_COMPILER:
                block.likely.append(own_lines(child))
        elif kind in HEADS:
            constant = any(each.type == "constexpr" for each in child.children)
            (block.declarations if constant or silent else block.statements).append(head(child))
        yield from inside(child, block, within=within or kind in SIMPLE)


def cpp_lines(
    texts: Mapping[str, str], counts: Mapping[str, Mapping[int, int]]
) -> dict[str, Lines]:
    """Return which statement lines of some files ran, and which did not, by gcov's counts.

    The lines of a macro ran if a line that ran calls it, directly or through other macros. One
    without parameters may also be used in declarations, which do not run.
    """
    found = {name: statement_lines(text, counts[name]) for name, text in texts.items()}
    code = {name: without_comments(text) for name, text in texts.items()}
    all_macros = {name: macros(text) for name, text in code.items()}
    called = [
        text.split("\n")[line - 1]
        for name, text in code.items()
        for line in {line for line, count in counts[name].items() if count} | found[name].ran
    ]
    bodies = {word: body for each in all_macros.values() for word, (_, body) in each.items()}
    expanded = expansions(called, bodies)
    declares = [
        row
        for name, text in code.items()
        for line, row in enumerate(MACRO.sub(blank, text).split("\n"), start=1)
        if line not in found[name].idle and not row.lstrip().startswith("#")
    ]
    declared = {word for word in expansions(declares, bodies) if bodies[word][:2] != "\n("}
    for name, each in all_macros.items():
        for word, (lines, _) in each.items():
            if word in expanded:
                found[name].ran |= lines
            elif word not in declared:
                found[name].idle |= lines
    return found


def statement_lines(text: str, counts: Mapping[int, int]) -> Lines:
    """Return the lines of one file's statements, by gcov's counts."""
    ran, named = {line for line, count in counts.items() if count}, {*counts}
    root = tree(text)
    not_read = unread(root, text)
    lines = Lines(not_read & ran, not_read - ran)
    for block in list(blocks(root)):  # each is filled after it is yielded
        spans = [*block.statements, *(each for each in block.declarations if each & named)]
        spans = spans or block.likely
        for span in spans:
            (lines.ran if span & ran else lines.idle).update(span)
        if spans:  # the other declarations ran if anything in the block did
            others = set().union(*block.declarations) - set().union(*spans)
            (lines.ran if any(span & ran for span in spans) else lines.idle).update(others)
    lines.idle -= lines.ran
    return lines


def unread(root: Node, text: str) -> set[int]:
    """Return the lines that the parser does not understand: they may contain statements.

    It does not know macros that expand to declarations, so lines that call one are left out.
    """
    rows = text.split("\n")
    found: set[int] = set()
    for node in descendants(root):
        if node.is_error:
            found.update(all_lines(node))
    return {line for line in found if not NOT_READ.search(rows[line - 1])}


def macros(text: str) -> dict[str, tuple[set[int], str]]:
    """Return the lines and body of each macro of a file, except macros for constants."""
    found: dict[str, tuple[set[int], str]] = {}
    for macro in MACRO.finditer(text):
        if not macro["body"].startswith("(") and not NAME.search(macro["body"]):
            continue  # such as an include guard, or a setting tested by a header
        first = text.count("\n", 0, macro.start()) + 1
        last = first + macro[0].count("\n")
        lines, body = found.get(macro["name"], (set(), ""))  # the other branch of a conditional
        found[macro["name"]] = lines | {*range(first, last + 1)}, f"{body}\n{macro['body']}"
    return found


def expansions(texts: Iterable[str], known: Mapping[str, str]) -> set[str]:
    """Return the macros that these texts call, directly or through other macros."""
    found: set[str] = set()
    waiting = [*texts]
    while waiting:
        words = {*re.findall(r"\w+", waiting.pop())} & known.keys() - found
        found |= words
        waiting += [known[word] for word in words]
    return found

# SPDX-License-Identifier: Apache-2.0
"""Split Python and shell text into statements, and determine which ones some lines belong to."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tree_sitter import Node

SHELL_COMMANDS = {
    *("command", "declaration_command", "test_command", "unset_command", "variable_assignment"),
}
SHELL_TEXTS = {"ansi_c_string", "heredoc_body", "raw_string", "string"}
SUBSTITUTIONS = {"command_substitution", "process_substitution"}
# Nodes that pass a text on, so that an enclosing command may run it.
AROUND_TEXTS = {
    *("command", "concatenation", "heredoc_redirect", "herestring_redirect", "pipeline"),
    *("redirected_statement", "string", "variable_assignment", *SUBSTITUTIONS),
}
WRITERS = {b"cat", b"echo", b"printf", b"tee"}
NAMES_DEVICE = re.compile(r"\b(cpu|cuda|gpu)\b", re.IGNORECASE)
NEEDS_GPU = "needs a GPU"
LEAVING = (ast.Break, ast.Continue, ast.Raise, ast.Return)
FOR_CHECKERS = "only type checkers read it"
FOR_FAILURES = "it runs only where the expected error is missing"


@dataclass
class Lines:
    """The lines of a text's statements that ran, and of those that did not; counted from 1."""

    ran: set[int] = field(default_factory=set)
    idle: set[int] = field(default_factory=set)

    def add(self, other: Lines) -> None:
        """Merge with the lines of the same text from another process."""
        self.idle = (self.idle | other.idle) - self.ran - other.ran
        self.ran |= other.ran


def held_against(statements: Iterable[set[int]], traced: set[int]) -> Lines:
    """Classify statements by whether any of their lines was traced."""
    lines = Lines()
    for span in statements:
        (lines.ran if span & traced else lines.idle).update(span)
    lines.idle -= lines.ran
    return lines


def python_statements(text: str) -> Iterator[set[int]]:
    """Yield the lines of each statement; for a compound statement, those of its head.

    Parts that a statement evaluates later or not at all count separately if on separate lines.
    Docstrings do not count, nor do statements without instructions: ``global``, and ``try`` itself.
    Python removes the body of ``if False``, so compiled code cannot provide the statements.
    """
    tree = ast.parse(text)
    nodes = [each for each in ast.walk(tree) if isinstance(each, ast.stmt | ast.expr)]
    silent = without_instructions(tree)
    parts = [lines for node in nodes for lines in conditional_parts(node)]
    heads = [
        set(range(node.lineno, last_of_head(node) + 1))
        for node in nodes
        if isinstance(node, ast.stmt) and id(node) not in silent
    ]
    computed = {node.lineno for node in nodes if computes(node)}
    for span in [*heads, *parts]:
        rest = span.difference(*(part for part in parts if part < span))
        if rest & computed:  # otherwise it is only the bracket after a part
            yield rest


def without_instructions(tree: ast.AST) -> set[int]:
    """Return the ids of statements for which Python executes nothing."""
    found: set[int] = set()
    for node in ast.walk(tree):
        constant = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if constant or isinstance(node, ast.Global | ast.Nonlocal | ast.Try):
            found.add(id(node))
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            inside = (each for each in ast.walk(node) if isinstance(each, ast.AnnAssign))
            found.update(id(each) for each in inside if each.value is None)
    return found


def last_of_head(node: ast.stmt) -> int:
    """Return the last line of a statement's head, before its body."""
    body: list[Any] = getattr(node, "cases", None) or getattr(node, "body", [])
    if not body:
        return node.end_lineno or node.lineno
    first = body[0].pattern if isinstance(body[0], ast.match_case) else body[0]
    begins = [first.lineno, *(each.lineno for each in getattr(first, "decorator_list", ()))]
    last: int = min(begins) - 1
    return max(node.lineno, last)


def computes(node: ast.stmt | ast.expr) -> bool:
    """Whether a node has an instruction where it begins, which a constant may not."""
    try:
        ast.literal_eval(node)
    except (ValueError, TypeError):
        return True
    return False


def conditional_parts(node: ast.stmt | ast.expr) -> Iterator[set[int]]:
    """Yield the lines that only the conditional parts of an expression or assertion use."""
    parts: list[ast.expr] = []
    first: ast.expr | None = None  # the part that always runs
    if isinstance(node, ast.Lambda):
        parts = [node.body]
    elif isinstance(node, ast.IfExp):
        first, parts = node.test, [node.body, node.orelse]
    elif isinstance(node, ast.BoolOp):
        first, *parts = node.values
    elif isinstance(node, ast.Compare):
        first, *parts = node.comparators
    elif isinstance(node, ast.Assert) and node.msg:
        first, parts = node.test, [node.msg]
    elif isinstance(node, ast.DictComp):
        parts = [node.key, node.value]
    elif isinstance(node, ast.ListComp | ast.SetComp | ast.GeneratorExp):
        parts = [node.elt]
    if isinstance(node, ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp):
        parts += [each.iter for each in node.generators[1:]]
        parts += [test for each in node.generators for test in each.ifs]
    others = {*all_lines(first)} if first else set()
    if not isinstance(node, ast.IfExp):
        others.add(node.lineno)
    for part in parts:
        lines = {*all_lines(part)} - others
        inside = (each for each in ast.walk(part) if isinstance(each, ast.expr))
        if any(computes(each) and each.lineno in lines for each in inside):
            yield lines


def shell_tree(text: str) -> Node:
    """Parse a shell script with tree-sitter; ImportError: it is not installed."""
    import tree_sitter_bash
    from tree_sitter import Language, Parser

    return Parser(Language(tree_sitter_bash.language())).parse(text.encode()).root_node


def shell_descendants(root: Node) -> Iterator[Node]:
    """Yield a node and all its named descendants."""
    nodes = [root]
    while nodes:
        node = nodes.pop()
        nodes += node.named_children
        yield node


def shell_texts(text: str) -> Iterator[range]:
    """Yield the lines, counted from 0, of each string and here-document in a shell script."""
    for node in shell_descendants(shell_tree(text)):
        if node.type in SHELL_TEXTS:
            yield range(node.start_point[0], node.end_point[0] + 1)


def texts_for_programs(root: Node) -> Iterator[set[int]]:
    """Yield the lines that are only text to bash, passed to commands that may run it.

    A line counts for the command itself where the text starts, or where bash substitutes something.
    """
    for node in shell_descendants(root):
        if node.type not in SHELL_TEXTS or node.start_point[0] == node.end_point[0]:
            continue
        around = node
        while around.parent and around.parent.type in AROUND_TEXTS:
            around = around.parent
        inside = [*shell_descendants(node)]
        others = [each for each in shell_descendants(around) if each not in inside]
        if {each.text for each in others if each.type == "command_name"} <= WRITERS:
            continue
        rows = enumerate((node.text or b"").strip(b"\"'").split(b"\n"), node.start_point[0] + 1)
        lines = {number for number, row in rows if row.strip()}
        if node.type != "heredoc_body":
            lines.discard(node.start_point[0] + 1)
        for each in inside:
            if each.type in SUBSTITUTIONS:
                lines -= {*range(each.start_point[0] + 1, each.end_point[0] + 2)}
        if lines:
            yield lines


def shell_commands(text: str) -> Iterator[set[int]]:
    """Yield the lines of each command of a shell script; a multiline substitution has its own.

    So do texts for other programs, which bash never executes itself.
    """
    root = shell_tree(text)
    texts = [*texts_for_programs(root)]

    def walk(node: Node, *, within: bool = False) -> Iterator[set[int]]:
        if node.type in SUBSTITUTIONS:
            if node.start_point[0] == node.end_point[0]:
                return  # it ran if the enclosing command did
            within = False
        # Bash also traces arithmetic commands, which the parser treats as compound statements.
        arithmetic = node.type == "compound_statement" and (node.text or b"").startswith(b"((")
        command = not within and (node.type in SHELL_COMMANDS or arithmetic)
        children = node.named_children
        inner = [each for child in children for each in walk(child, within=within or command)]
        if command:
            span = set(range(node.start_point[0] + 1, node.end_point[0] + 2))
            yield span.difference(*inner, *texts) | {min(span)}
        yield from inner

    yield from walk(root)
    yield from texts


def reasons(text: str, ran: Iterable[int], skips: Iterable[tuple[int, str]] = ()) -> dict[int, str]:
    """Return why lines of Python text did not run: another device's branch, or a skipped test.

    In a condition that names a device, a branch is for another one if none of its lines ran, and so
    is the code after a branch that leaves the block.
    A skip is the line of a function, or of one of its decorators, and the reason.
    """
    why: dict[int, str] = {}
    ran, skipped = {*ran}, dict(skips)
    for node in ast.walk(ast.parse(text)):
        for branch in branches_on_device(node):
            lines = {line for each in branch for line in all_lines(each)}
            if not lines & ran:
                why.update(dict.fromkeys(lines, NEEDS_GPU))
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            lines = {line for each in node.body for line in all_lines(each)}
            why.update(dict.fromkeys(lines, FOR_CHECKERS))
        elif isinstance(node, ast.Try) and len(node.orelse) == 1 and fails(node.orelse[0]):
            why = dict.fromkeys(all_lines(node.orelse[0]), FOR_FAILURES) | why
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            for line in {node.lineno, *(each.lineno for each in node.decorator_list)} & {*skipped}:
                why.update(dict.fromkeys(all_lines(node), skipped[line]))
    return why


def branches_on_device(node: ast.AST) -> Iterator[Sequence[ast.stmt | ast.expr]]:
    """Yield the branches of a device condition, and the code after one that leaves its block."""
    if isinstance(node, ast.IfExp) and on_device(node.test):
        yield from ([node.body], [node.orelse])
    elif isinstance(node, ast.If) and on_device(node.test):
        yield from (node.body, node.orelse)
    blocks = [getattr(node, name, None) for name in ("body", "orelse", "finalbody")]
    for block in (each for each in blocks if isinstance(each, list)):
        for number, each in enumerate(block, start=1):
            leaves = isinstance(each, ast.If) and isinstance(each.body[-1], LEAVING)
            if leaves and on_device(each.test):
                yield block[number:]


def fails(node: ast.stmt) -> bool:
    """Whether a statement is just ``raise AssertionError("...")``."""
    match node:
        case ast.Raise(
            exc=ast.Call(func=ast.Name("AssertionError"), args=[ast.Constant(str())], keywords=[]),
            cause=None,
        ):
            return True
    return False


def on_device(test: ast.expr) -> bool:
    """Whether a condition names a device."""
    return bool(NAMES_DEVICE.search(ast.unparse(test)))


def all_lines(node: ast.stmt | ast.expr) -> range:
    """Return the lines that a statement or expression spans."""
    return range(node.lineno, (node.end_lineno or node.lineno) + 1)

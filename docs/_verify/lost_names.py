# SPDX-License-Identifier: Apache-2.0
"""Which doctests depend, by the names they use, on one that failed or was skipped."""

from __future__ import annotations

import ast


def names_of(source: str) -> tuple[set[str], set[str]]:
    """The names that an example binds and those that it uses; none of a syntax error."""
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return set(), set()
    bound: set[str] = set()
    used: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            (used if isinstance(node.ctx, ast.Load) else bound).add(node.id)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            bound.add(node.name)
        elif isinstance(node, ast.alias):
            bound.add((node.asname or node.name).partition(".")[0])
    return bound, used


class LostNames:
    """The names that no example has bound because the one that should have did not pass."""

    def __init__(self) -> None:
        self.reasons: dict[str, str] = {}

    def lose(self, source: str, reason: str) -> None:
        """Note an example that did not pass: what it binds is lost."""
        self.reasons.update(dict.fromkeys(names_of(source)[0], reason))

    def why_not(self, source: str) -> str:
        """The reason why an example cannot be run; empty if it can, and then it binds anew."""
        bound, used = names_of(source)
        for name in sorted(used - (bound - used)):
            if name in self.reasons:
                return self.reasons[name]
        for name in bound:
            self.reasons.pop(name, None)
        return ""

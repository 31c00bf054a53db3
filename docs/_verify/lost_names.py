# SPDX-License-Identifier: Apache-2.0
"""Which doctests depend, by the names they use, on one that failed or was skipped."""

from __future__ import annotations

import ast
import symtable


def names_of(source: str) -> tuple[set[str], set[str]]:
    """The names that an example binds, and those that it needs from examples before it.

    A function's parameters and local names do not count. A syntax error has no names.
    """
    bound: set[str] = set()
    needed: set[str] = set()
    try:
        for statement in ast.parse(source).body:
            binds, uses = names_in(statement)
            needed |= uses - bound
            bound |= binds
    except SyntaxError:
        return set(), set()
    return bound, needed


def names_in(statement: ast.stmt) -> tuple[set[str], set[str]]:
    """The names of the page that one statement binds, and those that it uses."""
    if isinstance(statement, ast.Delete):
        return set(), {each.id for each in ast.walk(statement) if isinstance(each, ast.Name)}
    top = symtable.symtable(ast.unparse(statement), "doctest", "exec")
    bound = {each.get_name() for each in top.get_symbols() if binds(each)}
    # The compiler counts ``x += 1`` as an assignment only.
    changed = [each.target for each in ast.walk(statement) if isinstance(each, ast.AugAssign)]
    used, tables = {each.id for each in changed if isinstance(each, ast.Name)}, [top]
    while tables:
        table = tables.pop()
        tables += table.get_children()
        used |= {
            each.get_name()
            for each in table.get_symbols()
            if each.is_referenced() and (table is top or each.is_global())
        }
    return bound, used


def binds(symbol: symtable.Symbol) -> bool:
    """Whether a statement gives a name a meaning."""
    return symbol.is_assigned() or symbol.is_imported() or symbol.is_namespace()


class LostNames:
    """The names that no example has bound because the one that should have did not pass."""

    def __init__(self) -> None:
        self.reasons: dict[str, str] = {}

    def lose(self, source: str, reason: str) -> None:
        """Note an example that did not pass: what it binds is lost."""
        self.reasons.update(dict.fromkeys(names_of(source)[0], reason))

    def why_not(self, source: str) -> str:
        """The reason why an example cannot be run; empty if it can, and then it binds anew."""
        bound, needed = names_of(source)
        for name in sorted(needed):
            if name in self.reasons:
                return self.reasons[name]
        for name in bound:
            self.reasons.pop(name, None)
        return ""

# SPDX-License-Identifier: Apache-2.0
"""Determine which doctests depend, through names, on one that failed or was skipped."""

from __future__ import annotations

import ast
import symtable


def names_of(source: str) -> tuple[set[str], set[str]]:
    """Return the names that an example binds, and those that it needs from earlier examples.

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
    """Return the page's names that one statement binds, and those that it uses."""
    if isinstance(statement, ast.Delete):
        return set(), {each.id for each in ast.walk(statement) if isinstance(each, ast.Name)}
    top = symtable.symtable(ast.unparse(statement), "doctest", "exec")
    bound = {each.get_name() for each in top.get_symbols() if binds(each)}
    # The compiler treats ``x += 1`` only as an assignment.
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
    """Whether a statement binds a name."""
    return symbol.is_assigned() or symbol.is_imported() or symbol.is_namespace()


class LostNames:
    """The names that are unbound because the example that should bind them did not pass."""

    def __init__(self) -> None:
        self.reasons: dict[str, str] = {}

    def lose(self, source: str, reason: str) -> None:
        """Record an example that did not pass: the names it binds are lost."""
        self.reasons.update(dict.fromkeys(names_of(source)[0], reason))

    def why_not(self, source: str) -> str:
        """Return why an example cannot run; empty if it can, in which case it rebinds its names."""
        bound, needed = names_of(source)
        for name in sorted(needed):
            if name in self.reasons:
                return self.reasons[name]
        for name in bound:
            self.reasons.pop(name, None)
        return ""

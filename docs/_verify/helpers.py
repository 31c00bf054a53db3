# SPDX-License-Identifier: Apache-2.0
"""Find the files that a test uses besides the test itself."""

from __future__ import annotations

import ast
from pathlib import Path

from .layout import Layout


def imported(path: Path) -> set[str]:
    """Return the names that a Python file imports anywhere; none if it cannot be parsed."""
    try:
        tree = ast.parse(path.read_text())
    except (OSError, SyntaxError, ValueError):
        return set()
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names.update(each.name for each in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            names.update([base, *(f"{base}.{each.name}".lstrip(".") for each in node.names)])
    return names


def modules_beside(path: Path) -> set[Path]:
    """Return the files of the same folder, and of packages in it, that a file imports."""
    found: set[Path] = set()
    for name in imported(path):
        part = path.parent.joinpath(*name.split("."))
        found.update(each for each in (part.with_suffix(".py"), part / "__init__.py"))
    return {each for each in found if each.is_file()}


def helpers_of(layout: Layout, test: str) -> list[str]:
    """Return the conftest.py files above a test, and local modules that they or the test import."""
    path = layout.root / test
    folders = [folder for folder in path.parents if folder.is_relative_to(layout.root)]
    waiting = [path, *(folder / "conftest.py" for folder in folders)]
    found: set[Path] = set()
    while waiting:
        current = waiting.pop()
        if current not in found and current.is_file():
            found.add(current)
            waiting += modules_beside(current)
    return sorted(layout.relative(each) for each in found - {path})

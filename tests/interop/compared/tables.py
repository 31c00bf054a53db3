# SPDX-License-Identifier: Apache-2.0
"""Make the tables of all public names of both packages."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from .compare import compare
from .declarations import Reader
from .names import Names, add
from .python_package import read_packages
from .tools import cmake, commands


def make_tables(pythons: dict[str, str], root: Path) -> dict[str, Any]:
    """The published version, and a row for each name, by the language that has it."""
    packages = read_packages(pythons, root)
    readers = {kind: Reader(each.folder / "include") for kind, each in packages.items()}
    add_inherited(readers["ours"], readers["published"])
    add_inherited(readers["published"], readers["ours"])
    found: dict[str, dict[str, Names]] = {}
    for kind, package in packages.items():
        reader = readers[kind]
        headers: Names = {}
        for header in reader.headers:
            add(headers, header, "header", header.rpartition("/")[0])
        found[kind] = {
            "headers": headers,
            "c": reader.c,
            "macros": reader.macros,
            "cpp": reader.cpp,
            "python": package.names,
            "globals": package.globals,
            "commands": commands(pythons[kind], package.scripts),
            "cmake": cmake(package.folder),
        }
    tables = {
        table: compare(names, found["ours"][table]) for table, names in found["published"].items()
    }
    return {"published": packages["published"].version, "tables": tables}


def add_inherited(reader: Reader, other: Reader) -> None:
    """Count what a class inherits from the standard library, where the other package has it."""
    for name, entry in other.cpp.items():
        if name not in reader.cpp and name in reader.inherited:
            add(reader.cpp, name, entry.kind, reader.inherited[name].place)

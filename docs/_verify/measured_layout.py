# SPDX-License-Identifier: Apache-2.0
"""The offsets of struct fields, parsed from the output of a compiled program."""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass

STRUCT = re.compile(r"^(\w+): (\d+) bytes$")
FIELD = re.compile(r"^ +(\d+) +(\d+)  (\w+)$")


@dataclass(frozen=True)
class Field:
    """One field: its first byte and its size."""

    name: str
    offset: int
    size: int

    @property
    def end(self) -> int:
        """The first byte after it."""
        return self.offset + self.size


@dataclass(frozen=True)
class Struct:
    """One struct, with its fields in offset order."""

    name: str
    size: int
    fields: tuple[Field, ...]


@dataclass(frozen=True)
class Column:
    """One drawing: adjacent structs; None is a pointer to the next one."""

    title: str
    note: str
    parts: list[Struct | None]


def read_structs(text: str) -> dict[str, Struct]:
    """Parse the program's lines: ``NAME: SIZE bytes``, then ``OFFSET SIZE FIELD``.

    ValueError: the text contains no struct.
    """
    found: dict[str, Struct] = {}
    name, size = "", 0
    for line in text.splitlines():
        if match := STRUCT.match(line):
            name, size = match[1], int(match[2])
            found[name] = Struct(name, size, ())
        elif name and (match := FIELD.match(line)):
            field = Field(match[3], int(match[1]), int(match[2]))
            found[name] = Struct(name, size, (*found[name].fields, field))
    if not found:
        raise ValueError("expected the output of the program that measures, got no struct")
    return found


def struct_of(structs: dict[str, Struct], name: str, wanted: list[str]) -> Struct:
    """Return one struct with the wanted fields, or with all of them.

    ValueError: it was not measured, or two of the fields share bytes.
    """
    if name not in structs:
        raise ValueError(f"expected a struct that was measured, got {name!r}")
    struct = structs[name]
    names = [field.name for field in struct.fields]
    if missing := [each for each in wanted if each not in names]:
        raise ValueError(f"{name}: expected fields among {', '.join(names)}, got {missing[0]!r}")
    fields = [field for field in struct.fields if not wanted or field.name in wanted]
    fields.sort(key=lambda field: field.offset)
    for before, after in itertools.pairwise(fields):
        if after.offset < before.end:
            raise ValueError(f"{name}: {before.name} and {after.name} share bytes: choose one")
    return Struct(name, struct.size, tuple(fields))


def placed(column: Column) -> list[tuple[Struct, int]]:
    """Return each struct with its first byte; after a pointer the count restarts."""
    found, at = [], 0
    for part in column.parts:
        if part is None:
            at = 0
        else:
            found.append((part, at))
            at += part.size
    return found


def text_of(column: Column) -> str:
    """Describe the column: each struct, and each field with its first and last byte."""
    lines = [f"{column.title}: {column.note}" if column.note else column.title]
    for struct, at in placed(column):
        lines.append(f"  {struct.name}, {struct.size} bytes")
        for field in struct.fields:
            lines.append(f"    {at + field.offset:2} to {at + field.end - 1:2}  {field.name}")
    return "\n".join(lines)

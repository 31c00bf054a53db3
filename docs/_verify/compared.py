# SPDX-License-Identifier: Apache-2.0
"""The table of all public names of this package and the published one, with the reasons."""

from __future__ import annotations

import fnmatch
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tomllib

NAMES = "docs/compared/names.json"
REASONS = "docs/compared/reasons.toml"
SAME, DIFFERS, ONLY_THERE, ONLY_HERE = "same", "differs", "only there", "only here"
STATES = (SAME, DIFFERS, ONLY_THERE, ONLY_HERE)
Row = dict[str, Any]


@dataclass(frozen=True)
class Reason:
    """Why names of one table, selected by patterns, are in one state."""

    table: str
    state: str
    names: tuple[str, ...]
    places: tuple[str, ...]
    why: str

    def fits(self, row: Row) -> bool:
        """Whether a pattern matches the name, or the place that declares it."""
        return any(matches(row["name"], each) for each in self.names) or any(
            matches(row["place"], each) for each in self.places
        )


@dataclass(frozen=True)
class Compared:
    """Rows by table, and the reasons in file order."""

    published: str
    tables: dict[str, list[Row]]
    reasons: list[Reason]

    def reason_for(self, table: str, row: Row) -> str:
        """Return the first reason for a row; empty if there is none."""
        fitting = (
            each.why
            for each in self.reasons
            if each.table == table and each.state == row["state"] and each.fits(row)
        )
        return next(fitting, "")

    def problems(self) -> list[str]:
        """Return names without a reason, and reasons without a name.

        A pattern for names that are only there may also match names added here since.
        """
        found = []
        for table, rows in self.tables.items():
            for row in rows:
                if row["state"] in (DIFFERS, ONLY_THERE) and not self.reason_for(table, row):
                    said = "differs" if row["state"] == DIFFERS else "is only there"
                    found.append(f"{REASONS}: {table}: {row['name']} {said}, without a reason")
        for reason in self.reasons:
            rows = self.tables.get(reason.table, [])
            if reason.state == DIFFERS:
                rows = [row for row in rows if row["state"] == DIFFERS]
            for kind, patterns in (("name", reason.names), ("place", reason.places)):
                for pattern in patterns:
                    if not any(matches(row[kind], pattern) for row in rows):
                        said = f"no {kind} for the pattern {pattern!r} of {reason.state!r}"
                        found.append(f"{REASONS}: {reason.table}: {said}: {reason.why}")
        return found


def matches(text: str, pattern: str) -> bool:
    """Whether a text matches a pattern in which * stands for any text."""
    escaped = pattern.replace("[", "[[]").replace("?", "[?]")
    return fnmatch.fnmatchcase(text, escaped)


def read_reasons(text: str) -> list[Reason]:
    """Parse the reasons of a file.

    ValueError: an entry lacks a key or has an unknown one.
    """
    found = []
    for key, entries in tomllib.loads(text).items():
        state = key.replace("_", " ")
        if state not in (DIFFERS, ONLY_THERE):
            raise ValueError(f"{REASONS}: expected [[differs]] or [[only_there]], got [[{key}]]")
        for entry in entries:
            if not {"table", "why"} <= {*entry} <= {"table", "why", "names", "places"}:
                said = "expected table, why, and names or places"
                raise ValueError(f"{REASONS}: [[{key}]]: {said}, got {', '.join(entry)}")
            patterns = tuple(entry.get("names", ())), tuple(entry.get("places", ()))
            found.append(Reason(entry["table"], state, *patterns, entry["why"]))
    return found


def read_compared(root: Path) -> Compared:
    """Read the committed table and its reasons."""
    data = json.loads((root / NAMES).read_text())
    reasons = read_reasons((root / REASONS).read_text())
    return Compared(data["published"], data["tables"], reasons)


def as_text(data: dict[str, Any]) -> str:
    """Format the table as in its file: one line per name, so that changes can be merged."""
    lines = ["{", f'"published": {json.dumps(data["published"])},', '"tables": {']
    tables = []
    for table, rows in data["tables"].items():
        inside = ",\n".join(json.dumps(row) for row in rows)
        tables.append(f"{json.dumps(table)}: [\n{inside}\n]")
    return "\n".join([*lines, ",\n".join(tables), "}", "}"]) + "\n"

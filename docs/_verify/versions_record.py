# SPDX-License-Identifier: Apache-2.0
"""Which release runs which examples, per ``nox -s versions``: docs/compared/versions.json."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from .closure import RUNTIME, Closure, closure_of
from .examples import example_files

RECORD = "docs/compared/versions.json"
OK = "ok"
OURS = "ours"
NO_RESULT = "had no result"  # in time: it says nothing about the example
SHOWN = 3  # changed files to name
# Names, in a record and on the pages, of the two kinds of libraries tried under each release.
KINDS = {"ours": "our headers", "published": "published headers"}

PARTS = (*KINDS, "reverse")
KIND_NAMES = {
    "python": "Python",
    "C function": "C function",
    "header": "C++ header",
    "macro": "C++ macro",
}

Results = dict[str, str]  # by example


def made_now(root: Path) -> Closure:
    """Return the hashes of a record's inputs: the runtime and the examples."""
    return closure_of(root, {RUNTIME, *example_files(root)})


def record_of(root: Path) -> dict[str, Any] | None:
    """Return the committed record, if it exists."""
    path = root / RECORD
    return json.loads(path.read_text()) if path.is_file() else None


def why_stale(root: Path, record: dict[str, Any]) -> str:
    """Return what has changed since the record was made; empty if nothing has."""
    then, now = record["made_of"], made_now(root)
    changed = sorted(name for name in {*then, *now} if then.get(name) != now.get(name))
    more = f" and {len(changed) - SHOWN} more" if len(changed) > SHOWN else ""
    return f"changed since then: {', '.join(changed[:SHOWN])}{more}" if changed else ""


def gaps(record: dict[str, Any]) -> list[str]:
    """Return cells without a result, and missing rows: none in a good record."""
    found = []
    for part in PARTS:
        tried = record["tried"][part]
        for release in [*tried, *([OURS] if tried and part in KINDS else [])]:
            cells = rows_of(record, part).get(release, {})
            for name in record["examples"]:
                if (cells.get(name) or NO_RESULT).startswith(NO_RESULT):
                    found.append(f"{part}, {release}: {name}")
    for feature, by_release in record["features"].items():
        found += [f"{feature}: {r}" for r in record["releases"] if not by_release.get(r)]
    return found


def in_short(cells: Results | None) -> str:
    """Return how many of the examples run."""
    if cells is None:
        return "not tried"
    return f"{sum(result == OK for result in cells.values())} of {len(cells)}"


def summary_of(record: dict[str, Any]) -> tuple[list[str], list[list[str]]]:
    """Return the headings and rows, newest release first: how many examples run each way."""
    headings = ["Release", *(f"{name}, under it" for name in KINDS.values())]
    headings.append("its headers, under this runtime")
    rows = [
        [
            release,
            *(in_short(rows_of(record, part).get(release)) for part in PARTS),
        ]
        for release in reversed(record["releases"])
    ]
    return headings, rows


def rows_of(record: dict[str, Any], part: str) -> dict[str, Results]:
    """Return the results of one matrix, by release: ``ours``, ``published`` or ``reverse``."""
    rows: dict[str, Results] = record["under ours"] if part == "reverse" else record["under"][part]
    return rows


def failures_of(record: dict[str, Any]) -> dict[str, list[tuple[str, str, list[str]]]]:
    """Return each error, and where it occurs: the matrix, the example and its releases."""
    found: dict[str, dict[tuple[str, str], list[str]]] = {}
    for part in PARTS:
        for release in [*record["releases"], OURS]:
            for name, result in rows_of(record, part).get(release, {}).items():
                if result != OK:
                    found.setdefault(result, {}).setdefault((part, name), []).append(release)
    return {e: [(*key, releases) for key, releases in seen.items()] for e, seen in found.items()}


def matrix_of(record: dict[str, Any], part: str) -> tuple[list[str], list[list[str]]]:
    """Return headings and rows of a matrix, newest release first: "yes", or an error's number.

    Our own runtime, if it runs the matrix, comes first.
    """
    numbers = {error: number for number, error in enumerate(failures_of(record), start=1)}
    rows = rows_of(record, part)
    names = {OURS: "this runtime"}
    return ["Release", *record["examples"]], [
        [
            names.get(release, release),
            *(
                "yes" if (found := rows[release][name]) == OK else f"no ({numbers[found]})"
                for name in record["examples"]
            ),
        ]
        for release in [OURS, *reversed(record["releases"])]
        if release in rows
    ]


def features_of(record: dict[str, Any]) -> tuple[list[str], list[list[str]]]:
    """Return the headings and rows: the first release with each feature."""
    rows = []
    for title, results in record["features"].items():
        kind, _, name = title.rpartition(" ")
        rows.append([name, KIND_NAMES[kind], since(record, results)])
    return ["Feature", "Kind", "Since"], rows


def since(record: dict[str, Any], results: dict[str, str]) -> str:
    """Return the first release from which on all releases are good, as text."""
    first = first_good(record["releases"], results)
    if not first:
        return "no release"
    return f"{first}, the oldest tried" if first == record["releases"][0] else first


def first_good(releases: list[str], results: dict[str, str]) -> str:
    """Return the first release from which on all are good; empty if the newest is not."""
    first = ""
    for release in reversed(releases):
        if results[release] != OK:
            break
        first = release
    return first


def first_for_all(record: dict[str, Any], kind: str, leave_out: frozenset[str]) -> str:
    """Return the first release from which on all examples of a kind run, but those left out."""
    results = {
        release: OK if all(r == OK for n, r in cells.items() if n not in leave_out) else "no"
        for release, cells in record["under"][kind].items()
    }
    return first_good(record["tried"][kind], results)


def never_run(record: dict[str, Any], kind: str) -> frozenset[str]:
    """Return the examples that no release runs, such as one that needs the store."""
    rows = [record["under"][kind][release] for release in record["tried"][kind]]
    return frozenset(n for n in record["examples"] if all(cells[n] != OK for cells in rows))


def missing_symbols(record: dict[str, Any], kind: str) -> dict[str, tuple[list[str], str]]:
    """Return C functions imported but missing in some release: importers, first release."""
    found = {}
    for symbol, importers in record["imports"][kind].items():
        has = {r: OK if symbol not in record["missing"][r] else "no" for r in record["releases"]}
        if any(result != OK for result in has.values()):
            found[symbol] = (importers, first_good(record["releases"], has))
    return found


def first_with_all_symbols(record: dict[str, Any], kind: str) -> str:
    """Return the first release from which on no imported C function is missing."""
    wanted = {*record["imports"][kind]}
    has = {r: "no" if wanted & {*record["missing"][r]} else OK for r in record["releases"]}
    return first_good(record["releases"], has)

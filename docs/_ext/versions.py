# SPDX-License-Identifier: Apache-2.0
"""The directive ``versions``: which release runs which examples, per ``nox -s versions``."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from _verify.closure import runtime_files
from _verify.examples import example_files
from _verify.versions_record import (
    KINDS,
    OURS,
    PARTS,
    RECORD,
    failures_of,
    features_of,
    first_for_all,
    first_with_all_symbols,
    matrix_of,
    missing_symbols,
    never_run,
    record_of,
    rows_of,
    summary_of,
    why_stale,
)
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from sphinx.util.typing import ExtensionMetadata

from .verification import table

NOT_YET = "Not tried yet: nox -s versions."
WHERE = {"reverse": "built with the headers of", **{k: f"{v}, under" for k, v in KINDS.items()}}


def paragraph(text: str) -> nodes.paragraph:
    """Return a paragraph of plain text."""
    return nodes.paragraph("", text)


def circumstances_of(record: dict[str, Any]) -> str:
    """Return where, when and with which tools a record was created."""
    versions = {**record["versions"]}
    commit, modified = versions.pop("commit", ""), versions.pop("modified", "no")
    tools = [f"{name} {value}" for name, value in versions.items() if value]
    changes = " with changes" if modified == "yes" else ""
    tools += [f"commit {commit[:12]}{changes}"] if commit else []
    return f"Tried on {record['date']}: {'; '.join([record['machine'], *tools])}."


def overview(root: Path, record: dict[str, Any]) -> list[nodes.Node]:
    """Return how many examples run each way, where they were tried, and whether on this tree."""
    made: list[nodes.Node] = [summary_table(record)]
    made.append(nodes.paragraph("", "", nodes.emphasis("", circumstances_of(record))))
    if why := why_stale(root, record):
        made.append(nodes.warning("", paragraph(f"These results are not of this tree: {why}.")))
    return made


def summary_table(record: dict[str, Any]) -> nodes.table:
    """Return how many examples run each way."""
    headings, rows = summary_of(record)
    return table(headings, [list(row) for row in rows])


def answers(root: Path, record: dict[str, Any]) -> list[nodes.Node]:
    """Return the first release from which on all examples run, for either kind of library."""
    told = []
    for kind, name in KINDS.items():
        whole = first_with_all_symbols(record, kind)
        told.append(
            f"{whole or 'No release'} is the first release that has every C function which the "
            f"examples import when they are built with {name}."
        )
        if not record["tried"][kind]:
            continue
        never = never_run(record, kind)
        first = first_for_all(record, kind, never)
        since = f"{first} and later" if first else "not even the newest release"
        but = f", apart from {', '.join(sorted(never))}, which none runs" if never else ""
        tried, offered = len(record["tried"][kind]), len(record["releases"])
        of = f" (tried: {tried} of {offered} releases)" if tried < offered else ""
        told.append(f"All examples that are built with {name} run under: {since}{but}{of}.")
    return [nodes.bullet_list("", *(nodes.list_item("", paragraph(text)) for text in told))]


def matrix(root: Path, record: dict[str, Any], part: str) -> list[nodes.Node]:
    """Return one matrix: a row for each release, a column for each example."""
    headings, rows = matrix_of(record, part)
    made = table(headings, [list(row) for row in rows])
    made["classes"].append("versions")
    left_out = [release for release in record["releases"] if release not in rows_of(record, part)]
    what = "with the headers of " if part == "reverse" else "under "
    not_tried = [paragraph(f"Not tried {what}{', '.join(left_out)}.")] if left_out else []
    return [*([made] if rows else []), *not_tried]


def failures(root: Path, record: dict[str, Any]) -> list[nodes.Node]:
    """Return the meaning of each number in the matrices."""
    rows: list[list[str | nodes.Node]] = []
    for number, (error, places) in enumerate(failures_of(record).items(), start=1):
        grouped: dict[tuple[str, str], list[str]] = {}
        for part, name, releases in places:
            grouped.setdefault((part, in_words(record, releases)), []).append(name)
        seen = [f"{', '.join(names)} ({WHERE[p]} {r})" for (p, r), names in grouped.items()]
        rows.append([str(number), error, "; ".join(seen)])
    return [table(["Number", "Error", "Example"], rows)] if rows else [paragraph("None.")]


def in_words(record: dict[str, Any], releases: list[str]) -> str:
    """Format consecutive releases as the first and the last."""
    order = [*record["releases"], OURS]
    places = [order.index(release) for release in releases]
    names = ["this runtime" if release == OURS else release for release in releases]
    if len(places) > 2 and places[-1] - places[0] == len(places) - 1:
        return f"{names[0]} to {names[-1]}"
    return ", ".join(names)


def symbols(root: Path, record: dict[str, Any]) -> list[nodes.Node]:
    """Return the C functions imported with our headers that some release lacks."""
    rows: list[list[str | nodes.Node]] = [
        [symbol, first or "no release", ", ".join(importers)]
        for symbol, (importers, first) in missing_symbols(record, "ours").items()
    ]
    return [table(["C function", "Since", "Imported by"], rows)] if rows else [paragraph("None.")]


def features(root: Path, record: dict[str, Any]) -> list[nodes.Node]:
    """Return the first release with each feature that the guide uses."""
    if not record["features"]:
        return [paragraph(NOT_YET)]
    headings, rows = features_of(record)
    return [table(headings, [list(row) for row in rows])]


SHOWN: dict[str, Callable[[Path, dict[str, Any]], list[nodes.Node]]] = {
    "overview": overview,
    "answers": answers,
    "failures": failures,
    "symbols": symbols,
    "features": features,
}


class Versions(SphinxDirective):
    """Shows one part of the record, such as ``overview`` or the matrix ``ours``."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Create the part, or name the session that does."""
        part = self.arguments[0]
        if part not in {*SHOWN, *PARTS}:
            raise self.error(f"versions: expected one of {[*SHOWN, *PARTS]}, got {part!r}")
        root = Path(self.config.verify_root)
        for name in {RECORD, *runtime_files(root), *example_files(root)}:
            self.env.note_dependency(str(root / name))
        record = record_of(root)
        if record is None:
            return [paragraph(NOT_YET)]
        return matrix(root, record, part) if part in PARTS else SHOWN[part](root, record)


def setup(app: Sphinx) -> ExtensionMetadata:
    """Register the directive."""
    app.setup_extension("_ext.evidence_of_build")
    app.add_directive("versions", Versions)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

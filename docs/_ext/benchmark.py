# SPDX-License-Identifier: Apache-2.0
"""The directive ``benchmark``: plots and a table of measurements, with their place and date."""

from __future__ import annotations

from html import unescape
from pathlib import Path
from typing import Any

from _verify.benchmark_record import (
    architectures_of,
    circumstances_of,
    coverage_of,
    files_of,
    kernels_of,
    leaks_of,
    peers_of,
    record_of,
    soak_of,
    table_of,
    why_stale,
)
from _verify.closure import runtime_files
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from sphinx.util.typing import ExtensionMetadata

from .made_html import MadeHtml, folded
from .plot import Bar, bars, strips
from .verification import table

TITLES = {
    "calls": "Time of a call, this runtime against the published one",
    "instructions": "Instructions of a call, this runtime against the published one",
    "slim": "A minimal kernel file, with these headers against the published ones",
}
TABLES = {
    "architectures": architectures_of,
    "coverage": coverage_of,
    "leaks": leaks_of,
    "peers": peers_of,
    "soak": soak_of,
}
COMMANDS = {"coverage": "nox -s coverage", "soak": "nox -s soak"}
KERNEL_TITLES = {
    "of a copy": "Speed of each kernel beside a plain copy",
    "beside PyTorch": "Speed of each kernel beside PyTorch's operator",
}


def plots_of(part: str, record: dict[str, Any]) -> list[list[str]]:
    """Return, for each table of the part, the plots that precede it."""
    if part in TITLES:
        groups: dict[str, list[Bar]] = {}
        for name, row in record["measured"].items():
            title = " ".join([TITLES[part].partition(",")[0], row.get("group", "")]).strip()
            title += "," + TITLES[part].partition(",")[2]
            limit = row["ratio"] / row["of limit"] if "of limit" in row else None
            bar = Bar(name, row["ours"], row["published"], row["ratio"], limit)
            groups.setdefault(title, []).append(bar)
        return [[bars(title, rows) for title, rows in groups.items()]]
    if part != "kernels":
        return [[]]
    return [
        [
            strips(f"{title} ({device})", rows)
            for key, title in KERNEL_TITLES.items()
            if (rows := values_of(measured["kernels"], key))
        ]
        for device, measured in record["devices"].items()
    ]


def values_of(kernels: dict[str, Any], key: str) -> dict[str, list[tuple[str, float]]]:
    """Return the value of each case, for each kernel that has such values."""
    found = {
        kernel: [(row["case"], row[key]) for row in rows if key in row]
        for kernel, rows in kernels.items()
    }
    return {kernel: values for kernel, values in found.items() if values}


def warnings_of(root: Path, part: str, measured: dict[str, Any]) -> list[nodes.Node]:
    """Return a warning if the measured tree differs from this one."""
    why = why_stale(root, part, measured)
    stale = nodes.paragraph("", f"These figures are not of this tree: {why}.")
    return [nodes.warning("", stale)] if why else []


class Benchmark(SphinxDirective):
    """Shows one part, such as ``calls``: the name of a file in docs/benchmarks."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Create the plots and the table, or name the session that does."""
        part = self.arguments[0]
        root = Path(self.config.verify_root)
        files = {f"docs/benchmarks/{part}.json", *runtime_files(root), *files_of(root, part)}
        for name in files:
            self.env.note_dependency(str(root / name))
        record = record_of(root, part)
        if record is None:
            command = COMMANDS.get(part, f"nox -s bench -- {part}")
            return [nodes.paragraph("", f"Not measured yet: {command}.")]
        if part == "kernels":
            tables = kernels_of(record)
        else:
            tables = [(*TABLES.get(part, table_of)(record), record)]
        shown: list[nodes.Node] = []
        for plots, (headings, rows, measured) in zip(plots_of(part, record), tables, strict=True):
            for plot in plots:
                title = plot.partition("<title>")[2].partition("</title>")[0]
                shown.append(nodes.rubric("", unescape(title)))
                shown.append(MadeHtml("", before=plot, after=""))
            numbers = table(headings, [list(row) for row in rows])
            shown.append(
                folded(f"All {len(rows)} rows in numbers", [numbers]) if plots else numbers
            )
            where = nodes.paragraph("", "", nodes.emphasis("", circumstances_of(measured)))
            shown.append(where)
            shown += warnings_of(root, part, measured)
        return shown


def setup(app: Sphinx) -> ExtensionMetadata:
    """Register the directive."""
    app.setup_extension("_ext.evidence_of_build")
    app.setup_extension("_ext.made_html")
    app.add_directive("benchmark", Benchmark)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

# SPDX-License-Identifier: Apache-2.0
"""The tables printed after a run: what was verified, on which device, and what was left out."""

from __future__ import annotations

import json
import textwrap

from .evidence import Evidence, gpu_runs, short
from .examples import VARIANTS, Example, Variant, find_examples
from .layout import Layout
from .receipts import COMPILED, RAN_ON_CPU, RAN_ON_GPU

COLUMNS = ("g++", "nvcc", RAN_ON_CPU, RAN_ON_GPU)
NOT_YET = "not yet"


def cell(evidence: Evidence, example: Example, variant: Variant, level: str) -> str:
    """Return the text of a cell: the tool, the device and the date, or why there is none."""
    source = example.source(variant)
    receipts = [receipt for receipt in evidence.of(source) if receipt.level == level]
    if receipts and level == COMPILED:
        receipt = receipts[0]
        targets = f" for {', '.join(receipt.targets)}" if receipt.targets else ""
        return f"{short(receipt.tools[example.compiler(variant)])}{targets}"
    earlier = evidence.with_earlier_runtime.of(source) if level == RAN_ON_GPU else []
    if runs := gpu_runs(receipts, earlier):
        return "; ".join(run.removeprefix(RAN_ON_GPU).lstrip(": ") for run in runs)
    if receipts:
        return receipts[0].date
    for failure in evidence.failures:
        if failure.subject == source and failure.level == level:
            return f"failed: {failure.reason}"
    return NOT_YET


def example_rows(evidence: Evidence) -> list[list[str]]:
    """Return one row per example: its name and a cell for each column."""
    cpu, cuda = VARIANTS
    return [
        [
            example.name,
            cell(evidence, example, cpu, COMPILED),
            cell(evidence, example, cuda, COMPILED),
            cell(evidence, example, cpu, RAN_ON_CPU),
            cell(evidence, example, cuda, RAN_ON_GPU),
        ]
        for example in find_examples(evidence.layout)
    ]


def aligned(rows: list[list[str]]) -> str:
    """Return rows of text in aligned columns."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines = ("  ".join(text.ljust(w) for text, w in zip(row, widths, strict=True)) for row in rows)
    return "\n".join(line.rstrip() for line in lines)


def summary(evidence: Evidence) -> str:
    """Summarize a run of the examples and pages; failures come last, with their last lines."""
    parts = ["Examples", aligned([["", *COLUMNS], *example_rows(evidence)])]
    doctests = {
        (receipt.subject, line)
        for receipt in evidence.receipts
        for lines in receipt.doctests.values()
        for line in lines
        if line
    }
    pages = {subject for subject, _ in doctests}
    parts.append(f"Doctests: {len(doctests)} examples passed on {len(pages)} pages")
    if evidence.skips:
        rows = sorted({(skip.subject, skip.level, skip.reason) for skip in evidence.skips})
        parts += ["Skipped", aligned([list(row) for row in rows])]
    return "\n".join(part for part in [*parts, failed(evidence)] if part)


def failed(evidence: Evidence) -> str:
    """Return the failures, each with its last lines."""
    parts = []
    for failure in evidence.failures:
        parts.append(f"FAILED {failure.subject} ({failure.level}): {failure.reason}")
        parts.append(textwrap.indent(failure.tail, "    "))
    return "\n".join(part for part in parts if part)


def final_table(layout: Layout) -> str:
    """Return the table of the latest successful site: examples, snippets, and the site's path."""
    evidence = Evidence.load(layout)
    snippets = json.loads(layout.snippets.read_text())
    rows = [[f"{s['page']}:{s['line'] or ''}", s["shows"], s["state"]] for s in snippets]
    verified = sum(snippet["verified"] for snippet in snippets)
    parts = [summary(evidence)]
    if rows:
        parts += ["Snippets", aligned(rows)]
    parts.append(f"snippets verified = {verified} of {len(snippets)} shown")
    if layout.partial.exists():
        parts += ["This site is partial. Not run here:", layout.partial.read_text().rstrip()]
    parts.append(f"site: {layout.build / 'site' / 'index.html'}")
    return "\n".join(parts)

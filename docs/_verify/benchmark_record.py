# SPDX-License-Identifier: Apache-2.0
"""What ``nox -s bench`` measured: docs/benchmarks/*.json, committed from a quiet machine."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def record_of(root: Path, part: str) -> dict[str, Any] | None:
    """The record of one part, if there is one."""
    path = root / "docs" / "benchmarks" / f"{part}.json"
    return json.loads(path.read_text()) if path.is_file() else None


def table_of(record: dict[str, Any]) -> tuple[list[str], list[list[str]]]:
    """The headings and the rows: each quantity of ours, of the published package, and the ratio."""
    rows = [
        [name, f"{row['ours']:,}", f"{row['published']:,}", f"{row['ratio']:.3g}"]
        for name, row in record["measured"].items()
    ]
    if "geometric mean" in record:
        rows.append(["geometric mean, trusted mode aside", "", "", f"{record['geometric mean']}"])
    return ["", "this runtime", "published", "ratio"], rows


def leaks_of(record: dict[str, Any]) -> tuple[list[str], list[list[str]]]:
    """The headings and the rows: what the calls of each row of the benchmark left behind."""
    rows = [
        [name, ", ".join(f"{change:+,} {what}" for what, change in left.items()) or "nothing"]
        for name, left in record["left behind"].items()
    ]
    return ["", "left behind"], rows


def kernels_of(record: dict[str, Any]) -> list[tuple[list[str], list[list[str]], str]]:
    """For each device, the headings, the rows and the circumstances: what each kernel reaches."""
    headings = ["Kernel", "Case", "GB/s", "of a copy", "beside PyTorch"]
    return [
        (
            headings,
            [
                [
                    kernel,
                    row["case"],
                    *(f"{row[head]}" if head in row else "" for head in headings[2:]),
                ]
                for kernel, rows in part["kernels"].items()
                for row in rows
            ],
            circumstances_of(part),
        )
        for part in record["devices"].values()
    ]


def circumstances_of(record: dict[str, Any]) -> str:
    """Where, when and with what it was measured, and what was aimed at."""
    versions = {**record.get("versions", {})}
    commit, modified = versions.pop("commit", ""), versions.pop("modified", "no")
    parts = [record["machine"], *(f"{name} {value}" for name, value in versions.items() if value)]
    if commit:
        parts.append(f"commit {commit[:12]}" + (" with changes" if modified == "yes" else ""))
    measured = f"Measured on {record['date']}: {'; '.join(parts)}."
    targets = [f"{name} {limit:,}" for name, limit in record.get("targets", {}).items()]
    return f"{measured} At most: {'; '.join(targets)}." if targets else measured

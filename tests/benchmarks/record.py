# SPDX-License-Identifier: Apache-2.0
"""Shared by the benchmarks: where and when they ran, and how they end."""

from __future__ import annotations

import datetime
import json
import os
import platform
import sys
from collections.abc import Collection
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "docs"))

from _verify.benchmark_record import measured_now  # noqa: E402  (in a folder that was just named)
from _verify.table import aligned  # noqa: E402
from _verify.tools import answer, cpu_name, find_nvcc, runtime_commit  # noqa: E402

__all__ = ["ROOT", "answer", "circumstances", "find_nvcc", "finish"]


def circumstances(part: str, versions: dict[str, str], gpu: str = "") -> dict[str, object]:
    """Return when, on which machine, with which versions and from which files a record was made."""
    system = f"{cpu_name()}, {os.cpu_count()} cores, {platform.system()}"
    return {
        "date": datetime.date.today().isoformat(),
        "machine": f"{gpu}, {system}" if gpu else system,
        "versions": {**versions, **runtime_commit(ROOT)},
        "made_of": measured_now(ROOT, part),
    }


def finish(
    path: Path | None, record: dict[str, object], rows: list[list[str]], missed: Collection[str]
) -> int:
    """Print the rows, write the record if it has a path; return 1 if a limit was missed, or 0."""
    if rows:
        print(aligned(rows))
    if path:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(record, indent=1) + "\n")
    if missed:
        print(f"missed: {'; '.join(missed)}")
    return bool(missed)

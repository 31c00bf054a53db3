# SPDX-License-Identifier: Apache-2.0
"""The interop table: its cases, its columns, and how a cell comes about."""

from __future__ import annotations

import ast
import json
import os
import re
import shlex
import subprocess
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
CASES = HERE / "cases"
KINDS = ("ours", "published")
CPP_CASE = re.compile(r'^INTEROP_CASE\((\w+), [\w()]+,\s*"([^"]*)"\);', re.MULTILINE)
# The order of the table's rows; each theme has a file of C++ cases, one of Python cases, or both.
THEMES = (
    *("values", "tensors", "sequences", "maps", "stl", "functions", "errors", "expected"),
    *("objects", "reflection", "modules", "streams", "storage"),
)
FLAGS = "-shared -fPIC -O1 -w"


@dataclass(frozen=True)
class Column:
    """Whose headers built the libraries that make values and that look at them; the runtime."""

    makers: str
    checkers: str
    runtime: str

    @property
    def title(self) -> str:
        """What stands above the column."""
        if self.makers == self.checkers:
            return f"{self.makers} under {self.runtime}"
        return f"{self.makers} to {self.checkers} under {self.runtime}"


COLUMNS = [Column(h, h, r) for h in KINDS for r in KINDS]
CROSSINGS = [Column(a, b, r) for a, b in (KINDS, KINDS[::-1]) for r in KINDS]


def find_cases() -> dict[str, str]:
    """The titles of all cases, by the name that run_cases.py takes."""
    found = {
        f"cpp:{source.stem}:{name}": title
        for source in sorted(CASES.glob("*.cc"))
        for name, title in CPP_CASE.findall(source.read_text())
    }
    for source in sorted((HERE / "python_cases").glob("*.py")):
        for node in ast.parse(source.read_text()).body:
            if isinstance(node, ast.FunctionDef) and any(
                isinstance(d, ast.Name) and d.id == "case" for d in node.decorator_list
            ):
                title = (ast.get_docstring(node) or "").rstrip(".")
                found[f"python:{source.stem}:{node.name}"] = title
    order = sorted(found, key=lambda case: THEMES.index(case.split(":")[1]))
    return {case: found[case] for case in order}


def build(source: Path, python: str, folder: Path) -> str:
    """Build a library with the headers of an interpreter's package; the first error, if any."""
    command = [python, "-m", "tvm_ffi.config", "--cxxflags", "--ldflags", "--libs"]
    flags = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    line = f"g++ {FLAGS} {source} -o {folder / source.stem}.so {flags}"
    done = subprocess.run(shlex.split(line), capture_output=True, text=True, check=False)
    errors = [line for line in done.stderr.splitlines() if "error:" in line]
    return "" if done.returncode == 0 else (errors or [done.stderr])[0].split("/")[-1]


def build_all(pythons: dict[str, str], folder: Path) -> dict[tuple[str, str], str]:
    """Build each file of cases with both packages; the errors, by (kind, theme)."""
    jobs = {}
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for source in sorted(CASES.glob("*.cc")):
            for kind, python in pythons.items():
                (folder / kind).mkdir(exist_ok=True)
                jobs[kind, source.stem] = pool.submit(build, source, python, folder / kind)
    return {key: error for key, job in jobs.items() if (error := job.result())}


def run_column(column: Column, python: str, folder: Path, cases: list[str]) -> dict[str, str]:
    """Run cases in one process; after a crash, the rest in another."""
    results: dict[str, str] = {}
    while rest := [case for case in cases if case not in results]:
        command = [python, str(HERE / "run_cases.py"), str(folder / column.makers)]
        done = subprocess.run(
            [*command, str(folder / column.checkers), *rest],
            capture_output=True,
            text=True,
            check=False,
        )
        begun = None
        for line in done.stdout.splitlines():
            if not line.startswith("{"):
                continue
            told = json.loads(line)
            begun = told.get("begins")
            if begun is None:
                results[told["case"]] = told["result"]
        if begun is not None:
            results[begun] = f"ended the process with status {done.returncode}"
        elif done.returncode != 0 and any(case not in results for case in cases):
            raise RuntimeError(f"{column.title}: {done.stdout}{done.stderr}")
    return results


def fill_in(pythons: dict[str, str], folder: Path) -> dict[tuple[str, Column], str]:
    """Every cell of the table: "ok", or what one gets."""
    errors = build_all(pythons, folder)
    cases = list(find_cases())
    cells = {}

    def run(column: Column) -> None:
        possible = []
        for case in cases:
            theme = case.split(":")[1]
            kinds = [kind for kind in (column.makers, column.checkers) if (kind, theme) in errors]
            if kinds:
                cells[case, column] = f"does not compile: {errors[kinds[0], theme]}"
            else:
                possible.append(case)
        found = run_column(column, pythons[column.runtime], folder, possible)
        cells.update({(case, column): result for case, result in found.items()})

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(run, [*COLUMNS, *CROSSINGS]))
    return cells


TABLE: dict[str, Any] = {}  # the record of this run, once there is one


def write_record(root: Path, folder: Path, cells: dict[tuple[str, Column], str]) -> None:
    """Keep the table for the site, with what it was made of."""
    from _verify.interop_record import made_of
    from unsupported import unsupported

    columns = [*COLUMNS, *CROSSINGS]
    rows: list[dict[str, Any]] = []
    reasons: dict[tuple[str, str], tuple[int, str]] = {}
    for case, title in find_cases().items():
        found: list[str] = []
        for column in columns:
            told, entry = cells[case, column], unsupported(case, column)
            if told != "ok":
                why = entry.reason if entry else "failed"
                note = f"{title}: {why}. One gets: {told.replace(f'{folder}/', '')}"
                numbered = reasons.setdefault((case, why), (len(reasons) + 1, note))
                told = f"unsupported ({numbered[0]})" if entry else f"FAILED ({numbered[0]})"
            found.append(told)
        rows.append({"case": case, "title": title, "cells": found})
    TABLE.update(
        made_of=made_of(root),
        columns=[column.title for column in columns],
        rows=rows,
        reasons=[note for _, note in reasons.values()],
    )
    path = root / "build" / "interop.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(TABLE, indent=1) + "\n")


def as_text(record: dict[str, Any]) -> str:
    """The table for a terminal: first each kind by itself, then the crossings."""
    from _verify.interop_record import part_of

    lines = []
    for part in ("alone", "crossings"):
        headings, rows = part_of(record, part)
        first = max(len(row[0]) for row in rows)
        widths = [first, *(len(heading) for heading in headings[1:])]
        for row in (headings, ["-" * width for width in widths], *rows):
            cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=True)]
            lines.append(" | ".join(cells).rstrip())
        lines.append("")
    lines += [f"({i}) {reason}" for i, reason in enumerate(record["reasons"], 1)]
    return "\n".join(lines) + "\n"

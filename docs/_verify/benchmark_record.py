# SPDX-License-Identifier: Apache-2.0
"""The measurements of ``nox -s bench``: docs/benchmarks/*.json, committed from a quiet machine."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

from .closure import RUNTIME, Closure, closure_of, runtime_digest, runtime_of_run
from .comments import C_LIKE

ROWS = "tests/benchmarks/call_rows.py", "tests/benchmarks/*_library.cc", "tests/benchmarks/limit.cc"
SHOWN = 3  # changed files to name
# A single hash for all code that a call runs through: the runtime without the code that builds
# libraries, stubs or projects, and without the headers that no measured source includes.
CALLED = "the runtime that calls go through"
BESIDE_CALLS = (
    RUNTIME,
    "include/tvm/ffi/extra/cuda/",
    "python/tvm_ffi/cpp/",
    "python/tvm_ffi/new/",
    "python/tvm_ffi/stub/",
    "python/tvm_ffi/utils/embed_cubin.py",
    "src/configure_target.cmake",
    "src/tvm_ffi-config.cmake.in",
    "src/one_runtime.cmake",
)
# The inputs of each part, and the programs that measure them.
MEASURED = {
    "calls": [CALLED, *ROWS, "tests/benchmarks/calls.py", "tests/benchmarks/calls_worker.py"],
    "peers": [
        CALLED,
        "tests/benchmarks/call_rows.py",
        "tests/benchmarks/calls_worker.py",
        "tests/benchmarks/build_peers.py",
        "tests/benchmarks/peers.py",
        "tests/benchmarks/peers/*",
    ],
    "slim": [CALLED, "tests/benchmarks/minimal_kernel.*", "tests/benchmarks/slim.py"],
    "leaks": [CALLED, *ROWS, "tests/benchmarks/leaks.py"],
    "soak": [
        *(CALLED, *ROWS, "tests/benchmarks/leaks.py", "tests/benchmarks/unloaded.cc"),
        "tests/benchmarks/soak*.py",
    ],
    "coverage": [CALLED, "docs/_setup/line_coverage.py", "tests/coverage/not_covered.toml"],
    "instructions": [
        *(CALLED, *ROWS, "tests/benchmarks/counter.cc"),
        "tests/benchmarks/instructions*.py",
    ],
    "architectures": [
        *(CALLED, "include/tvm/ffi/extra/cuda/base.h", "include/tvm/ffi/extra/cuda/device_guard.h"),
        "tests/benchmarks/architectures.py",
        *("examples/kernel_library/tvm_ffi_utils.h", "examples/kernel_library/scale/*_cuda.sh"),
        "examples/kernel_library/scale/*.cu",
    ],
    "kernels": [
        *(f"examples/kernel_library/**/*{suffix}" for suffix in sorted({*C_LIKE, ".sh"})),
        *("tests/benchmarks/kernels.py", "tests/benchmarks/kernels_worker.py"),
        *(f"tests/benchmarks/{name}.py" for name in ("rows", "timing", "clocks")),
        "tests/benchmarks/kernel_rows/*.py",
    ],
}


def files_of(root: Path, part: str) -> set[str]:
    """Return a part's inputs and programs, relative to the root, without the runtime."""
    found = [path for pattern in {*MEASURED[part]} - {CALLED} for path in root.glob(pattern)]
    return {path.relative_to(root).as_posix() for path in found}


def measured_now(root: Path, part: str) -> Closure:
    """Hash the current inputs of a part; a record keeps the hashes from its own time."""
    closure = closure_of(root, files_of(root, part))
    return closure | ({CALLED: called_now(root)} if CALLED in MEASURED[part] else {})


def called_now(root: Path) -> str:
    """Return the hash of the code that a call runs through."""
    runtime = runtime_of_run(root).items()
    return runtime_digest(root, {k: v for k, v in runtime if not k.startswith(BESIDE_CALLS)})


def why_stale(root: Path, part: str, record: dict[str, Any]) -> str:
    """Return why a record, or one device's part of it, is not of this tree; empty if it is."""
    if record.get("versions", {}).get("modified") != "no":
        return "the tree had uncommitted changes"
    then, now = record.get("made_of", {}), measured_now(root, part)
    changed = sorted(name for name in {*then, *now} if then.get(name) != now.get(name))
    more = f" and {len(changed) - SHOWN} more" if len(changed) > SHOWN else ""
    return f"changed since then: {', '.join(changed[:SHOWN])}{more}" if changed else ""


def record_of(root: Path, part: str) -> dict[str, Any] | None:
    """Return the record of one part, if it exists."""
    path = root / "docs" / "benchmarks" / f"{part}.json"
    return json.loads(path.read_text()) if path.is_file() else None


def table_of(record: dict[str, Any]) -> tuple[list[str], list[list[str]]]:
    """Return the headings and rows: each quantity, ours and published, and the ratio."""
    measured = record["measured"].items()
    rows = [
        [name, f"{row['ours']:,}", f"{row['published']:,}", f"{row['ratio']:.3g}"]
        for name, row in measured
    ]
    if "geometric mean" in record:
        rows.append(["geometric mean, trusted mode aside", "", "", f"{record['geometric mean']}"])
    headings = ["", "this runtime", "published", "ratio"]
    limits = [f"{row['of limit']:.3g}" if "of limit" in row else "" for _, row in measured]
    if any(limits):
        headings.append("of the limit")
        rows = [[*row, limit] for row, limit in itertools.zip_longest(rows, limits, fillvalue="")]
    return headings, rows


def leaks_of(record: dict[str, Any]) -> tuple[list[str], list[list[str]]]:
    """Return the headings and rows: what the calls in each row of the benchmark leaked."""
    rows = [
        [name, ", ".join(f"{change:+,} {what}" for what, change in left.items()) or "nothing"]
        for name, left in record["left behind"].items()
    ]
    return ["", "left behind"], rows


def soak_of(record: dict[str, Any]) -> tuple[list[str], list[list[str]]]:
    """Return the headings and rows: how often each trial was repeated, and what it leaked."""
    rows = []
    for name, trial in record["trials"].items():
        grew, over = trial.get("grew"), trial.get("over", 0)
        growth = f"{grew['malloc bytes'] * 1_000_000 / over:+,.0f}" if grew else ""
        left = ", ".join(f"{more:+,} {what}" for what, more in trial["left behind"].items())
        rows.append(
            [
                name,
                f"{trial['count']:,}",
                *(str(trial["crashes"]), str(trial["hangs"]), growth),
                trial["failed"] or left or "nothing",
            ]
        )
    growth = "malloc bytes per million"
    return ["", "repetitions", "crashes", "hangs", growth, "left behind"], rows


def coverage_of(record: dict[str, Any]) -> tuple[list[str], list[list[str]]]:
    """Return the headings and rows: how many lines ran in each folder, and in all."""
    rows = [
        [
            folder,
            *(f"{figures[name]:,}" for name in ("lines", "ran")),
            f"{figures['percent']} %",
            f"{figures['explained']:,}",
            f"{figures['lines'] - figures['ran'] - figures['explained']:,}",
        ]
        for folder, figures in record["folders"].items()
    ]
    never = ["never ran, with a reason", "without one"]
    return ["", "lines", "ran", "", *never], rows


def architectures_of(record: dict[str, Any]) -> tuple[list[str], list[list[str]]]:
    """Return the headings and rows: each build's size and time, relative to the first."""
    measured = record["measured"]
    first = next(iter(measured.values()))
    rows = [
        [
            name,
            f"{row['bytes'] / 1000:,.0f}",
            f"{(row['bytes'] - first['bytes']) / 1000:+,.0f}",
            f"{row['seconds']:.1f}",
        ]
        for name, row in measured.items()
    ]
    return ["Built for", "Library, KB", "Beyond the first row, KB", "Seconds"], rows


def peers_of(record: dict[str, Any]) -> tuple[list[str], list[list[str]]]:
    """Return the headings and rows: each call through each tool, in ns and relative to ours."""
    measured = record["measured"]
    tools = [*dict.fromkeys(tool for row in measured.values() for tool in row)]
    ours = tools[0]

    def cell(tool: str, row: dict[str, Any]) -> str:
        if tool not in row:
            return ""
        time = f"{row[tool]['ns']:,.0f}"
        ratio = row[tool]["of ours"]
        return time if tool == ours else f"{time} ({ratio:{'.2g' if ratio < 10 else '.0f'}})"

    return ["", *tools], [
        [name, *(cell(tool, row) for tool in tools)] for name, row in measured.items()
    ]


def kernels_of(record: dict[str, Any]) -> list[tuple[list[str], list[list[str]], dict[str, Any]]]:
    """Return, for each device, the headings, rows and record of its kernels' speed."""
    headings = ["Kernel", "Case", "GB/s", "of a copy", "beside PyTorch"]
    return [
        (
            headings,
            [
                *(
                    [
                        kernel,
                        row["case"],
                        *(f"{row[head]}" if head in row else "" for head in headings[2:]),
                    ]
                    for kernel, rows in part["kernels"].items()
                    for row in rows
                ),
                *(
                    [kernel, f"failed: {why}", "", "", ""]
                    for kernel, why in part.get("failed", {}).items()
                ),
            ],
            part,
        )
        for part in record["devices"].values()
    ]


def circumstances_of(record: dict[str, Any]) -> str:
    """Return where, when and with which tools it was measured, and the targets."""
    versions = {**record.get("versions", {})}
    commit, modified = versions.pop("commit", ""), versions.pop("modified", "no")
    parts = [record["machine"], *(f"{name} {value}" for name, value in versions.items() if value)]
    if commit:
        parts.append(f"commit {commit[:12]}" + (" with changes" if modified == "yes" else ""))
    measured = f"Measured on {record['date']}: {'; '.join(parts)}."
    targets = [f"{name} {limit:,}" for name, limit in record.get("targets", {}).items()]
    return f"{measured} At most: {'; '.join(targets)}." if targets else measured

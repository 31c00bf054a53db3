# SPDX-License-Identifier: Apache-2.0
"""How fast the examples' kernels are: kernels.py [RECORD [NAME...]] [--device cpu|cuda].

Each row of kernel_rows/ stands beside a copy of as many bytes, and beside PyTorch's own operator.
The three take turns, block by block, and a ratio is the median over the turns, so that what else
the machine does hits all alike; timing.py says what a time is. In each block one call that is not
counted comes first. On a CPU one thread on one core works.

Each example is measured in a process of its own: one that crashes, or that ends the GPU's context,
costs its own rows and no others, and the record says why they are missing.

The table is printed, and what was measured replaces the same device's part of RECORD. With NAMEs
of kernels nothing is written, unless --update is given: then their rows replace those of RECORD,
and the others stay if the same tree was measured on the same machine with the same versions.
"""

from __future__ import annotations

import argparse
import json
import platform
import re
import signal
import subprocess
import sys
import threading
import traceback
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from record import ROOT, circumstances, finish

from _verify.compile import compile_variant, runtime_key  # isort: skip
from _verify.examples import VARIANTS, Example, find_examples  # isort: skip
from _verify.layout import Layout  # isort: skip
from _verify.tools import Tools  # isort: skip

HERE = Path(__file__).resolve().parent
ROWS, WORKER = HERE / "kernel_rows", HERE / "kernels_worker.py"
DEVICES = ("cpu", "cuda")
SECONDS_OF_AN_EXAMPLE = 240  # a longer run hangs
NAMES_ERROR = re.compile(r"Error\b|CUDA error|Assertion")
SAME = ("machine", "versions", "made_of")  # of rows that may share a table


@dataclass
class Measured:
    """What was measured on one device."""

    kernels: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    clocks: dict[str, str] = field(default_factory=dict)  # of a GPU, per kernel
    failed: dict[str, str] = field(default_factory=dict)  # why a kernel has no rows


def missed(kernels: dict[str, list[dict[str, Any]]]) -> list[str]:
    """Name the rows that are slower than is required of them."""
    return [
        f"{kernel}, {row['case']}: {row[what]} {what}, at least {least}"
        for kernel, rows in kernels.items()
        for row in rows
        for what in ("of a copy", "beside PyTorch")
        if (least := row.get(f"least {what}")) is not None and row[what] < least
    ]


class Stopped(BaseException):
    """A request to end. It is no kernel's failure, so no Exception."""


def stop(number: int, frame: object) -> None:
    """End the measurements, so that what was measured is written."""
    raise Stopped


def library_of(example: Example, device: str, layout: Layout, tools: Tools) -> Path:
    """Build an example for a device, unless docs/verify.py has; ValueError if that fails."""
    variant = next(each for each in VARIANTS if each.device == device)
    build, results = compile_variant(example, variant, layout, tools, runtime_key(tools))
    if build is None:
        raise ValueError(f"{results.failures[0].reason}\n{results.failures[0].tail}")
    return layout.libraries / build.library


def measure_example(measured: Measured, name: str, command: list[str], where: Path) -> None:
    """Run an example's process; its rows count only if it ends well."""
    # The folder is that of the examples' drivers: a file may be beside its library.
    process = subprocess.Popen(
        command, cwd=where, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    assert process.stdout is not None
    late = threading.Timer(SECONDS_OF_AN_EXAMPLE, process.kill)
    late.start()
    rows, clocks, said = [], "", ""
    try:
        for line in process.stdout:
            print(f"{name}: {line.rstrip()}", flush=True)
            try:
                told = json.loads(line)
                rows += [told["row"]] if "row" in told else []
                clocks = told.get("clocks", clocks)
            except (ValueError, TypeError):
                # PyTorch prints advice after the line that names a CUDA error.
                if NAMES_ERROR.search(line) or not NAMES_ERROR.search(said):
                    said = line.strip() or said
        status = process.wait()
    finally:
        timed_out = not late.is_alive()
        late.cancel()
        process.kill()
        process.wait()
        process.stdout.close()
    if status == 0:
        measured.kernels[name] = rows
        measured.clocks |= {name: clocks} if clocks else {}
        return
    how = signal.Signals(-status).name if status < 0 else f"exit status {status}"
    how = f"killed after {SECONDS_OF_AN_EXAMPLE} s" if timed_out else how
    measured.failed[name] = f"{how}: {said}" if said else how
    print(f"FAILED {name}: {measured.failed[name]}", flush=True)


def measure_device(
    device: str, names: list[str], more: list[str], measured: Measured, save: Any
) -> list[str]:
    """Measure the kernels' rows, and name the kernels that could not be measured."""
    layout, tools = Layout.of(ROOT), Tools.find()
    layout.libraries.mkdir(parents=True, exist_ok=True)
    waiting = [each for each in find_examples(layout) if each.name in names]
    try:
        while waiting:
            name = waiting[0].name
            try:
                library = library_of(waiting[0], device, layout, tools)
                command = [sys.executable, str(WORKER), name, str(library), device, *more]
                measure_example(measured, name, command, layout.libraries)
            except Exception as error:
                traceback.print_exc()
                measured.failed[name] = str(error).partition("\n")[0]
            waiting.pop(0)
            save()
    except Stopped:
        measured.failed.update({each.name: "stopped" for each in waiting})
        save()
    return [f"{name} on {device}: {why}" for name, why in measured.failed.items()]


def part_of(device: str, measured: Measured) -> dict[str, Any]:
    """Make the part of the record that is of one device."""
    versions = {"Python": platform.python_version(), "torch": torch.__version__}
    gpu, more = "", {}
    if device == "cuda":
        gpu = torch.cuda.get_device_name(0)
        versions["CUDA"] = str(torch.version.cuda)
        cache = torch.cuda.get_device_properties(0).L2_cache_size
        more = {"L2 cache, bytes": cache, "clocks": measured.clocks}
    if measured.failed:
        more["failed"] = measured.failed
    return {**circumstances("kernels", versions, gpu), **more, "kernels": measured.kernels}


def merged(before: dict[str, Any], now: dict[str, Any]) -> dict[str, Any]:
    """Keep what was measured before, but for the kernels that were now, if the two compare."""
    if any(before.get(key) != now[key] for key in SAME):
        return now
    again = {*now["kernels"], *now.get("failed", {})}

    def both(key: str) -> dict[str, Any]:
        old = {name: rows for name, rows in before.get(key, {}).items() if name not in again}
        return dict(sorted({**old, **now.get(key, {})}.items()))

    kept = {key: both(key) for key in ("kernels", "clocks", "failed")}
    return {**now, **{key: value for key, value in kept.items() if value or key in now}}


def as_rows(device: str, kernels: dict[str, list[dict[str, Any]]]) -> list[list[str]]:
    """Make the table's rows."""
    heads = ["GB/s", "of a copy", "beside PyTorch"]
    return [
        [device, kernel, row["case"], *(str(row.get(head, "")) for head in heads)]
        for kernel, rows in kernels.items()
        for row in rows
    ]


def arguments() -> argparse.ArgumentParser:
    """Make the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "record", nargs="?", type=Path, default=ROOT / "docs" / "benchmarks" / "kernels.json"
    )
    parser.add_argument("names", nargs="*")
    parser.add_argument("--device", choices=DEVICES, action="append")
    parser.add_argument("--update", action="store_true", help="write the rows of NAMEs")
    parser.add_argument(
        "--rehearse", action="store_true", help="a GPU's rows on the CPU, once; nothing is written"
    )
    return parser


def main() -> int:
    """Measure, print and write; 1 if a kernel is slower than it must be."""
    options = arguments().parse_args()
    signal.signal(signal.SIGTERM, stop)
    path = options.record.resolve()
    there = sorted(each.stem for each in ROWS.glob("*.py"))
    if unknown := set(options.names) - set(there):
        raise SystemExit(f"expected names of {', '.join(there)}, got {', '.join(sorted(unknown))}")
    written = not options.rehearse and (options.update or not options.names)
    record = json.loads(path.read_text()) if path.exists() else {"devices": {}}
    record["what"] = "the examples' kernels, beside a copy of as many bytes and beside PyTorch"
    table = [["", "kernel", "case", "GB/s", "of a copy", "beside PyTorch"]]
    over = []
    devices = options.device or ["cpu", *(["cuda"] if torch.cuda.is_available() else [])]
    if options.rehearse:
        devices = ["cpu"]
    for device in devices:
        before, measured = record["devices"].get(device, {}), Measured()

        def save(device: str = device, before: Any = before, measured: Measured = measured) -> None:
            """Write what there is, so that a run that is killed loses one example."""
            part = part_of(device, measured)
            record["devices"][device] = merged(before, part) if options.update else part
            if written:
                finish(path, record, [], [])

        more = ["--rehearse"] if options.rehearse else []
        failed = measure_device(device, options.names or there, more, measured, save)
        table += as_rows(device, measured.kernels)
        over += [*failed, *([] if options.rehearse else missed(measured.kernels))]
    return finish(path if written else None, record, table, over)


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: Apache-2.0
"""How fast the examples' kernels are: kernels.py [RECORD [NAME...]] [--device cpu|cuda].

Each row of kernel_rows/ stands beside a copy of as many bytes, and beside PyTorch's own operator.
The three take turns, block by block, and a ratio is the median over the turns, so that what else
the machine does hits all alike. On a CPU one thread on one core works, and its processor time is
taken; on a GPU its own events tell the time. In each block one call that is not counted comes
first: caches are as warm as its data lets them be.

The table is printed, and what was measured replaces the same device's part of RECORD, unless NAMEs
of kernels choose some.
"""

from __future__ import annotations

import argparse
import ctypes
import importlib.util
import json
import os
import platform
import signal
import statistics
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import torch
import tvm_ffi
from record import ROOT, circumstances, finish
from rows import Row

from _verify.compile import compile_variant, runtime_key  # isort: skip
from _verify.examples import VARIANTS, Example, find_examples  # isort: skip
from _verify.layout import Layout  # isort: skip
from _verify.tools import Tools  # isort: skip

ROWS = Path(__file__).resolve().parent / "kernel_rows"
TURNS = 11
SECONDS_OF_A_BLOCK = {"cpu": 0.03, "cuda": 0.005}
LEAST_OF_COPY = 0.9  # required on a GPU

Work = Callable[[], object]


def cpu_seconds(work: Work, times: int) -> float:
    """Give the processor time of one call of a block."""
    begun = time.process_time()
    for _ in range(times):
        work()
    return (time.process_time() - begun) / times


def cuda_seconds(work: Work, times: int) -> float:
    """Give the time that the GPU takes for one call of a block."""
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    begin.record()
    for _ in range(times):
        work()
    end.record()
    end.synchronize()
    return float(begin.elapsed_time(end)) / 1e3 / times


SECONDS = {"cpu": cpu_seconds, "cuda": cuda_seconds}


# [copy.begin]
def copy_of(moved: int, device: str) -> Work:
    """Give what copies half of the bytes, so that it reads and writes all of them."""
    source = torch.ones(moved // 2, dtype=torch.uint8, device=device)
    target = torch.empty_like(source)
    if device == "cuda":
        return lambda: target.copy_(source)
    # The C library's, which is faster than PyTorch's.
    return lambda: (source, ctypes.memmove(target.data_ptr(), source.data_ptr(), moved // 2))


# [copy.end]


def calls_of_a_block(work: Work, device: str) -> int:
    """Count the calls that fill a block; what a first call learns or builds is not counted."""
    work()
    seconds = SECONDS[device](work, 3)
    return max(1, round(SECONDS_OF_A_BLOCK[device] / max(seconds, 1e-7)))


# [measure.begin]
def measure(row: Row, device: str, turns: int = TURNS) -> dict[str, object]:
    """Time one row, a copy of as many bytes and PyTorch's operator in turns."""
    works = {"run": row.run, "copy": copy_of(row.moved, device)}
    if row.torch:
        works["torch"] = row.torch
    times = {name: calls_of_a_block(work, device) for name, work in works.items()}
    seconds: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(turns):
        for name, work in works.items():
            work()
            seconds[name].append(SECONDS[device](work, times[name]))
    return {"case": row.case, **result(row, device, seconds)}


# [measure.end]


def result(row: Row, device: str, seconds: dict[str, list[float]]) -> dict[str, object]:
    """Make ratios of times, and add what is required of them."""

    def beside(other: str) -> float:
        pairs = zip(seconds[other], seconds["run"], strict=True)
        return round(statistics.median(theirs / ours for theirs, ours in pairs), 3)

    on_gpu = device == "cuda"
    told: dict[str, object] = {
        "GB/s": round(row.moved / statistics.median(seconds["run"]) / 1e9, 1),
        "of a copy": beside("copy"),
    }
    if on_gpu and row.memory_bound:
        told["least of a copy"] = LEAST_OF_COPY
    if "torch" in seconds:
        told["beside PyTorch"] = beside("torch")
        if (least := 1.0 if on_gpu else row.least) is not None:
            told["least beside PyTorch"] = least
    return told


def missed(kernels: dict[str, list[dict[str, Any]]]) -> list[str]:
    """Name the rows that are slower than is required of them."""
    return [
        f"{kernel}, {row['case']}: {row[what]} {what}, at least {least}"
        for kernel, rows in kernels.items()
        for row in rows
        for what in ("of a copy", "beside PyTorch")
        if (least := row.get(f"least {what}")) is not None and row[what] < least
    ]


def rows_of(name: str) -> ModuleType:
    """Import the file of a kernel's rows."""
    spec = importlib.util.spec_from_file_location(f"kernel_rows_{name}", ROWS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


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


def measure_device(
    device: str, names: list[str]
) -> tuple[dict[str, list[dict[str, Any]]], list[str]]:
    """Measure the kernels' rows, and name the kernels that could not be measured."""
    kernels: dict[str, list[dict[str, Any]]] = {}
    layout, tools = Layout.of(ROOT), Tools.find()
    layout.libraries.mkdir(parents=True, exist_ok=True)
    os.chdir(layout.libraries)  # as a driver runs: a file may be beside its library
    failed, waiting = [], [each for each in find_examples(layout) if each.name in names]
    try:
        while waiting:
            name = waiting[0].name
            try:
                module = tvm_ffi.load_module(library_of(waiting[0], device, layout, tools))
                kernels[name] = []
                for row in rows_of(name).rows(module, device):
                    kernels[name].append(measure(row, device))
                    print(f"{device} {name}: {kernels[name][-1]}", flush=True)
            except Exception:
                traceback.print_exc()
                failed.append(f"{name} on {device} failed")
            waiting.pop(0)
    except Stopped:
        failed += [f"{each.name} on {device} was stopped" for each in waiting]
    return kernels, failed


def part_of(device: str, kernels: dict[str, list[dict[str, Any]]]) -> dict[str, object]:
    """Make the part of the record that is of one device."""
    versions = {"Python": platform.python_version(), "torch": torch.__version__}
    gpu = ""
    if device == "cuda":
        gpu = torch.cuda.get_device_name(0)
        versions["CUDA"] = str(torch.version.cuda)
    return {**circumstances("kernels", versions, gpu), "kernels": kernels}


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
    parser.add_argument("--device", choices=SECONDS, action="append")
    return parser


def main() -> int:
    """Measure, print and write; 1 if a kernel is slower than it must be."""
    options = arguments().parse_args()
    signal.signal(signal.SIGTERM, stop)
    record_path = options.record.resolve()
    there = sorted(path.stem for path in ROWS.glob("*.py"))
    if unknown := set(options.names) - set(there):
        raise SystemExit(f"expected names of {', '.join(there)}, got {', '.join(sorted(unknown))}")
    record = json.loads(record_path.read_text()) if record_path.exists() else {"devices": {}}
    record["what"] = "the examples' kernels, beside a copy of as many bytes and beside PyTorch"
    table = [["", "kernel", "case", "GB/s", "of a copy", "beside PyTorch"]]
    over = []
    devices = options.device or ["cpu", *(["cuda"] if torch.cuda.is_available() else [])]
    for device in devices:
        if device == "cpu":
            os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
            torch.set_num_threads(1)
        kernels, failed = measure_device(device, options.names or there)
        record["devices"][device] = part_of(device, kernels)
        table += as_rows(device, kernels)
        over += [*failed, *missed(kernels)]
    return finish(None if options.names else record_path, record, table, over)


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: Apache-2.0
"""Measure an example's rows: kernels_worker.py NAME LIBRARY cpu|cuda [--rehearse].

kernels.py starts one for each example. A line of JSON is printed for each row, and at last one for
the GPU's clocks.
"""

from __future__ import annotations

import argparse
import ctypes
import importlib.util
import json
import os
import statistics
import sys
from pathlib import Path
from types import ModuleType

import rows
import torch
import tvm_ffi
from clocks import clocks
from rows import Row
from timing import TIMERS, Work, is_large, timer_of

ROWS = Path(__file__).resolve().parent / "kernel_rows"
TURNS = 11
SECONDS_OF_A_BLOCK = {"cpu": 0.03, "cuda": 0.005}
LEAST_OF_COPY = 0.9  # required of large rows on a GPU


# [copy.begin]
def copy_of(moved: int, device: str) -> Work:
    """Give what copies half of the bytes, so that it reads and writes all of them."""
    source = torch.ones(moved // 2, dtype=torch.uint8, device=device)
    target = torch.empty_like(source)
    if device == "cuda":
        return lambda: target.copy_(source)
    # The C library's copy, which is faster than PyTorch's.
    return lambda: (source, ctypes.memmove(target.data_ptr(), source.data_ptr(), moved // 2))


# [copy.end]


def calls_of_a_block(work: Work, device: str, timer: str) -> int:
    """Count the calls that fill a block; what a first call learns or builds is not counted."""
    work()
    seconds = TIMERS[timer](work, 3)()
    return max(1, round(SECONDS_OF_A_BLOCK[device] / max(seconds, 1e-7)))


# [measure.begin]
def measure(row: Row, device: str, turns: int = TURNS) -> dict[str, object]:
    """Time one row, a copy of as many bytes and PyTorch's operator in turns."""
    works = {"run": row.run, "copy": copy_of(row.moved, device)}
    if row.torch:
        works["torch"] = row.torch
    timer = timer_of(row, device)
    blocks = {
        name: TIMERS[timer](work, calls_of_a_block(work, device, timer))
        for name, work in works.items()
    }
    seconds: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(turns):
        for name, work in works.items():
            work()
            seconds[name].append(blocks[name]())
    return {"case": row.case, **result(row, device, seconds)}


# [measure.end]


def significant(value: float) -> float:
    """Keep three digits: what arithmetic limits moves few bytes in a second."""
    return float(f"{value:.3g}")


def result(row: Row, device: str, seconds: dict[str, list[float]]) -> dict[str, object]:
    """Make ratios of times, and add what is required of them."""

    def beside(other: str) -> float:
        pairs = zip(seconds[other], seconds["run"], strict=True)
        return significant(statistics.median(theirs / ours for theirs, ours in pairs))

    on_gpu = device == "cuda"
    held = on_gpu and is_large(row)
    median = statistics.median(seconds["run"])
    told: dict[str, object] = {
        "GB/s": significant(row.moved / median / 1e9),
        "of a copy": beside("copy"),
    }
    if on_gpu:
        told |= {"us": round(median * 1e6, 2), "timed by": timer_of(row, device)}
    if held and row.memory_bound:
        told["least of a copy"] = LEAST_OF_COPY
    if "torch" in seconds:
        told["beside PyTorch"] = beside("torch")
        if (least := 1.0 if held else None if on_gpu else row.least) is not None:
            told["least beside PyTorch"] = least
    return told


def rows_of(name: str) -> ModuleType:
    """Import the file of a kernel's rows."""
    spec = importlib.util.spec_from_file_location(f"kernel_rows_{name}", ROWS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def main() -> int:
    """Measure one example and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("name")
    parser.add_argument("library")
    parser.add_argument("device", choices=SECONDS_OF_A_BLOCK)
    parser.add_argument("--rehearse", action="store_true", help="a GPU's rows, one call a block")
    options = parser.parse_args()
    device, turns = options.device, TURNS
    if device == "cpu":
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
        torch.set_num_threads(1)
    if options.rehearse:
        rows.rehearsed, turns = True, 1
        SECONDS_OF_A_BLOCK[device] = 0.0
    module = tvm_ffi.load_module(options.library)
    for row in rows_of(options.name).rows(module, device):
        print(json.dumps({"row": measure(row, device, turns)}), flush=True)
    if device == "cuda":
        print(json.dumps({"clocks": clocks()}), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())

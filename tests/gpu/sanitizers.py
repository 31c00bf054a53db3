# SPDX-License-Identifier: Apache-2.0
"""Run the examples' drivers under compute-sanitizer: sanitizers.py [--tool TOOL]... [NAME...].

Uses the libraries built by docs/verify.py. If compute-sanitizer is missing or does not support the
GPU, prints the reason and exits with status 77, which is not a failure.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from itertools import product
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "docs"))

from _verify.examples import Example, find_examples  # noqa: E402  (below a folder named above)
from _verify.layout import Layout  # noqa: E402
from _verify.tools import find_nvcc  # noqa: E402
from stage import LEFT_OUT as REFUSED  # noqa: E402  (beside this file)

LAYOUT = Layout.of(ROOT)
TOOLS = ("memcheck", "racecheck", "initcheck")
# Examples that cannot run under the sanitizer, with the reason.
LEFT_OUT = {"nonzero": "its driver asks PyTorch's profiler, which cannot run under the sanitizer"}
AT_ONCE = 8
SECONDS = 300
# Drivers provoke API errors deliberately; only errors in kernels are of interest.
OPTIONS = ("--report-api-errors", "no", "--error-exitcode", "99", "--tool")
PROBE = "import torch; torch.ones(9, device='cuda').add_(1).sum().item()"
CAPTURES = re.compile(r"CUDAGraph|cuda\.graph\(")


def find_sanitizer() -> str:
    """Return compute-sanitizer's path, on PATH or beside nvcc; or an empty string."""
    beside = Path(find_nvcc().get("NVCC", "nvcc")).with_name("compute-sanitizer")
    return shutil.which("compute-sanitizer") or shutil.which(beside) or ""


SANITIZER = find_sanitizer()


def sanitized(tool: str, arguments: list[str], own_memory: bool) -> tuple[int, str]:
    """Run Python under a tool; return its status and output."""
    # Give each tensor its own allocation: PyTorch's large blocks hide reads beyond the end.
    own = {"PYTORCH_NO_CUDA_MEMORY_CACHING": "1"} if own_memory else {}
    try:
        done = subprocess.run(
            [SANITIZER, *OPTIONS, tool, sys.executable, *arguments],
            cwd=LAYOUT.libraries,
            env={**os.environ, **own},
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
            timeout=SECONDS,
        )
    except subprocess.TimeoutExpired:
        return 124, f"not done in {SECONDS} s"
    return done.returncode, done.stdout + done.stderr


def refusal() -> str:
    """Why the sanitizer cannot run on this machine; empty if it can."""
    if not SANITIZER:
        return "compute-sanitizer is not installed"
    status, said = sanitized(TOOLS[0], ["-c", PROBE], own_memory=True)
    if "not supported" in said:
        return next(line for line in said.splitlines() if "not supported" in line)
    return "" if status == 0 else f"a program that is right fails: status {status}\n{said[-3000:]}"


def run(job: tuple[Example, str]) -> str:
    """Run one driver under one tool; return its errors, or an empty string if it is clean."""
    example, tool = job
    driver = ROOT / example.driver
    # Only PyTorch's own allocator can allocate memory while a graph is captured.
    own_memory = not any(CAPTURES.search(path.read_text()) for path in driver.parent.glob("*.py"))
    status, said = sanitized(tool, [str(driver), "cuda"], own_memory)
    errors = [line for line in said.splitlines() if "=====" in line]
    return "" if status == 0 else "\n".join([f"status {status}", *errors[:40], said[-1500:]])


def main() -> int:
    """Run every driver under every tool; return 1 if any is not clean."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tool", choices=TOOLS, action="append")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    begun = time.monotonic()
    tools, wanted, found = options.tool or TOOLS, options.names, find_examples(LAYOUT)
    names = [each.name for each in found]
    if unknown := sorted(set(wanted) - set(names)):
        raise SystemExit(f"expected names of {', '.join(names)}, got {', '.join(unknown)}")
    LAYOUT.libraries.mkdir(parents=True, exist_ok=True)
    if reason := refusal():
        if reason.startswith("a program"):
            print(f"FAILED {reason}")
            return 1
        print(f"left out: {', '.join(tools)}: {reason}")
        return REFUSED
    examples = [each for each in found if each.name in (wanted or names)]
    for name in (each.name for each in examples if each.name in LEFT_OUT):
        print(f"left out: {name}: {LEFT_OUT[name]}")
    jobs = list(product([each for each in examples if each.name not in LEFT_OUT], tools))
    if not jobs:
        return REFUSED
    clean = 0
    with ThreadPoolExecutor(AT_ONCE) as pool:
        running = {pool.submit(run, job): job for job in jobs}
        # Printed as they finish, so that a stopped run has still shown its findings.
        for future in as_completed(running):
            (example, tool), said = running[future], future.result()
            clean += not said
            failed = "FAILED " if said else ""
            print(f"{failed}{example.name}: {tool}: {said or 'clean'}", flush=True)
    print(f"{clean} of {len(jobs)} clean, in {time.monotonic() - begun:.0f} s")
    return 0 if clean == len(jobs) else 1


if __name__ == "__main__":
    sys.exit(main())

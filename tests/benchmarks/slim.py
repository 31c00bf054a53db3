# SPDX-License-Identifier: Apache-2.0
"""What a kernel file costs with our headers and with the published ones: slim.py RECORD PEER.

PEER is an interpreter that has the published package. The table is printed and written to RECORD.
Compilations alternate between the two, and their processor time is taken, so that what else the
machine does hits both alike.
"""

from __future__ import annotations

import os
import resource
import shlex
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from record import answer, circumstances, find_nvcc, finish

HERE = Path(__file__).resolve().parent
RUNS = {"cc": 9, "cu": 5}
# The promised ratio of ours to theirs, and the limit of libtvm_ffi's size in bytes.
TARGETS = {
    "compile, seconds": 0.5,
    "compile CUDA, seconds": 0.6,
    "library, bytes": 0.6,
    "stripped library, bytes": 0.6,
}
RUNTIME_LIMIT = 1_000_000


def told(python: str, *options: str) -> str:
    """What a package's tvm-ffi-config tells."""
    command = [python, "-m", "tvm_ffi.config", *options]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def runtime_of(python: str) -> Path:
    """A package's libtvm_ffi.so."""
    return Path(told(python, "--libdir")) / "libtvm_ffi.so"


def compile_kernel(python: str, suffix: str, output: Path) -> float:
    """Build the minimal kernel file into a library; the processor time in seconds."""
    flags = told(python, "--cxxflags", "--ldflags", "--libs")
    source = HERE / f"minimal_kernel.{suffix}"
    line = f"g++ -shared -fPIC -O3 {source} -o {output} {flags}"
    if suffix == "cu":
        nvcc = os.environ.get("NVCC", "nvcc")
        line = f"{nvcc} -shared -Xcompiler -fPIC -O3 -arch=sm_80 {source} -o {output} {flags}"
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(shlex.split(line), check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def preprocessed_lines(python: str) -> int:
    """How many lines of code the compiler sees of the minimal kernel file."""
    command = [
        "g++",
        "-E",
        "-P",
        *told(python, "--cxxflags").split(),
        str(HERE / "minimal_kernel.cc"),
    ]
    return subprocess.check_output(command, text=True).count("\n")


def library_sizes(python: str, folder: Path) -> tuple[int, int]:
    """The bytes of the minimal kernel's library, as it is and stripped."""
    library, stripped = folder / "kernel.so", folder / "stripped.so"
    compile_kernel(python, "cc", library)
    subprocess.run(["strip", library, "-o", stripped], check=True)
    return library.stat().st_size, stripped.stat().st_size


def compile_times(pythons: list[str], suffix: str, folder: Path) -> list[float]:
    """The median time of each package, measured in turns after one turn that does not count."""
    times: list[list[float]] = [[] for _ in pythons]
    for turn in range(RUNS[suffix] + 1):
        for python, of_package in zip(pythons, times, strict=True):
            seconds = compile_kernel(python, suffix, folder / "timed.so")
            if turn > 0:
                of_package.append(seconds)
    return [round(statistics.median(each), 3) for each in times]


def measure(pythons: list[str]) -> dict[str, list[float]]:
    """Each quantity, of ours and of theirs."""
    with tempfile.TemporaryDirectory(prefix="slim_") as name:
        folder = Path(name)
        sizes = [library_sizes(python, folder) for python in pythons]
        return {
            "compile, seconds": compile_times(pythons, "cc", folder),
            "compile CUDA, seconds": compile_times(pythons, "cu", folder),
            "preprocessed lines": [preprocessed_lines(python) for python in pythons],
            "library, bytes": [size for size, _ in sizes],
            "stripped library, bytes": [size for _, size in sizes],
            "libtvm_ffi, bytes": [runtime_of(python).stat().st_size for python in pythons],
        }


def record_of(pythons: list[str]) -> dict[str, Any]:
    """Measure, and say where and with what."""
    version = "import importlib.metadata as m; print(m.version('apache-tvm-ffi'))"
    nvcc = answer(os.environ.get("NVCC", "nvcc"), "--version").splitlines()
    return {
        "what": "the minimal kernel file, built with our headers and with the published ones",
        **circumstances(
            "slim",
            {
                "g++": answer("g++", "-dumpfullversion"),
                "nvcc": nvcc[-2].rsplit("V", 1)[-1] if len(nvcc) > 1 else "",
                "apache-tvm-ffi": answer(pythons[1], "-c", version),
            },
        ),
        "targets": {**TARGETS, "libtvm_ffi, bytes": RUNTIME_LIMIT},
        "measured": {
            quantity: {"ours": ours, "published": theirs, "ratio": round(ours / theirs, 3)}
            for quantity, (ours, theirs) in measure(pythons).items()
        },
    }


def missed(record: dict[str, Any]) -> list[str]:
    """The quantities that are over their targets."""
    found = record["measured"]
    over = [each for each, target in TARGETS.items() if found[each]["ratio"] > target]
    large = found["libtvm_ffi, bytes"]["ours"] >= RUNTIME_LIMIT
    return [*over, *(["libtvm_ffi, bytes"] if large else [])]


def main() -> int:
    """Measure, print and write; 1 if a target is missed."""
    _, path, peer = sys.argv
    os.environ.update(find_nvcc())
    record = record_of([sys.executable, peer])
    rows = [["", "ours", "published", "ratio", "target"]]
    for quantity, row in record["measured"].items():
        told = [str(row[each]) for each in rows[0][1:4]]
        rows.append([quantity, *told, str(record["targets"].get(quantity, ""))])
    return finish(Path(path), record, rows, missed(record))


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: Apache-2.0
"""What more GPU architectures cost a library: size and time to build it: architectures.py RECORD.

The example ``scale`` is built by the command of its script, each time for other architectures.
The table is printed and written to RECORD. The ways to build take turns.
"""

from __future__ import annotations

import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from record import ROOT, answer, circumstances, find_nvcc, finish

EXAMPLE = "scale"
SCRIPT = ROOT / "examples" / "kernel_library" / EXAMPLE / "build_cuda.sh"
RUNS = 5
OPTION = re.compile(r"-gencode (arch=\S+)")

# The name of each way to build, its architectures (None: the script's), and other options.
WAYS = {
    "PTX of compute_80 alone": ("arch=compute_80,code=compute_80", ""),
    "sm_90": ("arch=compute_90,code=sm_90", ""),
    "the script's, one after the other": (None, ""),
    "the script's, with -t 0": (None, "-t 0"),
    "the script's, with --compress-mode=size": (None, "--compress-mode=size"),
}


def command_of(targets: str | None, options: str) -> str:
    """The script's command for other architectures, and with more options."""
    text = SCRIPT.read_text()
    if not OPTION.search(text):
        raise ValueError(f"{SCRIPT.name}: expected -gencode options, got none")
    if targets:
        first = iter([f"-gencode {targets}"])
        text = OPTION.sub(lambda _: next(first, ""), text)
    return text.replace(" -shared ", f" -shared {options} ", 1)


def build(folder: Path, targets: str | None, options: str) -> tuple[float, int]:
    """Build in a folder; the seconds and the library's bytes."""
    script = folder / EXAMPLE / "build.sh"
    script.parent.mkdir(exist_ok=True)
    script.write_text(command_of(targets, options).replace('$(dirname "$0")', str(SCRIPT.parent)))
    begun = time.perf_counter()
    subprocess.run(["bash", script], cwd=folder, check=True)
    return time.perf_counter() - begun, (folder / f"{EXAMPLE}_cuda.so").stat().st_size


def main() -> int:
    """Measure, print and write."""
    os.environ.update(find_nvcc())
    seconds: dict[str, list[float]] = {name: [] for name in WAYS}
    sizes: dict[str, int] = {}
    with tempfile.TemporaryDirectory(prefix="architectures_") as name:
        for _ in range(RUNS):
            for way, (targets, options) in WAYS.items():
                took, sizes[way] = build(Path(name), targets, options)
                seconds[way].append(took)
    measured = {
        way: {"bytes": sizes[way], "seconds": round(statistics.median(seconds[way]), 1)}
        for way in WAYS
    }
    nvcc = answer(os.environ.get("NVCC", "nvcc"), "--version").splitlines()
    record = {
        "what": f"the library of the example {EXAMPLE}, built for different GPU architectures",
        **circumstances("architectures", {"nvcc": nvcc[-2].rsplit("V", 1)[-1]}),
        "measured": measured,
    }
    rows = [["", "bytes", "seconds"]]
    rows += [[way, str(row["bytes"]), str(row["seconds"])] for way, row in measured.items()]
    return finish(Path(sys.argv[1]), record, rows, [])


if __name__ == "__main__":
    sys.exit(main())

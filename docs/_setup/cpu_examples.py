# SPDX-License-Identifier: Apache-2.0
"""Build the examples for the CPU with their own scripts and run them: cpu_examples.py [NAME...].

For processors and machines without nvcc or the site's tools.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "docs"))

from _verify.examples import VARIANTS, Example, find_examples  # noqa: E402  (a folder added above)
from _verify.layout import Layout  # noqa: E402

FOLDER = ROOT / "build" / "cpu_examples"
CPU = VARIANTS[0]


def try_example(example: Example) -> str:
    """Build an example, run its driver and test; return the output of the first failure, if any."""
    pytest = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "--libraries", str(FOLDER)]
    commands = (
        ["bash", str(ROOT / example.script(CPU))],
        [sys.executable, str(ROOT / example.driver), "cpu"],
        [sys.executable, *pytest, "--device", "cpu", str(ROOT / example.test)],
    )
    for command in commands:
        done = subprocess.run(
            command,
            cwd=FOLDER,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            return f"{' '.join(command)}: exit status {done.returncode}\n{done.stdout[-3000:]}"
    print(f"{example.name}: {done.stdout.splitlines()[-1]}", flush=True)
    return ""


def main(wanted: list[str]) -> int:
    """Run the named examples, or all; return 1 if any failed."""
    examples = find_examples(Layout.of(ROOT))
    names = [example.name for example in examples]
    if unknown := sorted(set(wanted) - set(names)):
        print(f"cpu_examples.py: expected names among {', '.join(names)}, got {' '.join(unknown)}")
        return 1
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    chosen = [example for example in examples if not wanted or example.name in wanted]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        failures = [output for output in pool.map(try_example, chosen) if output]
    for output in failures:
        print(output, end="\n\n")
    print(f"{len(chosen) - len(failures)} of {len(chosen)} examples passed on the CPU")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

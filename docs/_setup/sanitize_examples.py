# SPDX-License-Identifier: Apache-2.0
"""Run the examples' tests over CPU libraries built with sanitizers: sanitize_examples.py [NAME...].

Each is built by its own script, whose compiler adds AddressSanitizer and UndefinedBehaviorSanitizer
to what it is told, and its driver and its test run in a Python that has loaded them first.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "docs"))

from _verify.examples import VARIANTS, Example, find_examples  # noqa: E402  (a folder named above)
from _verify.layout import Layout  # noqa: E402

FOLDER = ROOT / "build" / "sanitize" / "examples"
SANITIZERS = "-O1 -g1 -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover"
COMPILERS = ("g++", "gcc", "c++", "cc")
LEFT_OUT: dict[str, str] = {}  # examples whose tests cannot run so, with the reason
CPU = VARIANTS[0]


def make_compilers(folder: Path) -> None:
    """Write compilers that add the sanitizers' options to what they are told."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in COMPILERS:
        if program := shutil.which(name):
            (folder / name).write_text(f'#!/bin/sh\nexec {program} "$@" {SANITIZERS}\n')
            (folder / name).chmod(0o755)


def sanitized() -> dict[str, str]:
    """The variables for a Python that loads such libraries."""
    names = ("libasan.so", "libubsan.so")
    found = [
        subprocess.run(
            ["g++", f"-print-file-name={name}"], capture_output=True, text=True, check=True
        ).stdout.strip()
        for name in names
    ]
    return {
        "LD_PRELOAD": " ".join(found),
        "ASAN_OPTIONS": "detect_leaks=0:strict_string_checks=1",  # Python keeps what it allocated
        "UBSAN_OPTIONS": "print_stacktrace=1",
        "RUN_SLOW": "0",
        "MAX_EXAMPLES": "20",  # of each random input: everything is several times as slow
    }


def said_by(command: list[str], environment: dict[str, str]) -> str:
    """Run a command in the libraries' folder: empty if all is well, else what was said."""
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, cwd=FOLDER, env=environment
    )
    said = f"{done.stdout[-3000:]}{done.stderr[-3000:]}"
    return "" if done.returncode == 0 else f"{' '.join(command)}: {done.returncode}\n{said}"


def run(example: Example) -> str:
    """Build an example and run its driver and its test: empty if all is well."""
    building = {**os.environ, "PATH": f"{FOLDER / 'compilers'}:{os.environ['PATH']}"}
    if said := said_by(["bash", str(ROOT / example.script(CPU))], building):
        return said
    environment = {**os.environ, **sanitized()}
    if said := said_by([sys.executable, str(ROOT / example.driver), "cpu"], environment):
        return said
    pytest = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider"]
    where = ["--device", "cpu", "--libraries", str(FOLDER)]
    return said_by([*pytest, str(ROOT / example.test), *where], environment)


def main() -> int:
    """Run the examples that are named, or all; 1 if something was found."""
    begun = time.monotonic()
    make_compilers(FOLDER / "compilers")
    wanted = sys.argv[1:]
    examples = [
        example
        for example in find_examples(Layout.of(ROOT))
        if (example.name in wanted if wanted else example.name not in LEFT_OUT)
    ]
    if len(examples) < max(len(wanted), 1):
        print(f"expected names of examples, got {' '.join(wanted)}")
        return 1
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        results = dict(zip(examples, pool.map(run, examples), strict=True))
    failed = {example.name: said for example, said in results.items() if said}
    for name, said in failed.items():
        print(f"== {name}\n{said}\n")
    for name, reason in LEFT_OUT.items():
        print(f"left out: {name}: {reason}")
    print(f"address,undefined: {len(examples) - len(failed)} of {len(examples)} examples passed")
    print(f"{time.monotonic() - begun:.0f} s")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())

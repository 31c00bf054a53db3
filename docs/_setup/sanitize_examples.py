# SPDX-License-Identifier: Apache-2.0
"""Run the examples' tests over CPU libraries built with sanitizers: sanitize_examples.py [NAME...].

Each is built by its own script, whose compiler adds AddressSanitizer and UndefinedBehaviorSanitizer
to its arguments; its test runs in a Python that has loaded the sanitizers first.
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

from _verify import gcov  # noqa: E402  (in a folder added above)
from _verify.examples import VARIANTS, Example, find_examples  # noqa: E402
from _verify.layout import Layout  # noqa: E402

FOLDER = ROOT / "build" / "sanitize" / "examples"
SANITIZERS = "-O1 -g1 -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover"
LEFT_OUT: dict[str, str] = {}  # examples whose tests cannot run this way, with the reason
CPU = VARIANTS[0]
FEWER = {
    "RUN_SLOW": "0",
    "MAX_EXAMPLES": "8",  # of each random input: everything is several times slower
}


def make_compilers(folder: Path) -> None:
    """Write compiler wrappers that append the sanitizers' options to their arguments."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in gcov.compilers():
        (folder / name).write_text(f'#!/bin/sh\nexec {shutil.which(name)} "$@" {SANITIZERS}\n')
        (folder / name).chmod(0o755)


def sanitized(log: Path) -> dict[str, str]:
    """Return variables for a Python that loads such libraries; findings go to ``log.PID``."""
    names = ("libasan.so", "libubsan.so")
    found = [
        subprocess.run(
            ["g++", f"-print-file-name={name}"], capture_output=True, text=True, check=True
        ).stdout.strip()
        for name in names
    ]
    return {
        "LD_PRELOAD": " ".join(found),
        # Python keeps its allocations; a test requests too much memory; and output at process exit
        # would be lost in pytest's capture.
        "ASAN_OPTIONS": f"detect_leaks=0:allocator_may_return_null=1:log_path={log}",
        "UBSAN_OPTIONS": f"print_stacktrace=1:log_path={log}",
        **FEWER,
    }


def said_by(command: list[str], folder: Path, environment: dict[str, str]) -> str:
    """Run a command in the libraries' folder; return its output if it failed, or ""."""
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, cwd=folder, env=environment
    )
    said = f"{done.stdout[-3000:]}{done.stderr[-3000:]}"
    return "" if done.returncode == 0 else f"{' '.join(command)}: {done.returncode}\n{said}"


def build(example: Example) -> str:
    """Build an example with its own script; return an empty string on success."""
    environment = {**os.environ, "PATH": f"{FOLDER / 'compilers'}:{os.environ['PATH']}"}
    return said_by(["bash", str(ROOT / example.script(CPU))], FOLDER, environment)


def run_tests(names: list[str], folder: Path, variables: dict[str, str] | None = None) -> list[str]:
    """Run the tests of examples over a folder's libraries; return the output of failures.

    One process per core runs a share of them, since each process imports PyTorch. A sanitizer
    ends its process at the first finding, and prints the location. Given variables replace the
    sanitizers'.
    """
    for old in folder.glob("found.*"):
        old.unlink()
    at_once = os.cpu_count() or 1
    tests = [str(ROOT / "tests" / "examples" / f"test_{name}.py") for name in names]
    pytest = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider"]
    where = ["--device", "cpu", "--libraries", str(folder)]
    commands = [[*pytest, *tests[i::at_once], *where] for i in range(min(at_once, len(tests)))]
    environment = {**os.environ, **(variables or sanitized(folder / "found"))}
    with ThreadPoolExecutor(at_once) as pool:
        said = list(pool.map(lambda command: said_by(command, folder, environment), commands))
    reports = [path.read_text()[:6000] for path in folder.glob("found.*")] if any(said) else []
    return [words for words in [*said, *reports] if words]


def main() -> int:
    """Run the named examples, or all; return 1 if anything was found."""
    begun = time.monotonic()
    shutil.rmtree(FOLDER, ignore_errors=True)
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
        said = [words for words in pool.map(build, examples) if words]
    said = said or run_tests([example.name for example in examples], FOLDER)
    for words in said:
        print(words, end="\n\n")
    for name, reason in LEFT_OUT.items():
        print(f"left out: {name}: {reason}")
    told = "something was found" if said else "nothing was found"
    print(f"address,undefined: tests of {len(examples)} examples: {told}")
    print(f"{time.monotonic() - begun:.0f} s")
    return bool(said)


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: Apache-2.0
"""Grade an exercise without a GPU: grade.py NAME, or grade.py NAME --solution.

The kernel is built by g++ for the CUDA emulation in tests/emulation, so that a race between
threads is an error too. Then the exercise's check.py calls it.
"""

from __future__ import annotations

import argparse
import os
import re
import runpy
import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path
from types import ModuleType

HERE = Path(__file__).resolve().parent
sys.path += [str(HERE), str(HERE.parents[1] / "emulation")]

# From the folders added above:
import arrays  # noqa: E402
import emulate  # noqa: E402
import tvm_ffi  # noqa: E402

NAMES = sorted(path.parent.name for path in HERE.glob("*/check.py"))
# The emulation's report of an access outside the arrays: its kernel, kind, line and place.
STRAY = re.compile(r"stray access in (\w+): .* (reads|writes|changes) .*at (\S+), (.+) a tensor")
# Its report of a race: the kernel, the lines of both threads, and advice.
RACE = re.compile(r"race in (\w+): .* at (\S+:\d+) that .* at (\S+:\d+); (.+)")


def build(source: Path, folder: Path) -> ModuleType:
    """Build an exercise for the CPU, and load it."""
    library = folder / f"{source.parent.name}_{source.stem}.so"
    return tvm_ffi.load_module(emulate.build_source(source, library, emulate.WATCHING))


def grade(source: Path) -> str:
    """What the check beside a kernel finds wrong with it; empty if nothing."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            mod = build(source, Path(folder))
        except RuntimeError as error:  # begins with the command
            return "it does not compile:\n" + str(error).partition("\n")[2]
        except (OSError, ValueError) as error:
            return f"the emulation cannot run it: {error}"
        return judge(mod, source.parent)


def judge(mod: ModuleType, folder: Path) -> str:
    """What the check in a folder finds wrong with a library; empty if nothing."""
    arrays.restart(mod)
    try:
        runpy.run_path(str(folder / "check.py"))["check"](mod)
    except AssertionError as wrong:
        return str(wrong)
    except Exception as error:  # raised by the kernel
        if stray := STRAY.search(str(error)):
            kernel, does, line, where = stray.groups()
            return f"{kernel} {does} memory {where} an array, at {line}"
        if race := RACE.search(str(error)):
            kernel, *lines, advice = race.groups()
            first, second = sorted(lines)
            return (
                f"race in {kernel}: a thread at {first} and another one at {second} use the "
                f"same memory, and at least one of them changes it; {advice}"
            )
        return f"{type(error).__name__}: {error}"
    return ""


def report(name: str, wrong: str) -> str:
    """The printed report on an exercise; a compiler's messages keep their lines."""
    lines = f"{name}: {wrong or 'passed'}".splitlines()
    return textwrap.fill(lines[0], 64) if len(lines) == 1 else "\n".join(lines)


def grade_apart(name: str, file: str) -> str:
    """Grade in a separate process: the emulation ends it if threads wait for each other."""
    code = f"import grade; print(grade.grade(grade.HERE / {name!r} / {file!r}), end='')"
    with tempfile.TemporaryDirectory() as folder:
        variables = {**os.environ, "TMPDIR": folder}
        command = [sys.executable, "-c", code]
        done = subprocess.run(command, cwd=HERE, env=variables, capture_output=True, text=True)
    last = done.stderr.strip().rpartition("\n")[2] or f"exit status {done.returncode}"
    return f"the emulation stopped: {last}" if done.returncode else done.stdout


def main(arguments: list[str]) -> int:
    """Print what is wrong with an exercise; 0 if it passed."""
    parser = argparse.ArgumentParser(prog="grade.py", description="Grade an exercise.")
    parser.add_argument("name", metavar="NAME", help=f"one of {', '.join(NAMES)}")
    parser.add_argument("--solution", action="store_true", help="grade the solution instead")
    options = parser.parse_args(arguments)
    name = options.name
    if name not in NAMES:
        print(f"grade.py: expected one of {', '.join(NAMES)}, got {name}")
        return 2
    if not emulate.find_nvcc():
        print(
            "grade.py: expected the CUDA toolkit, found none. Set NVCC to the path of nvcc, or "
            "type: pip install 'nvidia-cuda-nvcc<14' 'nvidia-cuda-runtime<14' 'nvidia-cuda-cccl<14'"
        )
        return 2
    wrong = grade_apart(name, "solution.cu" if options.solution else f"{name}.cu")
    print(report(name, wrong))
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

# SPDX-License-Identifier: Apache-2.0
"""Remove safeguards from the example kernels, and print what follows: break_it.py [NAME...].

Each NAME.patch here removes one. g++ builds the CUDA source with the emulation of CUDA on the
CPU, unchanged and with the patch, and the call of that name in calls.py runs with both libraries.
"""

from __future__ import annotations

import atexit
import os
import re
import shutil
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path
from textwrap import fill

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
sys.path[:0] = [str(ROOT / "docs"), str(ROOT / "tests" / "emulation")]

import emulate  # noqa: E402  (in a folder that was just named)
from _setup.sanitize_examples import sanitized  # noqa: E402

PLAIN, WATCHED = ("-O0",), tuple(emulate.WATCHING)
# Not as the emulation spells them: it would build itself with sanitizers too, which takes longer.
SANITIZED = ("-O0", "-fsanitize=address", "-fsanitize=undefined", "-fno-sanitize-recover=all")
# The example that a patch breaks, and the build in which its call shows the most.
PATCHES = {
    "shape": ("scale", PLAIN),
    "dtype": ("scale", PLAIN),
    "contiguity": ("scale", PLAIN),
    "overlap": ("scale", WATCHED),
    "guard": ("scale", PLAIN),
    "stream": ("scale", PLAIN),
    "empty": ("scale", PLAIN),
    "tail": ("scale", SANITIZED),
    "alignment": ("scale", SANITIZED),
    "index": ("scale", PLAIN),
    "launch": ("scale", PLAIN),
    "strides": ("softmax", PLAIN),
    "optional": ("rms_norm", SANITIZED),
    "sum": ("rms_norm", PLAIN),
    "barrier": ("rms_norm", WATCHED),
    "atomic": ("workspace", WATCHED),
}
SOURCES = Path("examples", "kernel_library")
# From AddressSanitizer's report: the error, the access, its line, and where the memory ends.
ADDRESS = re.compile(
    r"ERROR: (AddressSanitizer: [\w-]+) .*?^(\w+ of size \d+) at .*? in [^\n]*?([\w.]+:\d+)$"
    r".*? is located (\d+ bytes) (?:after|to the right of) (\d+-byte region)",
    re.MULTILINE | re.DOTALL,
)
UNDEFINED = re.compile(
    r"([\w.]+:\d+):\d+: (runtime error: .*? (?:address|null pointer))(?: 0x\w+)?( .*)"
)


@cache
def built(example: str, patch: str, options: tuple[str, ...]) -> Path:
    """Build an example with a patch, or unchanged if that is empty."""
    folder = Path(tempfile.mkdtemp(prefix="break_it_"))
    atexit.register(shutil.rmtree, folder)
    shutil.copytree(ROOT / SOURCES / example, folder / SOURCES / example)
    shutil.copy(ROOT / SOURCES / emulate.UTILITIES, folder / SOURCES)
    if patch:
        # Inside a repository, git would resolve the paths relative to it.
        variables = {**os.environ, "GIT_CEILING_DIRECTORIES": str(folder.parent)}
        command = ["git", "apply", str(HERE / f"{patch}.patch")]
        subprocess.run(command, cwd=folder, env=variables, check=True)
    emulate.EXAMPLES = folder / SOURCES
    return emulate.build(example, [*options], folder)


def call(name: str, library: Path, options: tuple[str, ...]) -> str:
    """Make a call with a library in a separate process; its output, or a sanitizer's finding."""
    log = library.parent / "found"
    variables = {**os.environ, emulate.SEED: "0"}
    if options == SANITIZED:
        variables |= sanitized(log)
    command = [sys.executable, str(HERE / "calls.py"), str(library), name]
    done = subprocess.run(command, env=variables, capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return done.stdout
    reports = [path.read_text() for path in log.parent.glob("found.*")]
    return finding("".join([*reports, done.stderr]))


def finding(report: str) -> str:
    """What a sanitizer reports, without the parts that differ from run to run."""
    if found := ADDRESS.search(report):
        error, access, line, distance, region = found.groups()
        return f"{error} at {line}\n{access}, {distance} after a {region}\n"
    if found := UNDEFINED.search(report):
        return "{}: {}{}\n".format(*found.groups())
    raise RuntimeError(f"expected the report of a sanitizer, got:\n{report}")


@cache
def outcomes(name: str) -> tuple[str, str]:
    """The results of the call of a name, with its safeguard and without it."""
    example, options = PATCHES[name]
    kept, broken = (call(name, built(example, patch, options), options) for patch in ("", name))
    return kept, broken


def text_of(name: str) -> str:
    """Describe the outcomes of a name, in lines that fit into a window."""
    kept, broken = outcomes(name)
    text = f"The kernel as it is:\n{kept.rstrip()}\n\nWith {name}.patch:\n{broken.rstrip()}\n"
    return "".join(f"{fill(line, 76, subsequent_indent='  ')}\n" for line in text.splitlines())


def main(names: list[str]) -> None:
    """Print the outcomes of the patches named, or of all."""
    if unknown := sorted({*names} - {*PATCHES}):
        raise SystemExit(f"expected names of {', '.join(PATCHES)}, got {', '.join(unknown)}")
    print("\n".join(text_of(name) for name in names or PATCHES), end="")


if __name__ == "__main__":
    main(sys.argv[1:])

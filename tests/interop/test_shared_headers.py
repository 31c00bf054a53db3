# SPDX-License-Identifier: Apache-2.0
# Rows: R5, R6, R7
"""Programs that include a header of both packages print the same, by each package's headers.

Each of ``shared_headers/*.cc`` includes one header, and is run under each runtime too.
"""

import os
import shlex
import subprocess
from pathlib import Path

import pytest

FOLDER = Path(__file__).with_name("shared_headers")
KINDS = ("ours", "published")
FLAGS = "-std=c++17 -O1"
PROGRAMS = sorted(path.stem for path in FOLDER.glob("*.cc"))


def told(python: str, *options: str) -> list[str]:
    """What the package's own program says of flags."""
    command = [python, "-m", "tvm_ffi.config", *options]
    return shlex.split(subprocess.check_output(command, text=True))


def output(program: Path, runtime: Path) -> str:
    """What a program prints under a runtime."""
    environment = {**os.environ, "LD_LIBRARY_PATH": str(runtime)}
    done = subprocess.run([program], env=environment, capture_output=True, check=False)
    said = done.stdout.decode(errors="backslashreplace")
    assert done.returncode == 0, said + done.stderr.decode(errors="backslashreplace")
    return said


# What the published headers declare and leave to their runtime to define.
NEEDS_ITS_OWN = {("json", "published"): "json::Parse is a symbol of the published runtime"}


@pytest.mark.parametrize("name", PROGRAMS)
def test_same_output(name, pythons, tmp_path):
    """One text, whichever headers the program was built with and whichever runtime it found."""
    runtimes = {kind: Path(told(pythons[kind], "--libdir")[0]) for kind in KINDS}
    said = {}
    for built_by in KINDS:
        program = tmp_path / f"{name}_{built_by}"
        compiler = ["g++", *FLAGS.split(), *told(pythons[built_by], "--cxxflags")]
        link = [*told(pythons[built_by], "--ldflags"), "-ltvm_ffi"]
        source = FOLDER / f"{name}.cc"
        subprocess.run([*compiler, str(source), "-o", str(program), *link], check=True)
        for runtime in KINDS:
            if (name, built_by) in NEEDS_ITS_OWN and runtime != built_by:
                continue
            said[built_by, runtime] = output(program, runtimes[runtime])
    assert len(said["ours", "ours"].splitlines()) > 0
    assert said == dict.fromkeys(said, said["published", "published"])

# SPDX-License-Identifier: Apache-2.0
"""One source, built with the headers of each package."""

from __future__ import annotations

import os
import shlex
import subprocess
from collections.abc import Mapping
from pathlib import Path

CONFIG = "from tvm_ffi import libinfo as i; print(i.find_include_path(), i.find_libtvm_ffi())"


def run(command: list[str]) -> str:
    """Run a command and give what it prints; a failure shows its words."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def build_with_both(source: Path, pythons: Mapping[str, str], folder: Path) -> dict[str, Path]:
    """Build a library with the package of each interpreter; the libraries by their names."""
    built = {}
    for name, python in pythons.items():
        built[name] = folder / f"{name}.so"
        include, library = run([python, "-c", CONFIG]).split()
        compiler = os.environ.get("CXX", "g++")
        command = f"{compiler} -std=c++17 -shared -fPIC -O1 -I{include} {source} -o {built[name]}"
        run(shlex.split(f"{command} {library}"))
    return built

# SPDX-License-Identifier: Apache-2.0
"""Runs ``tvm-ffi-stubgen`` and checks what it writes; shared by the tests of the command."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
INIT = ("--init-pypkg", "stubs", "--init-lib", "stubs", "--init-prefix", "stubs.")
BEGIN, END = "# tvm-ffi-stubgen(begin): ", "# tvm-ffi-stubgen(end)\n"
LIBRARY, LIBRARY_END = "# tvm-ffi-stubgen-library(begin): ", "# tvm-ffi-stubgen-library(end)\n"
WRAPPED = """
# tvm-ffi-stubgen-library(skip): same
# tvm-ffi-stubgen-library(names): scale(factor, x, y)
# tvm-ffi-stubgen-library(begin): LIB
# tvm-ffi-stubgen-library(end)
hand_written = 1
"""


def stubgen(*arguments: str | Path, **options: object) -> subprocess.CompletedProcess[str]:
    """Run the command."""
    command = [sys.executable, "-m", "tvm_ffi.stub.cli", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, **options)


def importing_from(folder: Path) -> dict[str, str]:
    """Return the environment in which Python also imports from a folder."""
    path = os.pathsep.join([str(folder), *filter(None, [os.environ.get("PYTHONPATH")])])
    return {**os.environ, "PYTHONPATH": path}


def python(folder: Path, program: str) -> subprocess.CompletedProcess[str]:
    """Run a program that imports from a folder and finds its libraries."""
    return subprocess.run(
        [sys.executable, "-c", program],
        env={**importing_from(folder), "LD_LIBRARY_PATH": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )


def mypy(folder: Path, *arguments: str) -> str:
    """Type-check strictly in a folder."""
    pytest.importorskip("mypy", reason="the type checker is not installed")
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file", ROOT / "pyproject.toml"]
    done = subprocess.run(
        [*command, "--cache-dir", os.devnull, *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout + done.stderr

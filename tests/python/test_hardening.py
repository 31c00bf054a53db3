# SPDX-License-Identifier: Apache-2.0
# Rows: R8
"""The package's libraries are hardened, and the package starts nothing by itself."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib.metadata import files
from pathlib import Path

import pytest
import tvm_ffi

LIBRARIES = sorted(Path(tvm_ffi.__file__).parent.rglob("*.so"))


def readelf(option: str, library: Path) -> str:
    """Return readelf's output for a library."""
    return subprocess.run(
        ["readelf", option, "--wide", str(library)], capture_output=True, text=True, check=True
    ).stdout


def test_there_are_libraries() -> None:
    """The package has the runtime, the extension and the library for tests."""
    assert len(LIBRARIES) == 3


@pytest.mark.parametrize("library", LIBRARIES, ids=lambda path: path.name)
def test_tables_are_read_only_and_the_stack_holds_no_code(library: Path) -> None:
    """All functions are resolved when the library is loaded, and the tables are then read-only."""
    segments, dynamic = readelf("--segments", library), readelf("--dynamic", library)
    assert "GNU_RELRO" in segments
    assert re.search(r"GNU_STACK .* RW +0x", segments)
    assert not re.search(r"LOAD .* RWE ", segments)
    assert "BIND_NOW" in dynamic
    assert "TEXTREL" not in dynamic


def test_nothing_runs_when_python_starts() -> None:
    """Without a .pth file, Python starts without loading the package."""
    installed = files("tvm-ffi-kernel-library")
    assert installed
    assert [each for each in installed if each.suffix == ".pth"] == []


CONNECTS = """
import sys
def refuse(event, arguments):
    if event.startswith("socket."):
        print(event)
sys.addaudithook(refuse)
import numpy, tvm_ffi
tvm_ffi.from_dlpack(numpy.zeros(3))
tvm_ffi.get_global_func("ffi.ReprPrint")(1)
"""


def test_no_network() -> None:
    """Importing the package and calling functions opens no socket."""
    done = subprocess.run(
        [sys.executable, "-c", CONNECTS], capture_output=True, text=True, check=True
    )
    assert done.stdout == ""

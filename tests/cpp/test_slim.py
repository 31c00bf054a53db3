# SPDX-License-Identifier: Apache-2.0
# Rows: R5
"""What every kernel file pays for: the lines that its compiler reads, and the runtime's size."""

import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "benchmarks"))

import slim

# Each takes longer to compile than all of the project's headers together.
HEAVY = ("algorithm", "functional", "iostream", "map", "memory", "ostream", "regex", "sstream")
HEAVY_TOO = ("unordered_map", "vector")


def test_minimal_kernel_is_short():
    """The compiler reads less than half of the 53,900 lines of the published headers."""
    assert 1000 < slim.preprocessed_lines(sys.executable) < 27_000


@pytest.mark.parametrize("header", [*HEAVY, *HEAVY_TOO])
def test_minimal_kernel_leaves_out(header):
    """The headers that cost most are not in a kernel file that does not ask for them."""
    flags = slim.told(sys.executable, "--cxxflags").split()
    source = Path(slim.HERE) / "minimal_kernel.cc"
    done = subprocess.run(["g++", *flags, "-M", source], capture_output=True, text=True, check=True)
    included = [Path(path) for path in done.stdout.replace("\\\n", " ").split()]
    assert [str(path) for path in included if path.name == header] == []


def test_runtime_is_small():
    """libtvm_ffi.so is less than 1 MB."""
    assert slim.runtime_of(sys.executable).stat().st_size < slim.RUNTIME_LIMIT

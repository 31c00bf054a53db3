# SPDX-License-Identifier: Apache-2.0
# Rows: R5
"""The library of several kernels that the guide shows."""

import subprocess
import sys

import pytest

FOLDER = "tests/snippets/many_kernels"
SOURCES = ["build.sh", "kernels.h", "binding.cc", "shift.cc", "total.cc"]


@pytest.mark.parametrize("caller", ["use.py", "leave_out.py"])
def test_many_kernels(shows, tmp_path, caller):
    """Separate kernel files and one binding file build a library that describes its functions."""
    files = [f"{FOLDER}/{name}" for name in [*SOURCES, caller]]
    for shown in files:
        path = shows(shown, *(set(files) - {shown}), "tests/snippets/test_many_kernels.py")
    sources = path.parent
    subprocess.run(["bash", sources / "build.sh", sources], cwd=tmp_path, check=True)
    subprocess.run([sys.executable, sources / caller], cwd=tmp_path, check=True)

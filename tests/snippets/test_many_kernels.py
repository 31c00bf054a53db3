# SPDX-License-Identifier: Apache-2.0
# Rows: R5
"""The library of several kernels that the guide shows."""

import subprocess
import sys


def test_many_kernels(shows, tmp_path):
    """Kernels in files of their own and one binding file make a library that says what it has."""
    folder = "tests/snippets/many_kernels"
    names = ["build.sh", "use.py", "kernels.h", "binding.cc", "shift.cc", "total.cc"]
    files = [f"{folder}/{name}" for name in names]
    for shown in files:
        path = shows(shown, *(set(files) - {shown}), "tests/snippets/test_many_kernels.py")
    sources = path.parent
    subprocess.run(["bash", sources / "build.sh", sources], cwd=tmp_path, check=True)
    subprocess.run([sys.executable, sources / "use.py"], cwd=tmp_path, check=True)

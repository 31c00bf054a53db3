# SPDX-License-Identifier: Apache-2.0
# Rows: R5, R9
"""A folder in which the published package has built."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

BUILD = """
import sys
from tvm_ffi.cpp import build_inline
cpp = "int add_one(int x) { return x + 1; }"
build_inline("adder", cpp_sources=cpp, functions=["add_one"], build_directory=sys.argv[1])
"""


def test_a_folder_of_the_published_package_is_refused(
    pythons: dict[str, str], tmp_path: Path
) -> None:
    """It stays as it is, and the error says whose it is and what to do."""
    # The published package asks for a Ninja on the PATH.
    path = os.pathsep.join([os.environ["PATH"], str(Path(sys.executable).parent)])
    for who, status in (("published", 0), ("ours", 1)):
        before = contents(tmp_path)
        done = subprocess.run(
            [pythons[who], "-c", BUILD, str(tmp_path)],
            env={**os.environ, "PATH": path},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == status, done.stderr
    assert contents(tmp_path) == before != {}
    assert "got one with build.ninja; a build of the package apache-tvm-ffi made it" in done.stderr


def contents(folder: Path) -> dict[str, bytes]:
    """What is in a folder."""
    return {path.name: path.read_bytes() for path in folder.iterdir()}

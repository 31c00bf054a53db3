# SPDX-License-Identifier: Apache-2.0
# Rows: R9
"""The examples' scripts build their libraries with sanitizers, which are then run."""

import os
import shutil
import subprocess
import sys

import pytest
from _setup import sanitize_examples

PROGRAM = """
import ctypes, sys
ctypes.CDLL("./wild.so").read(ctypes.create_string_buffer(600), int(sys.argv[1]))
"""


@pytest.mark.skipif(not shutil.which("g++"), reason="no g++ is installed")
def test_a_script_builds_with_sanitizers(tmp_path):
    """A library built by a script reports a read out of bounds once the sanitizers are loaded."""
    sanitize_examples.make_compilers(tmp_path / "compilers")
    source = 'extern "C" char read(const char* p, int i) { return p[i]; }\n'
    (tmp_path / "wild.cc").write_text(source)
    path = f"{tmp_path / 'compilers'}:{os.environ['PATH']}"
    command = "g++ -shared -fPIC wild.cc -o wild.so"
    subprocess.run(
        ["bash", "-c", command], cwd=tmp_path, env={**os.environ, "PATH": path}, check=True
    )

    def read(index: int) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-c", PROGRAM, str(index)],
            cwd=tmp_path,
            env={**os.environ, **sanitize_examples.sanitized(tmp_path / "found")},
            capture_output=True,
            text=True,
            check=False,
        )

    assert read(0).returncode == 0
    assert read(600).returncode != 0
    [found] = tmp_path.glob("found.*")
    assert "AddressSanitizer: heap-buffer-overflow" in found.read_text()

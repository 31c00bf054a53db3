# SPDX-License-Identifier: Apache-2.0
# Rows: R8
"""The installation that the quickstart shows."""

import os
import shutil
import subprocess
from pathlib import Path

import tvm_ffi

ROOT = Path(__file__).resolve().parents[2]


def test_installs_from_a_clone(shows, tmp_path):
    """The shown commands give a package that imports and a command that answers."""
    script = shows("tests/snippets/install.sh", "tests/snippets/test_install.py")
    clone = tmp_path / "clone"
    clone.mkdir()
    for name in ("CMakeLists.txt", "pyproject.toml", "README.md"):
        shutil.copy(ROOT / name, clone)
    for folder in ("include", "src", "python"):
        shutil.copytree(ROOT / folder, clone / folder)
    outer = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        ["bash", script], cwd=clone, env=outer, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    include, version = done.stdout.splitlines()[-2:]
    assert (Path(include) / "tvm/ffi/c_api.h").is_file()
    assert include.startswith(str(clone / ".venv"))
    assert "Name: tvm-ffi-kernel-library" in done.stdout
    assert version == tvm_ffi.__version__

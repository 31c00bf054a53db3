# SPDX-License-Identifier: Apache-2.0
# Rows: R8
"""The installation that the quickstart shows."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import tvm_ffi

ROOT = Path(__file__).resolve().parents[2]
PUBLISHED = re.compile(r'"(apache-tvm-ffi==[^"]+)"')


def run(script, folder, **variables):
    """Run a script as in a shell of the reader's, where nothing of ours is on any path."""
    outer = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        ["bash", script],
        cwd=folder,
        env=outer | variables,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_installs_from_a_clone(shows, tmp_path):
    """The shown commands give a package that imports and a command that answers."""
    script = shows("tests/snippets/install.sh", "tests/snippets/test_install.py")
    clone = tmp_path / "clone"
    clone.mkdir()
    for name in ("CMakeLists.txt", "pyproject.toml", "README.md"):
        shutil.copy(ROOT / name, clone)
    for folder in ("include", "src", "python"):
        shutil.copytree(ROOT / folder, clone / folder)
    # The package has a copy, for projects that are made from its template.
    header = Path("examples/kernel_library/tvm_ffi_utils.h")
    (clone / header.parent).mkdir(parents=True)
    shutil.copy(ROOT / header, clone / header)
    said = run(script, clone)
    include, version = said.splitlines()[-2:]
    assert (Path(include) / "tvm/ffi/c_api.h").is_file()
    assert include.startswith(str(clone / ".venv"))
    assert "Name: tvm-ffi-kernel-library" in said
    assert version == tvm_ffi.__version__


def test_installs_the_published_package(shows, tmp_path):
    """The shown commands give a runtime that builds and calls the guide's first kernel."""
    script = shows("tests/snippets/install_published.sh", "tests/snippets/test_install.py")
    (pin,) = PUBLISHED.findall((ROOT / "pyproject.toml").read_text())
    constraint = tmp_path / "constraint.txt"
    constraint.write_text(f"{pin}\n")
    example = ROOT / "examples" / "kernel_library" / "add_one"
    said = run(script, tmp_path, PIP_CONSTRAINT=str(constraint), EXAMPLE=str(example))
    package, result = said.splitlines()[-2:]
    assert package.startswith(str(tmp_path / ".venv"))
    assert pin in said.splitlines()
    assert result == "[2.0, 3.0, 4.0]"

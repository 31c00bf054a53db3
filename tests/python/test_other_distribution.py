# SPDX-License-Identifier: Apache-2.0
# Rows: R9
"""Two distributions of the package tvm_ffi in one folder."""

from __future__ import annotations

import importlib.metadata
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

PUBLISHED = "apache-tvm-ffi==0.1.15.post2"
WARNING = (
    "RuntimeWarning: apache_tvm_ffi-0.1.15.post2 is installed in the same folder as "
    "tvm-ffi-kernel-library"
)
# What pip itself adds to a distribution that it installs.
ADDED = {"INSTALLER", "REQUESTED", "direct_url.json"}


@pytest.fixture(scope="module")
def ours(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Pack the installed package into a wheel again."""
    distribution = importlib.metadata.distribution("tvm-ffi-kernel-library")
    tag = next(
        line.partition(":")[2].strip()
        for line in (distribution.read_text("WHEEL") or "").splitlines()
        if line.startswith("Tag:")
    )
    name = f"tvm_ffi_kernel_library-{distribution.version}-{tag}.whl"
    wheel = tmp_path_factory.mktemp("ours") / name
    with zipfile.ZipFile(wheel, "w") as archive:
        for file in distribution.files or ():
            # Scripts, which lie outside, are made anew.
            if (
                ".." not in file.parts
                and "__pycache__" not in file.parts
                and file.name not in ADDED
            ):
                archive.write(file.locate(), str(file))
    return wheel


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Fetch the published package."""
    folder = tmp_path_factory.mktemp("published")
    fetch = ["download", "-q", "--no-deps", "--only-binary=:all:", "-d", str(folder), PUBLISHED]
    fetched = pip(Path(sys.executable), *fetch)
    if fetched.returncode != 0:
        reason = fetched.stderr.strip().rpartition("\n")[2]
        pytest.skip(f"pip cannot fetch {PUBLISHED}: {reason}")
    return next(folder.glob("*.whl"))


def pip(python: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the pip of an environment."""
    command = [str(python), "-m", "pip", "--disable-pip-version-check", *arguments]
    return subprocess.run(command, capture_output=True, text=True)


def environment_with(folder: Path, *wheels: Path) -> Path:
    """Make an environment, install one wheel after the other, and give its Python."""
    subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True, capture_output=True)
    python = folder / "bin" / "python"
    for wheel in wheels:
        installed = pip(python, "install", "-q", "--no-index", "--no-deps", str(wheel))
        assert installed.returncode == 0, installed.stderr
    return python


def run(python: Path, code: str) -> subprocess.CompletedProcess[str]:
    """Run a text in an environment."""
    return subprocess.run([str(python), "-c", code], capture_output=True, text=True)


@pytest.mark.parametrize("ours_is_last", [True, False], ids=["ours_last", "published_last"])
def test_both_in_one_folder(
    tmp_path: Path, ours: Path, published: Path, ours_is_last: bool
) -> None:
    """Importing the package warns, whichever distribution was installed over the other."""
    wheels = [published, ours] if ours_is_last else [ours, published]
    python = environment_with(tmp_path / "both", *wheels)
    imported = run(python, "import tvm_ffi")
    assert imported.stderr.count(WARNING) == 1, imported.stderr
    assert "<string>:1: RuntimeWarning" in imported.stderr
    # Ours refuses to go on with the other's extension beside it; theirs may lack what it needs.
    if ours_is_last:
        assert imported.returncode == 1
        assert "ImportError: tvm_ffi: " in imported.stderr
        assert "holds parts of apache-tvm-ffi too: uninstall both" in imported.stderr
    assert run(python, "import json").stderr == ""


def test_ours_alone(tmp_path: Path, ours: Path) -> None:
    """Alone it imports without a word, and no finder stays behind."""
    python = environment_with(tmp_path / "alone", ours)
    code = "import sys; names = lambda: [f.__module__ for f in sys.meta_path if type(f) is type]\n"
    code += "print('_tvm_ffi_kernel_library' in names(), end=' ')\n"
    code += "import tvm_ffi\nprint('_tvm_ffi_kernel_library' in names())"
    imported = run(python, code)
    assert (imported.stdout, imported.stderr) == ("True False\n", "")

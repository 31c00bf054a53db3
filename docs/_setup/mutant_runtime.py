# SPDX-License-Identifier: Apache-2.0
"""A copy of the tree in build/mutants, whose package is built again after each change of it."""

from __future__ import annotations

import filecmp
import os
import shutil
import subprocess
import sys
from pathlib import Path

SOURCES = ("include", "src", "python")
UTILITY_HEADER = "examples/kernel_library/tvm_ffi_utils.h"  # the package has a copy
BUILD_FILES = ("CMakeLists.txt", "README.md", "pyproject.toml", UTILITY_HEADER)
PACKAGE = "build/package"  # in the tree; the folder of CMake is beside it, and is kept


def changed_files(patch: Path) -> list[str]:
    """The files that a patch changes, from the root of the tree."""
    mark = "+++ b/"
    lines = patch.read_text().splitlines()
    return [line.removeprefix(mark) for line in lines if line.startswith(mark)]


def changes_runtime(patch: Path) -> bool:
    """Whether a patch changes what the package is built of."""
    return any(file.split("/")[0] in SOURCES for file in changed_files(patch))


def files_below(root: Path, names: tuple[str, ...]) -> set[Path]:
    """Every file of the named files and folders, relative to the root."""
    found = [path for name in names for path in (root / name, *(root / name).rglob("*"))]
    return {
        path.relative_to(root)
        for path in found
        if path.is_file() and "__pycache__" not in path.parts
    }


def copy(source: Path, to: Path) -> None:
    """Copy a file, unless the same is there already."""
    if not to.exists() or not filecmp.cmp(source, to, shallow=False):
        to.parent.mkdir(parents=True, exist_ok=True)
        # Not the time of the source: it is older than what was compiled of a patched file.
        shutil.copyfile(source, to)
        shutil.copymode(source, to)


def refresh(tree: Path, root: Path, names: tuple[str, ...]) -> None:
    """Make the named files and folders of a tree those of the root.

    Only what differs is written, so that only that is compiled again.
    """
    wanted = files_below(root, names)
    for file in files_below(tree, names) - wanted:
        (tree / file).unlink()
    for file in wanted:
        copy(root / file, tree / file)


def install_package(tree: Path) -> str:
    """Build the tree's package and install it into its folder; what went wrong, or nothing."""
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-build-isolation"]
    command += ["--no-deps", "--upgrade", "--target", PACKAGE, "-C", "build-dir=build/cmake"]
    # Unoptimized: a header that many files include takes half the time.
    return problem_of([*command, "-C", "cmake.build-type=Debug", "."], tree)


def build_again(tree: Path) -> str:
    """Bring the installed package up to date with the tree, without pip; what went wrong."""
    for file in files_below(tree / "python", ("tvm_ffi",)):
        if file.suffix in (".py", ".pyi"):
            copy(tree / "python" / file, tree / PACKAGE / file)
    for command in (["--build", "build/cmake"], ["--install", "build/cmake", "--prefix", PACKAGE]):
        if problem := problem_of([sys.executable, "-m", "cmake", *command], tree):
            return problem
    return ""


def problem_of(command: list[str], tree: Path) -> str:
    """Run a command that builds; its first error, or nothing."""
    variables = {**os.environ, "PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_COMPILE": "0"}
    done = subprocess.run(
        command, cwd=tree, env=variables, capture_output=True, text=True, check=False
    )
    if done.returncode == 0:
        return ""
    words = [line for line in f"{done.stdout}{done.stderr}".splitlines() if "error" in line]
    return f"the package cannot be built: {(words or [done.stderr[-300:]])[0].strip()}"

# SPDX-License-Identifier: Apache-2.0
"""A copy of the tree in build/mutants, whose package is rebuilt after each change."""

from __future__ import annotations

import filecmp
import os
import shutil
import subprocess
import sys
from pathlib import Path

SOURCES = ("include", "src", "python")
UTILITY_HEADER = "examples/kernel_library/tvm_ffi_utils.h"  # the package contains a copy
BUILD_FILES = ("CMakeLists.txt", "README.md", "pyproject.toml", UTILITY_HEADER)
PACKAGE = "build/package"  # in the tree; CMake's folder is beside it, and is kept


def changed_files(patch: Path) -> list[str]:
    """Return the files that a patch changes, relative to the root of the tree."""
    mark = "+++ b/"
    lines = patch.read_text().splitlines()
    return [line.removeprefix(mark) for line in lines if line.startswith(mark)]


def changes_runtime(patch: Path) -> bool:
    """Whether a patch changes sources of the package."""
    return any(file.split("/")[0] in SOURCES for file in changed_files(patch))


def files_below(root: Path, names: tuple[str, ...]) -> set[Path]:
    """Return all files in the named files and folders, relative to the root."""
    found = [path for name in names for path in (root / name, *(root / name).rglob("*"))]
    return {
        path.relative_to(root)
        for path in found
        if path.is_file() and "__pycache__" not in path.parts
    }


def copy(source: Path, to: Path) -> None:
    """Copy a file, unless the target is already identical."""
    if not to.exists() or not filecmp.cmp(source, to, shallow=False):
        to.parent.mkdir(parents=True, exist_ok=True)
        # Do not keep the source's time: it is older than the output compiled from a patched file.
        shutil.copyfile(source, to)
        shutil.copymode(source, to)


def refresh(tree: Path, root: Path, names: tuple[str, ...]) -> None:
    """Make the named files and folders of a tree match the root's.

    Only files that differ are written, so that only those are recompiled.
    """
    wanted = files_below(root, names)
    for file in files_below(tree, names) - wanted:
        (tree / file).unlink()
    for file in wanted:
        copy(root / file, tree / file)


def install_package(tree: Path) -> str:
    """Build the tree's package and install it into its folder; return the problem, or nothing."""
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-build-isolation"]
    command += ["--no-deps", "--upgrade", "--target", PACKAGE, "-C", "build-dir=build/cmake"]
    # Unoptimized: a widely included header then takes half the time.
    return problem_of([*command, "-C", "cmake.build-type=Debug", "."], tree)


def build_again(tree: Path) -> str:
    """Update the installed package from the tree, without pip; return the problem, or nothing."""
    for file in files_below(tree / "python", ("tvm_ffi",)):
        if file.suffix in (".py", ".pyi"):
            copy(tree / "python" / file, tree / PACKAGE / file)
    for command in (["--build", "build/cmake"], ["--install", "build/cmake", "--prefix", PACKAGE]):
        if problem := problem_of([sys.executable, "-m", "cmake", *command], tree):
            return problem
    return ""


def problem_of(command: list[str], tree: Path) -> str:
    """Run a build command; return its first error, or nothing."""
    variables = {**os.environ, "PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_COMPILE": "0"}
    done = subprocess.run(
        command, cwd=tree, env=variables, capture_output=True, text=True, check=False
    )
    if done.returncode == 0:
        return ""
    words = [line for line in f"{done.stdout}{done.stderr}".splitlines() if "error" in line]
    return f"the package cannot be built: {(words or [done.stderr[-300:]])[0].strip()}"

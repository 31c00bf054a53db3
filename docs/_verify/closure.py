# SPDX-License-Identifier: Apache-2.0
"""Closures: the files that produced a result, each with its SHA-256.

A closure hashes only significant lines of a source: editing a comment changes no result.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from .comments import counting_lines

Closure = dict[str, str]
# The name under which a closure has one hash for the whole runtime.
RUNTIME = "the runtime"
RUNTIME_FOLDERS = ("include", "src", "python")
# The settings in pyproject.toml that affect the build.
BUILD_SETTINGS = re.compile(
    r"^\[tool\.scikit-build.*?(?=^\[(?!tool\.scikit-build)|\Z)", re.MULTILINE | re.DOTALL
)


def digest(path: Path) -> str:
    """Return the SHA-256 of a file, or an empty string if it does not exist."""
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except (FileNotFoundError, IsADirectoryError):
        return ""


@cache
def digest_of_text(path: str, data: bytes) -> str:
    """Return the SHA-256 of the significant lines of a file's contents."""
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return hashlib.sha256(data).hexdigest()
    return hashlib.sha256("\n".join(counting_lines(path, text).values()).encode()).hexdigest()


def code_digest(path: Path) -> str:
    """Return the SHA-256 of a file's significant lines, or an empty string if it does not exist."""
    try:
        return digest_of_text(path.name, path.read_bytes())
    except (FileNotFoundError, IsADirectoryError):
        return ""


def runtime_files(root: Path) -> list[str]:
    """Return the runtime's source files except pyproject.toml, relative to the root."""
    found = [path for name in RUNTIME_FOLDERS for path in (root / name).rglob("*")]
    files = [path.relative_to(root) for path in (*found, root / "CMakeLists.txt") if path.is_file()]
    return sorted(
        path.as_posix()
        for path in files
        if not any(part == "__pycache__" or part.startswith(".") for part in path.parts)
    )


def of_runtime(path: str) -> bool:
    """Whether an entry of a closure belongs to the runtime."""
    return path in (RUNTIME, "CMakeLists.txt") or path.split("/")[0] in RUNTIME_FOLDERS


def runtime_now(root: Path) -> Closure:
    """Hash the runtime's current files, and add one hash for all of them and their settings."""
    found = {path: code_digest(root / path) for path in runtime_files(root)}
    return {**found, RUNTIME: runtime_digest(root, found)}


def runtime_digest(root: Path, found: Closure) -> str:
    """Return one hash for files of the runtime and the settings with which they are built."""
    project = root / "pyproject.toml"
    settings = BUILD_SETTINGS.findall(project.read_text()) if project.exists() else []
    return hashlib.sha256(repr((found, settings)).encode()).hexdigest()


# A run has one runtime, which is compared with the installed package when the run starts.
runtime_of_run = cache(runtime_now)


def closure_of(root: Path, paths: Iterable[str]) -> Closure:
    """Hash the named files, relative to the root; RUNTIME has its value from the run's start."""
    return {
        path: runtime_of_run(root)[path] if path == RUNTIME else code_digest(root / path)
        for path in sorted(set(paths))
    }


def changed(root: Path, closure: Closure) -> list[str]:
    """Return the files of a closure that have changed."""
    now = closure_of(root, closure)
    return [path for path, seen in closure.items() if not seen or now[path] != seen]


def texts_digest(root: Path, paths: Iterable[str]) -> str:
    """Return one SHA-256 for the full texts of files: an edited comment can shift lines.

    A machine repeats its own runs after such an edit, since messages and tracebacks name lines.
    """
    lines = [f"{path}\0{digest(root / path)}" for path in sorted(set(paths))]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def trees_digest(root: Path, folders: Iterable[str]) -> str:
    """Return one SHA-256 for all files below some folders of the root."""
    digests = [tree_digest(root / folder) for folder in folders]
    return hashlib.sha256("\n".join(digests).encode()).hexdigest()


def tree_digest(folder: Path) -> str:
    """Return one SHA-256 for all files below a folder, including their names."""
    total = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            total.update(f"{path.relative_to(folder)}\0{digest(path)}\n".encode())
    return total.hexdigest()

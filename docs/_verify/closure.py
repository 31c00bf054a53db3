# SPDX-License-Identifier: Apache-2.0
"""Closures: the files that made a result, each with its SHA-256."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path

Closure = dict[str, str]


def digest(path: Path) -> str:
    """The SHA-256 of a file, or an empty string where there is none."""
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except (FileNotFoundError, IsADirectoryError):
        return ""


def closure_of(root: Path, paths: Iterable[str]) -> Closure:
    """Hash the files named, relative to the root."""
    return {path: digest(root / path) for path in sorted(set(paths))}


def changed(root: Path, closure: Closure) -> list[str]:
    """The files of a closure that are no longer what they were."""
    return [path for path, seen in closure.items() if not seen or digest(root / path) != seen]


def trees_digest(root: Path, folders: Iterable[str]) -> str:
    """One SHA-256 for all files below some folders of the root."""
    digests = [tree_digest(root / folder) for folder in folders]
    return hashlib.sha256("\n".join(digests).encode()).hexdigest()


def tree_digest(folder: Path) -> str:
    """One SHA-256 for all files below a folder, names included."""
    total = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            total.update(f"{path.relative_to(folder)}\0{digest(path)}\n".encode())
    return total.hexdigest()

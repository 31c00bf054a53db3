# SPDX-License-Identifier: Apache-2.0
"""Compare the installed package with the tree: another package proves nothing about the tree."""

from __future__ import annotations

import sys
from pathlib import Path

from .closure import code_digest, digest, runtime_files

# Written by CMakeLists.txt when it builds the package: the hash and name of each file.
RECORD = "sources.sha256"
SHORT_LIST = 3  # files few enough to name


def hashes_of(record: Path) -> dict[str, str]:
    """Return the hashes in a record, by file name."""
    pairs = (line.split("  ", 1) for line in record.read_text().splitlines())
    return {name: found for found, name in pairs}


def installed_as(name: str, package: Path) -> Path:
    """Return where the package has a file of the tree, if that file is installed."""
    return package / (name if name.startswith("include/") else name.removeprefix("python/tvm_ffi/"))


def differences(root: Path, package: Path) -> list[str]:
    """Return the files that differ between the tree, the build's record and the installation.

    An edited comment makes no difference in files that are themselves installed: of the others,
    only the hash is known.
    """
    built_from = hashes_of(package / RECORD)
    found = []
    for name in sorted({*built_from, *runtime_files(root)}):
        file, there = root / name, installed_as(name, package)
        same_code = not there.exists() or code_digest(there) == code_digest(file)
        if not same_code or built_from.get(name) != digest(there if there.exists() else file):
            found.append(name)
    return found


def why_not(root: Path, include: str) -> str:
    """Return why the package with this include folder cannot verify the tree; empty if it can.

    A tree without a CMakeLists.txt builds no package.
    """
    if not (root / "CMakeLists.txt").exists():
        return ""
    package = Path(include).parent
    if not include:
        reason = "the package tvm_ffi is not installed"
    elif not (package / RECORD).exists():
        reason = (
            f"{package}: expected {RECORD}, the hashes of the package's sources, got no such file"
        )
    elif found := differences(root, package):
        more = f" and {len(found) - SHORT_LIST} others" if len(found) > SHORT_LIST else ""
        names = ", ".join(found[:SHORT_LIST])
        reason = f"{package} was not built from this tree, which differs in {names}{more}"
    else:
        return ""
    return f"{reason}. Type: {sys.executable} -m pip install {root}"

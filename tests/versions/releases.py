# SPDX-License-Identifier: Apache-2.0
"""The published releases that pip installs on this Python, each in a folder of its own."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

PACKAGE = "apache-tvm-ffi"
PIP = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--no-input"]
VERSION = re.compile(r"(\d+(?:\.\d+)*)(?:\.post(\d+))?")


def order(version: str) -> tuple[tuple[int, ...], int]:
    """A key that sorts final releases, and post-releases after theirs.

    ValueError: it is a pre-release, or no version.
    """
    match = VERSION.fullmatch(version)
    if match is None:
        raise ValueError(f"order: expected a version such as 0.1.8.post2, got {version!r}")
    return tuple(map(int, match[1].split("."))), int(match[2] or -1)


def versions_in(said: str) -> list[str]:
    """The versions that ``pip index versions`` lists, the oldest first.

    ValueError: it lists none.
    """
    match = re.search(r"^Available versions: (.+)$", said, re.MULTILINE)
    if match is None:
        raise ValueError(f"versions_in: expected a line 'Available versions: ...', got {said!r}")
    return sorted(match[1].split(", "), key=order)


def installable() -> list[str]:
    """Every release that the index offers to this Python and platform, the oldest first."""
    command = [*PIP, "index", "versions", PACKAGE]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return versions_in(done.stdout)


def install(version: str, folder: Path) -> None:
    """Install one release, without what it requires, unless the folder has it already."""
    if folder.exists():
        return
    # What an interrupted installation leaves must not look like a release.
    partial = folder.with_name(f"{folder.name}.partial")
    options = ["--quiet", "--no-compile", "--no-deps", "--only-binary", ":all:", "--upgrade"]
    target = ["--target", str(partial), f"{PACKAGE}=={version}"]
    subprocess.run([*PIP, "install", *options, *target], check=True)
    partial.rename(folder)

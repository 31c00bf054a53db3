# SPDX-License-Identifier: Apache-2.0
"""The published releases that pip can install on this Python, each in its own folder."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

PACKAGE = "apache-tvm-ffi"
PIP = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--no-input"]
VERSION = re.compile(r"(\d+(?:\.\d+)*)(?:\.post(\d+))?")


def order(version: str) -> tuple[tuple[int, ...], int]:
    """Return a sort key for final releases, with post-releases after theirs.

    Raises ValueError for a pre-release or an invalid version.
    """
    match = VERSION.fullmatch(version)
    if match is None:
        raise ValueError(f"order: expected a version such as 0.1.8.post2, got {version!r}")
    return tuple(map(int, match[1].split("."))), int(match[2] or -1)


def versions_in(said: str) -> list[str]:
    """Return the versions that ``pip index versions`` lists, oldest first.

    Raises ValueError if there are none.
    """
    match = re.search(r"^Available versions: (.+)$", said, re.MULTILINE)
    if match is None:
        raise ValueError(f"versions_in: expected a line 'Available versions: ...', got {said!r}")
    return sorted(match[1].split(", "), key=order)


def installable() -> list[str]:
    """Return every release offered for this Python and platform, oldest first."""
    command = [*PIP, "index", "versions", PACKAGE]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return versions_in(done.stdout)


def install(version: str, folder: Path) -> None:
    """Install one release without dependencies, unless the folder already exists."""
    if folder.exists():
        return
    # An interrupted installation must not look like a release.
    partial = folder.with_name(f"{folder.name}.partial")
    options = ["--quiet", "--no-compile", "--no-deps", "--only-binary", ":all:", "--upgrade"]
    target = ["--target", str(partial), f"{PACKAGE}=={version}"]
    subprocess.run([*PIP, "install", *options, *target], check=True)
    partial.rename(folder)

# SPDX-License-Identifier: Apache-2.0
"""The record that ``nox -s interop`` leaves for the site: build/interop.json."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from .closure import tree_digest

FOLDERS = ("include", "src", "python", "tests/interop")


def made_of(root: Path) -> str:
    """One SHA-256 for all that the table is about."""
    digests = [tree_digest(root / folder) for folder in FOLDERS]
    return hashlib.sha256("\n".join(digests).encode()).hexdigest()


def record_of(root: Path) -> dict | None:
    """The table of this very tree, if it was made."""
    try:
        record = json.loads((root / "build" / "interop.json").read_text())
    except FileNotFoundError:
        return None
    return record if record["made_of"] == made_of(root) else None

# SPDX-License-Identifier: Apache-2.0
"""Which runtimes each example works under, as ``nox -s interop`` found it: build/runtimes.json."""

from __future__ import annotations

import json
from pathlib import Path

from .closure import trees_digest

FOLDERS = ("include", "src", "python", "examples", "tests/interop")


def made_of(root: Path) -> str:
    """One SHA-256 for all that the labels are about."""
    return trees_digest(root, FOLDERS)


def write_record(root: Path, build: Path, examples: dict[str, dict[str, str]]) -> None:
    """Keep what was found of each example, with what it was found of."""
    build.mkdir(exist_ok=True)
    record = {"made_of": made_of(root), "examples": examples}
    (build / "runtimes.json").write_text(json.dumps(record, indent=1) + "\n")


def record_of(root: Path, build: Path) -> dict[str, dict[str, str]] | None:
    """What was found of this very tree's examples, if it was looked for."""
    try:
        record = json.loads((build / "runtimes.json").read_text())
    except FileNotFoundError:
        return None
    return record["examples"] if record["made_of"] == made_of(root) else None


def label_of(found: dict[str, str]) -> str:
    """What an example's page says: its claim, if that is what was found."""
    if found["wrong"]:
        return f"Failed: {found['wrong']}"
    if found["only here"]:
        return f"This runtime only: {found['only here']}."
    return "Both runtimes."

# SPDX-License-Identifier: Apache-2.0
"""Records that a session leaves in the build folder for the site: void once their tree changes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .whole_file import write_whole


def write_tree_record(path: Path, tree: str, fields: Mapping[str, Any]) -> None:
    """Keep what was found of a tree, which a hash names; a reader never sees half of it."""
    write_whole(path, json.dumps({"made_of": tree, **fields}, indent=1) + "\n")


def read_tree_record(path: Path, tree: str) -> dict[str, Any] | None:
    """What was found of this tree, if it was looked for."""
    try:
        record: dict[str, Any] = json.loads(path.read_text())
    except FileNotFoundError:
        return None
    return record if record["made_of"] == tree else None

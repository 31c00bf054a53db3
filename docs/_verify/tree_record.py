# SPDX-License-Identifier: Apache-2.0
"""Session records in the build folder for the site: void once their tree changes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .whole_file import write_whole


def write_tree_record(path: Path, tree: str, fields: Mapping[str, Any]) -> None:
    """Save the results for a tree, identified by a hash; readers never see a partial file."""
    write_whole(path, json.dumps({"made_of": tree, **fields}, indent=1) + "\n")


def read_tree_record(path: Path, tree: str) -> dict[str, Any] | None:
    """Return the results for this tree, if they were recorded."""
    try:
        record: dict[str, Any] = json.loads(path.read_text())
    except FileNotFoundError:
        return None
    return record if record["made_of"] == tree else None

# SPDX-License-Identifier: Apache-2.0
"""Write a file so that no reader, and no process that is killed, leaves or finds half of it."""

from __future__ import annotations

from pathlib import Path


def write_whole(path: Path, text: str) -> None:
    """Write beside the file, then put the new one in its place."""
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_suffix(".unfinished")
    unfinished.write_text(text)
    unfinished.replace(path)

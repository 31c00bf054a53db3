# SPDX-License-Identifier: Apache-2.0
"""Write a file so that neither its readers nor a killed process leave or see half of it."""

from __future__ import annotations

from pathlib import Path


def write_whole(path: Path, text: str) -> None:
    """Write beside the file, then replace it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_suffix(".unfinished")
    unfinished.write_text(text)
    unfinished.replace(path)

# SPDX-License-Identifier: Apache-2.0
"""The files that pages offer: those of the repository without the lines that mark regions.

The marks must stay in the repository: the check of a page finds the region that it shows by them.
Of output, and of the files within a patch, they are text like any other, and stay.
"""

from __future__ import annotations

from pathlib import Path

from .closure import digest_of_text
from .regions import without_markers

OF_A_PATCH = (" ", "+", "-")  # begins a line of a file that is patched, which has marks of its own
LONG_STRINGS = ('"""', "'''")  # in TOML, the only text in which a line may look like a comment


def offered_bytes(file: Path) -> bytes:
    """The contents of a file as its download has them; output of a run stays as it was captured."""
    data = file.read_bytes()
    if file.suffix == ".txt" and file.name != "CMakeLists.txt":
        return data
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return data
    if file.suffix != ".patch":
        return without_markers(text).encode()
    lines = text.splitlines(True)
    kept = (line if line.startswith(OF_A_PATCH) else without_markers(line) for line in lines)
    return "".join(kept).encode()


def only_comments_left_out(file: Path) -> bool:
    """Whether what was verified of a file holds for what is offered: a mark may be in a string."""
    data, offered = file.read_bytes(), offered_bytes(file)
    if data == offered:
        return True
    if file.suffix == ".toml":
        return not any(each in data.decode() for each in LONG_STRINGS)
    return digest_of_text(file.name, data) == digest_of_text(file.name, offered)

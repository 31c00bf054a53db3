# SPDX-License-Identifier: Apache-2.0
"""The files that pages offer: those of the repository without region markers.

The markers must stay in the repository: the check of a page uses them to find the shown region.
In output, and in the files within a patch, they are ordinary text, and are kept.
"""

from __future__ import annotations

from pathlib import Path

from .closure import digest_of_text
from .regions import without_markers

OF_A_PATCH = (" ", "+", "-")  # prefixes of lines of a patched file, which has its own markers
LONG_STRINGS = ('"""', "'''")  # in TOML, the only text in which a line may look like a comment


def offered_bytes(file: Path) -> bytes:
    """Return a file's contents as downloaded; the output of a run is kept as captured."""
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
    """Whether the verification of a file also holds as offered: a marker may be in a string."""
    data, offered = file.read_bytes(), offered_bytes(file)
    if data == offered:
        return True
    if file.suffix == ".toml":
        return not any(each in data.decode() for each in LONG_STRINGS)
    return digest_of_text(file.name, data) == digest_of_text(file.name, offered)

# SPDX-License-Identifier: Apache-2.0
"""Regions: the named parts of a source file that pages show.

A region is between the comment lines ``// [name.begin]`` and ``// [name.end]``, or between two
lines ``//! [name]`` as required by Doxygen's snippet command. Marker lines are never shown.
"""

from __future__ import annotations

import re
import textwrap

MARKER = re.compile(
    r"^[ \t]*(?://[/!]?|#|--|/\*|%)[ \t]*"
    r"\[(?P<name>[A-Za-z_][\w-]*)(?:\.(?P<side>begin|end))?\][ \t]*(?:\*/)?[ \t]*$"
)


def without_markers(text: str) -> str:
    """Return the text without marker lines."""
    return "".join(line for line in text.splitlines(True) if not MARKER.match(line.rstrip("\r\n")))


def normalised(text: str) -> str:
    """Return the form for comparing texts: dedented, no markers, no trailing blanks."""
    lines = [line.rstrip() for line in without_markers(text.expandtabs()).splitlines()]
    return textwrap.dedent("\n".join(lines)).strip("\n")


def region_names(text: str) -> list[str]:
    """Return the names of a text's regions, in order of their first lines."""
    found = [MARKER.match(line) for line in text.splitlines()]
    return list(dict.fromkeys(match["name"] for match in found if match))


def shown_number(text: str, name: str, number: int) -> int:
    """Return the number of a file's line within the region as shown on a page."""
    first = region_lines(text, name)[0] if name else 0
    before = without_markers("".join(text.splitlines(True)[first:number])).lstrip("\n")
    return len(before.splitlines())


def region_lines(text: str, name: str) -> tuple[int, int]:
    """Return the first line of a region and the line after its last, counted from 0.

    ValueError: the region is missing, unclosed, duplicated or empty.
    """
    begins: list[int] = []
    ends: list[int] = []
    pairs: list[int] = []
    for number, line in enumerate(text.splitlines()):
        match = MARKER.match(line)
        if match and match["name"] == name:
            {"begin": begins, "end": ends, None: pairs}[match["side"]].append(number)
    if len(pairs) == 2 and not begins and not ends:
        begins, ends = pairs[:1], pairs[1:]
        pairs = []
    if pairs or len(begins) != 1 or len(ends) != 1 or ends[0] < begins[0]:
        have = ", ".join(region_names(text)) or "none"
        raise ValueError(
            f"region [{name}]: expected one [{name}.begin] line and one [{name}.end] line after it,"
            f" got {len(begins)} and {len(ends)} (regions in the file: {have})"
        )
    if not normalised("\n".join(text.splitlines()[begins[0] + 1 : ends[0]])):
        raise ValueError(f"region [{name}]: expected at least one line, got none")
    return begins[0] + 1, ends[0]


def region(text: str, name: str) -> str:
    """Return a region's text, dedented and without marker lines."""
    first, last = region_lines(text, name)
    return normalised("\n".join(text.splitlines()[first:last])) + "\n"

# SPDX-License-Identifier: Apache-2.0
"""The texts for which a search lists one page or section first: docs/search_words.txt."""

from __future__ import annotations

FILE = "search_words.txt"


def read_words(text: str) -> dict[str, str]:
    """Map each searched text to its page or section; a line starting with ``# `` is a comment.

    ValueError: a line cannot be parsed, or a text is listed twice.
    """
    found: dict[str, str] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip() or line.startswith("# "):
            continue
        words, arrow, target = (part.strip() for part in line.partition("->"))
        if not words or not arrow or not target or " " in target:
            raise ValueError(f"line {number}: expected words -> page, got {line!r}")
        for each in (part.strip() for part in words.split(",")):
            if each in found:
                raise ValueError(f"line {number}: {each!r} is listed twice")
            found[each] = target
    return found

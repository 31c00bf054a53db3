# SPDX-License-Identifier: Apache-2.0
# Rows: R8
"""Prose avoids words that a native technical editor would not use; each has a usual replacement."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
WORDS = {
    r"shall": "must, or will",
    r"nobody": "no one; or name who",
    r"(is|be|was) had (of|from|by)": "comes from",
    r"tells (why|how|when|what|which|where|whether|the|of)": "explains, shows or lists",
    r"stands? (under|in|on|at the|beside|behind|above|below)": "is",
    r"lies (under|behind|beside|in|on|at)": "is",
    r"and (its|their) likes": "and similar",
    r"goes by": "uses",
    r"of before": "previous",
    r"by the way that": "in the way that",
    r"(?<!no )means of (a|the)": "with",
    r"whosoever|whomever|thereof|therein|hereby|thereby|wherein|whence|henceforth": "plain words",
    r"is short of|memory is short": "is out of",
    r"needs? not": "does not need to",
    r"for its sake": "for this reason",
    r"makes use of": "uses",
    r"in order to": "to",
    r"it is to be": "must be",
}
QUOTED = re.compile(r"``.+?``|:[\w:]+:`.+?`|`[^`]+`_{1,2}|\"[^\"]+\"")
# Lines of a page that are no prose: code, doctests, directives, options and messages in blocks.
NO_PROSE = re.compile(r"\s*(>>>|\.\.\.|\.\. |:[\w-]+:)|[A-Z]\w*(Error|Warning): ")


def pages():
    """The pages, the README and what contributors read."""
    own = [ROOT / name for name in ("AGENTS.md", "README.md", "SECURITY.md")]
    found = [*own, *sorted((ROOT / "docs").rglob("*.rst"))]
    return [path for path in found if "_outside" not in path.parts]


def odd_words(text):
    """The lines of prose with such words, and what to write instead."""
    for number, line in enumerate(text.splitlines(), start=1):
        if NO_PROSE.match(line):
            continue
        prose = QUOTED.sub("", line)
        for pattern, instead in WORDS.items():
            if found := re.search(rf"\b(?:{pattern})\b", prose):
                yield f"{number}: {found[0]!r}: write {instead}"


@pytest.mark.parametrize("path", pages(), ids=lambda path: path.relative_to(ROOT).as_posix())
def test_page_is_plain(path):
    """No page has a word of the table in its prose."""
    assert not list(odd_words(path.read_text()))


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("A kernel that shall work with both adds the offset.", 1),
        ("See the page that tells why.", 1),
        ("A kernel that must work with both adds the offset.", 0),
        ('The message "it shall be contiguous" is the published package\'s.', 0),
        ("The function ``shall`` does nothing.", 0),
        (">>> shall = 1", 0),
    ],
)
def test_only_prose_is_judged(line, found):
    """Names, quoted messages and code keep their words."""
    assert len(list(odd_words(line))) == found

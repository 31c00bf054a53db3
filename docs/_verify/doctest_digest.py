# SPDX-License-Identifier: Apache-2.0
"""Digests of doctest examples, for matching a page's block with the examples that ran."""

from __future__ import annotations

import doctest
import hashlib
import re
import textwrap

FLAGS = re.compile(r"#\s*doctest:", re.MULTILINE)
SKIPS = re.compile(r"^[ \t]*\.\.[ \t]*skip:.*$", re.MULTILINE)


def example_digest(source: str, want: str) -> str:
    """Return a digest of one example and its expected output."""
    parts = source.strip(), want.strip()
    text = "\n".join(line.rstrip() for part in parts for line in part.splitlines())
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def page_digest(path: str, text: str) -> str:
    """Return a digest of what determines a page's doctest results: examples and skips.

    It is empty if the file is not an ``.rst`` page, or if its doctests cannot be parsed.
    """
    try:
        examples = doctest.DocTestParser().get_examples(text)
    except ValueError:
        return ""
    if not path.endswith(".rst"):
        return ""
    found = [(each.lineno, each.source, each.want) for each in examples]
    found += [(text.count("\n", 0, each.start()), each[0], "") for each in SKIPS.finditer(text)]
    parts = [part for _, *part in sorted(found)]
    return hashlib.sha256(repr(parts).encode()).hexdigest()


def block_digests(text: str) -> list[str]:
    """Return the digests of all examples in a block of text; see block_examples for the errors."""
    return [digest for digest, _ in block_examples(text)]


def block_examples(text: str) -> list[tuple[str, int]]:
    """Return the digest of each example in a block of text, and the number of lines before it.

    ValueError: the block contains an option, or anything but examples and their output.
    """
    text = textwrap.dedent(text.expandtabs()) + "\n"
    examples = doctest.DocTestParser().get_examples(text)
    # The parser skips text that looks like prose, and comments after a prompt.
    lines = dict(enumerate(text.splitlines()))
    for example in examples:
        if FLAGS.search(example.source):
            raise ValueError(f"expected no doctest option, got {example.source.strip()}")
        count = len(example.source.splitlines()) + len(example.want.splitlines())
        for number in range(example.lineno, example.lineno + count):
            lines.pop(number, None)
    for line in lines.values():
        if line.strip():
            raise ValueError(f"expected only examples and their output, got {line.strip()}")
    return [(example_digest(each.source, each.want), each.lineno) for each in examples]

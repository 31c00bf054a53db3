# SPDX-License-Identifier: Apache-2.0
"""Digests of doctest examples, so that a page's block can be matched with what was run."""

from __future__ import annotations

import doctest
import hashlib
import re
import textwrap

FLAGS = re.compile(r"#\s*doctest:", re.MULTILINE)
SKIPS = re.compile(r"^[ \t]*\.\.[ \t]*skip:.*$", re.MULTILINE)


def example_digest(source: str, want: str) -> str:
    """A digest of one example and of the output it promises."""
    parts = source.strip(), want.strip()
    text = "\n".join(line.rstrip() for part in parts for line in part.splitlines())
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def page_digest(path: str, text: str) -> str:
    """A digest of what decides the results of a page's doctests: the examples and what skips them.

    It is empty for what is no ``.rst`` page, and for one whose doctests cannot be read.
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
    """The digests of all examples of a block of text; see block_examples for the errors."""
    return [digest for digest, _ in block_examples(text)]


def block_examples(text: str) -> list[tuple[str, int]]:
    """The digest of each example of a block of text, and the lines of the block before it.

    ValueError: the block holds an option, or anything that is neither an example nor its output.
    """
    text = textwrap.dedent(text.expandtabs()) + "\n"
    examples = doctest.DocTestParser().get_examples(text)
    # The parser passes over what it takes for prose, and over comments behind a prompt.
    lines = dict(enumerate(text.splitlines()))
    for example in examples:
        if FLAGS.search(example.source):
            raise ValueError(f"expected no doctest option, got {example.source.strip()}")
        count = len(example.source.splitlines()) + len(example.want.splitlines())
        for number in range(example.lineno, example.lineno + count):
            lines.pop(number, None)
    for line in lines.values():
        if line.strip():
            raise ValueError(f"expected examples and their output alone, got {line.strip()}")
    return [(example_digest(each.source, each.want), each.lineno) for each in examples]

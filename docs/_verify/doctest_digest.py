# SPDX-License-Identifier: Apache-2.0
"""Digests of doctest examples, so that a page's block can be matched with what was run."""

from __future__ import annotations

import doctest
import hashlib
import re
import textwrap

FLAGS = re.compile(r"[ \t]*#\s*doctest:.+$", re.MULTILINE)


def example_digest(source: str, want: str) -> str:
    """A digest of one example and of the output it promises."""
    lines = FLAGS.sub("", source).strip(), want.strip()
    text = "\n".join(line.rstrip() for part in lines for line in part.splitlines())
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def block_digests(text: str) -> list[str]:
    """The digests of all examples of a block of text.

    ValueError: the block is no doctest.
    """
    parser = doctest.DocTestParser()
    examples = parser.get_examples(textwrap.dedent(text.expandtabs()) + "\n")
    return [example_digest(example.source, example.want) for example in examples]

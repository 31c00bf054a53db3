# SPDX-License-Identifier: Apache-2.0
# Rows: R9
"""Each sentence about generated code is checked against a fact, or is listed as general."""

from pathlib import Path

import pytest
from claimed import (
    about_code,
    all_claims,
    general_sentences,
    sentences_of_code,
    sentences_of_page,
    unclaimed,
)
from expectations import Claim, WrongExpectations

ROOT = Path(__file__).resolve().parents[2]


def test_every_sentence_is_claimed():
    """In the examples and on their pages, every one is, and no general sentence is unused."""
    assert [*unclaimed(about_code(ROOT), all_claims(), general_sentences())] == []
    assert len([*about_code(ROOT)]) > 40


def test_sentences_of_code():
    """A sentence may span lines or follow code; code itself is not a sentence."""
    text = "int a;  // Of 16 bytes.\n  // One load\n  // of 16 bytes. The next:\n  // more.\nf();\n"
    found = ["Of 16 bytes.", "One load of 16 bytes.", "The next: more."]
    assert [*sentences_of_code(text)] == found


def test_sentences_of_page():
    """Each line is a sentence, and each item; doctests and directives are not."""
    text = "Spills nothing.\n\n* Registers\n>>> 'registers'\n.. note:: registers\n   Occupancy.\n"
    assert [word for word in sentences_of_page(text) if word] == [
        "Spills nothing.",
        "Registers",
        "Occupancy.",
    ]


@pytest.mark.parametrize(
    ("sentence", "is_about"),
    [
        ("It has two loads in flight.", True),
        ("At most 64 registers a thread.", True),
        ("bfloat16 spills 40 bytes.", True),
        ("Sixteen bytes at once.", True),
        ("It registers a class.", True),  # a false positive: reword it, or list it as general
        ("Register a class.", False),
        ("A kernel of 12 lines.", False),
    ],
)
def test_what_is_about_code(tmp_path, sentence, is_about):
    """Sentences about widths, registers, spills, occupancy and loads in flight are."""
    page = tmp_path / "docs" / "guides" / "page.rst"
    page.parent.mkdir(parents=True)
    for folder in ("examples/kernel_library", "docs/packaging"):
        (tmp_path / folder).mkdir(parents=True)
    page.write_text(f"{sentence}\n")
    assert bool([*about_code(tmp_path)]) == is_about


def test_what_covers_a_sentence():
    """A claim or general sentence in the same file covers it if either contains the other."""
    said = [("a.cu", "It loads 16 bytes."), ("b.cu", "It loads 16 bytes.")]
    claim = Claim("a.cu", "loads 16\n// bytes", "*", [], {"load": 16})
    assert [*unclaimed(said, [claim], [])] == ["b.cu: no claim holds: It loads 16 bytes."]
    assert [*unclaimed(said, [claim], [("b.cu", "It loads 16 bytes.")])] == []
    assert [*unclaimed(said[:1], [claim], [("a.cu", "gone")])] == [
        "general.toml: a.cu does not say: gone"
    ]


def test_a_general_sentence_has_a_reason(tmp_path):
    """A list with a sentence without one is rejected."""
    path = tmp_path / "general.toml"
    path.write_text('[[sentences]]\nfile = "a.cu"\ntext = "b"\n')
    with pytest.raises(WrongExpectations, match="expected a key `why`"):
        general_sentences(path)

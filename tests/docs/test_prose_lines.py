# SPDX-License-Identifier: Apache-2.0
# Rows: R8
"""The prose that ``nox -s lint`` checks, and the words that Writing Style tells it to refuse."""

from pathlib import Path

import pytest
from _setup.prose_lines import (
    BREAK,
    pattern_of,
    prose_of_cpp,
    prose_of_page,
    prose_of_python,
    rules_of,
    without_literals,
    words_to_avoid,
)

ROOT = Path(__file__).resolve().parents[2]
RULES = rules_of((ROOT / "docs" / "writing_style.rst").read_text())
PAGE = """\
A sentence.

.. code-block:: cpp
   :caption: A file

   int code;

   int more;

.. note::

   Also a sentence.

>>> shall = 1
:option: shall
TypeError: it shall
Heading
-------

```sh
shall
```
"""
CPP = r"""
// SPDX-License-Identifier: Apache-2.0
int x;  // shall
/*! \brief Of a macro. */
f("http://shall");  // behind a string
/*!
 * \brief Of \p x and
 *  more.
 * \code
 *   code();
 * \endcode
 * \tparam T The type.
 * \return Nothing.
 */
}  // namespace shall
"""
PYTHON = '''\
#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A module."""
x = "no prose"  # behind code
def f(text):
    r"""Do it.

    Parameters
    ----------
    text, more : str
        Text.
    """
    return """no
prose"""
'''


def lines(prose):
    """Return the lines of prose with their numbers, without breaks."""
    return [(number, line) for number, line in enumerate(prose, 1) if line != BREAK]


def test_prose_of_a_page():
    """Sentences and captions keep their line numbers; code, options and messages are left out."""
    assert lines(prose_of_page(PAGE)) == [
        (1, "A sentence."),
        (4, "A file."),
        (12, "   Also a sentence."),
        (17, "Heading"),
    ]


def test_prose_of_cpp():
    """Doxygen's commands and code are left out; a trailing comment ends with a full stop."""
    assert lines(prose_of_cpp(CPP)) == [
        (3, "shall."),
        (4, "Of a macro."),
        (5, "behind a string."),
        (7, "Of `x` and"),
        (8, "more."),
        (12, "The type."),
        (13, "Nothing."),
    ]


def test_prose_of_python():
    """Other strings and the entries of numpydoc sections are left out."""
    assert lines(prose_of_python(PYTHON)) == [
        (1, "!/usr/bin/env python3"),
        (3, "A module."),
        (4, "behind code."),
        (6, "Do it."),
        (11, "        Text."),
    ]


def test_literals_are_replaced():
    """Each literal becomes a different word, so that none seems repeated; it cannot span lines."""
    text = without_literals(["``a`` and `a` at https://x.y", ":py:func:`f` or `a", "b`."])
    assert text == "L0iteral and L1iteral at L2iteral\nL3iteral or `a\nb`."


def test_rules_are_read_from_the_page():
    """Each quoted expression of the first table is a rule; a page without a table is refused."""
    assert len(RULES) > 15
    assert RULES["shall"] == "must, or will"
    with pytest.raises(ValueError, match="expected a table with a row of quoted words, got none"):
        rules_of("A page.")


@pytest.mark.parametrize(
    ("expression", "text", "matches"),
    [
        ("stand/stands under/in", "It stands  in", False),
        ("stand/stands under/in", "Stands in", True),
        ("stand/stands under/in", "stand under it", True),
        ("stand/stands under/in", "understand in", False),
        ("stand/stands under/in", "stand inside", False),
        ("goes by", "goes (by", False),
    ],
)
def test_slashes_are_alternatives(expression, text, matches):
    """Whole words match, in any case."""
    assert bool(pattern_of(expression).search(text)) == matches


@pytest.mark.parametrize("expression", RULES)
def test_each_rule_finds_its_own_words(expression):
    """The first alternative of each word is refused."""
    words = " ".join(word.split("/")[0] for word in expression.split())
    assert [*words_to_avoid(f"A kernel {words} it.", {expression: "better"})] == [
        (1, f'"{words}": write better')
    ]


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("A kernel that shall work with both adds the offset.", 1),
        ("See the page that tells why.", 1),
        ("A kernel that must work with both adds the offset.", 0),
        ('The message "it shall be contiguous" is the published package\'s.', 0),
    ],
)
def test_quotations_keep_their_words(line, found):
    """Quoted messages keep their wording."""
    assert len([*words_to_avoid(line, RULES)]) == found

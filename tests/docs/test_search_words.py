# SPDX-License-Identifier: Apache-2.0
# Rows: R8
"""The list of words whose first search result is fixed."""

from pathlib import Path

import pytest
from _verify.search_words import FILE, read_words

DOCS = Path(__file__).resolve().parents[2] / "docs"


def test_list():
    """Several texts may lead to one place; comments and empty lines are ignored."""
    text = "# Why.\n\nstream, current stream -> concepts/streams\nbyte offset -> a/b#c\n"
    assert read_words(text) == {
        "stream": "concepts/streams",
        "current stream": "concepts/streams",
        "byte offset": "a/b#c",
    }


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("stream\n", "line 1: expected words -> page, got 'stream'"),
        ("-> a\n", "line 1: expected words -> page"),
        ("stream -> a b\n", "line 1: expected words -> page"),
        ("a, b -> c\nb -> d\n", "line 2: 'b' is listed twice"),
    ],
)
def test_wrong_line(text, message):
    """An invalid line is named."""
    with pytest.raises(ValueError, match=message):
        read_words(text)


def test_the_list_of_the_site_is_long_enough():
    """At least thirty texts lead somewhere."""
    assert len(read_words((DOCS / FILE).read_text())) >= 30


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("words -> absent", "absent: expected a page, and there is none named absent"),
        (
            "words -> index#absent",
            "index#absent: expected an anchor, and index has none named absent",
        ),
        ("words", "line 1: expected words -> page"),
    ],
)
def test_line_that_leads_nowhere_stops_the_build(project, line, said):
    """The build names the line's target."""
    conf = project.file("conf.py")
    first = '    "_ext.'
    conf.write_text(conf.read_text().replace(first, f'{first}search_words",\n{first}', 1))
    project.file("docs/search_words.txt").write_text(f"{line}\n")
    status, output = project.build()
    assert status != 0
    assert said in output

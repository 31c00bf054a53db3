# SPDX-License-Identifier: Apache-2.0
# Rows: R8, R9
"""The table of all public names in both packages, and the page that shows it."""

import json
import re
from pathlib import Path

import pytest

pytest.importorskip("sphinx", reason="the site needs Python 3.11")

from _ext.compared import by_place, groups, in_short, summary
from _verify.compared import (
    NAMES,
    REASONS,
    STATES,
    Compared,
    as_text,
    matches,
    read_compared,
    read_reasons,
)

ROOT = Path(__file__).resolve().parents[2]
REASON = """
[[differs]]
table = "cpp"
names = ["toy::Box::*"]
why = "A box is open here."

[[only_there]]
table = "cpp"
places = ["toy/lid*.h"]
why = "Boxes have no lids here."
"""


def row(name, state, place="toy/box.h", kind="member", **more):
    """Make a row of the table."""
    return {"name": name, "kind": kind, "place": place, "state": state, **more}


ROWS = [
    row("toy::Box", "same", kind="type"),
    row("toy::Box::open", "differs", there=["()"], here=["(int)"]),
    row("toy::Box::size", "same", here_in="toy/size.h"),
    row("toy::Paint", "only here", "toy/paint.h", "function"),
    row("toy::Lid", "only there", "toy/lid.h", "type"),
    row("toy::Lid::shut", "only there", "toy/lid.h"),
]
DATA = {"published": "1.2", "tables": {"cpp": ROWS}}


def compared(reasons=REASON, rows=ROWS):
    """Make a small table with reasons."""
    return Compared("1.2", {"cpp": rows}, read_reasons(reasons))


def changed(index, state):
    """Return the rows, with one of them in another state."""
    return [*ROWS[:index], {**ROWS[index], "state": state}, *ROWS[index + 1 :]]


def test_the_committed_table_has_a_reason_for_each_difference():
    """The page, too, refuses to build without a reason for each difference."""
    found = read_compared(ROOT)
    assert found.problems() == []
    assert {row["state"] for rows in found.tables.values() for row in rows} == {*STATES}


def test_the_committed_table_is_written_as_the_test_writes_it():
    """The table has one line per name, and manual merges keep the generated format."""
    text = (ROOT / NAMES).read_text()
    assert as_text(json.loads(text)) == text
    assert all(len(line) < 1000 for line in text.splitlines())


def test_no_name_depends_on_the_machine():
    """The table contains no machine-specific path and no memory address."""
    text = (ROOT / NAMES).read_text()
    assert re.findall(r"0x[0-9a-f]{6,}|site-packages|/(?:home|root|usr|tmp)/", text) == []


@pytest.mark.parametrize(
    ("reasons", "rows", "problem"),
    [
        (REASON, ROWS, ""),
        (REASON, changed(2, "differs"), ""),
        (REASON, changed(4, "same"), ""),  # the name was added here; the reason is kept for later
        (REASON, changed(0, "differs"), "cpp: toy::Box differs, without a reason"),
        (REASON, changed(3, "only there"), "cpp: toy::Paint is only there, without a reason"),
        (REASON, changed(1, "same"), "cpp: no name for the pattern 'toy::Box::*' of 'differs'"),
        (
            REASON.replace("toy/lid*.h", "toy/lid[.h"),
            changed(4, "same")[:5],
            "cpp: no place for the pattern 'toy/lid[.h' of 'only there'",
        ),
        (REASON.replace('"cpp"', '"c"', 1), ROWS, "toy::Box::open differs, without a reason"),
    ],
)
def test_reasons_and_names_belong_together(reasons, rows, problem):
    """Differences without a reason and reasons without a name are both reported."""
    problems = compared(reasons, rows).problems()
    assert bool(problems) == bool(problem)
    assert any(problem in each for each in problems) or not problem


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[[same]]\ntable = "c"\nwhy = "x"', r"expected \[\[differs\]\] or \[\[only_there\]\]"),
        ('[[differs]]\ntable = "c"\nnames = ["x"]', "expected table, why, and names or places"),
        ('[[differs]]\ntable = "c"\nwhy = "x"\nname = "x"', "got table, why, name"),
    ],
)
def test_wrong_reasons_are_refused(text, said):
    """The message names the file, what was expected and what was passed."""
    with pytest.raises(ValueError, match=said):
        read_reasons(text)


@pytest.mark.parametrize(
    ("text", "pattern", "expected"),
    [
        ("a::b", "a::b", True),
        ("a::b", "a::*", True),
        ("a::b", "a", False),
        ("A::b", "a::b", False),
        ("a::operator[]", "a::operator[]", True),
        ("a::operator]", "a::operator[]]", False),
        ("ab", "a?", False),
    ],
)
def test_patterns(text, pattern, expected):
    """Only * matches other text; operators are matched literally."""
    assert matches(text, pattern) == expected


def test_names_are_counted_by_kind_and_state():
    """The last row is the total."""
    assert summary(compared()) == [
        ["C++: functions", "0", "0", "0", "1"],
        ["C++: members", "1", "1", "1", "0"],
        ["C++: types", "1", "0", "1", "0"],
        ["All names", "2", "1", "2", "1"],
    ]


def test_names_are_grouped_by_place_and_reason():
    """Differences come first, and each differing name has its own row."""
    places = by_place(ROWS)
    assert [in_short(*each) for each in places.items()] == [
        "toy/box.h: 1 differs, 2 same",
        "toy/paint.h: 1 only here",
        "toy/lid.h: 2 only there",
    ]
    found = [
        (state, said, [row["name"] for row in named])
        for rows in places.values()
        for state, said, named in groups(compared(), "cpp", rows)
    ]
    assert found == [
        ("differs", "A box is open here.", ["toy::Box::open"]),
        ("same", "", ["toy::Box"]),
        ("same", "here in toy/size.h", ["toy::Box::size"]),
        ("only here", "", ["toy::Paint"]),
        ("only there", "Boxes have no lids here.", ["toy::Lid", "toy::Lid::shut"]),
    ]


@pytest.fixture
def page(project):
    """The toy project, with a comparison page."""
    project.replace("conf.py", '"_ext.verification",', '"_ext.verification",\n    "_ext.compared",')
    folder = project.file("docs/compared")
    folder.mkdir()
    project.file(NAMES).write_text(as_text(DATA))
    project.file(REASONS).write_text(REASON)
    more = "\n.. compared:: version\n\n.. compared:: summary\n\n.. compared:: cpp\n"
    project.append("docs/verification.rst", more)
    return project


def test_the_page_shows_each_name(page):
    """Each name has an anchor; a difference shows its signatures and the reason."""
    status, said = page.site()
    assert status == 0, said
    text = page.file("build/site/verification.html").read_text()
    assert "Compared with apache-tvm-ffi 1.2." in text
    assert "<summary>toy/box.h: 1 differs, 2 same</summary>" in text
    for each in ("box", "box-open", "box-size", "paint", "lid", "lid-shut"):
        assert text.count(f'id="cpp-toy-{each}"') == 1
    assert "A box is open here." in text
    assert "(int)" in text
    assert "Boxes have no lids here." in text


@pytest.mark.parametrize(
    ("file", "old", "new", "said"),
    [
        (REASONS, "toy::Box::*", "toy::Boxes::*", "toy::Box::open differs, without a reason"),
        (REASONS, "lid*.h", "lids*.h", "toy::Lid is only there, without a reason"),
        (REASONS, "[[differs]]", "[[differ]]", "expected [[differs]] or [[only_there]]"),
        ("docs/verification.rst", "compared:: cpp", "compared:: rust", "got rust"),
    ],
)
def test_the_site_is_refused(page, file, old, new, said):
    """A difference without a reason or an invalid table breaks the build."""
    page.replace(file, old, new)
    status, printed = page.site()
    assert status != 0
    assert said in printed


def test_our_names_link_to_the_reference(page):
    """A name is a link only if this package's reference has it."""
    rows = [row("toy.pack", "same", "toy", "function"), row("toy.gone", "same", "toy", "function")]
    page.file(NAMES).write_text(as_text({**DATA, "tables": {"python": rows, "cpp": ROWS}}))
    declared = ".. py:function:: toy.pack\n   :no-index-entry:\n"
    page.append("docs/verification.rst", f"\n.. compared:: python\n\n{declared}")
    page.site("-D", "verify_preview=1")
    text = page.file("build/site/verification.html").read_text()
    assert re.search(r'id="python-toy-pack"><a class="reference internal" href="#toy.pack"', text)
    assert '<span id="python-toy-gone">toy.gone</span>' in text

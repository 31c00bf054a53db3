# SPDX-License-Identifier: Apache-2.0
# Rows: R8, R9
"""The table of trials under both packages shows the recorded results of the current programs."""

import json
import re
from pathlib import Path

import pytest

pytest.importorskip("sphinx", reason="the site needs Python 3.11")

from _ext.trials import AGAIN, PROGRAMS, RECORD, description_of, ends_alike, problems_of
from _verify.closure import digest

ROOT = Path(__file__).resolve().parents[2]
REFUSED = {"how": "error", "said": "ValueError: got `None` -- twice"}
OTHERWISE = {"how": "error", "said": "TypeError: x"}
PRINTS = {"how": "result", "said": "2 errors"}
CRASHES = {"how": "signal", "said": "ends by SIGSEGV"}
TOY = {
    "agrees": ("Both refuse this.", REFUSED, OTHERWISE),
    "crashes": ("Only one ends well.", PRINTS, CRASHES),
}


def test_the_committed_record_is_of_the_programs():
    """Each program has an up-to-date row, so the page can be built."""
    record = json.loads((ROOT / RECORD).read_text())
    assert problems_of(ROOT, record) == []
    assert record["versions"]["commit"]


def test_no_row_depends_on_the_machine():
    """The table contains no machine-specific path and no memory address."""
    text = (ROOT / RECORD).read_text()
    assert not re.search(r"/(home|tmp|work|root|usr)/|0x[0-9a-f]", text)


def test_each_program_says_what_it_tries():
    """The first line of each docstring is a distinct sentence."""
    descriptions = [description_of(path) for path in (ROOT / PROGRAMS).glob("*.py")]
    assert all(each.endswith(".") for each in descriptions)
    assert len({*descriptions}) == len(descriptions) > 11


@pytest.mark.parametrize(
    ("ours", "published", "alike"),
    [
        (REFUSED, OTHERWISE, True),
        (REFUSED, CRASHES, False),
        (REFUSED, PRINTS, False),
        (PRINTS, PRINTS, True),
        (PRINTS, {**PRINTS, "said": "1 error"}, False),
        (CRASHES, {**CRASHES, "said": "ends by SIGABRT"}, False),
    ],
)
def test_which_trials_end_alike(ours, published, alike):
    """Errors of different types do; different results do not."""
    assert ends_alike({"ours": ours, "published": published}) is alike


@pytest.fixture
def page(project):
    """The toy project, with a page that shows two trials."""
    project.replace("conf.py", '"_ext.verification",', '"_ext.verification",\n    "_ext.trials",')
    project.file(PROGRAMS).mkdir(parents=True)
    trials = {}
    for name, (what, ours, published) in TOY.items():
        path = project.file(f"{PROGRAMS}/{name}.py")
        path.write_text(f'"""{what}\n\nMore is said here.\n"""\n')
        trials[path.name] = {"sha256": digest(path), "ours": ours, "published": published}
    record = {"date": "2026-01-02", "machine": "one core", "published": "1.2", "trials": trials}
    project.file("docs/compared").mkdir()
    project.file(RECORD).write_text(json.dumps({**record, "versions": {"commit": "0123456789"}}))
    project.append("docs/verification.rst", "\n.. trials::\n")
    return project


def cells_of(row: str) -> list[str]:
    """Return the text of each cell of an HTML row."""
    return [re.sub("<[^>]+>", "", cell).strip() for cell in re.findall(r"(?s)<td>(.*?)</td>", row)]


def test_the_page_shows_each_trial(page):
    """Differences come first; errors keep their quotes and dashes, and the commit is named."""
    status, said = page.site()
    assert status == 0, said
    text = page.file("build/site/verification.html").read_text()
    table = text[text.index("apache-tvm-ffi 1.2") :].partition("</table>")[0]
    assert [cells_of(row) for row in table.split("<tr ")[1:]] == [
        ["Only one ends well. crashes.py", "prints: 2 errors", "ends by SIGSEGV"],
        ["Both refuse this. agrees.py", REFUSED["said"], OTHERWISE["said"]],
    ]
    assert "1 of 2 trials end alike" in text
    assert "Tried on 2026-01-02: one core; commit 0123456789." in text


def add(page):
    """Add a program without running it."""
    page.file(f"{PROGRAMS}/new.py").write_text('"""New."""\n')


@pytest.mark.parametrize(
    ("edit", "said"),
    [
        (lambda page: page.file(f"{PROGRAMS}/agrees.py").unlink(), "agrees.py is missing"),
        (
            lambda page: page.append(f"{PROGRAMS}/agrees.py", "x = 1\n"),
            "agrees.py was edited since",
        ),
        (add, "new.py was never run"),
        (lambda page: page.file(RECORD).unlink(), "trials: [Errno 2]"),
    ],
)
def test_the_site_is_refused(page, edit, said):
    """A row without its program, or a program without its row, breaks the build."""
    edit(page)
    status, printed = page.site()
    assert status != 0
    assert said in printed
    assert "Errno" in said or AGAIN in printed

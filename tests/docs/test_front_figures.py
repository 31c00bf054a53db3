# SPDX-License-Identifier: Apache-2.0
# Rows: R8, R9
"""The figures on the home page come from records and from the verification of all pages."""

import json

import pytest

pytest.importorskip("sphinx")

from _ext.front_figures import of_calls, of_compilation

CALLS = {
    "geometric mean": 0.547,
    "measured": {"1 torch tensor, ns": {"ours": 1264.4, "published": 1600, "ratio": 0.79}},
}
SLIM = {"measured": {"compile, seconds": {"ours": 1.341, "published": 2.697, "ratio": 0.497}}}


def test_calls():
    """The figure shows nanoseconds, the speedup, and the mean speedup."""
    value, words = of_calls(CALLS)
    assert value == "1,264 ns"
    assert "1.3 times as fast as the published package, and 1.8 times on average" in words


def test_compilation():
    """The figure shows seconds with either package's headers."""
    value, words = of_compilation(SLIM)
    assert (value, words.endswith("published package's headers, 2.7 s")) == ("1.3 s", True)


def figures(project):
    """Return the home page's HTML."""
    status, output = project.build()
    assert status == 0, output
    return " ".join(project.file("build/site/index.html").read_text().split())


@pytest.fixture
def front(project):
    """A project whose home page has figures and one snippet that needs a GPU."""
    conf = project.file("conf.py")
    conf.write_text(
        conf.read_text().replace('    "_ext.', '    "_ext.front_figures",\n    "_ext.', 1)
    )
    skip = '.. skip: next if(device == "cpu", reason="needs a GPU")'
    project.append("docs/index.rst", f"\n{skip}\n\n>>> ctypes.c_int(3).value\n3\n")
    text = ":orphan:\n\nProof\n=====\n"
    for name in ("performance", "verification"):
        project.file(f"docs/{name}.rst").write_text(text)
    project.append("docs/index.rst", "\n.. front-figures::\n")
    return project


def test_count_leaves_out_what_did_not_run(front):
    """A snippet that needs a GPU counts toward the total, but not as verified."""
    shown = figures(front)
    rows = json.loads(front.file("build/snippets.json").read_text())
    verified = sum(row["verified"] for row in rows)
    assert 0 < verified == len(rows) - 1
    assert f"<strong>{verified} of {len(rows)}</strong>" in shown
    assert " ns</strong>" not in shown  # no record exists


def test_record_of_an_earlier_tree_is_named_as_one(front):
    """A figure measured on an earlier tree stays, with a note."""
    front.file("docs/benchmarks").mkdir()
    front.file("docs/benchmarks/calls.json").write_text(json.dumps(CALLS))
    assert "measured before the latest changes" in figures(front)

# SPDX-License-Identifier: Apache-2.0
# Rows: R4, R8
"""The tables of calls that can be captured in a CUDA graph."""

import os
import re
import subprocess
import sys
from html import unescape
from pathlib import Path

import pytest
from _verify.captures import CALLS, EXAMPLES, Outcome

pytest.importorskip("sphinx")

DOCS = Path(__file__).resolve().parents[2] / "docs"


def build(folder: Path, argument: str) -> tuple[str, str]:
    """Build a page with a table; return its HTML and Sphinx's messages."""
    (folder / "conf.py").write_text("extensions = ['_ext.captures']\n")
    (folder / "index.rst").write_text(f"Page\n====\n\n.. captures:: {argument}\n")
    done = subprocess.run(
        [sys.executable, "-m", "sphinx", "-W", "-q", str(folder), str(folder / "out")],
        env={**os.environ, "PYTHONPATH": str(DOCS)},
        capture_output=True,
        text=True,
        check=False,
    )
    made = folder / "out" / "index.html"
    return made.read_text() if done.returncode == 0 else "", done.stderr


def rows_of(html: str) -> list[list[str]]:
    """Return the text of each cell below the headings."""
    rows = re.findall(r"<tr.*?</tr>", html, re.DOTALL)[1:]
    cells = [re.findall(r"<td>(.*?)</td>", row, re.DOTALL) for row in rows]
    return [[unescape(re.sub(r"<.*?>", "", cell)) for cell in row] for row in cells]


def test_a_row_for_each_function(tmp_path: Path) -> None:
    """Each row says what is recorded, or gives the error."""
    html, said = build(tmp_path, "examples")
    rows = rows_of(html)
    assert [tuple(row[:2]) for row in rows] == list(EXAMPLES), said
    assert ["storage", "histogram", "legal", "1 launch, 1 memset, 1 tensor"] in rows


def test_a_row_for_each_call(tmp_path: Path) -> None:
    """Each row links to its rule, if the rule is CUDA's."""
    html, said = build(tmp_path, "calls")
    assert [row[0] for row in rows_of(html)] == list(CALLS), said
    for _, rule in CALLS.values():
        assert (f'href="{rule}"' if rule.startswith("https:") else rule) in unescape(html)


def test_another_table_is_refused(tmp_path: Path) -> None:
    """The error lists the tables."""
    _, said = build(tmp_path, "kernels")
    assert "captures: expected one of ['examples', 'calls'], got kernels" in said


@pytest.mark.parametrize(
    ("outcome", "short", "words"),
    [
        (Outcome(), "legal", "nothing to record"),
        (Outcome(launches=2), "legal", "2 launches"),
        (Outcome(error="No: it waits"), "refused; the capture goes on", "No: it waits"),
        (Outcome(error="No", valid=False), "illegal; invalidates the capture", "No"),
    ],
)
def test_words_of_an_outcome(outcome: Outcome, short: str, words: str) -> None:
    """An outcome says whether the call is legal, and what is recorded."""
    assert (outcome.in_short(), outcome.in_words()) == (short, words)

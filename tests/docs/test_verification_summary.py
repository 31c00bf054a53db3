# SPDX-License-Identifier: Apache-2.0
# Rows: R9
"""The verification page begins with how much was verified, where and when."""

import re
from types import SimpleNamespace

import pytest

pytest.importorskip("sphinx")

from _ext.snippet_gate import Snippet
from _ext.verification import snippet_rows
from _ext.verification_summary import summary_rows

STATES = [
    "compiled by g++ 12 · ran on CPU",
    "ran on CPU · ran on GPU: NVIDIA H200, 2026-11-26",
    "ran on CPU · ran on GPU: NVIDIA H200, 2026-11-20 · ran on GPU: NVIDIA A100, 2026-01-02",
    "compiled by nvcc 13.0 for sm_90 · ran on GPU with an earlier runtime: NVIDIA H200, 2026-10-01",
    "compiled by nvcc 13.0 for sm_90 · ran under emulation but for 4-6",
    "compiled",
]
RECEIPTS = [
    SimpleNamespace(level="ran on CPU", date="2026-11-25"),
    SimpleNamespace(level="ran on CPU", date="2026-11-27"),
    SimpleNamespace(level="compiled", date="2026-12-24"),
]


def test_each_way_is_counted_with_its_machines_and_dates():
    """A snippet counts in every row that its line names; a compiled-only file counts in one."""
    shown = [Snippet(f"page{i}", f"page{i}", 1, "x", state) for i, state in enumerate(STATES)]
    shown.append(Snippet("page0", "page0", 9, "x", "not run here: no GPU", not_run="no GPU"))
    assert summary_rows(shown, RECEIPTS) == [
        ["6 of 7", "are verified, on 6 pages"],
        ["3", "ran on a CPU, the latest on 2026-11-27"],
        ["2", "ran on a GPU: NVIDIA A100 (2026-01-02), NVIDIA H200 (2026-11-26)"],
        ["1", "ran on a GPU before the runtime was last edited: NVIDIA H200 (2026-10-01)"],
        ["1", "contain CUDA code that ran on a CPU, under emulation"],
        ["2", "were compiled, and did not run on a CPU or a GPU"],
        ["1", "were not run, because this machine lacks a tool or a GPU"],
    ]


def test_snippets_of_a_file_with_the_same_result_share_a_row():
    """A row lists the lines and regions; another file or another result has its own row."""
    shown = [("a.py [x]", "ran"), ("b.py", "ran"), ("a.py [y]", "ran"), ("a.py [z]", "compiled")]
    shown += [("a.py [x]", "ran"), ("a.py", "ran"), ("b.py", "ran")]
    snippets = [Snippet("p", "p", 9 * i, *each) for i, each in enumerate(shown)]
    assert snippet_rows(snippets) == [
        ["18, 36, 45", "a.py [x], [y], [x], (whole)", "ran"],
        ["9, 54", "b.py", "ran"],
        ["27", "a.py [z]", "compiled"],
    ]


def test_summary_agrees_with_the_tables_below_it(pristine):
    """The summary precedes the first table, and agrees with the folded tables."""
    page = pristine.file("build/site/verification.html").read_text()
    rows = re.findall(r"<summary>[^<]*: (\d+)</summary>", page)
    total = sum(map(int, rows))
    said = page.index(f"<p>{total} of {total}</p>")
    assert said < page.index("Compiled by nvcc")
    assert re.search(r"ran on a CPU, the latest on \d{4}-\d\d-\d\d", page)

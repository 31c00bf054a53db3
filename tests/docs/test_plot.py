# SPDX-License-Identifier: Apache-2.0
# Rows: R8, R9
"""The plots of the Performance page show the committed records."""

import json
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

pytest.importorskip("sphinx", reason="the site needs Python 3.11")

from _ext.benchmark import KERNEL_TITLES, plots_of
from _ext.plot import ROW, Bar, bars, strips

RECORDS = Path(__file__).resolve().parents[2] / "docs" / "benchmarks"
ROWS = [Bar("call <int>, ns", 1234.5, 2469.0, 0.5), Bar("slow, ns", 125.0, 100.0, 1.25)]


def widths(plot, name):
    """Return the widths of the bars of one kind, in percent."""
    return [
        float(each) for each in re.findall(rf'<rect class="{name}"[^>]* width="([\d.]+)%', plot)
    ]


def test_bars_share_one_scale():
    """The longest bar has the full width; the others are proportional to it."""
    plot = bars("Calls", ROWS)
    assert widths(plot, "published") == [80.0, 80.0]
    assert widths(plot, "ours") == [40.0, 100.0]
    assert "1,234.5 against 2,469.0" in plot


def ticks(plot):
    """Return the ticks' positions, in percent, with the rows of their bars."""
    lines = re.findall(r'<line class="limit" x1="([\d.]+)%" x2="([\d.]+)%" y1="([\d.]+)"', plot)
    return [(float(x1), float(x2), float(y1) // ROW) for x1, x2, y1 in lines]


def test_a_tick_marks_a_limit():
    """The tick is on the bars' scale, in its own row; a row without a limit has none."""
    plot = bars("Calls", [*ROWS, Bar("int, ns", 50.0, 100.0, 0.5, limit=0.25)])
    assert ticks(plot) == [(20.0, 20.0, 2)]
    assert "A tick marks the limit of 1." in plot
    assert "tick" not in bars("Calls", ROWS)


def test_a_limit_beyond_all_bars_is_seen():
    """The limit is included in the scale."""
    assert ticks(bars("Calls", [Bar("int, ns", 1.0, 1.0, 1.0, limit=2.0)])) == [(100.0, 100.0, 0)]


def test_limits_of_a_record_are_drawn():
    """A row's time divided by its ratio to the limit gives the tick's position."""
    row = {"ours": 60.0, "published": 100.0, "ratio": 0.6, "group": "from Python"}
    measured = {"int, ns": {**row, "limit": 50.0, "of limit": 1.2}, "str, ns": row}
    [[plot]] = plots_of("calls", {"measured": measured})
    assert ticks(plot) == [(50.0, 50.0, 0)]


def test_dots_stand_on_a_logarithmic_axis():
    """A factor of ten is one step; 1 has its own line, even outside the range of values."""
    plot = strips("Kernels", {"scale": [("float32", 0.01), ("float64", 0.1)]})
    found = re.findall(r'<circle [^>]*cx="([\d.]+)%"[^>]*><title>([^<]+)', plot)
    assert found == [("2.00", "scale, float32: 0.01"), ("50.00", "scale, float64: 0.1")]
    assert '<line class="one" x1="98.00%"' in plot


def test_one_value_of_one_has_an_axis():
    """Values within a single power of ten do not cause a division by zero."""
    assert 'cx="2.00%"' in strips("Kernels", {"scale": [("float32", 1.0)]})


def texts(plot):
    """Return the texts of a plot."""
    return {each.text for each in ElementTree.fromstring(plot).iterfind("text")}


@pytest.mark.parametrize("part", ["calls", "instructions", "kernels", "slim"])
def test_plots_of_the_records_are_told_in_words_too(part):
    """Each plot is well-formed and has every row, a title and a description."""
    record = json.loads((RECORDS / f"{part}.json").read_text())
    parts = list(record["devices"].values()) if part == "kernels" else [record]
    found = plots_of(part, record)
    assert len(found) == len(parts)
    for plots, measured in zip(found, parts, strict=True):
        names = {plot: texts(plot) for plot in plots}
        if part == "kernels":  # PyTorch has no peer of some
            assert len(plots) == len(KERNEL_TITLES)
            for key, found_in in zip(KERNEL_TITLES, names.values(), strict=True):
                cases = measured["kernels"].items()
                assert {name for name, rows in cases if any(key in row for row in rows)} <= found_in
        else:
            assert {*measured["measured"]} <= set().union(*names.values())
        for plot in plots:
            root = ElementTree.fromstring(plot)
            assert root.get("role") == "img"
            assert root.find("title").text in root.get("aria-label")
            assert root.find("desc").text in root.get("aria-label")

# SPDX-License-Identifier: Apache-2.0
"""Plots as inline SVG, with the site's light and dark colours, and text of fixed size on phones.

Lengths along x are percentages of the page's width; heights are pixels. Colours are in site.css;
the attributes here are for readers without a style sheet.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape
from typing import NamedTuple

ROW, BAR, DOT = 34, 9, 4  # heights, and a dot's radius, in pixels
LEFT, RIGHT = 2.0, 98.0  # start and end of a logarithmic axis, in percent


def svg(title: str, description: str, height: float, parts: Sequence[str]) -> str:
    """Return a plot with its alternative text."""
    label = f"{escape(title)}. {escape(description)}"
    return (
        f'<svg class="plot" role="img" aria-label="{label}" width="100%" height="{height:g}">'
        f"<title>{escape(title)}</title><desc>{escape(description)}</desc>{''.join(parts)}</svg>"
    )


def text(x: str, y: float, words: str, name: str = "", anchor: str = "start") -> str:
    """Return a line of text, in the page's text colour."""
    return (
        f'<text class="{name}" x="{x}" y="{y:g}" text-anchor="{anchor}" fill="currentColor"'
        f' font-size="12">{escape(words)}</text>'
    )


class Bar(NamedTuple):
    """A row of a bar plot; the ratio and the limit are relative to the published package."""

    name: str
    ours: float
    published: float
    ratio: float
    limit: float | None = None


def bars(title: str, rows: Sequence[Bar]) -> str:
    """Plot, for each row, our bar over the published package's, with a tick at its limit."""
    limits = [row.limit for row in rows if row.limit is not None]
    scale = 100 / max(1, *(row.ratio for row in rows), *limits)
    parts = []
    for place, (name, ours, published, ratio, limit) in enumerate(rows):
        y = place * ROW
        parts += [
            text("0", y + 13, name),
            text("100%", y + 13, f"{ours:,} against {published:,}", "value", "end"),
            f'<rect class="published" y="{y + 18}" width="{scale:.2f}%" height="{BAR}"'
            f' fill="#c4c9d0"/>',
            f'<rect class="ours" y="{y + 18}" width="{ratio * scale:.2f}%" height="{BAR}"'
            f' fill="#1f5fa8"/>',
        ]
        if limit is not None:
            at = f"{limit * scale:.2f}%"
            parts.append(
                f'<line class="limit" x1="{at}" x2="{at}" y1="{y + 16}" y2="{y + 20 + BAR}"'
                f' stroke="currentColor" stroke-width="2"/>'
            )
    slower = sum(row.ratio > 1 for row in rows)
    ticks = f" A tick marks the limit of {len(limits)}." if limits else ""
    about = (
        f"{len(rows)} bars of this runtime over those of the published package; shorter is better."
        f" {len(rows) - slower} are not longer.{ticks} The table has the numbers."
    )
    return svg(title, about, len(rows) * ROW, parts)


def strips(title: str, rows: Mapping[str, Sequence[tuple[str, float]]]) -> str:
    """Plot a dot for each named value of a row, on a logarithmic axis with a line at 1."""
    values = [value for row in rows.values() for _, value in row]
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    low, high = min(low, 0), max(high, 0) + (low == high == 0)

    def x(value: float) -> str:
        share = (math.log10(value) - low) / (high - low)
        return f"{LEFT + share * (RIGHT - LEFT):.2f}%"

    bottom = len(rows) * ROW + 4
    parts = []
    for power in range(low, high + 1):
        at, name = x(10.0**power), "one" if power == 0 else "tick"
        parts += [
            f'<line class="{name}" x1="{at}" x2="{at}" y1="0" y2="{bottom}" stroke="#c4c9d0"/>',
            text(at, bottom + 14, f"{10.0**power:g}", anchor="middle"),
        ]
    for place, (name, row) in enumerate(rows.items()):
        y = place * ROW
        parts.append(text("0", y + 13, name))
        parts += [
            f'<circle class="ours" cx="{x(value)}" cy="{y + 23}" r="{DOT}" fill="#1f5fa8"'
            f' fill-opacity="0.6"><title>{escape(f"{name}, {case}: {value:g}")}</title></circle>'
            for case, value in row
        ]
    about = (
        f"{len(values)} dots in {len(rows)} rows, from {min(values):g} to {max(values):g};"
        f" {sum(value >= 1 for value in values)} are 1 or more. The table has the numbers."
    )
    return svg(title, about, bottom + 20, parts)

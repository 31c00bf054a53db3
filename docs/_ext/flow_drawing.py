# SPDX-License-Identifier: Apache-2.0
"""Draw steps as SVG: boxes in a column, joined by arrows labelled with the values passed on.

A drawing is as wide as a phone's text column, so two of them fit side by side elsewhere.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape

from .layout_drawing import box, text

WIDTH, PAD, LINE = 340, 10, 15  # box width; padding before its text; line spacing
GAP, LABELLED_GAP = 22, 30  # between two boxes, without and with text beside the arrow
CHARACTERS = 48  # in a line of text, even in a wide font
# Kinds by whose code a step runs; all other steps are the runtime's.
KINDS = {
    **dict.fromkeys(("Python", "PyTorch"), "head"),
    **dict.fromkeys(("your library", "your wheel", "GPU"), "body"),
}


@dataclass(frozen=True)
class Step:
    """A step in one place: its name, whose code it is, what it does and what it passes on."""

    name: str
    where: str
    does: str
    passes: str = ""
    is_code: bool = False


@dataclass(frozen=True)
class Column:
    """One drawing: steps from top to bottom."""

    title: str
    steps: tuple[Step, ...]


def words_of(column: Column) -> str:
    """Describe the column in text, one line per step."""
    lines = []
    for number, step in enumerate(column.steps, start=1):
        passes = f" Passes on: {step.passes}." if step.passes else ""
        lines.append(f"{number}. {step.name}, {step.where}: {step.does}{passes}")
    return "\n".join(lines)


def arrow(top: float, bottom: float) -> str:
    """Return an arrow that points down."""
    x = 3 * PAD
    return (
        f'<path class="arrow" d="M{x:g} {top:g}V{bottom:g}M{x - 5:g} {bottom - 7:g}'
        f'L{x:g} {bottom:g}L{x + 5:g} {bottom - 7:g}" fill="none" stroke="currentColor"/>'
    )


def height_of(step: Step) -> float:
    """Return the height of a step's box."""
    return 44 + LINE * len(lines_of(step))


def lines_of(step: Step) -> list[str]:
    """Return what a step does, in lines that fit into its box."""
    return textwrap.wrap(step.does, CHARACTERS)


def shapes_of(step: Step, top: float) -> Iterator[str]:
    """Yield the box of one step, and the text in it."""
    yield box(KINDS.get(step.where, "plain"), 1, top, WIDTH, height_of(step))
    yield text(1 + PAD, top + 17, "layer", step.where)
    yield text(1 + PAD, top + 34, "name" if step.is_code else "step", step.name)
    for number, line in enumerate(lines_of(step), start=1):
        yield text(1 + PAD, top + 36 + LINE * number, "note", line)


def draw(column: Column, ident: str) -> str:
    """Return one column as an SVG element, with its steps as text."""
    shapes, y = [text(1, 16, "title", column.title)], 26.0
    for number, step in enumerate(column.steps):
        shapes += shapes_of(step, y)
        y += height_of(step)
        if number + 1 < len(column.steps):
            gap = LABELLED_GAP if step.passes else GAP
            shapes.append(arrow(y + 2, y + gap - 2))
            if step.passes:
                shapes.append(text(3 * PAD + 12, y + gap / 2 + 4, "passes", step.passes))
            y += gap
    total = WIDTH + 2
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {total} {y + 1:g}" role="img"'
            f' width="{total}" height="{y + 1:g}" aria-labelledby="{ident} {ident}-text">',
            f'<title id="{ident}">{escape(column.title)}</title>',
            f'<desc id="{ident}-text">{escape(words_of(column))}</desc>',
            *shapes,
            "</svg>",
        ]
    )

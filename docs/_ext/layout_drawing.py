# SPDX-License-Identifier: Apache-2.0
"""Draw structs as SVG: eight bytes per row, each field over its bytes.

The classes use the site's colours, light and dark. Without a style sheet, as in an e-book reader,
lines and text have the colour of the surrounding text.
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from _verify.measured_layout import Column, Struct, text_of

WORD = 8  # bytes per row
LEFT, WIDTH, ROW = 30, 240, 26  # room for the offsets; width and height of a row
TOTAL = LEFT + WIDTH + 4
HEADS = {"TVMFFIObject"}


def text(x: float, y: float, kind: str, content: str, anchor: str = "start") -> str:
    """Return one line of text."""
    return (
        f'<text class="{kind}" x="{x:g}" y="{y:g}" text-anchor="{anchor}" fill="currentColor">'
        f"{escape(content)}</text>"
    )


def box(kind: str, x: float, y: float, width: float, height: float) -> str:
    """Return one rectangle."""
    return (
        f'<rect class="{kind}" x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}"'
        ' fill="none" stroke="currentColor"/>'
    )


def pieces(struct: Struct) -> Iterator[tuple[str, int, int]]:
    """Yield the fields and gaps of a struct: name (empty for a gap), first byte, last byte + 1."""
    at = 0
    for field in struct.fields:
        if at < field.offset:
            yield "", at, field.offset
        yield field.name, field.offset, field.end
        at = field.end
    if at < struct.size:
        yield "", at, struct.size


def rows(struct: Struct, base: int, top: float) -> Iterator[str]:
    """Yield the boxes of one struct, whose first byte has the number base and is at top."""
    kind = "head" if struct.name in HEADS else "body"
    for name, first, last in pieces(struct):
        x = LEFT + first % WORD * WIDTH / WORD
        y = top + first // WORD * ROW
        whole = max((last - first) // WORD, 1)  # rows that a long field spans
        width = min(last - first, WORD) * WIDTH / WORD
        yield box(kind if name else "gap", x, y, width, whole * ROW)
        yield text(x + 8, y + whole * ROW / 2 + 5, "name" if name else "gap-name", name or "unused")
        if first % WORD == 0:
            yield text(LEFT - 6, y + 18, "offset", str(base + first), "end")


def draw(column: Column, ident: str) -> str:
    """Return one column as an SVG element, with its description in text."""
    shapes, y, base = [text(LEFT, 16, "title", column.title)], 28.0, 0
    if column.note:
        shapes.append(text(LEFT, 34, "note", column.note))
        y = 46
    first = y
    for part in column.parts:
        if part is None:
            middle = LEFT + WIDTH / 2
            if y == first:
                shapes.append(box("body", middle - 50, y, 100, ROW))
                shapes.append(text(middle, y + 18, "name", "pointer", "middle"))
                y += ROW
            else:
                y -= 6  # from the last field, which holds the address
            line, tip = y, y + 28
            shapes.append(
                f'<path class="arrow" d="M{middle:g} {line:g}V{tip:g}M{middle - 5:g} {tip - 7:g}'
                f'L{middle:g} {tip:g}L{middle + 5:g} {tip - 7:g}" fill="none"'
                ' stroke="currentColor"/>'
            )
            y, base = tip + 4, 0
            continue
        shapes.append(text(LEFT, y + 14, "note", f"{part.name}, {part.size} bytes"))
        shapes += rows(part, base, y + 20)
        y += 20 + -(-part.size // WORD) * ROW + 6
        base += part.size
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {TOTAL} {y:g}" role="img"'
            f' width="{TOTAL}" height="{y:g}" aria-labelledby="{ident} {ident}-text">',
            f'<title id="{ident}">{escape(column.title)}</title>',
            f'<desc id="{ident}-text">{escape(text_of(column))}</desc>',
            *shapes,
            "</svg>",
        ]
    )

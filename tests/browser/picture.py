# SPDX-License-Identifier: Apache-2.0
"""A picture of a part of a page, with the text that it shows kept in the file.

Pixels depend on the fonts of the machine, the text does not: so pictures are compared by it.
"""

from __future__ import annotations

import struct
import zlib

from playwright.sync_api import Page

MARGIN = 16
HEAD = 33  # bytes of a PNG before its second chunk: the signature and the chunk with its size
KEYWORD = b"Description\0\0\0\0\0"  # of an iTXt chunk: not compressed, in no given language

# From a section's heading to the first line of what was verified: the box, and the text.
PART = """([section, margin]) => {
  const all = [...document.querySelectorAll(`${section} > *`)].filter((each) => each.innerText);
  const part = all.slice(0, all.findIndex((each) => each.matches("p.snippet")) + 1);
  const boxes = part.map((each) => each.getBoundingClientRect());
  const x = Math.min(...boxes.map((box) => box.left)) - margin + scrollX;
  const y = boxes[0].top - margin + scrollY;
  return {
    clip: {x, y, width: Math.max(...boxes.map((box) => box.right)) + margin + scrollX - x,
           height: boxes[boxes.length - 1].bottom + margin + scrollY - y},
    text: part.map((each) => each.innerText.trim()).join("\\n\\n"),
  };
}"""


def take(page: Page, section: str) -> bytes:
    """Take a picture of the beginning of a section, up to what was verified of its first code."""
    part = page.evaluate(PART, [section, MARGIN])
    picture = page.screenshot(full_page=True, clip=part["clip"])
    data = KEYWORD + part["text"].encode()
    check = struct.pack(">I", zlib.crc32(b"iTXt" + data))
    chunk = struct.pack(">I", len(data)) + b"iTXt" + data + check
    return picture[:HEAD] + chunk + picture[HEAD:]


def text_of(picture: bytes) -> str:
    """The text that was kept in a picture; empty if there is none."""
    place = 8
    while place < len(picture):
        (length,) = struct.unpack(">I", picture[place : place + 4])
        data = picture[place + 8 : place + 8 + length]
        if picture[place + 4 : place + 8] == b"iTXt" and data.startswith(KEYWORD):
            return data.removeprefix(KEYWORD).decode()
        place += length + 12
    return ""


def size_of(picture: bytes) -> tuple[int, int]:
    """The width and the height of a picture, in pixels."""
    width, height = struct.unpack(">II", picture[16:24])
    return width, height

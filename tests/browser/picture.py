# SPDX-License-Identifier: Apache-2.0
"""A picture of part of a page, with its text stored in the file.

Pixels depend on the machine's fonts, but the text does not, so pictures are compared by text.
"""

from __future__ import annotations

import struct
import zlib

from playwright.sync_api import Page

MARGIN = 16
HEAD = 33  # bytes of a PNG before its second chunk: the signature and IHDR, which has the size
KEYWORD = b"Description\0\0\0\0\0"  # of an iTXt chunk: uncompressed, with no language given

# The box and text from a section's heading to its first verification line.
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
    """Take a picture of the start of a section, up to the first code's verification line."""
    part = page.evaluate(PART, [section, MARGIN])
    picture = page.screenshot(full_page=True, clip=part["clip"])
    data = KEYWORD + part["text"].encode()
    check = struct.pack(">I", zlib.crc32(b"iTXt" + data))
    chunk = struct.pack(">I", len(data)) + b"iTXt" + data + check
    return picture[:HEAD] + chunk + picture[HEAD:]


def text_of(picture: bytes) -> str:
    """Return the text stored in a picture, or an empty string."""
    place = 8
    while place < len(picture):
        (length,) = struct.unpack(">I", picture[place : place + 4])
        data = picture[place + 8 : place + 8 + length]
        if picture[place + 4 : place + 8] == b"iTXt" and data.startswith(KEYWORD):
            return data.removeprefix(KEYWORD).decode()
        place += length + 12
    return ""


def size_of(picture: bytes) -> tuple[int, int]:
    """Return the width and height of a picture in pixels."""
    width, height = struct.unpack(">II", picture[16:24])
    return width, height

# SPDX-License-Identifier: Apache-2.0
# Rows: R9
"""Each picture shown to readers has a test that keeps it up to date."""

import re
from pathlib import Path

import pytest
from _ext.images import OWNERS

ROOT = Path(__file__).resolve().parents[2]
KINDS = {".svg", ".png", ".jpg", ".jpeg", ".gif", ".webp"}
IN_MARKDOWN = re.compile(r"!\[[^\]]*\]\(([^)\s]+)|<img[^>]*\ssrc=\"([^\"]+)")


def test_list_has_every_image_of_the_site():
    """Every picture file is listed, so that it has an owner."""
    there = {path.relative_to(ROOT).as_posix() for path in (ROOT / "docs").rglob("*.*")}
    assert {name for name in there if Path(name).suffix in KINDS} == set(OWNERS)


@pytest.mark.parametrize("image", OWNERS)
def test_owner_names_its_image(image):
    """The test that owns a picture exists and names it."""
    assert Path(image).name in (ROOT / OWNERS[image]).read_text()


@pytest.mark.parametrize("page", [path.name for path in ROOT.glob("*.md")])
def test_markdown_file_shows_listed_images(page):
    """README.md and similar files, which are not site pages, show no other pictures."""
    shown = {first or second for first, second in IN_MARKDOWN.findall((ROOT / page).read_text())}
    assert shown <= set(OWNERS)


def test_icon_shows_no_text():
    """icon.svg consists of shapes, so it cannot contain code or output."""
    tags = set(re.findall(r"<(\w+)", (ROOT / "docs/_static/icon.svg").read_text()))
    assert tags <= {"svg", "rect", "path"}

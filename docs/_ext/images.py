# SPDX-License-Identifier: Apache-2.0
"""The images that pages and Markdown files may show, each with the test that keeps it correct.

An image can contain code and output that the check cannot read. Figures that the build draws from
records are not files, and need no entry.
"""

from __future__ import annotations

from pathlib import Path

OWNERS = {
    "docs/_static/guide.png": "tests/browser/test_picture.py",
    "docs/_static/icon.svg": "tests/docs/test_images.py",
}


def problem_of(image: str, root: Path) -> str:
    """Return why an image must not be shown; empty if it may. Its name is relative to the root."""
    if image not in OWNERS:
        return "no test makes it or compares it: list it with one in docs/_ext/images.py"
    if not (root / OWNERS[image]).is_file():
        return f"its test {OWNERS[image]} does not exist"
    return ""

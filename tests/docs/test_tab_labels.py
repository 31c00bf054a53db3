# SPDX-License-Identifier: Apache-2.0
# Rows: R8
"""The selected tab is remembered by its label, so labels are consistent across pages."""

import re
from pathlib import Path

DOCS = Path(__file__).resolve().parents[2] / "docs"
LABELS = {
    *("C++", "CUDA", "Python", "CPU", "CMake"),
    *("PyTorch", "NumPy", "JAX", "PaddlePaddle"),
}
CODE = re.compile(r"^ *(?:>>> |\.\. literalinclude:: )", re.MULTILINE)
TAB = re.compile(r"^ *\.\. ([\w-]*tab(?:-item|-set)?):: *(.*)$", re.MULTILINE)


def test_labels():
    """Remembered tabs, and only these, have one of the labels."""
    found = [
        (page.relative_to(DOCS).as_posix(), *tab)
        for page in sorted(DOCS.rglob("*.rst"))
        for tab in TAB.findall(page.read_text())
    ]
    assert {label for _, kind, label in found if kind == "group-tab"} >= {"CPU", "CUDA"}
    wrong = [
        (page, kind, label)
        for page, kind, label in found
        if (kind == "group-tab") != (label in LABELS)
    ]
    assert not wrong


def test_each_tab_shows_code():
    """Every tab has code, not an excuse."""
    for page in sorted(DOCS.rglob("*.rst")):
        _, *rest = TAB.split(page.read_text())
        for label, content in zip(rest[1::3], rest[2::3], strict=True):
            outdented = re.search(r"^(?=\S)", content, re.MULTILINE)
            inside = content[: outdented.start()] if outdented else content
            assert CODE.search(inside), f"{page}: {label}"

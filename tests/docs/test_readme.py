# SPDX-License-Identifier: Apache-2.0
# Rows: R8
"""The README shows code of the examples as it is."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SHOWN = re.compile(r"<!-- (\S+): (\w+) -->\n```(?:cpp|python)\n(.*?)```", re.DOTALL)
CODE = re.compile(r"^```(?:cpp|python)$", re.MULTILINE)


def region(path: str, name: str) -> str:
    """Return the lines of a file between two of its markers."""
    text = (ROOT / path).read_text()
    return re.findall(rf"\[{name}\.begin\]\n(.*?)\n\S+ \[{name}\.end\]", text, re.DOTALL)[0]


def test_code_in_the_readme_is_that_of_the_examples():
    """Each block of C++ and Python is a region of the file in the comment above it."""
    readme = (ROOT / "README.md").read_text()
    shown = SHOWN.findall(readme)
    assert len(shown) == len(CODE.findall(readme)) == 3
    for path, name, code in shown:
        assert code.strip() == region(path, name).strip(), f"{path}: {name}"

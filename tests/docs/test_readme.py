# SPDX-License-Identifier: Apache-2.0
# Rows: R9
"""The code in README.md is that of an example, which has tests of its own."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples/kernel_library/add_one"


@pytest.mark.parametrize(
    ("language", "file", "region"),
    [("cpp", "add_one_kernel.cc", "kernel"), ("python", "load_add_one.py", "call")],
)
def test_code_is_a_region_of_the_example(language, file, region):
    """Each block is the region that the page of the example shows."""
    shown = re.findall(
        rf"^```{language}\n(.*?)^```$", (ROOT / "README.md").read_text(), re.M | re.S
    )
    marked = rf"\[{region}\.begin\]\n(.*?)^\S+ \[{region}\.end\]"
    assert shown == re.findall(marked, (EXAMPLE / file).read_text(), re.M | re.S)
    assert len(shown) == 1


def test_module_is_loaded_as_in_the_example():
    """The sentence between the blocks loads the library as the example's program does."""
    said = re.search(r"`mod = (tvm_ffi\.load_module\(.*?\))`", (ROOT / "README.md").read_text())
    program = (EXAMPLE / "load_add_one.py").read_text().replace('f"', '"')
    assert said.group(1).replace("cpu", "{device}") in program

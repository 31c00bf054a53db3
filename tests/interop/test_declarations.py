# SPDX-License-Identifier: Apache-2.0
# Rows: R7
"""The published headers agree with the facts that our own C declarations are held to."""

import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "abi"))

from test_abi import FUNCTIONS, HEADERS, compile_declarations, layout_facts, measure_layout


@pytest.fixture(params=["ours", "published"])
def include(request, pythons) -> Path:
    """The include folder of each package."""
    question = "import tvm_ffi.libinfo as l; print(l.find_include_path())"
    command = [pythons[request.param], "-c", question]
    return Path(subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip())


@pytest.mark.parametrize("header", HEADERS)
def test_functions_have_the_types_of_the_facts(include, header, tmp_path):
    """Each of the functions, assigned to one and the same typed pointer with both headers."""
    assert len(FUNCTIONS) == 50
    built = compile_declarations("cxx17", tmp_path, include, header)
    assert built.returncode == 0, built.stderr


def test_layouts_are_those_of_the_facts(include, tmp_path):
    """Each size, offset and enumerator."""
    assert measure_layout("cxx17", tmp_path, include) == layout_facts()

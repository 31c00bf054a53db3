# SPDX-License-Identifier: Apache-2.0
# Rows: R5
"""A kernel's library is at most 0.6 of the size that it has with the published headers."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "benchmarks"))

import slim


@pytest.fixture(scope="module")
def sizes(pythons, tmp_path_factory) -> dict[str, tuple[int, int]]:
    """The bytes of the minimal kernel's library, as it is and stripped, built with each."""
    made = {}
    for kind, python in pythons.items():
        made[kind] = slim.library_sizes(python, tmp_path_factory.mktemp(kind))
    return made


@pytest.mark.parametrize("which", [0, 1], ids=["with symbols", "stripped"])
def test_library_is_small(sizes, which):
    """With its symbols and without them."""
    assert sizes["ours"][which] <= 0.6 * sizes["published"][which]

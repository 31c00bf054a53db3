# SPDX-License-Identifier: Apache-2.0
# Rows: R2, R3, R6, R7
"""What the fuzzers once found stays mended, and a few fresh inputs of each target find nothing.

``nox -s fuzz -- --minutes N`` runs as many as there is time for.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "fuzz"))

import runner
import target

CORPUS = runner.read_corpus()
FRESH = 25  # inputs of each target, always the same


def told(result: runner.Result) -> str:
    """The findings, with all that is needed to see them again."""
    return "\n".join(f"{finding}" for finding in result.findings)


def test_corpus() -> None:
    """Each old finding ends in a value or in an error that says what was wrong."""
    result = runner.run_batch(replay=CORPUS)
    assert not result.findings, told(result)
    assert result.counts["inputs"] == len(CORPUS)
    assert {entry["target"] for entry in CORPUS} <= {*target.names()}


@pytest.mark.parametrize("name", target.names())
def test_fresh_inputs(name: str) -> None:
    """A child runs them, so that a crash is a failure of this test alone."""
    result = runner.run_batch(name, seed=1, count=FRESH)
    assert not result.findings, told(result)
    assert result.counts["inputs"] > 0
    assert result.counts["values"] + result.counts["errors"] == result.counts["inputs"]

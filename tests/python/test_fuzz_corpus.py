# SPDX-License-Identifier: Apache-2.0
# Rows: R2, R3, R6, R7
"""Inputs on which the fuzzers once failed pass, as do a few fresh inputs of each target.

``nox -s fuzz -- --minutes N`` runs as many inputs as time allows.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "fuzz"))

import runner
import target

CORPUS = runner.read_corpus()
FRESH = 25  # inputs of each target, always the same ones


def told(result: runner.Result) -> str:
    """Return the findings, with everything needed to reproduce them."""
    return "\n".join(f"{finding}" for finding in result.findings)


def test_corpus() -> None:
    """Each old finding gives a value or an error that says what was wrong."""
    result = runner.run_batch(replay=CORPUS)
    assert not result.findings, told(result)
    assert result.counts["inputs"] == len(CORPUS)
    assert {entry["target"] for entry in CORPUS} <= {*target.names()}


@pytest.mark.parametrize("name", target.names())
def test_fresh_inputs(name: str) -> None:
    """A child process runs them, so that a crash fails only this test."""
    result = runner.run_batch(name, seed=1, count=FRESH)
    assert not result.findings, told(result)
    assert result.counts["inputs"] > 0
    assert result.counts["values"] + result.counts["errors"] == result.counts["inputs"]

# SPDX-License-Identifier: Apache-2.0
# Rows: R9
"""The result of an example's test is read from pytest's last lines."""

import pytest
from _verify.execute import PASSED, SKIPPED


@pytest.mark.parametrize(
    ("line", "passed"),
    [
        ("3 passed in 0.10s", True),
        ("122 passed, 4 skipped in 19.86s", True),
        ("== 1 passed, 1 warning in 0.1s ==", True),
        ("4 skipped in 0.02s", False),
        ("no tests ran in 0.01s", False),
        ("test_that_3 passed by", False),
    ],
)
def test_only_a_passed_test_counts(line, passed):
    """A run in which every test was skipped proves nothing."""
    assert bool(PASSED.search(f"....\n{line}\n")) is passed


def test_skips_are_found_with_their_reasons():
    """Each reason is listed, whatever its punctuation."""
    output = (
        "SKIPPED [1] tests/examples/test_scale.py:206: a CPU kernel has no stream\n"
        "SKIPPED [2] ../../tests/x.py:9: needs: two GPUs\n1 passed, 3 skipped in 1s\n"
    )
    assert SKIPPED.findall(output) == ["a CPU kernel has no stream", "needs: two GPUs"]

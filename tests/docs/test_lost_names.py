# SPDX-License-Identifier: Apache-2.0
# Rows: R9
"""Which doctests depend on one that did not pass."""

import pytest
from _verify.lost_names import LostNames, names_of


@pytest.mark.parametrize(
    ("source", "bound", "used"),
    [
        ("x = f(y)", {"x"}, {"f", "y"}),
        ("import torch.nn as nn, numpy.linalg", {"nn", "numpy"}, set()),
        ("from jax import numpy as jnp", {"jnp"}, set()),
        ("def f(a):\n    return a + b", {"f"}, {"b"}),
        ("@g\ndef f(a, k=d):\n    return [a for a in b]", {"f"}, {"b", "d", "g"}),
        ("for i in r:\n    s += i", {"i", "s"}, {"i", "r", "s"}),
        ("x = 1; x + 1", {"x"}, set()),
        ("x = x + 1", {"x"}, {"x"}),
        ("del x, y[0]", set(), {"x", "y"}),
        ("with open(f) as g:\n    h = lambda a: a + c", {"g", "h"}, {"c", "f", "open"}),
        ("(", set(), set()),
        ("nonlocal x", set(), set()),
    ],
)
def test_names_of_an_example(source, bound, used):
    """Imports bind the name that the code then uses."""
    assert names_of(source) == (bound, used)


def test_what_was_lost_spreads_and_comes_back():
    """An example depends on another through the names it uses, until they are rebound."""
    lost = LostNames()
    lost.lose("x = f()", "no f")
    assert lost.why_not("g(1)") == ""
    assert lost.why_not("y = x + 1") == "no f"
    lost.lose("y = x + 1", "no f")
    assert lost.why_not("y") == "no f"
    assert lost.why_not("x = 1") == ""
    assert lost.why_not("x") == ""
    assert lost.why_not("y") == "no f"

# SPDX-License-Identifier: Apache-2.0
"""Cases in which Python takes part: a function for each, its docstring the row's title.

Each gets the libraries that make values and those that look at them, which may be of two kinds.
"""

import math
from collections.abc import Callable

CASES: dict[str, Callable] = {}


def case(function: Callable) -> Callable:
    """Make a function a row of the table."""
    CASES[function.__name__] = function
    return function


def same(got, want) -> bool:
    """Whether two values are equal, and of one type."""
    if isinstance(want, float) and math.isnan(want):
        return math.isnan(got)
    return got == want and math.copysign(1, got or 0) == math.copysign(1, want or 0)


@case
def python_numbers(makers, checkers):
    """None, bool, int and float of Python, there and back."""
    for value in (None, True, False, 0, -1, 2**63 - 1, -(2**63), 0.1, -0.0, math.inf, math.nan):
        got = checkers.values.echo(makers.values.echo(value))
        assert type(got) is type(value)
        assert same(got, value)

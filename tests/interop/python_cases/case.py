# SPDX-License-Identifier: Apache-2.0
"""What every file of cases uses."""

from collections.abc import Callable


def case(function: Callable) -> Callable:
    """Make a function a row of the table."""
    return function


def error_of(function: Callable, *arguments) -> Exception:
    """The error that a call raises."""
    try:
        function(*arguments)
    except Exception as error:
        return error
    raise AssertionError("nothing was raised")

# SPDX-License-Identifier: Apache-2.0
# Rows: R6
"""What a function says that got a Python object which it cannot take."""

from __future__ import annotations

from typing import Any

import pytest


class Foreign:
    """An object that C++ only carries."""


def refused(functions: Any, message: str) -> str:
    """Let a function with an object as its argument 3 raise a message; give what arrives."""
    with pytest.raises(TypeError) as caught:
        functions.fail("TypeError", message, "", Foreign())
    return str(caught.value)


def test_the_type_of_the_object_is_named(functions: Any) -> None:
    """C++ knows an opaque object only; the message names the class that the caller passed."""
    message = "fail(str) -> None: argument 3: expected Tensor, got OpaquePyObject"
    assert refused(functions, message) == message.replace("OpaquePyObject", "Foreign")


@pytest.mark.parametrize(
    "message",
    [
        "other: argument 3: expected Tensor, got OpaquePyObject",
        "fail: argument 0: expected Tensor, got OpaquePyObject",
        "fail: argument 4: expected Tensor, got OpaquePyObject",
        "fail: argument -1: expected Tensor, got OpaquePyObject",
        "fail: expected Tensor, got OpaquePyObject",
        "fail: argument 3: got OpaquePyObject, expected Tensor",
        "fail: got OpaquePyObject argument 3",
        "",
    ],
)
def test_other_messages_stay(functions: Any, message: str) -> None:
    """An error about another function or another argument arrives as it was raised."""
    assert refused(functions, message) == message

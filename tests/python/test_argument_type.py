# SPDX-License-Identifier: Apache-2.0
# Rows: R6
"""What a function says of an argument that it cannot take and knows by another name."""

from __future__ import annotations

from typing import Any

import pytest
import tvm_ffi


class Foreign:
    """An object that C++ only carries."""


class Own(list[int]):
    """A list of a class of its own."""


def refused(functions: Any, message: str, value: Any) -> str:
    """Let a function with a value as its argument 3 raise a message; give what arrives."""
    with pytest.raises(TypeError) as caught:
        functions.fail("TypeError", message, "", value)
    return str(caught.value)


def test_the_type_of_the_object_is_named(functions: Any) -> None:
    """C++ knows an opaque object only; the message names the class that the caller passed."""
    message = "fail(str) -> None: argument 3: expected Tensor, got OpaquePyObject"
    named = message.replace("OpaquePyObject", "Foreign")
    assert refused(functions, message, Foreign()) == named


@pytest.mark.parametrize(
    ("value", "packed", "name"),
    [
        ([1.0], "Array", "list"),
        ((), "Array", "tuple"),
        (Own(), "Array", "Own"),
        ({}, "Map", "dict"),
        (tvm_ffi.Array([1]), "Array", "Array"),
        (tvm_ffi.Map({}), "Map", "Map"),
    ],
)
def test_containers_are_named_as_in_python(
    functions: Any, value: Any, packed: str, name: str
) -> None:
    """A list is packed as an Array, which the caller has not heard of: the message says list."""
    message = "fail(str) -> None: argument 3: expected Tensor, got "
    assert refused(functions, message + packed, value) == message + name
    # What the message tells of the elements stays.
    within = f"{message}{packed} with str at index 2"
    assert refused(functions, within, value) == within


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
    assert refused(functions, message, Foreign()) == message

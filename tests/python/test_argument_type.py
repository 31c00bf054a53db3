# SPDX-License-Identifier: Apache-2.0
# Rows: R6
"""Messages about refused arguments name the Python type."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import pytest
import tvm_ffi
from tvm_ffi import libinfo

from .conftest import compile_cpp_library

SOURCE = Path(__file__).with_name("refusing.cc")
# Other wordings of our headers' messages, by header.
REWORDED = {
    "function_details.h": [
        ('": argument "', '" has a bad parameter "'),
        ('": expected "', '", which is no "'),
        ('", got "', '" but, with got argument 0, "'),
        ("message << got;", 'message << got << " instead, got it?";'),
    ],
    "type_traits.h": [("return ShownTypeKey({info", 'return "the " + ShownTypeKey({info')],
}
WORDS = {
    "ours": "{}(int, Tensor) -> None: argument 1: expected Tensor, got {}",
    "reworded": "{}(int, Tensor) -> None has a bad parameter 1, which is no Tensor but, with got "
    "argument 0, {} instead, got it?",
}


class Foreign:
    """An object that is opaque to C++."""


class Own(list[int]):
    """A user-defined subclass of list."""


def reworded_headers(folder: Path) -> Path:
    """Copy the headers and reword their messages."""
    include = folder / "include"
    shutil.copytree(libinfo.find_include_path(), include)
    for name, words in REWORDED.items():
        header = include / "tvm/ffi" / name
        text = header.read_text()
        for ours, other in words:
            assert ours in text
            text = text.replace(ours, other)
        header.write_text(text)
    return include


@pytest.fixture(scope="module", params=list(WORDS))
def refusing(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The functions of refusing.cc, built with our headers as they are, and with reworded ones."""
    folder = tmp_path_factory.mktemp(request.param)
    flags = [] if request.param == "ours" else [f"-I{reworded_headers(folder)}"]
    compile_cpp_library(SOURCE, folder / "refusing.so", *flags)
    return tvm_ffi.load_module(folder / "refusing.so")


@pytest.fixture
def words(refusing: Any) -> str:
    """The library's message that argument 1 is not a Tensor, with slots for function and type."""
    return WORDS[Path(refusing.path).parent.name.rstrip("0123456789")]


def refused(function: Any, *arguments: Any) -> str:
    """Return the message of a function that refuses its arguments."""
    with pytest.raises(TypeError) as caught:
        function(*arguments)
    return str(caught.value)


@pytest.mark.parametrize(
    ("value", "name"),
    [(Foreign(), "Foreign"), ([1.0], "list"), ((), "tuple"), (Own(), "Own"), ({}, "dict")],
)
def test_the_type_of_the_object_is_named(refusing: Any, words: str, value: Any, name: str) -> None:
    """C++ sees an opaque object, an Array or a Map; the message names the type passed."""
    assert refused(refusing.take, 3, value) == words.format("take", name)


@pytest.mark.parametrize("value", [2**63, -(2**63) - 1, 2**200])
def test_limits_of_numbers_are_said(refusing: Any, words: str, value: int) -> None:
    """An integer beyond 64 bits crosses, but no fixed-width parameter accepts it."""
    name = "int beyond the limits of a number, -2**63 and 2**63 - 1"
    assert refused(refusing.take, 3, value) == words.format("take", name)
    with pytest.raises(TypeError, match=re.escape(name)):
        refusing.take(value, 3)


@pytest.mark.parametrize(
    ("value", "name"),
    [(tvm_ffi.Array([1]), "Array"), (tvm_ffi.Map({}), "Map"), (3, "int 3"), ("text", "str")],
)
def test_other_values_are_named_by_cpp(refusing: Any, words: str, value: Any, name: str) -> None:
    """Containers of tvm_ffi, numbers and text have the same type name in Python and C++."""
    message = refused(refusing.take, 3, value)
    assert message in (words.format("take", name), words.format("take", f"the {name}"))


def test_what_is_said_of_elements_stays(refusing: Any) -> None:
    """A message about a list element names the Array that contains it."""
    assert "Array with str at index 1" in refused(refusing.take_numbers, 3, [1, "two"])


@pytest.mark.parametrize("skipped", [0, 2])
def test_arguments_that_are_handed_on(refusing: Any, words: str, skipped: int) -> None:
    """A message about a forwarded argument of the caller names that argument's Python type."""
    arguments = [*[None] * skipped, 3, Foreign()]
    message = refused(refusing.forwarder(skipped), *arguments)
    assert message == words.format("taker", "Foreign")


def test_arguments_of_other_calls(refusing: Any, words: str) -> None:
    """An argument created by the function itself keeps its C++ type name."""
    message = refused(refusing.take_another, 1, Foreign())
    assert message in (words.format("taker", "Array"), words.format("taker", "the Array"))


def test_a_function_of_another_name(refusing: Any, words: str) -> None:
    """The message keeps the function's own name if the caller has renamed it."""
    function = refusing.get_function("take")
    function.__name__ = "mine"
    assert refused(function, 3, Foreign()) == words.format("take", "Foreign")


def test_errors_of_earlier_calls(refusing: Any, words: str) -> None:
    """A rethrown earlier error is not attributed to the later call's argument."""
    late = refusing.late()
    late(1, tvm_ffi.Array([1]))
    message = refused(late, 1, [1.0])
    assert message in (words.format("taker", "Array"), words.format("taker", "the Array"))


def test_calls_of_callbacks(refusing: Any, words: str) -> None:
    """Each call refers to its own arguments, at any depth."""

    def outer(number: int, value: Any) -> None:
        refusing.take(number, value)

    callback = tvm_ffi.Function(outer)
    assert refused(callback, 3, Foreign()) == words.format("take", "Foreign")


def test_texts_are_not_searched(functions: Any) -> None:
    """A message that only resembles one about an argument arrives unchanged."""
    message = "fail(str) -> None: argument 3: expected Tensor, got OpaquePyObject"
    assert refused(functions.fail, "TypeError", message, "", Foreign()) == message

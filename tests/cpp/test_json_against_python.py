# SPDX-License-Identifier: Apache-2.0
# Rows: R7
"""json::Parse and json::Stringify read and write what Python's json does."""

import json
import math
import re
from pathlib import Path

import pytest
import tvm_ffi
from conftest import build
from hypothesis import given
from hypothesis import strategies as st

SOURCE = Path(__file__).with_name("json_against_python_library.cc")
WORDS = (*'[]{},:"\\', *"09-+.eE", " ", "\n", "\t", "\\u00", "\\ud83d", "\\ude00", "null", "true")
# What these functions read and Python does not: see the documentation of json::Parse.
MORE_NUMBERS = ("+", "0", ".", "e", "E", "-")
TEXT = st.text(st.characters(exclude_categories=["Cs"]))
SCALARS = (
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False) | TEXT
)
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner) | st.dictionaries(TEXT, inner), max_leaves=20
)


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    """Build the library."""
    path = tmp_path_factory.mktemp("json") / "json.so"
    built = build(SOURCE, path)
    assert built.returncode == 0, built.stderr
    return tvm_ffi.load_module(path)


def python_value(text: str) -> object:
    """What Python reads, or ValueError; it has more words for what cannot be read."""
    try:
        return json.loads(text)
    except ValueError as error:
        return type(error).__mro__[1]


@given(VALUES, st.booleans())
def test_values(library, value, ascii_only):
    """Every value of Python is read, and written so that Python reads the same value."""
    for text in (
        json.dumps(value, ensure_ascii=ascii_only),
        json.dumps(value, ensure_ascii=ascii_only, indent=3),
    ):
        for indent in (None, 0, 2):
            again = json.loads(library.again(text, indent))
            assert repr(again) == repr(value)


@given(st.lists(st.sampled_from(WORDS), max_size=12).map("".join))
def test_mistakes(library, text):
    """What Python refuses is refused, but for numbers in other forms."""
    expected = python_value(text)
    try:
        read = json.loads(library.again(text, None))
    except ValueError:
        # Python reads lone surrogates, and numbers beyond a double as infinity.
        lone = "\\ud83d" in text or "\\ude00" in text
        assert expected is ValueError or lone or has_infinity(expected)
    else:
        if expected is ValueError:
            assert any(sign in text for sign in MORE_NUMBERS)
        else:
            assert repr(read) == repr(expected) or has_big(expected)


def numbers(value: object) -> list:
    """The numbers in a value."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        return [number for each in value for number in numbers(each)]
    return [value] if isinstance(value, (int, float)) else []


def has_infinity(value: object) -> bool:
    """Whether a value has a number beyond the doubles."""
    return any(abs(number) > 1e308 for number in numbers(value))


def has_big(value: object) -> bool:
    """Whether a value has an integer beyond 64 bits, which becomes a double."""
    return any(isinstance(n, int) and not -(2**63) <= n < 2**63 for n in numbers(value))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "Expecting value: line 1 column 1 (char 0)"),
        ("[1 2]", "Expecting ',' delimiter: line 1 column 4 (char 3)"),
        ('{"a" 1}', "Expecting ':' delimiter: line 1 column 6 (char 5)"),
        ("\n\n{1}", "Expecting property name enclosed in double quotes: line 3 column 2 (char 3)"),
        ("1 2", "Extra data: line 1 column 3 (char 2)"),
        ('"a', "Unterminated string starting at: line 1 column 1 (char 0)"),
        ('"\n"', "Invalid control character at: line 1 column 2 (char 1)"),
    ],
)
def test_messages(library, text, message):
    """A mistake has the words and the place that Python gives it."""
    for parse in (library.parse, json.loads):
        with pytest.raises(ValueError, match=rf"^{re.escape(message)}"):
            parse(text)


def test_special_numbers(library):
    """NaN and infinities are words, as in Python."""
    for text in ("NaN", "Infinity", "-Infinity"):
        assert library.again(text, None) == text == json.dumps(json.loads(text))
    assert math.isnan(library.parse("NaN"))

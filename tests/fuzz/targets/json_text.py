# SPDX-License-Identifier: Apache-2.0
"""Valid and broken JSON, through the parser and the writer of ``tvm/ffi/extra/json.h``."""

from __future__ import annotations

import json
import math
from typing import Any

import tvm_ffi
from builds import build_harness
from hypothesis import strategies as st
from ledger import Ledger
from target import expect
from values import VALUES, make

HARNESS = tvm_ffi.load_module(build_harness())
PARTS = st.lists(
    st.sampled_from(
        [
            *list('{}[]:,"\\ -+.0179eE\n\x00'),
            "true",
            "false",
            "null",
            "NaN",
            "Infinity",
            "\\u12",
            "\\ud800",
            "\\udc00",
            "1e400",
            "9" * 20,
            "é",
            '"a":',
            "[[[[",
            "]]]]",
            '"\\u0000"',
            "/*",
        ]
    ),
    max_size=12,
).map("".join)
TREES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats()
    | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=8,
)


def broken(pair: tuple[str, list[tuple[int, str]]]) -> str:
    """Overwrite characters of a string."""
    text = list(pair[0])
    for place, character in pair[1]:
        if text:
            text[place % len(text)] = character
    return "".join(text)


EDITS = st.lists(
    st.tuples(st.integers(0, 200), st.sampled_from(list('{}[]:,"\\0-e. '))), max_size=3
)
INPUTS = st.one_of(
    st.tuples(st.just("parse"), PARTS).map(list),
    st.tuples(st.just("parse"), st.tuples(TREES.map(json.dumps), EDITS).map(broken)).map(list),
    st.tuples(st.just("tree"), TREES).map(list),
    st.tuples(st.just("deep"), st.integers(0, 12000), st.sampled_from(["[", '{"a":', "[[0],"])).map(
        list
    ),
    st.tuples(st.just("write"), VALUES, st.none() | st.integers(-2, 9) | st.just(2**31 - 1)).map(
        list
    ),
)
ERRORS = (UnicodeError, OverflowError, RecursionError)  # the last for self-references


def run(given: Any, ledger: Ledger) -> None:
    """Parse or write one document."""
    what, content, *more = given
    if what == "parse":
        try:
            strict = json.loads(content)
        except (ValueError, RecursionError):
            strict = Ellipsis
        value = HARNESS.json_parse(content)
        if strict is not Ellipsis:
            same(strict, value)
        again = HARNESS.json_again(content, None)
        expect(HARNESS.json_again(again, None) == again, f"{again} is not what it is read as")
    elif what == "tree":
        text = json.dumps(content)
        same(content, HARNESS.json_parse(text))
        for indent in (None, 2):
            written = HARNESS.json_again(text, indent)
            same(content, json.loads(written))
    elif what == "deep":
        closing = {"[": "]", '{"a":': "}", "[[0],": "]"}[more[0]]
        text = more[0] * content + "0" + closing * content
        if content < 3000:  # the deletion of deeper ones has its own test
            HARNESS.json_again(text, None)
    else:
        if more[0] is None or more[0] < 100:
            HARNESS.json_stringify(make(content), more[0])


def same(expected: Any, got: Any) -> None:
    """Compare a value from Python's parser with one from ours."""
    if isinstance(expected, float) or (isinstance(expected, int) and abs(expected) >= 2**63):
        number = float(expected)
        expect(
            got == number or (math.isnan(number) and math.isnan(got)), f"{got!r} for {expected!r}"
        )
    elif isinstance(expected, list):
        expect(len(expected) == len(got), f"{len(got)} elements for {len(expected)}")
        for one, other in zip(expected, got, strict=True):
            same(one, other)
    elif isinstance(expected, dict):
        expect(set(expected) == set(got), f"keys {sorted(got)} for {sorted(expected)}")
        for key in expected:
            same(expected[key], got[key])
    else:
        expect(got == expected and type(got) is type(expected), f"{got!r} for {expected!r}")

# SPDX-License-Identifier: Apache-2.0
# Rows: R9
"""Normalization removes the differences between versions of Python and g++."""

import pytest
from _verify.normalise import normalised

TRACEBACKS = {
    "3.10": """\
Traceback (most recent call last):
  File "scale.py", line 10, in <module>
    twice(
  File "scale.py", line 6, in twice
    y = scale(x, 2) + 1
  File "scale.py", line 2, in scale
    return x * factor / 0
ZeroDivisionError: division by zero
""",
    "3.11 and 3.12": """\
Traceback (most recent call last):
  File "scale.py", line 10, in <module>
    twice(
  File "scale.py", line 6, in twice
    y = scale(x, 2) + 1
        ^^^^^^^^^^^
  File "scale.py", line 2, in scale
    return x * factor / 0
           ~~~~~~~~~~~^~~
ZeroDivisionError: division by zero
""",
    "3.13 and 3.14": """\
Traceback (most recent call last):
  File "scale.py", line 10, in <module>
    twice(
    ~~~~~^
        3,
        ^^
    )
    ^
  File "scale.py", line 6, in twice
    y = scale(x, 2) + 1
        ~~~~~^^^^^^
  File "scale.py", line 2, in scale
    return x * factor / 0
           ~~~~~~~~~~~^~~
ZeroDivisionError: division by zero
""",
}
REFUSALS = {
    "g++ 12 and 14": "view_of_temporary.cc:10:42: error: use of deleted function\n",
    "g++ 16": "view_of_temporary.cc:10:41: error: use of deleted function\n",
}


@pytest.mark.parametrize("version", TRACEBACKS)
def test_tracebacks(version):
    """All versions are normalized to the output of Python 3.10, which marks no columns."""
    assert normalised(TRACEBACKS[version]) == TRACEBACKS["3.10"]


@pytest.mark.parametrize("version", REFUSALS)
def test_compiler_errors(version):
    """All versions name the file and the line, with the same message."""
    text = "view_of_temporary.cc:10: error: use of deleted function\n"
    assert normalised(REFUSALS[version]) == text


@pytest.mark.parametrize(
    "text",
    [
        # g++ marks columns too, below the same text in each version.
        """\
In file included from cpp.cc:2:
    3 |   return a + c;
      |              ^
""",
        # Frames of a library built without -g have no source.
        """\
  File "./errors.so", line 0, in __tvm_ffi_quarter_of
  File "./errors.so", line 0, in quarter_of(long)
ValueError: half_of: n must be even, got 3
""",
        "usage: tvm-ffi-config [-h]\n    [--libs]\n    [--cflags]\n",
        "ratio 1:2:3: expected two numbers\n",
        "",
    ],
)
def test_the_rest_stays(text):
    """Nothing else is changed."""
    assert normalised(text) == text


def test_differences_stay():
    """A different line, function or message remains a difference."""
    text = TRACEBACKS["3.13 and 3.14"]
    for old, new in (("line 6", "line 7"), ("in scale", "in scaled"), ("2) + 1", "2)")):
        assert normalised(text.replace(old, new)) != normalised(text)
    refusal = REFUSALS["g++ 16"]
    assert normalised(refusal.replace(":10:", ":11:")) != normalised(refusal)

# SPDX-License-Identifier: Apache-2.0
# Rows: R7
"""BigInt computes what Python's int does, for numbers of up to 40 words and at their edges."""

import operator
import random
from pathlib import Path

import pytest
import tvm_ffi
from conftest import build

SOURCE = Path(__file__).with_name("big_int_against_python_library.cc")
RANDOM = random.Random(20261127)
ROUNDS = 4000
MOST_WORDS = 40

EDGES = sorted(
    {0, 1, 2, 3, 7, 2**31, 2**32 - 1, 2**32, 2**63 - 1, 2**63, 2**63 + 1}
    | {2**power + step for power in (64, 96, 127, 128, 191, 192, 640) for step in (-1, 0, 1)}
    | {(2**64 - 1) * 2**64, (2**32 - 1) * 2**160, 2**128 - 2**96, 10**40}
)
EDGES = [*EDGES, *(-number for number in EDGES if number)]


def any_number() -> int:
    """Few words or many, all bits random, long runs of equal bits, or next to an edge."""
    bits = RANDOM.randint(1, 64 * RANDOM.choice((1, 2, 3, 4, MOST_WORDS)))
    number = RANDOM.getrandbits(bits)
    kind = RANDOM.randrange(4)
    if kind == 0:
        number = (1 << bits) - 1 - (number >> RANDOM.randint(0, bits))
    elif kind == 1:
        number = number << RANDOM.randint(0, 64) | RANDOM.choice((0, 1))
    elif kind == 2:
        number = RANDOM.choice(EDGES) + RANDOM.randint(-2, 2)
    return RANDOM.choice((1, -1)) * number


def truncdiv(a: int, b: int) -> int:
    """The quotient, rounded to zero."""
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


def truncmod(a: int, b: int) -> int:
    """Its remainder."""
    return a - b * truncdiv(a, b)


DIVISIONS = {
    "/": truncdiv,
    "%": truncmod,
    "/=": truncdiv,
    "%=": truncmod,
    "truncdiv": truncdiv,
    "truncmod": truncmod,
    "floordiv": operator.floordiv,
    "floormod": operator.mod,
}
SHIFTS = {
    "<<": operator.lshift,
    ">>": operator.rshift,
    "<<=": operator.lshift,
    ">>=": operator.rshift,
}
OTHERS = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
    "+=": operator.add,
    "-=": operator.sub,
    "*=": operator.mul,
    "&=": operator.and_,
    "|=": operator.or_,
    "^=": operator.xor,
    "min": min,
    "max": max,
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
NUMBERS = [*EDGES, *(any_number() for _ in range(ROUNDS))]
PAIRS = [
    *((a, b) for a in EDGES for b in EDGES),
    *((any_number(), any_number()) for _ in range(ROUNDS)),
    *((number, number) for number in NUMBERS[:500]),
]


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    """Build the library."""
    path = tmp_path_factory.mktemp("big_int") / "big_int.so"
    built = build(SOURCE, path)
    assert built.returncode == 0, built.stderr
    return tvm_ffi.load_module(path)


@pytest.mark.parametrize("name", OTHERS)
def test_operators(library, name):
    """Every pair gives what Python gives."""
    ours, python = library.operation(name), OTHERS[name]
    for a, b in PAIRS:
        assert ours(a, b) == python(a, b), (a, b)


@pytest.mark.parametrize("name", DIVISIONS)
def test_divisions(library, name):
    """Quotients and remainders, also of products and of what is next to them."""
    ours, python = library.operation(name), DIVISIONS[name]
    for a, b in PAIRS:
        for number in (a, a * b, a * b - 1, a * b + a):
            if b != 0:
                assert ours(number, b) == python(number, b), (number, b)
    with pytest.raises(ZeroDivisionError, match=r"expected a divisor other than 0, got 0"):
        ours(2**100, 0)


@pytest.mark.parametrize("name", SHIFTS)
def test_shifts(library, name):
    """By every count up to more than the words have bits."""
    ours, python = library.operation(name), SHIFTS[name]
    for number in (*EDGES, *(any_number() for _ in range(20))):
        for count in range(200):
            assert ours(number, count) == python(number, count), (number, count)
    with pytest.raises(ValueError, match=r"expected a count of at least 0, got -1"):
        ours(2**100, -1)


def test_what_takes_one_number(library):
    """Signs, inverted bits, increments, truth, text, and the integers that a value fits into."""
    ranges = ((0, 2**64), (-(2**63), 2**63), (-128, 128), (0, 2))
    for number in NUMBERS:
        up, down = number + 1, number - 1
        assert list(library.unary(number)) == [
            *(number, -number, ~number),
            *(number, up, up + 1),
            *(number, down, down - 1),
        ]
        assert library.is_true(number) is bool(number)
        assert library.written(number) == str(number)
        assert library.read(str(number)) == number
        fitting = [number if low <= number < high else None for low, high in ranges]
        assert list(library.fitting(number)) == fitting
        assert library.hash_agrees(number, number)


def test_a_number_with_itself(library):
    """An assignment whose right side is its left side."""
    for number in NUMBERS:
        expected = [2 * number, 0, number**2, number, number, 0]
        expected += [1, 0] if number else []
        assert list(library.with_itself(number)) == expected


def test_doubles(library):
    """A number becomes the nearest double, the even one of two; a double loses its fraction."""
    for number in NUMBERS:
        try:
            expected = float(number)
        except OverflowError:
            with pytest.raises(OverflowError, match=r"expected a value in the range of double"):
                library.as_double(number)
        else:
            assert library.as_double(number) == expected
            assert library.of_double(expected) == int(expected)
    for power in (10, 100, 900):
        for low in (0, 1, 2**30, 2**53 - 1):
            for step in (-1, 0, 1):  # half way between two doubles, and beside
                number = (2 * (2**53 + low) + 1) * 2**power + step
                assert library.as_double(number) == float(number)
    most = 2**1024 - 2**970
    assert library.as_double(most - 1) == float(most - 1)
    with pytest.raises(OverflowError, match=r"got an integer of 17 words"):
        library.as_double(most)
    for number in (0.5, -0.9, 1e-300, 1.5e300, -(2.0**63), 2.0**63, 2.0**64 + 4096):
        assert library.of_double(number) == int(number)
    with pytest.raises(ValueError, match=r"expected a finite number, got NaN"):
        library.of_double(float("nan"))
    with pytest.raises(OverflowError, match=r"expected a finite number, got -inf"):
        library.of_double(float("-inf"))

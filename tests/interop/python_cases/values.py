# SPDX-License-Identifier: Apache-2.0
"""Values of Python."""

import math

import tvm_ffi

from .case import case


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
        assert value is None or same(got, value)


@case
def python_texts(makers, checkers):
    """Python's str and bytes, there and back."""
    for size in (0, 7, 8, 10000):
        for text in ("x" * size, "\0" * size, "\N{HIRAGANA LETTER A}" * size):
            assert checkers.values.echo(makers.values.echo(text)) == text
            content = text.encode()
            assert checkers.values.echo(makers.values.echo(content)) == content


@case
def python_dtypes_and_devices(makers, checkers):
    """Python's dtype, device and Shape, there and back."""
    for name in ("float32", "int8", "uint64", "bool", "bfloat16", "float8_e4m3fn", "float32x4"):
        assert str(checkers.values.echo(makers.values.echo(tvm_ffi.dtype(name)))) == name
    for name in ("cpu", "cuda:3"):
        device = tvm_ffi.device(name)
        assert checkers.values.echo(makers.values.echo(device)) == device
    for extents in ((), (7,), (0, 2, 2**40)):
        shape = tvm_ffi.Shape(extents)
        assert tuple(checkers.values.echo(makers.values.echo(shape))) == extents

# SPDX-License-Identifier: Apache-2.0
"""Python values of every kind that a call accepts, described by JSON values."""

from __future__ import annotations

import math
from typing import Any

import tvm_ffi
from hypothesis import strategies as st
from tvm_ffi import testing

INTEGERS = st.integers(-300, 300) | st.sampled_from(
    [
        sign * (2**power + off)
        for power in (31, 32, 63, 64, 200)
        for off in (-1, 0, 1)
        for sign in (1, -1)
    ]
)
FLOATS = (
    st.sampled_from([0.0, -0.0, 1.5, 1e308, 5e-324, math.nan, math.inf, -math.inf]) | st.floats()
)
TEXTS = st.sampled_from(
    ["", "a", "sevenby", "eightbyt", "\0", "a\0b", "\u00e9", "\U0001f600", "\ud800", "x" * 70]
)
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    INTEGERS.map(lambda n: {"int": str(n)}),
    FLOATS.map(lambda x: {"float": x.hex()}),
    TEXTS.map(lambda text: {"str": text}),
    st.lists(st.integers(0, 255), max_size=9).map(lambda data: {"bytes": data}),
    st.sampled_from(["float32", "int8x4", "void"]).map(lambda text: {"dtype": text}),
    st.sampled_from(["cpu", "cuda:1"]).map(lambda text: {"device": text}),
    st.lists(st.integers(-2, 5) | st.just(2**62), max_size=3).map(lambda n: {"shape": n}),
    st.sampled_from(
        [
            "function",
            "raiser",
            "object",
            "class",
            "instance",
            "array",
            "tensor",
            "module",
            "pair",
            "error",
            "self",
        ]
    ).map(lambda kind: {"made": kind}),
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.lists(st.tuples(inner, inner).map(list), max_size=3).map(lambda pairs: {"dict": pairs})
        | st.lists(inner, max_size=3).map(lambda items: {"tuple": items})
    ),
    max_leaves=6,
)


class Raiser:
    """Raises an error from each method that a call may use."""

    def __index__(self) -> int:
        raise ValueError("__index__ fails")

    def __float__(self) -> float:
        raise ValueError("__float__ fails")


def make(given: Any) -> Any:
    """Create a value from its description."""
    if isinstance(given, list):
        return [make(each) for each in given]
    if not isinstance(given, dict):
        return given
    ((kind, content),) = given.items()
    if kind == "dict":
        pairs = [(make(key), make(value)) for key, value in content]
        return {key: value for key, value in pairs if type(key).__hash__ is not None and key == key}
    if kind == "tuple":
        return tuple(make(each) for each in content)
    if kind == "made":
        return made(content)
    makers: dict[str, Any] = {
        "int": int,
        "float": float.fromhex,
        "str": str,
        "bytes": bytes,
        "dtype": tvm_ffi.dtype,
        "device": tvm_ffi.device,
        "shape": tvm_ffi.Shape,
    }
    return makers[kind](content)


def made(kind: str) -> Any:
    """Create an object."""
    import numpy

    if kind == "self":
        items = tvm_ffi.List([1])
        items.append(items)
        return items
    makers: dict[str, Any] = {
        "function": lambda: lambda *args: args[0] if args else None,
        "raiser": Raiser,
        "object": object,
        "class": lambda: int,
        "instance": lambda: testing.echo,
        "array": lambda: numpy.arange(6, dtype="float32").reshape(2, 3),
        "tensor": lambda: tvm_ffi.from_dlpack(numpy.arange(3, dtype="int64")),
        "module": lambda: tvm_ffi.system_lib("values."),
        "pair": lambda: testing.TestIntPair(1, 2),
        "error": lambda: ValueError("an error as a value"),
    }
    return makers[kind]()

# SPDX-License-Identifier: Apache-2.0
# Rows: R5
"""Wrappers that add keyword arguments and defaults to positional functions."""

from __future__ import annotations

import collections
import inspect
from dataclasses import dataclass
from typing import Any

import pytest
import tvm_ffi
from hypothesis import given
from hypothesis import strategies as st
from tvm_ffi.utils.kwargs_wrapper import make_kwargs_wrapper, make_kwargs_wrapper_from_signature
from tvm_ffi.utils.unpack_dataclass import unpack_dataclass_to_tuple


def collect(*args: Any) -> tuple[Any, ...]:
    """Return the arguments."""
    return args


def test_defaults_and_keywords() -> None:
    """Values arrive by position, however they were passed."""
    wrapper = make_kwargs_wrapper(collect, ["a", "b", "c"], (10, None), ["d", "e"], {"e": [1]})
    assert wrapper(1, d=4) == (1, 10, None, 4, [1])
    assert wrapper(c=3, a=1, d=4, e=5) == (1, 10, 3, 4, 5)
    assert str(inspect.signature(wrapper)) == "(a, b=10, c=None, *, d, e=[1])"


@pytest.mark.parametrize(
    ("args", "keywords", "message"),
    [
        ((), {}, r"^wrapper\(\) missing 1 required positional argument: 'a'"),
        ((1,), {}, "missing 1 required keyword-only argument: 'd'"),
        ((1,), {"d": 2, "z": 3}, "unexpected keyword argument 'z'"),
        ((1, 2, 3, 4), {}, "takes from 1 to 2 positional arguments"),
        ((1,), {"a": 1, "d": 2}, "multiple values for argument 'a'"),
    ],
)
def test_wrong_calls(args: tuple[int, ...], keywords: dict[str, int], message: str) -> None:
    """A wrong call raises the TypeError that a Python function would raise."""
    wrapper = make_kwargs_wrapper(collect, ["a", "b"], (10,), ["d"])
    with pytest.raises(TypeError, match=message):
        wrapper(*args, **keywords)


def test_defaults_are_the_objects_themselves() -> None:
    """A default need not have a repr that recreates it."""
    default = object()
    assert make_kwargs_wrapper(collect, ["a"], (default,))() == (default,)


@given(
    count=st.integers(0, 6),
    defaults=st.integers(0, 6),
    kwonly=st.integers(0, 3),
    data=st.data(),
)
def test_any_signature(count: int, defaults: int, kwonly: int, data: Any) -> None:
    """The wrapper calls as a Python function with that signature would."""
    names = [f"p{i}" for i in range(count)]
    only = [f"k{i}" for i in range(kwonly)]
    values = tuple(range(100, 100 + min(defaults, count)))
    wrapper = make_kwargs_wrapper(collect, names, values, only, dict.fromkeys(only, 7))
    given_names = data.draw(st.sets(st.sampled_from([*names, *only]))) if names or only else set()
    required = names[: len(names) - len(values)]
    keywords = dict.fromkeys({*given_names, *required}, 1)
    padded = dict(zip(names[len(names) - len(values) :], values, strict=True))
    padded |= dict.fromkeys(only, 7)
    assert wrapper(**keywords) == tuple((padded | keywords)[name] for name in [*names, *only])


def test_from_signature() -> None:
    """Names, defaults and keyword-only parameters come from a signature."""

    def prototype(x: int, /, y: float = 3.0, *, flag: bool, more: Any = None) -> str:
        """Show how it is called."""
        return ""

    signature = inspect.signature(prototype)
    wrapper = make_kwargs_wrapper_from_signature(collect, signature, prototype)
    assert wrapper(1, flag=True) == (1, 3.0, True, None)
    assert wrapper(x=1, y=2.0, flag=False, more=4) == (1, 2.0, False, 4)
    assert (wrapper.__name__, wrapper.__doc__) == ("prototype", "Show how it is called.")
    assert wrapper.__annotations__ == prototype.__annotations__
    short = make_kwargs_wrapper_from_signature(
        collect, signature, exclude_arg_names=["y", "more", "unknown"]
    )
    assert short(1, flag=True) == (1, True)


@pytest.mark.parametrize("kind", ["*args", "**kwargs"])
def test_signatures_without_end(kind: str) -> None:
    """A variable number of parameters cannot be mapped to positions."""
    signature = inspect.signature(eval(f"lambda x, {kind}: x"))
    with pytest.raises(ValueError, match="signature: expected a fixed number of parameters, got"):
        make_kwargs_wrapper_from_signature(collect, signature)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"arg_names": ["a", "a"]}, ValueError, "expected each name once, got 'a' again"),
        ({"arg_names": ["a"], "kwonly_names": ["a"]}, ValueError, "expected each name once"),
        ({"arg_names": ["1x"]}, ValueError, "expected identifiers .*, got '1x'"),
        ({"arg_names": ["class"]}, ValueError, "expected identifiers .*, got 'class'"),
        ({"arg_names": ["__i_target"]}, ValueError, "expected identifiers .*, got '__i_target'"),
        ({"arg_names": ["x: __import__"]}, ValueError, "expected identifiers"),
        ({"arg_names": [3]}, TypeError, "arg_names: expected names of type str, got int"),
        (
            {"arg_names": ["a"], "arg_defaults": (1, 2)},
            ValueError,
            "arg_defaults: expected at most 1 values",
        ),
        (
            {"arg_names": ["a"], "arg_defaults": [1]},
            TypeError,
            "arg_defaults: expected a tuple, got list",
        ),
        (
            {"arg_names": ["a"], "kwonly_defaults": {"a": 1}},
            ValueError,
            r"kwonly_defaults: expected names among \(\), got 'a'",
        ),
        (
            {"arg_names": ["a"], "map_dataclass_to_tuple": ["b"]},
            ValueError,
            r"map_dataclass_to_tuple: expected names among \(a\), got 'b'",
        ),
    ],
)
def test_wrong_descriptions(
    arguments: dict[str, Any], error: type[Exception], message: str
) -> None:
    """A description that no Python function could have is refused."""
    with pytest.raises(error, match=message):
        make_kwargs_wrapper(collect, **arguments)


def test_target_must_be_callable() -> None:
    """A target that is not callable is a TypeError."""
    with pytest.raises(TypeError, match="target_func: expected a callable, got int"):
        make_kwargs_wrapper(3, ["a"])  # type: ignore[arg-type]


def test_functions_are_wrapped(functions: Any) -> None:
    """The target may be a library function."""
    total = make_kwargs_wrapper(functions.get_function("sum"), ["a", "b"], (10,))
    assert total(a=1) == 11
    assert type(functions.get_function("sum")) is tvm_ffi.Function


@dataclass
class Tile:
    """Two numbers."""

    rows: int
    columns: Any


Pair = collections.namedtuple("Pair", "first second")


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (3, 3),
        (Tile(1, 2), (1, 2)),
        (Tile(1, Tile(2, 3)), (1, (2, 3))),
        (Tile(1, [Tile(2, 3), 4]), (1, [(2, 3), 4])),
        ({"a": Tile(1, 2)}, {"a": (1, 2)}),
        (Pair(Tile(1, 2), 3), Pair((1, 2), 3)),
        (Tile, Tile),
    ],
)
def test_dataclasses_are_taken_apart(value: Any, expected: Any) -> None:
    """A dataclass becomes a tuple wherever it occurs; other values stay unchanged."""
    found = unpack_dataclass_to_tuple(value)
    assert found == expected
    assert type(found) is type(expected)


def test_only_named_parameters_are_taken_apart() -> None:
    """Other parameters keep the dataclass."""
    wrapper = make_kwargs_wrapper(collect, ["p", "q"], map_dataclass_to_tuple=["p"])
    assert wrapper(Tile(1, 2), Tile(3, 4)) == ((1, 2), Tile(3, 4))

# SPDX-License-Identifier: Apache-2.0
"""Calls with values of every kind: typed C++ functions, callbacks, and all global functions."""

from __future__ import annotations

import math
from typing import Any

import tvm_ffi
from builds import build_harness
from hypothesis import strategies as st
from ledger import Ledger
from target import expect
from tvm_ffi import registry, testing
from values import VALUES, make

HARNESS = tvm_ffi.load_module(build_harness())
TYPED = [
    "int64",
    "int8",
    "uint64",
    "double",
    "bool",
    "string",
    "bytes",
    "array",
    "list",
    "map",
    "dict",
    "optional",
    "variant",
    "tuple",
    "view",
    "tensor",
    "shape",
    "dtype",
    "device",
    "function",
    "object",
    "pair",
]
# Not called with random values, since their effects on the process are legitimate.
LEFT_OUT = {
    "ffi.FunctionRemoveGlobal",  # may remove a function that other inputs need
    "ffi._RegisterFFIInit",
    "ffi.SystemLib",  # its modules are kept forever
}
GLOBALS = sorted(
    {name for name in registry.list_global_func_names() if name.startswith("ffi.")} - LEFT_OUT
)

ERRORS = (
    OverflowError,  # an integer of more than 64 bits
    IndexError,
    KeyError,
    AttributeError,
    OSError,
    UnicodeError,
    NotImplementedError,
    RecursionError,  # the hash or the repr of a List that holds itself
    MemoryError,  # a List asked to hold more than fits
)
INPUTS = st.tuples(
    st.sampled_from(
        [f"typed {name}" for name in TYPED]
        + ["echo", "apply", "callback", "convert", "partial"] * 3
        + [f"global {name}" for name in GLOBALS]
    ),
    st.lists(VALUES, max_size=4),
).map(list)


def run(given: Any, ledger: Ledger) -> None:
    """Call one function."""
    what, described = given
    arguments = [make(each) for each in described]
    kind, _, name = what.partition(" ")
    if kind == "typed":
        getattr(HARNESS, f"take_{name}")(*arguments)
    elif kind == "global":
        tvm_ffi.get_global_func(name)(*arguments)
    elif kind == "echo":
        same(arguments[0], testing.echo(*arguments)) if arguments else testing.echo()
    elif kind == "apply":
        testing.apply(*arguments)
    elif kind == "callback":
        seen: list[Any] = []
        testing.apply(lambda *got: seen.extend(got), *arguments)
        expect(len(seen) == len(arguments), f"a callback got {len(seen)} of {len(arguments)}")
        for sent, got in zip(arguments, seen, strict=True):
            same(sent, got)
    elif kind == "convert":
        for each in arguments:
            tvm_ffi.convert(each), repr(tvm_ffi.convert(each))
    else:
        HARNESS.take_string(*arguments, x=1)


def same(sent: Any, got: Any) -> None:
    """Compare what was sent with what was received, if the expected value is clear."""
    if isinstance(sent, float) and isinstance(got, float):
        expect(math.copysign(1, sent) == math.copysign(1, got), f"{sent} became {got}")
        expect(sent == got or (math.isnan(sent) and math.isnan(got)), f"{sent} became {got}")
    elif sent is None or isinstance(sent, (bool, int, str, bytes)):
        expect(type(got) is type(sent) or isinstance(got, type(sent)), f"{sent!r} became {got!r}")
        expect(sent == got, f"{sent!r} became {got!r}")
    elif isinstance(sent, (list, tuple)):
        expect(len(sent) == len(got), f"{len(sent)} elements became {len(got)}")
        for one, other in zip(sent, got, strict=True):
            same(one, other)

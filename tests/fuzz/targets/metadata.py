# SPDX-License-Identifier: Apache-2.0
"""Function metadata and documentation: not JSON, or JSON of an unexpected form."""

from __future__ import annotations

import ctypes
import inspect
import json
from typing import Any

import tvm_ffi
from builds import build_harness
from capi import LIB, MethodInfo, Texts, check
from hypothesis import strategies as st
from ledger import Ledger
from target import expect

HARNESS = tvm_ffi.load_module(build_harness())
ERRORS = (AttributeError,)  # for an unknown signature

NAMES = st.sampled_from(
    ["int", "Optional", "ffi.Array", "Variant", "Any", "None", "", "no such", "\ud800"]
)
ODD = st.sampled_from(
    [None, 0, [], {}, "text", [[]], {"type": 3}, {"type": "Optional", "args": 3}, {"args": []}]
)
TYPES = st.recursive(
    NAMES.map(lambda name: {"type": name}) | ODD,
    lambda inner: st.tuples(NAMES, st.lists(inner, max_size=3)).map(
        lambda pair: {"type": pair[0], "args": pair[1]}
    ),
    max_leaves=4,
)
NAMED = st.fixed_dictionaries(
    {
        "return": st.lists(TYPES, min_size=1, max_size=1) | ODD,
        "params": st.lists(TYPES, max_size=3) | ODD,
    }
)
SCHEMAS = st.one_of(
    NAMED.map(lambda named: json.dumps({"type": "ffi.Function", "named_args": named})),
    ODD.map(lambda named: json.dumps({"type": "ffi.Function", "named_args": named})),
    TYPES.map(json.dumps),
    st.sampled_from(["", "{", "null", "3", "[" * 3000]),
)
METADATA = st.one_of(
    st.fixed_dictionaries(
        {},
        optional={
            "type_schema": SCHEMAS | ODD,
            "arg_names": st.sampled_from(["x", "x,y", "y, x", ",", "x,x", "self", "in", "x y", "1"])
            | ODD,
        },
    ).map(json.dumps),
    ODD.map(json.dumps),
    st.text(max_size=8),
    st.sampled_from(["", "{", "{}", "null", "[" * 100000, '{"type_schema"', "\0", "NaN"]),
)
INPUTS = st.tuples(
    st.sampled_from(["library", "global"]),
    METADATA,
    st.text(max_size=5),
    st.sampled_from(["x", "y", "args", ""]),
).map(list)

_number = 0


def register(metadata: bytes, doc: bytes) -> str:
    """Register a global function with this metadata and documentation."""
    global _number
    _number += 1
    texts, name = Texts(), f"fuzz.metadata.{_number}"
    info = MethodInfo(texts(name.encode()), texts(doc), texts(metadata))
    info.flags = 4  # static
    info.method.type_index = 68
    callback = tvm_ffi.convert(lambda *args: len(args))
    info.method.bits = callback.__chandle__()
    check(LIB.TVMFFIFunctionSetGlobalFromMethodInfo(ctypes.byref(info), 0))
    return name


def run(given: Any, ledger: Ledger) -> None:
    """Query everything about such a function; calls must still work."""
    way, metadata, doc, keyword = given
    if way == "library":
        HARNESS.set_metadata(metadata, doc)
        function = HARNESS.get_function("described")
        names: list[Any] = [lambda: HARNESS.get_function_metadata("described")]
    else:
        raw = metadata.encode("utf-8", "surrogatepass"), doc.encode("utf-8", "surrogatepass")
        name = register(*raw)
        function = tvm_ffi.get_global_func(name)
        names = [lambda: tvm_ffi.get_global_func_metadata(name)]
    asks = [
        *names,
        lambda: inspect.signature(function),
        lambda: function.__doc__,
        lambda: repr(function),
        lambda: function(1, **{keyword: 2}),
        lambda: function("text"),
        lambda: function(),
        lambda: function(None, None, None, None),
    ]
    try:
        expect(function(1) == 1, "another answer")
        for ask in asks:
            try:
                ask()
            except (TypeError, ValueError, AttributeError, RuntimeError) as error:
                expect(len(str(error)) > 7, f"an error that says nothing: {error!r}")
                known = "decoding a JSON" in str(error)  # for get_function_metadata
                expect(known or not isinstance(error, RecursionError), f"{error!r}")
    finally:
        if way == "global":
            tvm_ffi.remove_global_func(name)

# SPDX-License-Identifier: Apache-2.0
"""Hand-made TVMFFIAny values, through the C ABI.

The contract puts these on the caller, so every input respects them: a type index matches its
object; a pointer to text, a byte array or a DLTensor is valid; a small string has at most 7 bytes
and is zero-padded; padding is zero; ``num_args`` is the number of arguments.
"""

from __future__ import annotations

import ctypes
from typing import Any

import tvm_ffi
from builds import build_harness
from capi import LIB, AnyValue, ByteArray, Raised, Texts, check, function, release, use_count
from hypothesis import strategies as st
from ledger import Ledger
from producers import Producer, tensors
from target import expect
from tvm_ffi import testing

HARNESS = tvm_ffi.load_module(build_harness())
ERRORS = (IndexError, KeyError, AttributeError, Raised)

BITS = st.sampled_from(
    [0, 1, 2, 2**31, 2**32 - 1, 2**63, 2**64 - 1, 0x7FF8000000000000]
) | st.integers(0, 2**64 - 1)
SIMPLE = [0, 1, 2, 3, 4, 5, 6, 13]  # type indices that own nothing
VALUE = st.one_of(
    st.tuples(st.sampled_from(SIMPLE), BITS).map(lambda p: {"index": p[0], "bits": p[1]}),
    # Unknown to every version: unused indices below the objects, and negative ones.
    st.tuples(st.sampled_from([14, 20, 63, -2, -(2**31)]), BITS).map(
        lambda p: {"index": p[0], "bits": p[1]}
    ),
    st.binary(max_size=7).map(lambda b: {"small": list(b), "index": 11}),
    st.binary(max_size=7).map(lambda b: {"small": list(b), "index": 12}),
    st.binary(max_size=20).map(lambda b: {"text": list(b)}),
    st.binary(max_size=20).map(lambda b: {"byte array": list(b)}),
    st.just({"byte array": None}),
    st.sampled_from(
        ["str", "bytes", "list", "dict", "shape", "function", "tensor", "error", "pair"]
    ).map(lambda kind: {"object": kind}),
    st.sampled_from(["str", "list", "tensor"]).map(lambda kind: {"moved": kind}),
    tensors().map(lambda given: {"tensor": given}),
)
FUNCTIONS = (
    [
        f"take_{name}"
        for name in [
            "int64",
            "string",
            "bytes",
            "array",
            "map",
            "optional",
            "variant",
            "view",
            "shape",
            "dtype",
            "device",
            "function",
            "tuple",
        ]
    ]
    + [
        "testing.echo",
        "testing.apply",
        "testing.nop",
        "ffi.Array",
        "ffi.Map",
        "ffi.List",
        "ffi.Dict",
    ]
    + ["callback", "callback", "own", "kept"]
)
INPUTS = st.tuples(st.sampled_from(FUNCTIONS), st.lists(VALUE, max_size=3)).map(list)

OBJECTS = {
    "str": (65, lambda: tvm_ffi.convert("a text of many letters")),
    "bytes": (66, lambda: tvm_ffi.convert(b"bytes of some length")),
    "list": (75, lambda: tvm_ffi.List([1, "two"])),
    "dict": (76, lambda: tvm_ffi.Dict({"a": 1})),
    "shape": (69, lambda: None),
    "function": (68, lambda: tvm_ffi.convert(lambda *args: len(args))),
    "tensor": (70, lambda: tvm_ffi.from_dlpack(memoryview(bytearray(8)))),
    "error": (67, lambda: None),
    "pair": (0, lambda: testing.TestIntPair(3, 4)),
}


class Arguments:
    """Hand-made values, and everything that they point to."""

    def __init__(self, described: list[Any], ledger: Ledger) -> None:
        self.texts, self.kept, self.ledger = Texts(), [], ledger
        self.counted: list[tuple[Any, int]] = []
        self.array = (AnyValue * max(1, len(described)))()
        self.moved: list[Any] = []
        for value, given in zip(self.array, described):  # noqa: B905
            self.write(value, given)

    def write(self, value: AnyValue, given: dict[str, Any]) -> None:
        """Fill one value."""
        if "small" in given:
            content = bytes(given["small"])
            value.type_index, value.length = given["index"], len(content)
            value.bits = int.from_bytes(content.ljust(8, b"\0"), "little")
        elif "bits" in given:
            value.type_index, value.bits = given["index"], given["bits"]
        elif "text" in given:
            content = self.texts(bytes(given["text"]).replace(b"\0", b"."))
            value.type_index, value.bits = 8, content.data
        elif "byte array" in given:
            content = ByteArray(None, 0)
            if given["byte array"] is not None:
                content = self.texts(bytes(given["byte array"]))
            self.kept.append(content)
            value.type_index, value.bits = 9, ctypes.addressof(content)
        elif "tensor" in given:
            rest = {"versioned": False, "deleter": "", "name": ""}
            producer = Producer({**given["tensor"], **rest}, self.ledger)
            self.kept.append(producer)
            value.type_index, value.bits = 7, ctypes.addressof(producer.managed.tensor)
        else:
            self.write_object(value, given)

    def write_object(self, value: AnyValue, given: dict[str, Any]) -> None:
        """Lend an object, or a handle that can be moved from."""
        kind = given.get("object") or given["moved"]
        made = OBJECTS[kind][1]()
        if not isinstance(made, tvm_ffi.Object):
            value.type_index = 0  # this kind has no object in Python
            return
        self.kept.append(made)
        handle = made.__chandle__()
        if "moved" in given:
            check(LIB.TVMFFIObjectIncRef(ctypes.c_void_p(handle)))
            slot = ctypes.c_void_p(handle)
            self.moved.append(slot)
            value.type_index, value.bits = 10, ctypes.addressof(slot)
        else:
            value.type_index = ctypes.c_int32.from_address(handle + 8).value
            value.bits = handle
            self.counted.append((handle, use_count(handle)))

    def end(self) -> None:
        """Release the handles that were not moved from."""
        for slot in self.moved:
            if slot.value:
                LIB.TVMFFIObjectDecRef(slot)


def run(given: Any, ledger: Ledger) -> None:
    """Call one function and release its result."""
    name, described = given
    arguments, result = Arguments(described, ledger), AnyValue()
    seen: list[Any] = []
    try:
        if name == "own":
            for value in arguments.array[: len(described)]:
                out = AnyValue()
                check(LIB.TVMFFIAnyViewToOwnedAny(ctypes.byref(value), ctypes.byref(out)))
                release(out)
        elif name == "kept":
            # Held by a container.
            call("ffi.List", arguments.array, len(described), result)
            release(result)
        elif name == "callback":
            called = tvm_ffi.convert(lambda *got: seen.extend(got) or len(got))
            call(called, arguments.array, len(described), result)
            expect(len(seen) == len(described), "arguments of a callback got lost")
            repr(seen)
        elif name.startswith("take_"):
            call(getattr(HARNESS, name), arguments.array, len(described), result)
        else:
            call(name, arguments.array, len(described), result)
    finally:
        release(result)
        seen.clear()
        arguments.end()
    for handle, count in arguments.counted:
        now = use_count(handle)
        expect(now == count, f"{now} references to an argument after the call, {count} before")


def call(what: Any, array: Any, count: int, result: AnyValue) -> None:
    """Call a function object, or a global function by name."""
    if isinstance(what, str):
        handle = function(what)
        try:
            check(LIB.TVMFFIFunctionCall(handle, array, count, ctypes.byref(result)))
        finally:
            LIB.TVMFFIObjectDecRef(handle)
    else:
        handle = ctypes.c_void_p(what.__chandle__())
        check(LIB.TVMFFIFunctionCall(handle, array, count, ctypes.byref(result)))

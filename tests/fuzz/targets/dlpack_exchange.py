# SPDX-License-Identifier: Apache-2.0
"""Types with ``__dlpack_c_exchange_api__``: tables that lie, fail, or have another version.

The contract puts these on the producer: a table lives forever, its functions exist and return, and
their results are as complete as for a capsule.
"""

from __future__ import annotations

import ctypes
from typing import Any

import tvm_ffi
from consumers import SOME_ACTIONS, consume
from hypothesis import strategies as st
from ledger import Ledger
from producers import Producer, address_of, api, native, producers, rarely
from tvm_ffi import testing

# A table's function raises KeyError; a copy too large for memory raises MemoryError.
ERRORS = (BufferError, KeyError, MemoryError)

INPUTS = st.fixed_dictionaries(
    {
        "producer": producers().map(lambda given: {**given, "versioned": True, "name": ""}),
        "table": st.fixed_dictionaries(
            {
                "version": rarely([1, 3], [1, 99], [2, 0], [0, 0]),
                "before": st.booleans(),  # whether it links to an older table of version 1.3
                "as": rarely("capsule", "number", "wrong name", "none"),
                "view": st.booleans(),  # has dltensor_from_py_object_no_sync
            }
        ),
        "gives": rarely("tensor", "error", "error of the view"),
        "way": st.sampled_from(["from_dlpack", "argument", "argument twice", "in a list", "kept"]),
        "actions": SOME_ACTIONS,
        "fallback": st.booleans(),  # whether it also has __dlpack__
    }
)


class Table(ctypes.Structure):
    """DLPackExchangeAPI."""

    _fields_ = (
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("before", ctypes.c_void_p),
        ("allocate", ctypes.c_void_p),
        ("from_object", ctypes.c_void_p),
        ("to_object", ctypes.c_void_p),
        ("view", ctypes.c_void_p),
        ("stream", ctypes.c_void_p),
    )


_given: dict[int, tuple[dict[str, Any], Ledger]] = {}  # by the address of an object
_kept: list[Any] = []  # tables and names live forever


@ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int)
def make(address: int, is_view: int) -> int | None:
    """Return the address of a managed tensor, or of one lent for the call."""
    given, ledger = _given[address]
    if given["gives"] == "error" or (is_view and given["gives"] != "tensor"):
        return None
    if not is_view:
        return Producer(given["producer"], ledger).address
    producer = Producer({**given["producer"], "deleter": ""}, ledger)
    return ctypes.addressof(producer.managed.tensor)


ctypes.c_void_p.in_dll(native, "fuzz_make").value = address_of(make)


def table(given: dict[str, Any], version: list[int], before: int | None) -> Table:
    """Create a table."""
    made = Table(*version, before)
    native.fuzz_fill_table(ctypes.byref(made), int(given["view"]))
    _kept.append(made)
    return made


def framework(given: dict[str, Any]) -> type:
    """Create a type with a table, which the package reads once and caches."""
    told = given["table"]
    older = ctypes.addressof(table(told, [1, 3], None)) if told["before"] else None
    address = ctypes.addressof(table(told, told["version"], older))
    name = b"another" if told["as"] == "wrong name" else b"dlpack_exchange_api"
    buffer = ctypes.create_string_buffer(name)
    _kept.append(buffer)
    attribute = {
        "number": address,
        "none": None,
    }.get(told["as"]) or api.PyCapsule_New(address, ctypes.addressof(buffer), None)
    members: dict[str, Any] = {"__dlpack_c_exchange_api__": attribute}
    if given["fallback"]:
        members["__dlpack__"] = lambda self, **options: give(self)
        members["__dlpack_device__"] = lambda self: tuple(given["producer"]["device"])
    return type("Foreign", (), members)


def give(value: Any) -> Any:
    """Implement the fallback."""
    given, ledger = _given[id(value)]
    return Producer(given["producer"], ledger).capsule()


def run(given: Any, ledger: Ledger) -> None:
    """Pass an object of such a type, and use the results."""
    value = framework(given)()
    _given[id(value)] = given, ledger
    results: list[Any] = []
    try:
        if given["way"] == "from_dlpack":
            results.append(tvm_ffi.from_dlpack(value, allow_read_only=True))
        elif given["way"] == "argument":
            results.append(testing.echo(value))
        elif given["way"] == "argument twice":
            testing.nop(value, value)
        elif given["way"] == "in a list":
            results += [*testing.echo([value])]
        else:
            testing.apply(lambda x: results.append(x), value)
        for result in results:
            if isinstance(result, tvm_ffi.Tensor):
                consume(result, given["producer"], given["actions"], False)
    finally:
        results.clear()
        del _given[id(value)]

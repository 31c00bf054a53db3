# SPDX-License-Identifier: Apache-2.0
"""Objects whose ``__dlpack__`` returns old or versioned capsules, or something else."""

from __future__ import annotations

from typing import Any

import tvm_ffi
from consumers import SOME_ACTIONS, consume
from hypothesis import strategies as st
from ledger import Ledger
from producers import Producer, producers, rarely
from tvm_ffi import testing

# A producer itself raises KeyError; a copy too large for memory raises MemoryError.
ERRORS = (BufferError, OverflowError, KeyError, MemoryError)

INPUTS = st.fixed_dictionaries(
    {
        "producer": producers(),
        "gives": rarely("capsule", "None", "number", "used capsule", "error", "type error"),
        "says device": rarely("the same", "None", "texts", "huge", "one", "error", "another"),
        "knows versions": st.booleans(),
        "way": st.sampled_from(
            ["from_dlpack", "capsule", "argument", "argument twice", "in a list"]
        ),
        "options": st.fixed_dictionaries(
            {
                "require_alignment": rarely(0, 1, 8, 64, -8, 3, 2**31 - 1, 2**40),
                "require_contiguous": st.booleans(),
                "allow_read_only": st.booleans(),
            }
        ),
        "actions": SOME_ACTIONS,
    }
)


class Duck:
    """An object of a framework unknown to the package."""

    def __init__(self, given: dict[str, Any], ledger: Ledger) -> None:
        self.given, self.ledger = given, ledger
        self.producer: Producer | None = None

    def __dlpack_device__(self) -> Any:
        device = self.given["producer"]["device"]
        says = self.given["says device"]
        if says == "error":
            raise KeyError("no device today")
        others = {"None": None, "texts": ("1", "0"), "huge": (2**70, 0), "one": (1,)}
        return {**others, "another": (2, 1), "the same": tuple(device)}[says]

    def __dlpack__(self, **options: Any) -> Any:
        gives = self.given["gives"]
        if options.get("max_version") is not None and not self.given["knows versions"]:
            raise TypeError("__dlpack__() got an unexpected keyword argument 'max_version'")
        if gives in ("error", "type error"):
            raise (KeyError if gives == "error" else TypeError)("no tensor today")
        if gives in ("None", "number"):
            return {"None": None, "number": 7}[gives]
        self.producer = Producer(self.given["producer"], self.ledger)
        capsule = self.producer.capsule()
        if gives == "used capsule":
            tvm_ffi.from_dlpack(capsule, allow_read_only=True)
        return capsule


def run(given: Any, ledger: Ledger) -> None:
    """Pass the object, and use the results."""
    duck = Duck(given, ledger)
    results: list[Any] = []
    if given["way"] == "from_dlpack":
        results.append(tvm_ffi.from_dlpack(duck, **given["options"]))
    elif given["way"] == "capsule":
        duck.producer = Producer(given["producer"], ledger)
        # In a variable, as Python drops a temporary while the error propagates, when a deleter
        # written in Python cannot run.
        capsule = duck.producer.capsule()
        results.append(tvm_ffi.from_dlpack(capsule, **given["options"]))
    elif given["way"] == "argument":
        results.append(testing.echo(duck))
    elif given["way"] == "argument twice":
        testing.nop(duck, 1, duck)
    else:
        results += testing.echo([duck, "text"])[:1]
    honest = duck.producer is not None and duck.producer.is_honest()
    for result in results:
        if isinstance(result, tvm_ffi.Tensor):
            consume(result, given["producer"], given["actions"], honest)

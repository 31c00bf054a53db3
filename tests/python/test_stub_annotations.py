# SPDX-License-Identifier: Apache-2.0
# Rows: R5, R8
"""The Python types that ``tvm-ffi-stubgen`` writes for the types of a schema."""

from __future__ import annotations

import pytest
from tvm_ffi.stub.annotations import Annotations


def one(kind: str, *args: object) -> dict[str, object]:
    """Return the schema of a type."""
    return {"type": kind, **({"args": list(args)} if args else {})}


INT, STR = one("int"), one("ffi.String")
FUNCTION = {"type": "ffi.Function", "named_args": {"return": [one("None")], "params": [INT]}}


@pytest.mark.parametrize(
    ("schema", "taken", "given", "imports"),
    [
        (INT, "int", None, []),
        (one("const char*"), "str", None, []),
        (one("DLTensor*"), "Tensor", None, ["tvm_ffi.Tensor"]),
        (one("void*"), "c_void_p", None, ["ctypes.c_void_p"]),
        (one("Optional", INT), "int | None", None, []),
        (one("Optional", one("Optional", INT)), "int | None", None, []),
        (one("Variant", INT, STR, one("Optional", INT)), "int | str | None", None, []),
        (one("Tuple", INT, STR), "tuple[int, str]", None, []),
        (one("Tuple"), "tuple[()]", None, []),
        (one("Expected", INT, one("ffi.Error")), "int", None, []),
        (one("ffi.BigInt"), "int", None, []),
        (one("ffi.Shape"), "Shape", None, ["tvm_ffi.Shape"]),
        (one("ffi.VisitInterrupt"), "Any", None, ["typing.Any"]),
        (one("a.b.C"), "C", None, ["a.b.C"]),
        (one("std::vector", INT), "Sequence[int]", None, ["collections.abc.Sequence"]),
        (FUNCTION, "Callable[[int], None]", None, ["typing.Callable"]),
        (
            one("Optional", one("Variant", FUNCTION, one("ffi.Array", one("Variant", INT, STR)))),
            "Callable[[int], None] | Sequence[int | str] | None",
            None,
            ["collections.abc.Sequence", "typing.Callable"],
        ),
        (
            one("ffi.List", INT),
            "Sequence[int]",
            "MutableSequence[int]",
            ["collections.abc.MutableSequence", "collections.abc.Sequence"],
        ),
        (
            one("ffi.Dict", STR),
            "Mapping[str, Any]",
            "MutableMapping[str, Any]",
            ["collections.abc.Mapping", "collections.abc.MutableMapping", "typing.Any"],
        ),
    ],
)
def test_annotations(schema, taken, given, imports) -> None:
    """A type is written as Python code with exactly the imports it needs."""
    annotations = Annotations({}, set())
    assert annotations.text(schema, "taken") == taken
    assert annotations.text(schema, "given") == (given or taken)
    assert sorted(annotations.imports) == imports

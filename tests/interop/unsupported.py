# SPDX-License-Identifier: Apache-2.0
"""The cells of the interop table that do not hold: where, the reason, and the error one gets."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from table import Column


@dataclass(frozen=True)
class Unsupported:
    """What does not work in some columns; ``error`` is a part of what one gets there."""

    case: str
    where: Callable[[Column], bool]
    error: str
    reason: str


def under_published(column: Column) -> bool:
    """Say that the published runtime is the one that refuses."""
    return column.runtime == "published"


def made_by_published(column: Column) -> bool:
    """Say that code of the published headers makes the value."""
    return column.makers == "published"


def published_among_themselves(column: Column) -> bool:
    """Say that both libraries are built with the published headers."""
    return column.makers == column.checkers == "published"


UNSUPPORTED = [
    Unsupported(
        "cpp:values:ComplexDtype",
        under_published,
        "unknown type_code=5",
        "the published runtime has no text for complex dtypes, and Python asks for it",
    ),
    Unsupported(
        "cpp:errors:StdException",
        published_among_themselves,
        "a C++ exception came",
        "code of the published headers calls a function of its own kind without the C ABI between",
    ),
    Unsupported(
        "python:errors:more_errors_in_python",
        under_published,
        "NotImplementedError came as RuntimeError",
        "the published package makes both a RuntimeError",
    ),
    Unsupported(
        "python:storage:store",
        under_published,
        "ffi.StorageSet",
        "the published runtime has no store",
    ),
    Unsupported(
        "cpp:expected:Expected",
        made_by_published,
        "raised is false",
        "a function of the published headers hands the error back as its result",
    ),
    Unsupported(
        "cpp:objects:Allocator",
        made_by_published,
        'function("living").cast<int64_t>() > before',
        "make_object of the published headers takes its memory from elsewhere",
    ),
    Unsupported(
        "python:errors:python_exception_same_object",
        under_published,
        "another exception came back",
        "the published package makes a new exception of the kind and the message",
    ),
    Unsupported(
        "python:errors:causes_in_python",
        under_published,
        "the cause is None",
        "the published package leaves out the causes",
    ),
]


def unsupported(case: str, column: Column) -> Unsupported | None:
    """Find the entry of a cell, if it is one that does not hold."""
    for entry in UNSUPPORTED:
        if entry.case == case and entry.where(column):
            return entry
    return None

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


UNSUPPORTED = [
    Unsupported(
        "cpp:values:ComplexDtype",
        under_published,
        "unknown type_code=5",
        "the published runtime has no text for complex dtypes, and Python asks for it",
    ),
]


def unsupported(case: str, column: Column) -> Unsupported | None:
    """Find the entry of a cell, if it is one that does not hold."""
    for entry in UNSUPPORTED:
        if entry.case == case and entry.where(column):
            return entry
    return None

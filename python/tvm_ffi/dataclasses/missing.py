# SPDX-License-Identifier: Apache-2.0
"""The placeholder for a missing default."""

from __future__ import annotations


class _Missing:
    __slots__ = ()

    def __repr__(self) -> str:
        return "<MISSING>"

    def __reduce__(self) -> str:
        return "MISSING"  # a copy or an unpickled one is the same object


#: Stands for the default or the default factory of a field without one.
MISSING = _Missing()

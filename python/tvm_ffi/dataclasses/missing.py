# SPDX-License-Identifier: Apache-2.0
"""What a field has in place of a default that it lacks."""

from __future__ import annotations


class _Missing:
    __slots__ = ()

    def __repr__(self) -> str:
        return "<MISSING>"

    def __reduce__(self) -> str:
        return "MISSING"  # a copy or a pickle is the same value


#: In place of the default or the default factory of a field that has none.
MISSING = _Missing()

# SPDX-License-Identifier: Apache-2.0
"""Unpacking of dataclasses for functions that take tuples."""

from __future__ import annotations

from typing import Any


def unpack_dataclass_to_tuple(value: Any) -> Any:
    """Return the fields of a dataclass as a tuple, with nested dataclasses unpacked too.

    Lists, tuples and the values of dictionaries are searched; everything else is returned
    unchanged, including a dataclass itself (as opposed to an instance).

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> from tvm_ffi.utils.unpack_dataclass import unpack_dataclass_to_tuple
    >>> @dataclass
    ... class Tile:
    ...     rows: int
    ...     columns: int
    >>> unpack_dataclass_to_tuple([Tile(4, 8), "text"])
    [(4, 8), 'text']
    """
    fields = getattr(type(value), "__dataclass_fields__", None)
    if fields is not None:
        import dataclasses

        return tuple(
            unpack_dataclass_to_tuple(getattr(value, field.name))
            for field in dataclasses.fields(value)
        )
    if isinstance(value, (list, tuple)):
        # The constructor of a named tuple takes its elements one by one.
        make = getattr(type(value), "_make", type(value))
        return make(unpack_dataclass_to_tuple(each) for each in value)
    if isinstance(value, dict):
        return {key: unpack_dataclass_to_tuple(each) for key, each in value.items()}
    return value

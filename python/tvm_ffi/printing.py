# SPDX-License-Identifier: Apache-2.0
"""The printed form of objects: the type key and the fields."""

from __future__ import annotations

from _thread import get_ident

from . import _core
from .type_info import all_fields, is_shown

# For each type, its key and the fields to print, with their names.
_shown: dict[int, tuple[str, list[tuple[str, _core.Field]]]] = {}

# Objects being printed: the thread and the address.
_in_progress: set[tuple[int, int]] = set()


def object_repr(instance: _core.Object) -> str:
    """Return ``library.Type(field=value, ...)``; recursion prints ``library.Type(...)``."""
    address = instance.__chandle__()
    if address == 0:
        return f"<{type(instance).__qualname__} without an object>"
    type_index = _core.type_index_of(instance)
    known = _shown.get(type_index)
    if known is None:
        fields = [field for field in all_fields(type_index) if is_shown(field)]
        known = _core.describe_type(type_index)[0], [(field.__name__, field) for field in fields]
        _shown[type_index] = known
    type_key, shown = known
    if not shown:
        return f"<{type_key} object at {address:#x}>"
    mark = (get_ident(), address)
    if mark in _in_progress:
        return f"{type_key}(...)"
    _in_progress.add(mark)
    try:
        values = [f"{name}={field.__get__(instance)!r}" for name, field in shown]
    finally:
        _in_progress.discard(mark)
    return f"{type_key}({', '.join(values)})"


_core.Object.__repr__ = object_repr  # type: ignore[assignment, method-assign]

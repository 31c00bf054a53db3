# SPDX-License-Identifier: Apache-2.0
"""Information that libraries register about their object types."""

from __future__ import annotations

from typing import Any

from . import _core, field_flags


class TypeField:
    """Registered information about a field."""

    __slots__ = ("descriptor",)

    def __init__(self, descriptor: Any) -> None:
        self.descriptor = descriptor

    @property
    def name(self) -> str:
        """Name of the field."""
        return self.descriptor.__name__

    @property
    def doc(self) -> str | None:
        """Documentation, or ``None``."""
        return self.descriptor.__doc__

    @property
    def size(self) -> int:
        """Size in bytes."""
        return self.descriptor.size

    @property
    def offset(self) -> int:
        """Offset in bytes from the start of the object."""
        return self.descriptor.offset

    @property
    def frozen(self) -> bool:
        """Whether the field is read-only."""
        return not self.descriptor.flags & field_flags.WRITABLE

    @property
    def metadata(self) -> dict[str, Any]:
        """Additional metadata; ``type_schema`` is JSON text with its type."""
        return _parse(self.descriptor.metadata)

    def __repr__(self) -> str:
        return f"TypeField({self.name!r})"


class TypeMethod:
    """Registered information about a method."""

    __slots__ = ("_metadata", "func", "is_static")

    def __init__(self, func: Any, is_static: bool, metadata: str) -> None:
        self.func = func
        self.is_static = is_static
        self._metadata = metadata

    @property
    def name(self) -> str:
        """Name of the method."""
        return self.func.__name__

    @property
    def doc(self) -> str | None:
        """Documentation, or ``None``."""
        return self.func.__doc__

    @property
    def metadata(self) -> dict[str, Any]:
        """Additional metadata; ``type_schema`` is JSON text with its type."""
        return _parse(self._metadata)

    def __repr__(self) -> str:
        return f"TypeMethod({self.name!r})"


class TypeInfo:
    """Registered information about an object type: the class's ``__tvm_ffi_type_info__``."""

    __slots__ = ("fields", "methods", "type_ancestors", "type_cls", "type_index", "type_key")

    def __init__(self, type_index: int, cls: type) -> None:
        self.type_cls = cls
        self.type_index = type_index
        self.type_key, _, ancestors, _, _ = _core.describe_type(type_index)
        self.type_ancestors = list(ancestors)
        self.fields = [TypeField(field) for field in _core.own_fields(type_index)]
        self.methods = [TypeMethod(*method) for method in _core.own_methods(type_index)]

    def __repr__(self) -> str:
        return f"TypeInfo({self.type_key!r}, fields={self.fields}, methods={self.methods})"


def all_fields(type_index: int) -> tuple[_core.Field, ...]:
    """Return the fields of a type, the ancestors' fields first."""
    known = _fields.get(type_index)
    if known is None:
        _, _, ancestors, _, _ = _core.describe_type(type_index)
        known = tuple(
            field for index in (*ancestors, type_index) for field in _core.own_fields(index)
        )
        if _core.registered_class(type_index) is not None:
            # A library registers its types while it is loaded, before it creates objects of them.
            _fields[type_index] = known
    return known


def is_shown(field: _core.Field) -> bool:
    """Return whether the printed form of an object includes the field."""
    return not field.flags & field_flags.REPR_OFF


_fields: dict[int, tuple[_core.Field, ...]] = {}


def _parse(text: str) -> dict[str, Any]:
    import json

    return json.loads(text) if text else {}

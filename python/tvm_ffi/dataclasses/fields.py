# SPDX-License-Identifier: Apache-2.0
"""The fields of a dataclass."""

from __future__ import annotations

from typing import Any

from .._core import Object
from ..type_info import all_fields
from .annotations import resolved_annotations
from .described_field import Field

# Attributes of each class, which keeps its fields for its lifetime.
_KEPT = "__tvm_ffi_dataclass_fields__"
_FROZEN = "__tvm_ffi_frozen_fields__"


def fields(obj_or_cls: Any) -> tuple[Field, ...]:
    """Return the fields of a dataclass, those of its ancestors first.

    Parameters
    ----------
    obj_or_cls
        A class that :func:`tvm_ffi.dataclasses.c_class` or :func:`tvm_ffi.dataclasses.py_class`
        decorates, or an instance of one.

    Raises
    ------
    TypeError
        The argument is neither.

    Examples
    --------
    >>> from tvm_ffi.dataclasses import fields
    >>> from tvm_ffi.testing import TestIntPair
    >>> [field.name for field in fields(TestIntPair)]
    ['a', 'b']
    """
    if not is_dataclass(obj_or_cls):
        raise TypeError(
            "fields: obj_or_cls: expected a class that c_class or py_class decorates, or an "
            "instance of one, "
            f"got {_named(obj_or_cls)}"
        )
    cls: Any = obj_or_cls if isinstance(obj_or_cls, type) else type(obj_or_cls)
    known: tuple[Field, ...] | None = cls.__dict__.get(_KEPT)
    if known is None:
        annotations = resolved_annotations(cls)
        frozen = frozen_fields(cls)
        known = tuple(
            Field(field, annotations.get(field.__name__), field.__name__ in frozen)
            for field in all_fields(cls.__tvm_ffi_type_info__.type_index)
        )
        setattr(cls, _KEPT, known)
    return known


def is_dataclass(obj: Any) -> bool:
    """Return whether this is a class that ``c_class`` or ``py_class`` decorates, or an instance.

    Examples
    --------
    >>> from tvm_ffi.dataclasses import is_dataclass
    >>> from tvm_ffi.testing import TestIntPair
    >>> is_dataclass(TestIntPair), is_dataclass(TestIntPair(1, 2)), is_dataclass(3)
    (True, True, False)
    """
    cls = obj if isinstance(obj, type) else type(obj)
    return issubclass(cls, Object) and getattr(cls, "__ffi_is_dataclass__", False) is True


def is_instance(obj: Any) -> bool:
    """Return whether this is an instance of a dataclass."""
    return not isinstance(obj, type) and is_dataclass(obj)


def keep_fields(cls: type, known: tuple[Field, ...]) -> None:
    """Record the fields of a class, which :func:`fields` returns."""
    setattr(cls, _KEPT, known)


def frozen_fields(cls: type) -> frozenset[str]:
    """Return the names of the fields that a class or one of its bases freezes."""
    return frozenset().union(*(base.__dict__.get(_FROZEN, ()) for base in cls.__mro__))


def freeze_fields(cls: type, names: frozenset[str]) -> None:
    """Record the names of the fields that a class freezes."""
    setattr(cls, _FROZEN, names)


def _named(value: Any) -> str:
    return f"the class {value.__name__}" if isinstance(value, type) else type(value).__name__

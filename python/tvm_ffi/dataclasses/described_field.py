# SPDX-License-Identifier: Apache-2.0
"""The description of a field, as ``fields`` returns it."""

from __future__ import annotations

from typing import Any

from .. import field_flags as bits
from .missing import MISSING

_STRUCTURAL = (
    (bits.STRUCTURAL_IGNORE, "ignore"),
    (bits.STRUCTURAL_DEF_PATTERN, "def-pattern"),
    (bits.STRUCTURAL_DEF_SIMPLE, "def-simple"),
)


class Field:
    """Registered information about a field, and its annotation in the class.

    :func:`tvm_ffi.dataclasses.fields` returns these; there is no need to create one.

    ``name``, ``type`` and ``doc`` are its name, its annotation and its documentation; an annotation
    that is missing or cannot be resolved is ``None``. ``default`` is its value if none is passed to
    the constructor, and ``default_factory`` creates such a value for each object; whichever of the
    two is absent is ``MISSING``. The others are true or false: the constructor takes the field
    (``init``), by keyword only (``kw_only``); it is printed (``repr``), compared (``compare``),
    hashed if it is compared (``hash``), and cannot be assigned to (``frozen``). ``structural_eq``
    and ``metadata`` are the arguments of :func:`tvm_ffi.dataclasses.field`.
    """

    __slots__ = (
        "_descriptor",
        "compare",
        "default",
        "default_factory",
        "doc",
        "frozen",
        "hash",
        "init",
        "kw_only",
        "metadata",
        "name",
        "repr",
        "structural_eq",
        "type",
    )

    def __init__(self, descriptor: Any, annotation: Any, frozen: bool) -> None:
        flags = descriptor.flags
        self._descriptor = descriptor
        self.name: str = descriptor.__name__
        self.type = annotation
        self.doc = descriptor.__doc__
        self.default: Any = MISSING
        self.default_factory: Any = MISSING
        if flags & bits.DEFAULT_FROM_FACTORY:
            self.default_factory = descriptor.default
        elif flags & bits.HAS_DEFAULT:
            self.default = descriptor.default
        self.init = not flags & bits.INIT_OFF
        self.kw_only = bool(flags & bits.KW_ONLY)
        self.repr = not flags & bits.REPR_OFF
        self.compare = not flags & bits.COMPARE_OFF
        self.hash = not flags & bits.HASH_OFF
        self.frozen = frozen or not flags & bits.WRITABLE
        self.metadata: dict[str, Any] = {}
        self.structural_eq = next((name for bit, name in _STRUCTURAL if flags & bit), None)

    def __repr__(self) -> str:
        return f"Field({self.name!r})"

    @property
    def _optional(self) -> bool:
        """Whether it has a default or a default factory."""
        return self.default is not MISSING or self.default_factory is not MISSING


def in_order_of_arguments(fields: tuple[Field, ...]) -> list[Field]:
    """Return the fields that a generated constructor takes by position, in its order."""
    taken = [field for field in fields if field.init and not field.kw_only]
    return sorted(taken, key=lambda field: field._optional)  # a stable sort

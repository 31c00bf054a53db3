# SPDX-License-Identifier: Apache-2.0
"""Declaration of the fields of a Python-defined class."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY as KW_ONLY
from dataclasses import dataclass
from typing import Any, Generic, TypeVar, overload

from .. import field_flags as bits
from .missing import MISSING

_T = TypeVar("_T")

#: Values of ``structural_eq``, and the bits of TVMFFIFieldInfo.flags that they set.
STRUCTURAL_BITS = {
    None: 0,
    "ignore": bits.STRUCTURAL_IGNORE,
    "def": bits.STRUCTURAL_DEF_PATTERN,
    "def-pattern": bits.STRUCTURAL_DEF_PATTERN,
    "def-simple": bits.STRUCTURAL_DEF_SIMPLE,
}


@dataclass
class DeclaredField:
    """The arguments of a call to :func:`field`."""

    default: Any
    default_factory: Any
    frozen: bool
    init: bool
    repr: bool
    hash: bool | None
    compare: bool
    kw_only: bool | None
    metadata: dict[str, Any]
    structural_eq: str | None
    doc: str | None


def field(
    *,
    default: Any = MISSING,
    default_factory: Any = MISSING,
    frozen: bool = False,
    init: bool = True,
    repr: bool = True,
    hash: bool | None = None,
    compare: bool = True,
    kw_only: bool | None = None,
    metadata: Mapping[str, Any] | None = None,
    structural_eq: str | None = None,
    doc: str | None = None,
    converter: Any = None,
) -> Any:
    """Declare a field of a class that :func:`tvm_ffi.dataclasses.py_class` decorates.

    Parameters
    ----------
    default
        Value of the field if the constructor is not passed one.
    default_factory
        Callable without arguments that creates such a value for each object; exclusive with
        ``default``.
    frozen
        Whether assignments to the field are refused.
    init
        Whether the constructor takes the field. If it does not, the field has its default, or
        ``None`` or zero without one.
    repr
        Whether the field is printed.
    hash
        Whether the field is hashed; ``None`` follows ``compare``.
    compare
        Whether the field is compared.
    kw_only
        Whether the constructor takes the field by keyword only; ``None`` follows the class.
    metadata
        User-defined values by name; :func:`tvm_ffi.dataclasses.fields` returns them.
    structural_eq
        How the structural comparison treats the field: ``"ignore"`` skips it; ``"def-pattern"``,
        or ``"def"``, means that it is a pattern that defines variables; ``"def-simple"`` that it
        is one variable. See :doc:`/concepts/structural_eq_hash`.
    doc
        Documentation of the field.
    converter
        Ignored: values are converted to the type of the field. Type checkers read it.

    Raises
    ------
    ValueError
        Both ``default`` and ``default_factory`` are passed, or ``structural_eq`` is not one of
        these strings.
    TypeError
        The factory is not callable, or an option has the wrong type.

    Examples
    --------
    >>> import tvm_ffi
    >>> from tvm_ffi.dataclasses import field, py_class
    >>> @py_class("example.Tile")
    ... class Tile(tvm_ffi.Object):
    ...     rows: int = 16
    ...     tags: list[str] = field(default_factory=list, repr=False)
    >>> Tile(rows=8)
    example.Tile(rows=8)
    """
    if default is not MISSING and default_factory is not MISSING:
        raise ValueError("field: expected a default or a default_factory, got both")
    if default_factory is not MISSING and not callable(default_factory):
        raise TypeError(
            f"field: default_factory: expected a callable, got {type(default_factory).__name__}"
        )
    check_bools("field", {"frozen": frozen, "init": init, "repr": repr, "compare": compare})
    check_bools("field", {"hash": bool(hash) if hash is None else hash})
    check_bools("field", {"kw_only": bool(kw_only) if kw_only is None else kw_only})
    if metadata is not None and not isinstance(metadata, Mapping):
        raise TypeError(f"field: metadata: expected a mapping, got {type(metadata).__name__}")
    if doc is not None and not isinstance(doc, str):
        raise TypeError(f"field: doc: expected a str, got {type(doc).__name__}")
    if not (structural_eq is None or isinstance(structural_eq, str)) or (
        structural_eq not in STRUCTURAL_BITS
    ):
        known = ", ".join(repr_of(name) for name in STRUCTURAL_BITS)
        raise ValueError(f"field: structural_eq: expected one of {known}, got {structural_eq!r}")
    return DeclaredField(
        default=default,
        default_factory=default_factory,
        frozen=frozen,
        init=init,
        repr=repr,
        hash=hash,
        compare=compare,
        kw_only=kw_only,
        metadata=dict(metadata or {}),
        structural_eq=structural_eq,
        doc=doc,
    )


def check_bools(function: str, options: dict[str, Any]) -> None:
    """Raise a TypeError that names the first option that is not a bool."""
    for name, value in options.items():
        if not isinstance(value, bool):
            raise TypeError(f"{function}: {name}: expected a bool, got {type(value).__name__}")


def repr_of(value: object) -> str:
    """Return the printed form; in this module, ``repr`` is also the name of an option."""
    return f"{value!r}"


class init_property(Generic[_T]):
    """A field that is computed once, when an object is created.

    The decorated function takes the object and returns the value, which is stored in the object, so
    that every language can read it. The return annotation is the type of the field. The constructor
    does not take the field, and the structural comparison skips it.

    Parameters
    ----------
    func
        The function that computes the value.

    Examples
    --------
    >>> import tvm_ffi
    >>> from tvm_ffi.dataclasses import init_property, py_class
    >>> @py_class("example.Grid")
    ... class Grid(tvm_ffi.Object):
    ...     rows: int
    ...     cols: int
    ...
    ...     @init_property
    ...     def size(self) -> int:
    ...         return self.rows * self.cols
    >>> Grid(3, 4).size
    12
    """

    def __init__(self, func: Callable[[Any], _T]) -> None:
        self.func = func
        self.__doc__ = func.__doc__

    @overload
    def __get__(self, instance: None, owner: type, /) -> init_property[_T]: ...
    @overload
    def __get__(self, instance: object, owner: type, /) -> _T: ...
    def __get__(self, instance: Any, owner: type, /) -> Any:
        """Return the property itself; the decorated class has the field instead."""
        return self

# SPDX-License-Identifier: Apache-2.0
"""How the fields of a Python-defined class are declared."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY as KW_ONLY
from dataclasses import dataclass
from typing import Any, Generic, TypeVar, overload

from .missing import MISSING

_T = TypeVar("_T")

#: Values of ``structural_eq``, and the bits of TVMFFIFieldInfo.flags that they set.
STRUCTURAL_BITS = {None: 0, "ignore": 8, "def": 16, "def-pattern": 16, "def-simple": 4096}


@dataclass
class DeclaredField:
    """What :func:`field` was given."""

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
        Value of the field if the constructor is given none.
    default_factory
        Creates such a value for each object, without arguments; instead of ``default``.
    frozen
        Refuse to assign to the field.
    init
        Let the constructor take the field. Without it, the field has its default, or ``None`` or
        zero.
    repr
        Print the field.
    hash
        Hash the field; ``None`` means: if it is compared.
    compare
        Compare the field.
    kw_only
        Take the field by keyword only; ``None`` means: as the class says.
    metadata
        Anything, by name; :func:`tvm_ffi.dataclasses.fields` gives it back.
    structural_eq
        What the structural comparison does with the field: ``"ignore"`` skips it;
        ``"def-pattern"``, or ``"def"``, says that it defines variables, in a pattern; and
        ``"def-simple"`` that it is one variable. See :doc:`/concepts/structural_eq_hash`.
    doc
        Documentation.
    converter
        Ignored: values are converted to the type of the field. Type checkers read it.

    Raises
    ------
    ValueError
        Both a default and a factory are given, or ``structural_eq`` is another text.
    TypeError
        The factory cannot be called, or an option is of another type.

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
    """Check that options are true or false; a TypeError names the one that is not."""
    for name, value in options.items():
        if not isinstance(value, bool):
            raise TypeError(f"{function}: {name}: expected a bool, got {type(value).__name__}")


def repr_of(value: object) -> str:
    """Give the printed form; ``repr`` is the name of an option here."""
    return f"{value!r}"


class init_property(Generic[_T]):
    """A field that is computed once, when an object is made.

    The decorated function takes the object. Its result is stored in the object, so every language
    can read it; the constructor does not take it, and the structural comparison skips it. The
    return annotation is the type of the field.

    Parameters
    ----------
    func
        The function.

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
        """Stand for the field until the class is decorated."""
        return self

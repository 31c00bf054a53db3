# SPDX-License-Identifier: Apache-2.0
"""The decorator that defines an object type from a Python class."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar, overload

from .._core import Object
from .declared_class import DeclaredClass, complete_all
from .field import check_bools, field
from .install import Options

if TYPE_CHECKING:
    from typing_extensions import dataclass_transform
else:

    def dataclass_transform(**_: Any) -> Callable[[Any], Any]:
        """Do nothing: only type checkers need the mark."""
        return lambda function: function


_T = TypeVar("_T", bound=type)

#: Values of ``structural_eq``, with their TVMFFISEqHashKind numbers.
STRUCTURAL_KINDS = {None: 0, "tree": 1, "var": 2, "dag": 3, "const-tree": 4, "singleton": 5}


@overload
def py_class(cls_or_type_key: _T, /) -> _T: ...
@overload
def py_class(
    cls_or_type_key: str | None = None,
    /,
    *,
    type_key: str | None = None,
    frozen: bool = False,
    init: bool = True,
    repr: bool = True,
    eq: bool = False,
    order: bool = False,
    unsafe_hash: bool = False,
    match_args: bool = True,
    kw_only: bool = False,
    structural_eq: str | None = "tree",
    slots: bool = True,
) -> Callable[[_T], _T]: ...
@dataclass_transform(eq_default=False, field_specifiers=(field,))
def py_class(
    cls_or_type_key: Any = None,
    /,
    *,
    type_key: str | None = None,
    frozen: bool = False,
    init: bool = True,
    repr: bool = True,
    eq: bool = False,
    order: bool = False,
    unsafe_hash: bool = False,
    match_args: bool = True,
    kw_only: bool = False,
    structural_eq: str | None = "tree",
    slots: bool = True,
) -> Any:
    """Define an object type from a class whose annotations are its fields; a decorator.

    Objects of the type are like those of a type that C++ registers: every language can hold them,
    read and write their fields, copy, compare and print them. The type exists until the process
    exits. See :doc:`/guides/python_types`.

    An annotation may name a class that is decorated later; the first class can be called once the
    other exists. The constructor calls ``__post_init__`` last, if the class defines it.

    Parameters
    ----------
    cls_or_type_key
        The class, if the decorator is used without parentheses; otherwise the name of the type.
    type_key
        Name of the type; by default, the names of the module and of the class.
    frozen
        Whether assignments to any field are refused.
    init, repr, eq, order, unsafe_hash, match_args
        As for :func:`tvm_ffi.dataclasses.c_class`; ``order`` needs ``eq``.
    kw_only
        Whether the constructor takes all fields by keyword only.
    structural_eq
        How :func:`tvm_ffi.structural_equal` compares objects: ``"tree"`` by their fields;
        ``"const-tree"`` likewise, but an object equals itself without comparing its fields;
        ``"dag"`` by their fields and by which objects they share; ``"var"`` as variables;
        ``"singleton"`` by identity; ``None`` refuses to compare them.
    slots
        Ignored: instances have no ``__dict__``.

    Raises
    ------
    TypeError
        The class is not derived from :class:`tvm_ffi.Object`, or it is derived from the class of a
        C++ type other than ``ffi.Enum``; the annotation of a field is not a type that a field can
        have, or its name is taken; two names are given for the type; or an option has the wrong
        type.
    ValueError
        The name of the type is empty or taken, ``order`` is set without ``eq``, or
        ``structural_eq`` is not one of these strings.

    Examples
    --------
    >>> import tvm_ffi
    >>> from tvm_ffi.dataclasses import py_class
    >>> @py_class("example.Point", eq=True)
    ... class Point(tvm_ffi.Object):
    ...     x: float
    ...     y: float = 0.0
    >>> Point(1)
    example.Point(x=1, y=0)
    >>> Point(1) == Point(1, 0)
    True
    """
    if isinstance(cls_or_type_key, str) and type_key is not None:
        raise TypeError(
            f"py_class: expected one type key, got {cls_or_type_key!r} and {type_key!r}"
        )
    given_key = cls_or_type_key if isinstance(cls_or_type_key, str) else type_key
    if given_key is not None and not isinstance(given_key, str):
        raise TypeError(f"py_class: type_key: expected a str, got {type(given_key).__name__}")
    if given_key == "":
        raise ValueError("py_class: type_key: expected a name, got an empty string")
    options = Options(frozen, init, repr, eq, order, unsafe_hash, match_args)
    check_bools("py_class", {**vars(options), "kw_only": kw_only, "slots": slots})
    if order and not eq:
        raise ValueError("py_class: order: expected eq=True with order=True, got eq=False")
    if not (structural_eq is None or isinstance(structural_eq, str)) or (
        structural_eq not in STRUCTURAL_KINDS
    ):
        known = ", ".join(f"{name!r}" for name in STRUCTURAL_KINDS)
        raise ValueError(f"py_class: structural_eq: expected one of {known}, got {structural_eq!r}")
    # Annotations of a class defined in a function may use the function's local names.
    local_names = dict(sys._getframe(1).f_locals)

    def decorator(decorated: Any) -> Any:
        if not (isinstance(decorated, type) and issubclass(decorated, Object)):
            raise TypeError(
                f"py_class: expected a class derived from tvm_ffi.Object, got {decorated!r}"
            )
        key = given_key or f"{decorated.__module__}.{decorated.__qualname__}"
        DeclaredClass(
            decorated,
            key,
            options,
            kw_only=kw_only,
            structural_kind=STRUCTURAL_KINDS[structural_eq],
            local_names=local_names,
        ).complete()
        complete_all()
        return decorated

    is_class = cls_or_type_key is not None and not isinstance(cls_or_type_key, str)
    return decorator(cls_or_type_key) if is_class else decorator

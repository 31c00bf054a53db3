# SPDX-License-Identifier: Apache-2.0
"""The decorator that makes a Python class a dataclass over a C++ object type."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from .. import _core
from .._core import Object
from ..object import register_object
from ..type_info import all_fields
from .annotations import is_class_variable, own_annotations
from .described_field import Field
from .install import Options, freeze, install

_T = TypeVar("_T", bound=type)


def c_class(
    type_key: str,
    *,
    frozen: bool = False,
    init: bool = True,
    repr: bool = True,
    eq: bool = False,
    order: bool = False,
    unsafe_hash: bool = False,
    match_args: bool = True,
) -> Callable[[_T], _T]:
    """Make a class a dataclass over an object type that a library registers; a decorator.

    The class is registered as by :func:`tvm_ffi.register_object`, so it gets the fields, methods
    and constructor of the type, and objects of the type arrive as its instances. Names, order and
    defaults of the fields come from C++; annotations describe them. Methods that the class body
    defines are kept.

    Parameters
    ----------
    type_key
        Name of the type, as declared in C++.
    frozen
        Whether assignments to any field are refused, not only to those that C++ registers as
        read-only.
    init
        Install ``__init__``, which creates an object with the registered constructor. Without it,
        and without an ``__init__`` in the body, the class cannot be called.
    repr
        Install ``__repr__``, which prints the object as C++ does.
    eq
        Install ``__eq__`` and ``__ne__``, which compare the fields of two objects of the same type.
        Without it, an object equals only itself. The hash does not change.
    order
        Install ``__lt__``, ``__le__``, ``__gt__`` and ``__ge__``, unless the body has one of them.
        The first field that differs decides.
    unsafe_hash
        Install ``__hash__``, which hashes the fields. While an object is a key, its fields must
        not change.
    match_args
        Set ``__match_args__`` to the fields that the constructor takes by position.

    Raises
    ------
    ValueError
        No loaded library registers such a type.
    TypeError
        The class is not derived from :class:`tvm_ffi.Object`, or it is derived from the class of a
        type that is not an ancestor of this one; the body annotates a name that is not a field, or
        gives a field a value other than ``...``; or a ``frozen`` class has a ``__setattr__``.
    """
    if not isinstance(type_key, str):
        raise TypeError(f"c_class: type_key: expected a str, got {type(type_key).__name__}")

    def decorator(cls: _T) -> _T:
        if not (isinstance(cls, type) and issubclass(cls, Object)):
            raise TypeError(
                f"c_class: {type_key}: expected a class derived from tvm_ffi.Object, got {cls!r}"
            )
        type_index = _core.find_type(type_key)
        if type_index is None:
            raise ValueError(
                "c_class: type_key: expected a type that a loaded library registers, got "
                f"{type_key!r}"
            )
        own = dict(cls.__dict__)
        _check_body(cls, type_key, type_index)
        if frozen and "__setattr__" in own:
            raise TypeError(
                f"c_class: {cls.__name__}: expected no __setattr__ in the body of a frozen class, "
                "got one"
            )
        register_object(type_key, init=init)(cls)
        install(
            cls,
            own,
            Options(frozen, init, repr, eq, order, unsafe_hash, match_args),
            tuple(Field(field, None, False) for field in all_fields(type_index)),
        )
        if frozen:
            freeze(cls, type_key)
        return cls

    return decorator


def _check_body(cls: type, type_key: str, type_index: int) -> None:
    """Check the annotations in a class body against the fields of its type."""
    names = [field.__name__ for field in all_fields(type_index)]
    for name, annotation in own_annotations(cls).items():
        if is_class_variable(annotation):
            continue
        if name not in names:
            raise TypeError(
                f"c_class: {cls.__name__}.{name}: expected a field of {type_key}, which has "
                f"{', '.join(names) or 'none'}; annotate other attributes with ClassVar"
            )
        if name not in cls.__dict__:
            continue
        if cls.__dict__[name] is not ...:
            raise TypeError(
                f"c_class: {cls.__name__}.{name}: expected no value, since C++ registers the "
                f"defaults, got {cls.__dict__[name]!r}"
            )
        delattr(cls, name)  # so that the field takes its place

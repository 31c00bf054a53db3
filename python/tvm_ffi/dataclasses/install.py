# SPDX-License-Identifier: Apache-2.0
"""The members that a class gets: methods, and an ``__init__`` with a signature."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .. import _core
from .._core import Object
from ..type_info import all_fields
from . import methods
from .described_field import Field, in_order_of_arguments
from .fields import freeze_fields
from .signature import with_signature


@dataclass(frozen=True)
class Options:
    """The options shared by the decorators; see :func:`tvm_ffi.dataclasses.c_class`."""

    frozen: bool
    init: bool
    repr: bool
    eq: bool
    order: bool
    unsafe_hash: bool
    match_args: bool


def install(cls: Any, own: dict[str, Any], options: Options, fields: tuple[Field, ...]) -> None:
    """Add the methods that the options of a registered class request and its body lacks."""
    if "__init__" not in own:
        _add_init(cls, fields, options.init)
    if options.match_args and "__match_args__" not in own:
        names = tuple(field.name for field in in_order_of_arguments(fields))
        setattr(cls, "__match_args__", names)  # noqa: B010  (no type checker knows it)
    added: dict[str, Any] = {}
    if not hasattr(cls, "__deepcopy__"):
        added.update(__deepcopy__=methods.deep_copy, __replace__=methods.replaced)
    if options.repr:
        added["__repr__"] = methods.repr_of
    if options.eq and "__eq__" not in own:
        added.update(__eq__=methods.equal, __ne__=methods.not_equal)
    if options.order and not methods.ORDER.keys() & own.keys():
        added.update(methods.ORDER)
    if options.unsafe_hash:
        added["__hash__"] = methods.hash_of
    for name, method in added.items():
        if own.get(name) is None:  # an __eq__ in the body sets __hash__ to None
            setattr(cls, name, method)
    cls.__ffi_is_dataclass__ = True


def freeze(cls: Any, type_key: str) -> None:
    """Refuse assignments to the fields of a class, even those that its type makes writable."""
    names = frozenset(field.__name__ for field in all_fields(cls.__tvm_ffi_type_info__.type_index))
    freeze_fields(cls, names)
    cls.__setattr__ = methods.make_setattr(cls, type_key, names)


def _add_init(cls: Any, fields: tuple[Field, ...], init: bool) -> None:
    """Replace the ``__init__`` from the registration, which has no signature."""
    info = cls.__tvm_ffi_type_info__
    if not init:
        cls.__init__ = Object.__init__  # refuses; a base's would create an object of the base type
    elif _core.type_attribute(info.type_index, "__ffi_init__") is not None and not any(
        method.name == "__ffi_init__" for method in info.methods
    ):
        made = with_signature(cls, cls.__init__, fields)
        made.__module__ = cls.__module__
        made.__qualname__ = f"{cls.__qualname__}.__init__"
        cls.__init__ = made

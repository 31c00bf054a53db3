# SPDX-License-Identifier: Apache-2.0
"""An ``__init__`` whose signature names the fields."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from .described_field import Field, in_order_of_arguments
from .missing import MISSING


def with_signature(cls: Any, constructor: Any, fields: tuple[Field, ...]) -> Callable[..., None]:
    """Return the constructor generated from the fields of a class, with a signature."""
    info = cls.__tvm_ffi_type_info__

    def __init__(self: Any, /, *args: Any, **kwargs: Any) -> None:
        if self.__tvm_ffi_type_info__ is not info:
            raise TypeError(
                f"{cls.__name__}.__init__: expected an object of type {info.type_key}, got one of "
                f"{self.__tvm_ffi_type_info__.type_key}, whose constructor is self.__ffi_init__"
            )
        constructor(self, *args, **kwargs)

    first = "self"
    while any(field.name == first for field in fields):
        first += "_"
    by_keyword = [field for field in fields if field.init and field.kw_only]
    __init__.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [
            inspect.Parameter(first, inspect.Parameter.POSITIONAL_ONLY),
            *(
                _parameter(field, inspect.Parameter.POSITIONAL_OR_KEYWORD)
                for field in in_order_of_arguments(fields)
            ),
            *(_parameter(field, inspect.Parameter.KEYWORD_ONLY) for field in by_keyword),
        ]
    )
    return __init__


def _parameter(field: Field, kind: Any) -> inspect.Parameter:
    default = field.default
    if default is MISSING:
        default = MISSING if field._optional else inspect.Parameter.empty
    annotation = inspect.Parameter.empty if field.type is None else field.type
    return inspect.Parameter(field.name, kind, default=default, annotation=annotation)

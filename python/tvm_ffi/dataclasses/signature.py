# SPDX-License-Identifier: Apache-2.0
"""An ``__init__`` whose signature names the fields."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from .described_field import Field, in_order_of_arguments
from .missing import MISSING


def with_signature(constructor: Any, fields: tuple[Field, ...]) -> Callable[..., None]:
    """Give the constructor of a type, which the fields generate, as a function with a signature."""

    def __init__(self: Any, /, *args: Any, **kwargs: Any) -> None:
        constructor(self, *args, **kwargs)

    by_keyword = [field for field in fields if field.init and field.kw_only]
    __init__.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [
            inspect.Parameter("self", inspect.Parameter.POSITIONAL_ONLY),
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

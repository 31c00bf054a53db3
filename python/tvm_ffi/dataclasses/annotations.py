# SPDX-License-Identifier: Apache-2.0
"""Annotations in class bodies."""

from __future__ import annotations

import functools
import inspect
import operator
import sys
import types
import typing
from typing import Any


def own_annotations(cls: type) -> dict[str, Any]:
    """Return the annotations in the body of a class, resolved or not."""
    if sys.version_info >= (3, 14):
        import annotationlib

        return annotationlib.get_annotations(cls, format=annotationlib.Format.FORWARDREF)
    return inspect.get_annotations(cls)


def is_class_variable(annotation: Any) -> bool:
    """Return whether an annotation, which may be text, is ``ClassVar``."""
    if isinstance(annotation, str):
        return annotation.partition("[")[0].rpartition(".")[2].strip() == "ClassVar"
    return annotation is typing.ClassVar or typing.get_origin(annotation) is typing.ClassVar


def resolved(annotation: Any, scope: dict[str, Any], local: dict[str, Any]) -> Any:
    """Return an annotation with all of its names resolved, or raise a NameError."""
    holder = types.SimpleNamespace(__annotations__={"_": annotation})
    found = typing.get_type_hints(holder, scope, local, include_extras=True)["_"]
    if sys.version_info >= (3, 11):
        return found
    # Python 3.10 leaves the text in list["Tile"] unresolved, also inside a union.
    origin: Any = typing.get_origin(found)
    old = typing.get_args(found)
    if origin in (typing.Union, types.UnionType):
        return functools.reduce(operator.or_, (resolved(each, scope, local) for each in old))
    if origin is typing.Annotated:
        inner_and_notes = (resolved(old[0], scope, local), *found.__metadata__)
        return typing.Annotated[inner_and_notes]
    if isinstance(found, types.GenericAlias):
        parts = (each if each is ... else resolved(each, scope, local) for each in old)
        return types.GenericAlias(origin, tuple(parts))
    return found


def resolved_annotations(cls: type) -> dict[str, Any]:
    """Return the annotations of a class and its bases, except those that cannot be resolved."""
    found: dict[str, Any] = {}
    for base in reversed(cls.__mro__):
        scope = vars(sys.modules.get(base.__module__, typing))
        for name, annotation in own_annotations(base).items():
            try:
                found[name] = _resolve(annotation, scope, vars(base))
            except Exception:  # evaluating the text may raise anything
                found.pop(name, None)
    return found


def _resolve(annotation: Any, scope: dict[str, Any], local: Any) -> Any:
    if isinstance(annotation, str):
        return eval(annotation, scope, dict(local))
    if type(annotation).__name__ == "ForwardRef":
        raise NameError(f"{annotation!r} is not defined")
    return annotation

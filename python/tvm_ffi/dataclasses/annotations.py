# SPDX-License-Identifier: Apache-2.0
"""The annotations in the body of a class."""

from __future__ import annotations

import inspect
import sys
import typing
from typing import Any


def own_annotations(cls: type) -> dict[str, Any]:
    """Give the annotations of a class's own body, resolved or not."""
    if sys.version_info >= (3, 14):
        import annotationlib

        return annotationlib.get_annotations(cls, format=annotationlib.Format.FORWARDREF)
    return inspect.get_annotations(cls)


def is_class_variable(annotation: Any) -> bool:
    """Return whether an annotation, which may be text, is ``ClassVar``."""
    if isinstance(annotation, str):
        return annotation.partition("[")[0].rpartition(".")[2].strip() == "ClassVar"
    return annotation is typing.ClassVar or typing.get_origin(annotation) is typing.ClassVar


def resolved_annotations(cls: type) -> dict[str, Any]:
    """Give the annotations of a class and its bases, except those that cannot be resolved."""
    found: dict[str, Any] = {}
    for base in reversed(cls.__mro__):
        scope = vars(sys.modules.get(base.__module__, typing))
        for name, annotation in own_annotations(base).items():
            try:
                found[name] = _resolve(annotation, scope, vars(base))
            except Exception:  # whatever the text raises when it is evaluated
                found.pop(name, None)
    return found


def _resolve(annotation: Any, scope: dict[str, Any], local: Any) -> Any:
    if isinstance(annotation, str):
        return eval(annotation, scope, dict(local))
    if type(annotation).__name__ == "ForwardRef":
        raise NameError(f"{annotation!r} is not defined")
    return annotation

# SPDX-License-Identifier: Apache-2.0
"""The fields that a class body declares."""

from __future__ import annotations

import keyword
from collections.abc import Sequence
from dataclasses import InitVar
from typing import Any, NamedTuple

from .._core import Object
from ..container import Dict, List
from .annotations import is_class_variable, own_annotations
from .field import KW_ONLY, DeclaredField, field, init_property
from .missing import MISSING


class NamedField(NamedTuple):
    """A field of a class, with its annotation as written in the body."""

    name: str
    annotation: Any
    options: DeclaredField


def take_fields(
    cls: type, more: Sequence[type], kw_only: bool, inherited: set[str]
) -> tuple[list[NamedField], dict[str, init_property[Any]]]:
    """Read the fields of a class, and remove their values from its body.

    Parameters
    ----------
    cls
        The class.
    more
        Bases whose annotations count as its own.
    kw_only
        Whether the constructor takes fields by keyword only, unless they specify it.
    inherited
        Names of the fields that the class inherits.

    Returns
    -------
    fields, computed
        The fields in order, and the properties that compute some of them.

    Raises
    ------
    TypeError
        A name is taken, or an annotation or an option is invalid for a field.
    ValueError
        A default would be shared by all objects.
    """
    found: list[NamedField] = []
    computed: dict[str, init_property[Any]] = {}
    for owner in (*more, cls):
        annotations = dict(own_annotations(owner))
        for name, value in vars(owner).items():
            if isinstance(value, init_property):
                computed[name] = value
                annotations[name] = value.func.__annotations__.get("return", Any)
            elif isinstance(value, DeclaredField) and name not in annotations:
                raise TypeError(
                    f"py_class: {cls.__name__}.{name}: expected an annotation with field(), got "
                    "none"
                )
        by_keyword = kw_only
        for name, annotation in annotations.items():
            if is_class_variable(annotation):
                continue
            if _is_keyword_mark(annotation):
                by_keyword = True
                continue
            _check_name(cls, name, annotation, inherited | {each.name for each in found})
            options = _options_of(cls, name, vars(owner).get(name, MISSING))
            if options.kw_only is None:
                options.kw_only = by_keyword
            found.append(NamedField(name, annotation, options))
    # Only now, since an error must leave the class unchanged.
    for each in found:
        if each.name in cls.__dict__:
            delattr(cls, each.name)
    return found, computed


def _is_keyword_mark(annotation: Any) -> bool:
    if isinstance(annotation, str):
        return annotation.rpartition(".")[2].strip() == "KW_ONLY"
    return annotation is KW_ONLY


def _options_of(cls: type, name: str, value: Any) -> DeclaredField:
    if isinstance(value, init_property):
        return field(init=False, repr=False, structural_eq="ignore", doc=value.__doc__)
    options: DeclaredField = value if isinstance(value, DeclaredField) else field(default=value)
    if isinstance(options.default, (List, Dict)):
        raise ValueError(
            f"py_class: {cls.__name__}.{name}: expected a default_factory, since all objects would "
            f"share the default, got a {type(options.default).__name__}"
        )
    return options


def check_is_new(cls: type, name: str, inherited: set[str]) -> None:
    """Refuse the name of a field that the class inherits."""
    if name in inherited:
        raise TypeError(
            f"py_class: {cls.__name__}.{name}: expected a new name, got that of an inherited field"
        )


def _check_name(cls: type, name: str, annotation: Any, taken: set[str]) -> None:
    where = f"py_class: {cls.__name__}.{name}"
    check_is_new(cls, name, taken)
    if not name.isidentifier() or keyword.iskeyword(name):
        raise TypeError(f"{where}: expected a name that Python code can use, got {name!r}")
    if hasattr(Object, name) or (name.startswith("__") and name.endswith("__")):
        raise TypeError(f"{where}: expected a name that tvm_ffi.Object does not use, got {name!r}")
    if isinstance(annotation, InitVar) or (
        isinstance(annotation, str) and annotation.partition("[")[0].endswith("InitVar")
    ):
        raise TypeError(f"{where}: expected the type of a field, got InitVar")

# SPDX-License-Identifier: Apache-2.0
"""The ``def`` lines of functions, methods and constructors."""

from __future__ import annotations

from collections.abc import Sequence
from keyword import iskeyword

from .annotations import Annotations
from .library import FieldInfo, FunctionInfo, ObjectInfo

_WIDTH = 88


def is_name(name: str) -> bool:
    """Return whether a Python function or parameter can have this name."""
    return name.isidentifier() and not iskeyword(name)


def numbered(types: Sequence[str], first: int = 0) -> list[str]:
    """Return parameters without names, which are positional-only."""
    taken = [f"_{i}: {text}" for i, text in enumerate(types, first)]
    return [*taken, "/"] if taken else []


def taken_by(function: FunctionInfo, annotations: Annotations) -> list[str]:
    """The annotations of a function's parameters."""
    assert function.schema is not None
    return [annotations.text(each, "taken") for each in function.schema[1:]]


def given_by(function: FunctionInfo, annotations: Annotations) -> str:
    """The annotation of a function's result."""
    assert function.schema is not None
    return annotations.text(function.schema[0], "given")


def wrapped(name: str, parameters: Sequence[str], result: str) -> list[str]:
    """The ``def`` line of a function, or several lines if one would be too long."""
    line = f"def {name}({', '.join(parameters)}) -> {result}:"
    if len(line) <= _WIDTH:
        return [line]
    return [f"def {name}(", *(f"    {each}," for each in parameters), f") -> {result}:"]


def function_stub(function: FunctionInfo, annotations: Annotations, named: bool) -> str:
    """The ``def`` of a global function; ``named`` uses its own parameter names."""
    if function.schema is None:
        anything = annotations.text({"type": "Any"}, "taken")
        return f"(*args: {anything}) -> {anything}"
    types = taken_by(function, annotations)
    usable = named and len(function.names) == len(types) and all(map(is_name, function.names))
    taken = (
        [f"{name}: {text}" for name, text in zip(function.names, types, strict=True)]
        if usable
        else numbered(types)
    )
    return f"({', '.join(taken)}) -> {given_by(function, annotations)}"


def method_stub(method: FunctionInfo, annotations: Annotations) -> str:
    """The ``def`` of a method, without its name."""
    self = [] if method.is_static else ["self"]
    if method.schema is None:
        anything = annotations.text({"type": "Any"}, "taken")
        return f"({', '.join([*self, f'*args: {anything}'])}) -> {anything}"
    types = taken_by(method, annotations)
    taken = numbered(types) if method.is_static else ["self", *numbered(types[1:], 1)]
    if taken == ["self"]:
        taken = ["self", "/"]
    return f"({', '.join(taken)}) -> {given_by(method, annotations)}"


def constructors(info: ObjectInfo, annotations: Annotations) -> list[tuple[str, str]]:
    """Names and signatures of ``__init__`` and ``__ffi_init__``, if objects can be created."""
    if not info.has_constructor:
        return []
    if info.constructor is None:
        of_fields = ", ".join(["self", *_of_fields(info.all_fields, annotations)])
        return [(name, f"({of_fields}) -> None") for name in _CONSTRUCTORS]
    if info.constructor.schema is None:
        anything = annotations.text({"type": "Any"}, "taken")
        return [(name, f"(self, *args: {anything}) -> None") for name in _CONSTRUCTORS]
    types = taken_by(info.constructor, annotations)
    by_position = f"({', '.join(['self', *numbered(types)])}) -> None"
    # Its parameters have no names: they get those of the fields if all types match.
    fields = [annotations.aside().text(each.schema, "taken") for each in info.all_fields]
    named = [f"{each.name}: {text}" for each, text in zip(info.all_fields, types, strict=False)]
    first = f"({', '.join(['self', *named])}) -> None" if fields == types else by_position
    return [("__init__", first), ("__ffi_init__", by_position)]


_CONSTRUCTORS = ("__init__", "__ffi_init__")


def _of_fields(fields: Sequence[FieldInfo], annotations: Annotations) -> list[str]:
    def written(each: FieldInfo) -> str:
        default = " = ..." if each.has_default else ""
        return f"{each.name}: {annotations.text(each.schema, 'taken')}{default}"

    taken = [each for each in fields if each.is_argument]
    by_place = [each for each in taken if not each.is_keyword]
    by_place.sort(key=lambda each: each.has_default)
    keywords = [written(each) for each in taken if each.is_keyword]
    return [*map(written, by_place), *(["*", *keywords] if keywords else [])]

# SPDX-License-Identifier: Apache-2.0
"""Metadata of the functions and object types of loaded libraries."""

from __future__ import annotations

import ctypes
import json
import os
from dataclasses import dataclass, field
from typing import Any

from .. import _core, _describe
from ..module import _exported_names, load_module
from ..registry import get_global_func, list_global_func_names

# Types that libraries register have contiguous indices from this one on.
_FIRST_DYNAMIC = 128
# Bits of TVMFFIFieldInfo.flags.
_HAS_DEFAULT, _DEFAULT_FROM_FACTORY, _INIT_OFF, _KW_ONLY = 2, 32, 512, 1024


@dataclass(frozen=True)
class FunctionInfo:
    """A function; ``schema`` has the types of its result and parameters, or is ``None``."""

    name: str
    schema: tuple[dict[str, Any], ...] | None
    doc: str | None
    names: tuple[str, ...] = ()
    is_static: bool = True


@dataclass(frozen=True)
class FieldInfo:
    """A field, and how a constructor generated from the fields takes it."""

    name: str
    schema: dict[str, Any]
    doc: str | None
    has_default: bool
    is_argument: bool
    is_keyword: bool


@dataclass(frozen=True)
class ObjectInfo:
    """An object type. ``constructor`` is the one that the library registers, if any."""

    key: str
    parent: str
    doc: str | None
    fields: tuple[FieldInfo, ...]
    all_fields: tuple[FieldInfo, ...]
    methods: tuple[FunctionInfo, ...]
    has_constructor: bool
    constructor: FunctionInfo | None


@dataclass
class Registry:
    """Everything known once the libraries are loaded.

    ``functions`` has the global functions by name, ``exported`` those that each library exports as
    symbols, by library path.
    """

    functions: dict[str, FunctionInfo] = field(default_factory=dict)
    objects: dict[str, ObjectInfo] = field(default_factory=dict)
    exported: dict[str, dict[str, FunctionInfo]] = field(default_factory=dict)


def load(paths: list[str]) -> Registry:
    """Load libraries, and read everything that they and the modules imported so far register.

    Raises
    ------
    OSError
        A library is missing or cannot be loaded; the message names it.
    """
    registry = Registry()
    for path in paths:
        registry.exported[path] = _exported(path)
    for name in list_global_func_names():
        function = get_global_func(name)
        assert function is not None
        registry.functions[name] = FunctionInfo(
            name,
            _schema(_describe._metadata(function)),
            _describe._doc(function),
            tuple(_describe._names(function)),
        )
    for info in _object_types():
        registry.objects[info.key] = info
    return registry


def _exported(path: str) -> dict[str, FunctionInfo]:
    if not os.path.exists(path) and os.sep not in path:
        # The dynamic loader also searches other folders.
        try:
            ctypes.CDLL(path, ctypes.RTLD_GLOBAL)
        except OSError as error:
            raise OSError(f"--dlls: {path}: there is no such library: {error}") from None
        return {}
    try:
        module = load_module(path)
    except FileNotFoundError:
        raise OSError(f"--dlls: {path}: there is no such file") from None
    except OSError as error:
        raise OSError(f"--dlls: {path}: {error}") from None
    functions = {}
    for name in _exported_names(path):
        function = module.get_function(name)
        functions[name] = FunctionInfo(
            name,
            _schema(_describe._metadata(function)),
            _describe._doc(function),
            tuple(_describe._names(function)),
        )
    return functions


def _object_types() -> list[ObjectInfo]:
    found: list[ObjectInfo] = []
    index = _FIRST_DYNAMIC
    while True:
        try:
            key, doc, ancestors, _, _ = _core.describe_type(index)
        except TypeError:  # no type has this index
            return found
        own = tuple(_field(each) for each in _core.own_fields(index))
        inherited = (_field(each) for parent in ancestors for each in _core.own_fields(parent))
        methods = [_method(*each) for each in _core.own_methods(index)]
        own_constructor = [each for each in methods if each.name == "__ffi_init__"]
        made = _core.type_attribute(index, "__ffi_init__") is not None
        found.append(
            ObjectInfo(
                key,
                _core.describe_type(ancestors[-1])[0],
                doc,
                own,
                (*inherited, *own),
                tuple(each for each in methods if each.name != "__ffi_init__"),
                made or bool(own_constructor),
                own_constructor[0] if own_constructor else None,
            )
        )
        index += 1


def _field(each: _core.Field) -> FieldInfo:
    text = _parsed(each.metadata).get("type_schema")
    return FieldInfo(
        each.__name__,
        json.loads(text) if text else {"type": "Any"},
        each.__doc__ or None,
        bool(each.flags & (_HAS_DEFAULT | _DEFAULT_FROM_FACTORY)),
        not each.flags & _INIT_OFF,
        bool(each.flags & _KW_ONLY),
    )


def _method(method: _core.Method, is_static: bool, metadata: str) -> FunctionInfo:
    schema = _schema(_parsed(metadata))
    return FunctionInfo(method.__name__, schema, method.__doc__ or None, (), is_static)


def _schema(metadata: dict[str, Any]) -> tuple[dict[str, Any], ...] | None:
    text = metadata.get("type_schema")
    named = json.loads(text).get("named_args") if isinstance(text, str) else None
    return (*named["return"], *named["params"]) if named else None


def _parsed(text: str) -> dict[str, Any]:
    return json.loads(text) if text else {}

# SPDX-License-Identifier: Apache-2.0
"""The type of a field, from its annotation."""

from __future__ import annotations

import collections.abc
import ctypes
import types
import typing
from typing import Any

from .. import _core
from .._core import Function, Object, Tensor
from ..container import Array, Dict, List, Map
from ..device import Device
from ..dtype import dtype
from ..shape import Shape

# The description that ffi._DefineType takes, and the same type as a metadata schema.
Described = tuple[list[Any], dict[str, Any]]

_SCALARS: dict[Any, tuple[str, str]] = {
    Any: ("Any", "Any"),
    object: ("Any", "Any"),
    None: ("None", "None"),
    type(None): ("None", "None"),
    bool: ("bool", "bool"),
    int: ("int", "int"),
    float: ("float", "float"),
    str: ("str", "ffi.String"),
    bytes: ("bytes", "ffi.Bytes"),
    dtype: ("dtype", "DataType"),
    Device: ("Device", "Device"),
    ctypes.c_void_p: ("void*", "void*"),
}

_CONTAINERS: dict[Any, tuple[str, int]] = {
    list: ("List", 1),
    List: ("List", 1),
    collections.abc.MutableSequence: ("List", 1),
    Array: ("Array", 1),
    collections.abc.Sequence: ("Array", 1),
    dict: ("Dict", 2),
    Dict: ("Dict", 2),
    collections.abc.MutableMapping: ("Dict", 2),
    Map: ("Map", 2),
    collections.abc.Mapping: ("Map", 2),
}

_BUILT_IN: dict[Any, str] = {
    Object: "ffi.Object",
    Tensor: "ffi.Tensor",
    Function: "ffi.Function",
    Shape: "ffi.Shape",
    collections.abc.Callable: "ffi.Function",
}


class UnsupportedTypeError(TypeError):
    """An annotation that no field can have; the message is the annotation."""


def describe(annotation: Any, declared: dict[type, int]) -> Described:
    """Describe the type that an annotation names.

    Parameters
    ----------
    annotation
        The annotation, resolved.
    declared
        Type indices of classes whose fields are not known yet.

    Raises
    ------
    UnsupportedTypeError
        A field cannot have this type.
    """
    origin = typing.get_origin(annotation)
    args = typing.get_args(annotation)
    if origin is typing.Annotated:
        return describe(args[0], declared)
    if origin in (typing.Union, types.UnionType):
        return _union(args, declared)
    plain = annotation if origin is None else origin
    if not isinstance(plain, collections.abc.Hashable):
        raise UnsupportedTypeError(repr(annotation))
    if origin is None and plain in _SCALARS:
        name, schema = _SCALARS[plain]
        return [name], {"type": schema}
    if plain is tuple:
        return _tuple(annotation, args, declared)
    if plain in _CONTAINERS:
        name, most = _CONTAINERS[plain]
        if args and len(args) != most:
            raise UnsupportedTypeError(repr(annotation))
        return _with_parts(name, f"ffi.{name}", args, declared)
    type_key = _BUILT_IN.get(plain)
    if type_key is not None:
        return ["object", _core.find_type(type_key)], {"type": type_key}
    index = _index_of(plain, declared)
    if index is None:
        raise UnsupportedTypeError(repr(annotation))
    return ["object", index], {"type": _core.describe_type(index)[0]}


def _index_of(cls: Any, declared: dict[type, int]) -> int | None:
    if cls in declared:
        return declared[cls]
    for base in getattr(cls, "__mro__", ()):
        info = base.__dict__.get("__tvm_ffi_type_info__")
        if info is not None:
            return int(info.type_index)
    return None


def _with_parts(
    name: str, schema_name: str, parts: tuple[Any, ...], declared: dict[type, int]
) -> Described:
    described = [describe(part, declared) for part in parts]
    schema: dict[str, Any] = {"type": schema_name}
    if described:
        schema["args"] = [each for _, each in described]
    return [name, *(each for each, _ in described)], schema


def _tuple(annotation: Any, args: tuple[Any, ...], declared: dict[type, int]) -> Described:
    if annotation in (tuple, typing.Tuple):  # noqa: UP006  (someone may write it)
        return ["Array"], {"type": "ffi.Array"}
    if len(args) == 2 and args[1] is ...:
        return _with_parts("Array", "ffi.Array", args[:1], declared)
    return _with_parts("tuple", "Tuple", args, declared)


def _union(args: tuple[Any, ...], declared: dict[type, int]) -> Described:
    with_none = type(None) in args
    described, schema = _with_parts(
        "Union", "Variant", tuple(each for each in args if each is not type(None)), declared
    )
    if with_none:
        inner = schema["args"][0] if len(described) == 2 else schema
        described, schema = [*described, ["None"]], {"type": "Optional", "args": [inner]}
    return described, schema

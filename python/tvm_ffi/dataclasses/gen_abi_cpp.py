# SPDX-License-Identifier: Apache-2.0
"""C++ classes with the members of Python-defined types."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from .. import _core
from .declared_class import is_defined

_SCALARS = {
    "int": "int64_t",
    "float": "double",
    "bool": "bool",
    "DataType": "DLDataType",
    "Device": "DLDevice",
    "void*": "void*",
    "ffi.String": "::tvm::ffi::String",
    "ffi.Bytes": "::tvm::ffi::Bytes",
    "ffi.Tensor": "::tvm::ffi::Tensor",
    "ffi.Function": "::tvm::ffi::Function",
    "ffi.Shape": "::tvm::ffi::Shape",
    "Any": "::tvm::ffi::Any",
    "None": "::tvm::ffi::Any",
    "Optional": "::tvm::ffi::Any",
    "Variant": "::tvm::ffi::Any",
}
_CONTAINERS = {
    "ffi.Array": ("::tvm::ffi::Array", 1),
    "ffi.List": ("::tvm::ffi::List", 1),
    "ffi.Map": ("::tvm::ffi::Map", 2),
    "ffi.Dict": ("::tvm::ffi::Dict", 2),
}
# C++ keywords, and names that the classes in the headers use.
_TAKEN = frozenset(
    """
    alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t char16_t
    char32_t class compl concept const consteval constexpr constinit const_cast continue co_await
    co_return co_yield decltype default delete do double dynamic_cast else enum explicit export
    extern false float for friend goto if inline int long mutable namespace new noexcept not not_eq
    nullptr operator or or_eq private protected public register reinterpret_cast requires return
    short signed sizeof static static_assert static_cast struct switch template this thread_local
    throw true try typedef typeid typename union unsigned using virtual void volatile wchar_t while
    xor xor_eq DLDataType DLDevice IsInstance GetTypeKey RuntimeTypeIndex TypeIndex2Key int64_t
    type_index unique use_count _GetOrAllocRuntimeTypeIndex
    """.split()  # noqa: SIM905
)
# Base classes defined in the headers.
_BASES = {
    "ffi.Object": "::tvm::ffi::Object",
    "ffi.Enum": "::tvm::ffi::EnumObj",
    "ffi.IntEnum": "::tvm::ffi::IntEnumObj",
    "ffi.StrEnum": "::tvm::ffi::StrEnumObj",
}


def gen_abi_cpp(type_keys: str | Sequence[str]) -> str:
    """Generate a C++ header with a class for each type, so that C++ can access objects directly.

    The classes of the ancestors come first. The class for the type ``my_library.Tile`` is
    ``my_library::TileObj``. A field whose type is another class of
    :func:`~tvm_ffi.dataclasses.py_class`, or any other object type, becomes an ``ObjectRef``, and
    an optional or a union becomes an ``Any``. The header does not compile if the compiler would
    lay out the members differently.

    Parameters
    ----------
    type_keys
        Names of Python-defined types.

    Returns
    -------
    str
        The text of the header.

    Raises
    ------
    ValueError
        There is no such type, C++ defines it, or C++ cannot use its name or the name of one of its
        fields.
    TypeError
        ``type_keys`` is not a str, or a list or tuple of them.

    Examples
    --------
    >>> import tvm_ffi
    >>> from tvm_ffi.dataclasses import gen_abi_cpp, py_class
    >>> @py_class("example.Block")
    ... class Block(tvm_ffi.Object):
    ...     rows: int
    ...     names: list[str]
    >>> print(gen_abi_cpp("example.Block").partition("class ")[2].partition("static_assert")[0])
    BlockObj : public ::tvm::ffi::Object {
     public:
      int64_t rows;
      ::tvm::ffi::List<::tvm::ffi::String> names;
    <BLANKLINE>
      TVM_FFI_DECLARE_OBJECT_INFO("example.Block", BlockObj, ::tvm::ffi::Object);
    };
    <BLANKLINE>
    <BLANKLINE>
    """
    if not isinstance(type_keys, (str, list, tuple)):
        raise TypeError(
            "gen_abi_cpp: type_keys: expected a str or a sequence of them, got "
            f"{type(type_keys).__name__}"
        )
    given = [type_keys] if isinstance(type_keys, str) else list(type_keys)
    indices: dict[int, None] = {}
    for key in given:
        for index in _lineage(key):
            indices[index] = None
    lines = ["// Written by tvm_ffi.dataclasses.gen_abi_cpp.", "#pragma once", ""]
    lines += ["#include <tvm/ffi/enum.h>", "#include <tvm/ffi/tvm_ffi.h>", ""]
    lines += ["#include <cstddef>", "#include <cstdint>", ""]
    lines += ["#if defined(__GNUC__)", "#pragma GCC diagnostic push"]
    lines += ['#pragma GCC diagnostic ignored "-Winvalid-offsetof"', "#endif", ""]
    for index in indices:
        lines += [*_class_of(index), ""]
    lines += ["#if defined(__GNUC__)", "#pragma GCC diagnostic pop", "#endif", ""]
    return "\n".join(lines)


def _lineage(type_key: Any) -> list[int]:
    """Return the type and its ancestors that are not in the headers, the root first."""
    if not isinstance(type_key, str):
        raise TypeError(f"gen_abi_cpp: type_keys: expected a str, got {type(type_key).__name__}")
    index = _core.find_type(type_key)
    if index is None:
        raise ValueError(f"gen_abi_cpp: type_keys: expected a registered type, got {type_key!r}")
    found = []
    for each in (*_core.describe_type(index)[2], index):
        key = _core.describe_type(each)[0]
        if key in _BASES:
            continue
        if not is_defined(each):
            raise ValueError(
                f"gen_abi_cpp: type_keys: expected a type that Python defines, got {key!r}"
            )
        names = (*key.split("."), *(field.__name__ for field in _core.own_fields(each)))
        for name in names:
            if not (name.isidentifier() and name.isascii()) or name in _TAKEN:
                raise ValueError(
                    f"gen_abi_cpp: type_keys: {key}: expected names that C++ can use, got {name!r}"
                )
        found.append(each)
    if not found:
        raise ValueError(
            f"gen_abi_cpp: type_keys: expected a type that Python defines, got {type_key!r}"
        )
    return found


def _class_of(index: int) -> list[str]:
    key, doc, ancestors, size, _ = _core.describe_type(index)
    *spaces, name = key.split(".")
    parent_key = _core.describe_type(ancestors[-1])[0]
    base = _BASES.get(parent_key) or "::" + parent_key.replace(".", "::") + "Obj"
    fields = _core.own_fields(index)
    lines = [f"namespace {'::'.join(spaces)} {{", ""] if spaces else []
    lines += [f"// {line}" for line in _lines_of(doc or "")]
    lines += [f"class {name}Obj : public {base} {{", " public:"]
    for field in fields:
        lines += [f"  // {line}" for line in _lines_of(field.__doc__ or "")]
        member = _member(json.loads(json.loads(field.metadata)["type_schema"]))
        # C++ would put a small member into the tail padding of a base class.
        is_next_to_base = field is fields[0] and parent_key != "ffi.Object" and field.alignment < 8
        lines.append(f"  {'alignas(8) ' if is_next_to_base else ''}{member} {field.__name__};")
    lines += ["", f'  TVM_FFI_DECLARE_OBJECT_INFO("{key}", {name}Obj, {base});', "};", ""]
    lines.append(f"static_assert(sizeof({name}Obj) == {size});")
    for field in fields:
        place = f"offsetof({name}Obj, {field.__name__})"
        lines.append(f"static_assert({place} == {field.offset});")
    return [*lines, "", f"}}  // namespace {'::'.join(spaces)}"] if spaces else lines


def _lines_of(doc: str) -> list[str]:
    """Return lines for a C++ comment, without backslashes that would continue a line."""
    lines = (line.strip().rstrip("\\ ") for line in doc.splitlines())
    return [line for line in lines if line]


def _member(schema: dict[str, Any]) -> str:
    name = schema["type"]
    parts = [_member(each) for each in schema.get("args", ())]
    if name in _SCALARS:
        return _SCALARS[name]
    if name in _CONTAINERS:
        container, number = _CONTAINERS[name]
        return f"{container}<{', '.join(parts or ['::tvm::ffi::Any'] * number)}>"
    if name == "Tuple":
        return f"::tvm::ffi::Tuple<{', '.join(parts)}>"
    return "::tvm::ffi::ObjectRef"

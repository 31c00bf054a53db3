# SPDX-License-Identifier: Apache-2.0
"""Comparison and hashing of values by structure: by their contents, at any depth."""

from __future__ import annotations

from typing import Any

from ._core import Object
from ._runtime import read
from .access_path import AccessPath
from .object import register_object


def structural_equal(
    lhs: Any, rhs: Any, map_free_vars: bool = False, skip_tensor_content: bool = False
) -> bool:
    """Return whether two values have the same structure.

    Containers are equal if their elements are, and a library's objects if their fields are, as the
    type's ``structural_eq_hash_kind`` specifies. Mappings compare their keys by their own rule.
    Variables that a field defines match each other, whatever their names.
    ``NaN`` equals ``NaN``, and ``0.0`` differs from ``-0.0``.

    Parameters
    ----------
    lhs, rhs
        The values.
    map_free_vars
        Also let variables that no field defines match each other.
    skip_tensor_content
        Compare only shapes and element types of tensors.

    Raises
    ------
    TypeError
        Two objects have a type that cannot be compared by structure, such as a function.
    ValueError
        The comparison needs the content of a tensor that is not on the CPU.

    Examples
    --------
    >>> import tvm_ffi
    >>> tvm_ffi.structural_equal([1, {"a": 2.5}], [1, {"a": 2.5}])
    True
    >>> tvm_ffi.structural_equal([1], [1.0])
    False
    """
    return read("ffi.StructuralEqual", lhs, rhs, map_free_vars, skip_tensor_content)


def structural_hash(
    value: Any, map_free_vars: bool = False, skip_tensor_content: bool = False
) -> int:
    """Return a hash of a value; values with the same structure have the same hash.

    It may differ between processes and between versions. Values that contain themselves may be
    equal but have different hashes, such as a list that holds itself and one that holds that list.

    Parameters
    ----------
    value
        The value.
    map_free_vars, skip_tensor_content
        As for :func:`structural_equal`.

    Raises
    ------
    TypeError
        An object has a type that cannot be compared by structure.
    ValueError
        The hash needs the content of a tensor that is not on the CPU.

    Examples
    --------
    >>> import tvm_ffi
    >>> tvm_ffi.structural_hash([1, "a"]) == tvm_ffi.structural_hash([1, "a"])
    True
    """
    return read("ffi.StructuralHash", value, map_free_vars, skip_tensor_content)


def get_first_structural_mismatch(
    lhs: Any, rhs: Any, map_free_vars: bool = False, skip_tensor_content: bool = False
) -> tuple[AccessPath, AccessPath] | None:
    """Find where two values first differ in structure.

    Parameters
    ----------
    lhs, rhs, map_free_vars, skip_tensor_content
        As for :func:`structural_equal`, which also lists the errors.

    Returns
    -------
    tuple
        The paths in both values; ``None`` if they have the same structure.

    Examples
    --------
    >>> import tvm_ffi
    >>> tvm_ffi.get_first_structural_mismatch([1, {"a": 2}], [1, {"a": 3}])
    (<root>[1]["a"], <root>[1]["a"])
    >>> tvm_ffi.get_first_structural_mismatch([1], [1, 2])
    (<root>[<missing:1>], <root>[1])
    """
    paths = read("ffi.GetFirstStructuralMismatch", lhs, rhs, map_free_vars, skip_tensor_content)
    return None if paths is None else (paths[0], paths[1])


def _make_key(key: Any) -> Object:
    return read("ffi.StructuralKey", key)


@register_object("ffi.StructuralKey")
class StructuralKey(Object):
    """A key that compares and hashes its value by structure.

    Use it in a :class:`tvm_ffi.Map` or :class:`tvm_ffi.Dict`, which distinguish other objects by
    address, or in a ``dict``. The value that it holds must not change.

    Parameters
    ----------
    key
        The value.

    Raises
    ------
    TypeError
        An object has a type that cannot be compared by structure.
    ValueError
        The hash needs the content of a tensor that is not on the CPU; in a comparison, keys hold
        mappings with such keys, nested more than 200 deep.

    Examples
    --------
    >>> import tvm_ffi
    >>> shapes = tvm_ffi.Map({tvm_ffi.StructuralKey([2, 3]): "small"})
    >>> shapes[tvm_ffi.StructuralKey([2, 3])]
    'small'
    """

    key: Any
    hash_i64: int

    def __init__(self, key: Any) -> None:
        self.__init_handle_by_constructor__(_make_key, key)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, StructuralKey):
            return NotImplemented
        return read("ffi.StructuralKeyEqual", self, other)

    def __hash__(self) -> int:
        return self.hash_i64


__all__ = [
    "StructuralKey",
    "get_first_structural_mismatch",
    "structural_equal",
    "structural_hash",
]

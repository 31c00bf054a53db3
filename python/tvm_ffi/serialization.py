# SPDX-License-Identifier: Apache-2.0
"""Conversion of values to JSON text and back."""

from __future__ import annotations

from typing import Any

from ._runtime import call, read


def to_json_graph_str(obj: Any, metadata: dict[str, Any] | None = None) -> str:
    """Write a value as JSON text.

    The text has a list of nodes, which refer to each other by index. A value that several others
    contain is one node, so that it is one object again when the text is read. A library's objects
    are written with their fields.

    Parameters
    ----------
    obj
        The value: ``None``, numbers, strings, bytes, devices, element types, shapes, containers,
        and objects that can be created without arguments.
    metadata
        Additional data to write, such as a version: values that JSON can represent.

    Raises
    ------
    TypeError
        Part of the value cannot be written, such as a tensor or a function.
    ValueError
        The value contains itself, or JSON cannot represent the metadata.

    Examples
    --------
    >>> from tvm_ffi.serialization import from_json_graph_str, to_json_graph_str
    >>> text = to_json_graph_str([1, "a", 1])
    >>> text
    '{"root_index":2,"nodes":[{"type":"int","data":1},{"type":"ffi.String","data":"a"},{"type":"ffi.Array","data":[0,1,0]}]}'
    >>> list(from_json_graph_str(text))
    [1, 'a', 1]
    """
    return str(read("ffi.ToJSONGraphString", obj, metadata))


def from_json_graph_str(json_str: str) -> Any:
    """Read a value that :func:`to_json_graph_str` wrote.

    Fields missing from the text get their defaults, and fields unknown to their type are ignored.

    Parameters
    ----------
    json_str
        The text.

    Raises
    ------
    ValueError
        The text is not JSON, or not such a graph.
    TypeError
        A type is not registered, or a field has a value of the wrong type.
    RuntimeError
        Objects of a type cannot be created without arguments.
    """
    return call("ffi.FromJSONGraphString", json_str)


__all__ = ["from_json_graph_str", "to_json_graph_str"]

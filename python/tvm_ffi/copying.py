# SPDX-License-Identifier: Apache-2.0
"""Copying and pickling of objects."""

from __future__ import annotations

import sys
from typing import Any

from . import _core
from ._core import Object
from .type_info import all_fields

# A field in a pickle: its name, whether the value is the index of another object, the value.
_Field = tuple[str, bool, Any]
# An object in a pickle: its type key, its fields.
_Node = tuple[str, list[_Field]]

_HEAD_SIZE = 24  # bytes of TVMFFIObject


def _copy(self: Object) -> Object:
    type_index = _core.type_index_of(self)
    function = _core.type_attribute(type_index, "__ffi_shallow_copy__")
    if function is None:
        raise TypeError(
            f"cannot copy {_core.describe_type(type_index)[0]}: its library registers no copy "
            "function"
        )
    made = function(self)
    if type(made) is not type(self):
        made = _core.adopt(type(self), made)
    attributes, slots = _own_state(self)
    if attributes:
        made.__dict__.update(attributes)
    for name, value in slots.items():
        setattr(made, name, value)
    return made


def _own_state(self: Object) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the instance attributes in ``__dict__`` and in slots."""
    import copyreg

    names = copyreg._slotnames(type(self))  # type: ignore[attr-defined]
    slots = {name: getattr(self, name) for name in names if hasattr(self, name)}
    return dict(self.__dict__) if hasattr(self, "__dict__") else {}, slots


def _reduce_ex(self: Object, protocol: object) -> tuple[Any, ...]:
    cls = type(self)
    if _pickles_itself(cls):
        return self.__reduce__()  # type: ignore[return-value]
    known = _core.registered_class(_core.type_index_of(self)) is cls
    attributes, slots = _own_state(self)
    # The form that object.__getstate__ returns.
    state = (attributes, slots) if slots else attributes or None
    nodes = _flatten(self)
    return _rebuild, (None if known else cls, nodes, _defining_classes(nodes)), state


def _defining_classes(nodes: list[_Node]) -> tuple[type, ...]:
    """List the Python classes that define a pickle's types, so that unpickling imports them."""
    classes = (_core.registered_class(_core.find_type(key) or 0) for key, _ in nodes)
    defining = [cls for cls in classes if cls is not None and _is_importable(cls)]
    return tuple(dict.fromkeys(defining))


def _flatten(root: Object) -> list[_Node]:
    """List the objects reachable through fields, each once, the root first."""
    objects = [root]  # keeps them alive, so that no address is reused
    places = {root.__chandle__(): 0}
    nodes: list[_Node] = []
    while len(nodes) < len(objects):
        instance = objects[len(nodes)]
        type_index = _core.type_index_of(instance)
        problem = _obstacle(type_index)
        type_key = _core.describe_type(type_index)[0]
        if problem is not None:
            raise TypeError(f"cannot pickle {type_key}: {problem}")
        fields: list[_Field] = []
        for field in all_fields(type_index):
            value = field.__get__(instance)
            is_node = (
                isinstance(value, Object)
                and not _pickles_itself(type(value))
                and _obstacle(_core.type_index_of(value)) is None
            )
            if is_node:
                address = value.__chandle__()
                if address not in places:
                    places[address] = len(objects)
                    objects.append(value)
                value = places[address]
            fields.append((field.__name__, is_node, value))
        nodes.append((type_key, fields))
    return nodes


def _pickles_itself(cls: type[Object]) -> bool:
    """Return whether a class defines how its instances are pickled, as enumerations do."""
    return cls.__reduce__ is not object.__reduce__


def _is_importable(cls: type) -> bool:
    """Return whether a class defines a type and can be imported, so that a pickle can name it."""
    found: Any = sys.modules.get(cls.__module__)
    for name in cls.__qualname__.split("."):
        found = getattr(found, name, None)
    return found is cls and "__tvm_ffi_defines__" in vars(cls)


def _rebuild(
    cls: type[Object] | None, nodes: list[_Node], defining: tuple[type, ...] = ()
) -> Object:
    """Create the objects of a pickle, whose types exist by now, and return the first."""
    objects = []
    for type_key, _ in nodes:
        type_index = _core.find_type(type_key)
        if type_index is None:
            raise ValueError(
                f"cannot unpickle {type_key}: expected its library to be loaded, got no such type"
            )
        problem = _obstacle(type_index)
        if problem is not None:
            raise TypeError(f"cannot unpickle {type_key}: {problem}")
        objects.append((type_index, _core.new_object(type_index)))
    for (type_index, instance), (_, fields) in zip(objects, nodes, strict=True):
        descriptors = {field.__name__: field for field in all_fields(type_index)}
        for name, is_node, value in fields:
            if name not in descriptors:
                raise ValueError(f"cannot unpickle {nodes[0][0]}: the type has no field {name!r}")
            descriptors[name].store(instance, objects[value][1] if is_node else value)
    root = objects[0][1]
    return root if cls is None else _core.adopt(cls, root)


def _obstacle(type_index: int) -> str | None:
    """Return why objects of a type cannot be rebuilt from their fields, or ``None``."""
    _, _, ancestors, size, has_creator = _core.describe_type(type_index)
    if not has_creator or size is None:
        return "its objects cannot be made without arguments"
    end = _HEAD_SIZE
    for level in (*ancestors[1:], type_index):
        for field in sorted(_core.own_fields(level), key=lambda field: field.offset):
            if not field.has_setter:
                return f"its field {field.__name__} cannot be set"
            # A gap between two fields, beyond the alignment, is a member that is not a field.
            if field.offset - end >= field.alignment:
                return "it has members that are not registered as fields"
            end = max(end, field.offset + field.size)
        size = _core.describe_type(level)[3]
        if size is not None:
            if size - end >= 8:
                return "it has members that are not registered as fields"
            end = size  # where the fields of a Python class continue
    return None


Object.__copy__ = _copy  # type: ignore[attr-defined]
Object.__reduce_ex__ = _reduce_ex  # type: ignore[method-assign, assignment]

# SPDX-License-Identifier: Apache-2.0
"""The extension's types, in the module that existing code imports them from."""

from ._core import Function, Object, Tensor
from .convert import Bytes, ObjectConvertible, String
from .device import Device, DLDeviceType
from .device import set_class as _set_class_device  # noqa: F401  (TVM calls it)
from .error import Error
from .object import register_object
from .type_info import TypeField, TypeInfo, TypeMethod

__all__ = [
    "Bytes",
    "DLDeviceType",
    "Device",
    "Error",
    "Function",
    "Object",
    "ObjectConvertible",
    "String",
    "Tensor",
    "TypeField",
    "TypeInfo",
    "TypeMethod",
]


def _set_class_tensor(cls: type) -> None:
    """Make tensors that functions return instances of a class of TVM."""
    register_object("ffi.Tensor")(cls)

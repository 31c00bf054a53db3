# SPDX-License-Identifier: Apache-2.0
"""The extension's types, in the module that existing code imports them from."""

from ._core import Function, Object, Tensor
from .convert import Bytes, ObjectConvertible, String
from .device import Device, DLDeviceType
from .error import Error
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

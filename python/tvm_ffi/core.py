# SPDX-License-Identifier: Apache-2.0
"""The types of the extension, under the name that existing code imports them from."""

from ._core import Function, Object, Tensor
from .device import Device, DLDeviceType

__all__ = ["DLDeviceType", "Device", "Function", "Object", "Tensor"]

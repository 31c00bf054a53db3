# SPDX-License-Identifier: Apache-2.0
"""Devices that hold tensors."""

from __future__ import annotations

from enum import IntEnum
from typing import Any

from . import _core, frameworks


class DLDeviceType(IntEnum):
    """Device types, with their DLPack numbers."""

    kDLCPU = 1
    kDLCUDA = 2
    kDLCUDAHost = 3
    kDLOpenCL = 4
    kDLVulkan = 7
    kDLMetal = 8
    kDLVPI = 9
    kDLROCM = 10
    kDLROCMHost = 11
    kDLExtDev = 12
    kDLCUDAManaged = 13
    kDLOneAPI = 14
    kDLWebGPU = 15
    kDLHexagon = 16
    kDLMAIA = 17
    kDLTrn = 18


_NAME_OF_TYPE: dict[int, str] = {
    DLDeviceType.kDLCPU: "cpu",
    DLDeviceType.kDLCUDA: "cuda",
    DLDeviceType.kDLCUDAHost: "cuda_host",
    DLDeviceType.kDLOpenCL: "opencl",
    DLDeviceType.kDLVulkan: "vulkan",
    DLDeviceType.kDLMetal: "metal",
    DLDeviceType.kDLVPI: "vpi",
    DLDeviceType.kDLROCM: "rocm",
    DLDeviceType.kDLROCMHost: "rocm_host",
    DLDeviceType.kDLExtDev: "ext_dev",
    DLDeviceType.kDLCUDAManaged: "cuda_managed",
    DLDeviceType.kDLOneAPI: "oneapi",
    DLDeviceType.kDLWebGPU: "webgpu",
    DLDeviceType.kDLHexagon: "hexagon",
    DLDeviceType.kDLMAIA: "maia",
    DLDeviceType.kDLTrn: "trn",
}
_TYPE_OF_NAME = {name: kind for kind, name in _NAME_OF_TYPE.items()}
_TYPE_OF_NAME["mps"] = DLDeviceType.kDLMetal
_TYPE_OF_NAME["wgpu"] = DLDeviceType.kDLWebGPU


class Device:
    """A device: its type and its index among devices of that type.

    Devices of the same type and index are equal and have the same hash. The parameters are those of
    :func:`tvm_ffi.device`.
    """

    __slots__ = ("_packed",)

    def __init__(self, device_type: Any, index: int | None = None) -> None:
        kind, number = _read(device_type, index)
        self._packed = kind | number << 32

    @classmethod
    def _from_packed(cls, packed: int) -> Device:
        self = cls.__new__(_returned if cls is Device else cls)
        self._packed = packed
        return self

    def __device_type_name__(self) -> str:
        """Return the name of the device type, as :attr:`type` does."""
        return self.type

    def dlpack_device_type(self) -> int:
        """Return the DLPack number of the device type."""
        kind = self._packed & 0xFFFFFFFF
        return kind - 0x100000000 if kind & 0x80000000 else kind

    @property
    def type(self) -> str:
        """Name of the device type, for example ``"cuda"``."""
        kind = self.dlpack_device_type()
        return _NAME_OF_TYPE.get(kind, f"device_type_{kind}")

    @property
    def index(self) -> int:
        """Index of the device, 0 for the first."""
        number = self._packed >> 32
        return number - 0x100000000 if number & 0x80000000 else number

    def __str__(self) -> str:
        return f"{self.type}:{self.index}"

    def __repr__(self) -> str:
        return f"device(type={self.type!r}, index={self.index})"

    def __eq__(self, other: object) -> bool:
        return self._packed == other._packed if isinstance(other, Device) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._packed)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self)._from_packed, (self._packed,)


_returned = Device  # the class of devices that functions return: this one, or one derived from it


def set_class(cls: type) -> None:
    """Make devices that functions return instances of a class of TVM."""
    global _returned
    if not (isinstance(cls, type) and issubclass(cls, Device)):
        raise TypeError(f"_set_class_device: cls: expected a class of devices, got {cls!r}")
    _returned = cls
    _core.forget_devices()


def device(device_type: Any, index: int | None = None) -> Device:
    """Construct a device.

    Parameters
    ----------
    device_type
        ``"cuda"``, ``"cuda:1"``, a :class:`DLDeviceType` or its number, a :class:`Device`, or a
        framework device.
    index
        Index of the device; by default, the one in ``device_type``, or 0. It replaces the index
        of a :class:`Device`.

    Raises
    ------
    ValueError
        The device type is unknown, or the index is negative, exceeds 2147483647 or is given twice.
    TypeError
        ``device_type`` is not a device, or ``index`` is not an ``int``.

    Examples
    --------
    >>> import tvm_ffi
    >>> tvm_ffi.device("cuda:1") == tvm_ffi.device("cuda", 1)
    True
    """
    made = Device(device_type, index)
    return made if _returned is Device else Device._from_packed(made._packed)


def _read(device_type: Any, index: int | None) -> tuple[int, int]:
    """Validate the arguments, and return the device type and the index."""
    number: int | None
    if isinstance(device_type, Device):
        kind, number = device_type.dlpack_device_type(), device_type.index
    elif isinstance(device_type, str):
        kind, number = _parse(device_type)
    elif isinstance(device_type, int) and not isinstance(device_type, bool):
        if device_type not in _NAME_OF_TYPE:
            raise ValueError(
                f"device: device_type: expected one of DLDeviceType, got {int(device_type)}"
            )
        kind, number = int(device_type), None
    else:
        answer = frameworks.recognize(type(device_type))
        if answer is None or answer[0] != "device":
            raise TypeError(
                "device: device_type: expected a str, a DLDeviceType or a device, "
                f"got {type(device_type).__name__}"
            )
        kind, number = answer[1](device_type)
    if index is not None:
        if not isinstance(index, int) or isinstance(index, bool):
            raise TypeError(f"device: index: expected an int, got {type(index).__name__}")
        if number is not None and not isinstance(device_type, Device):
            raise ValueError(f"device: index: expected it once, got {device_type!r} and {index}")
        number = index
    number = number or 0
    if not 0 <= number < 2**31:
        raise ValueError(f"device: index: expected 0 to 2147483647, got {number}")
    return kind, number


def _parse(text: str) -> tuple[int, int | None]:
    name, colon, digits = text.partition(":")
    if name not in _TYPE_OF_NAME:
        known = ", ".join(_TYPE_OF_NAME)
        raise ValueError(f"device: device_type: expected one of {known}, got {text!r}")
    if not colon:
        return int(_TYPE_OF_NAME[name]), None
    if not (digits.isascii() and digits.isdigit()):
        raise ValueError(f"device: device_type: expected a number after the colon, got {text!r}")
    return int(_TYPE_OF_NAME[name]), int(digits)

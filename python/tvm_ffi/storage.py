# SPDX-License-Identifier: Apache-2.0
"""A key-value store for values that outlive a call.

Every library and every language in the process sees the same store; the C++ side is
``tvm/ffi/extra/storage.h``. It holds anything that can be an argument: tensors of any framework,
returned as :class:`tvm_ffi.Tensor`, functions, objects, numbers, text, and other Python objects.
Values still in the store when the process exits are not freed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ._runtime import call as _call
from .device import device as _device


def key(name: str, device: Any = None, stream: int | None = None) -> str:
    """Return the key of a value that exists once per device, or once per stream of a device.

    It is the key that ``tvm::ffi::storage::Key`` returns in C++.

    Parameters
    ----------
    name
        A unique name; begin it with the library's name.
    device
        Device, in any form that :func:`tvm_ffi.device` accepts.
    stream
        The stream's address, as :func:`tvm_ffi.get_raw_stream` returns it.

    Raises
    ------
    ValueError
        A stream is given without a device.

    Examples
    --------
    >>> from tvm_ffi import storage
    >>> storage.key("my_library.workspace", "cuda:1", 0x1234)
    'my_library.workspace@cuda:1#4660'
    """
    _check_text("key", "name", name)
    if device is None:
        if stream is not None:
            raise ValueError("storage.key: device: expected the stream's device, got None")
        return name
    made = f"{name}@{_device(device)}"
    return made if stream is None else f"{made}#{int(stream)}"


def get(key: str) -> Any:
    """Return the value of a key, or ``None`` if it has none."""
    _check_text("get", "key", key)
    return _call("ffi.StorageGet", key)


def set(key: str, value: Any) -> None:
    """Store a value, replacing any previous value of the key.

    Parameters
    ----------
    key
        The key; :func:`tvm_ffi.storage.key` returns one for a device or a stream.
    value
        Anything but ``None``.

    Raises
    ------
    ValueError
        The value is ``None``.
    """
    if value is None:
        raise ValueError("storage.set: value: expected a value, got None")
    _check_text("set", "key", key)
    _call("ffi.StorageSet", key, value)


def get_or_create(key: str, factory: Callable[[], Any]) -> Any:
    """Return the value of a key; if it has none, first store the value that the factory returns.

    If several threads request the same key, in any language, one calls its factory and the others
    wait for it; threads that request other keys do not wait. If a factory raises an error, nothing
    is stored.

    Parameters
    ----------
    key
        The key; :func:`tvm_ffi.storage.key` returns one for a device or a stream.
    factory
        Called without arguments. It must not request the same key, nor one whose factory waits for
        this one.

    Raises
    ------
    ValueError
        The factory returned ``None``.
    RuntimeError
        The factory requested such a key.

    Examples
    --------
    >>> from tvm_ffi import storage
    >>> storage.get_or_create("example.table", lambda: "made")
    'made'
    >>> storage.get_or_create("example.table", lambda: "made again")
    'made'
    >>> storage.erase("example.table")
    True
    """
    if not callable(factory):
        raise TypeError(
            "storage.get_or_create: factory: expected a callable, got " + type(factory).__name__
        )
    _check_text("get_or_create", "key", key)
    return _call("ffi.StorageGetOrCreate", key, factory)


def erase(key: str) -> bool:
    """Remove the value of a key; return whether it had one."""
    _check_text("erase", "key", key)
    return bool(_call("ffi.StorageErase", key))


def _check_text(function: str, argument: str, text: object) -> None:
    if not isinstance(text, str):
        raise TypeError(
            f"storage.{function}: {argument}: expected a str, got {type(text).__name__}"
        )

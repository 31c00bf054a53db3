# SPDX-License-Identifier: Apache-2.0
"""The stream that kernels launch on.

A call with a framework's tensor on a device uses that framework's current stream automatically;
this module is for all other calls.
"""

from __future__ import annotations

from typing import Any

from . import _core
from .device import Device


class StreamContext:
    """Makes a stream the current stream of a device inside a ``with`` block.

    See :func:`tvm_ffi.use_raw_stream`, which returns one.

    Parameters
    ----------
    device
        The device.
    stream
        The stream handle, for CUDA a ``cudaStream_t``: an ``int`` or a ``ctypes.c_void_p``.

    Raises
    ------
    TypeError
        An argument has the wrong type.
    ValueError
        The handle is negative or wider than a pointer.
    """

    def __init__(self, device: Device, stream: Any) -> None:
        if not isinstance(device, Device):
            raise TypeError(
                f"use_raw_stream: device: expected a tvm_ffi.Device, got {type(device).__name__}"
            )
        self._device = device
        self._stream = _handle(stream)
        self._originals: list[int] = []

    def __enter__(self) -> StreamContext:
        device = self._device
        self._originals.append(
            _core.set_stream(device.dlpack_device_type(), device.index, self._stream)
        )
        return self

    def __exit__(self, *exception: object) -> None:
        if not self._originals:
            raise RuntimeError("StreamContext: expected to be entered before it is exited")
        device = self._device
        _core.set_stream(device.dlpack_device_type(), device.index, self._originals.pop())


class TorchStreamContext:
    """Makes PyTorch's stream the current stream of its device inside a ``with`` block.

    See :func:`tvm_ffi.use_torch_stream`, which returns one.
    """

    def __init__(self, context: Any) -> None:
        self._context = context
        self._entered: list[StreamContext] = []

    def __enter__(self) -> TorchStreamContext:
        if self._context is not None:
            self._context.__enter__()
        try:
            stream = StreamContext(*_torch_stream())
            stream.__enter__()
        except BaseException:
            if self._context is not None:
                self._context.__exit__(None, None, None)
            raise
        self._entered.append(stream)
        return self

    def __exit__(self, *exception: object) -> Any:
        self._entered.pop().__exit__()
        if self._context is not None:
            return self._context.__exit__(*exception)
        return None


def use_raw_stream(device: Device, stream: Any) -> StreamContext:
    """Make a stream the current stream of a device inside a ``with`` block.

    Only the calling thread is affected. A call with a framework's tensor on the same device
    still uses the framework's stream. The previous stream is restored when the block ends, even
    after an error; blocks can be nested.

    Parameters
    ----------
    device
        The device.
    stream
        The stream handle, for CUDA a ``cudaStream_t``: an ``int`` or a ``ctypes.c_void_p``.

    Raises
    ------
    TypeError
        An argument has the wrong type.
    ValueError
        The handle is negative or wider than a pointer.

    Examples
    --------
    >>> import tvm_ffi
    >>> with tvm_ffi.use_raw_stream(tvm_ffi.device("cuda", 0), 64):
    ...     tvm_ffi.get_raw_stream(tvm_ffi.device("cuda", 0))
    64
    """
    return StreamContext(device, stream)


def use_torch_stream(context: Any = None) -> TorchStreamContext:
    """Make PyTorch's stream the current stream of its device inside a ``with`` block.

    Only the calling thread is affected. The previous stream is restored when the block ends, even
    after an error. PyTorch need not be imported beforehand.

    Parameters
    ----------
    context
        The result of ``torch.cuda.stream(...)`` or ``torch.cuda.graph(...)``, which is entered
        and exited together with the block; ``None`` for PyTorch's current stream.

    Raises
    ------
    RuntimeError
        PyTorch has no GPU, or is not installed.
    """
    return TorchStreamContext(context)


def get_raw_stream(device: Device) -> int:
    """Return the handle of the calling thread's current stream on a device; 0 by default."""
    if not isinstance(device, Device):
        raise TypeError(
            f"get_raw_stream: device: expected a tvm_ffi.Device, got {type(device).__name__}"
        )
    return _core.get_stream(device.dlpack_device_type(), device.index)


def _torch_stream() -> tuple[Device, int]:
    # First, since the adapter requires PyTorch to have been imported.
    try:
        import torch  # noqa: F401
    except ImportError as error:
        raise RuntimeError("use_torch_stream: PyTorch is not installed") from error
    from .frameworks.torch import current_stream

    return current_stream()


def _handle(stream: Any) -> int:
    value = stream if isinstance(stream, int) else getattr(stream, "value", stream)
    if value is None:  # ctypes.c_void_p(0)
        return 0
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(
            "use_raw_stream: stream: expected an int or a ctypes.c_void_p, "
            f"got {type(stream).__name__}"
        )
    if not 0 <= value < 2**64:
        raise ValueError(f"use_raw_stream: stream: expected an address, got {value}")
    return value

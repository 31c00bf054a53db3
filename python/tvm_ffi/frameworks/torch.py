# SPDX-License-Identifier: Apache-2.0
"""PyTorch: tensors, dtypes, devices and the current stream."""

from __future__ import annotations

import sys
from typing import Any

from .. import _core
from ..device import Device

_DEVICE_TYPES = {"cpu": 1, "cuda": 2, "mps": 8, "xpu": 14, "maia": 17}


def _make_framework() -> _core.Framework:
    tensor = sys.modules["torch"].Tensor
    framework = _core.Framework(
        "torch",
        wins=True,
        forward_only=True,
        exchange_type=tensor,
        is_negative=tensor.is_neg,
        is_conjugate=tensor.is_conj,
        # The rest is for a PyTorch without the exchange API, and for subclasses that disable it.
        from_tensor=_from_tensor,
        prepare=_prepare,
        current_stream=_current_stream,
        allocate=_allocate,
        has_dtype=_has_dtype,
    )
    if framework.has_exchange:
        _learn_lazy_bits(framework)
    return framework


def _learn_lazy_bits(framework: _core.Framework) -> bool:
    """Let the extension itself detect negated and conjugated views.

    If PyTorch lacks the internals that this needs, each tensor's own methods are called instead.
    """
    torch: Any = sys.modules["torch"]
    try:
        keys_of, keys, set_of = (
            getattr(torch._C, name) for name in ("_dispatch_keys", "DispatchKey", "DispatchKeySet")
        )
        mask = set_of(keys.Negative).raw_repr() | set_of(keys.Conjugate).raw_repr()
        samples = [(x, x._cdata, keys_of(x).raw_repr()) for x in _samples(torch)]
        for x, _, found in samples:
            if bool(found & mask) != (x.is_neg() or x.is_conj()):
                return False
        return _core.learn_lazy_bits(framework, torch.Tensor, torch.nn.Parameter, samples, mask)
    except (AttributeError, RuntimeError, TypeError):
        return False


def _samples(torch: Any) -> list[Any]:
    """Create tensors that differ in everything that could be mistaken for their key set."""

    def zeros(*shape: int, device: str = "cpu", **options: Any) -> Any:
        return torch.zeros(shape, device=device, **options)

    real, number = zeros(2, 3), zeros(4, dtype=torch.complex64)
    with torch.inference_mode():
        inference = zeros(2)
    return [
        real,
        real[1:, ::2],
        real._neg_view(),
        number,
        number.conj(),
        number.conj().imag,
        zeros(dtype=torch.bool),
        zeros(0, 5, dtype=torch.int8, device="meta"),
        zeros(3, requires_grad=True),
        zeros(3, requires_grad=True) * 2,
        torch.nn.Parameter(zeros(7)),
        inference,
        zeros(1, 1, 1, 1, 1, 1, 1).expand(2, 2, 2, 2, 2, 2, 2),
        zeros(3, 3).to_sparse(),
    ]


def _from_tensor(tensor: _core.Tensor) -> Any:
    return sys.modules["torch"].utils.dlpack.from_dlpack(tensor)


def _prepare(tensor: Any) -> Any:
    """Return a tensor that exports the same memory; one that requires a gradient refuses to."""
    for is_lazy, done, remedy in (
        (tensor.is_neg, "negated", "resolve_neg"),
        (tensor.is_conj, "conjugated", "resolve_conj"),
    ):
        if is_lazy():
            raise ValueError(
                "expected a tensor whose memory holds its values, got a view that is "
                f"{done} when read; pass x.{remedy}()"
            )
    return tensor.detach()


def _current_stream(device_id: int) -> int:
    return int(sys.modules["torch"].cuda.current_stream(device_id).cuda_stream)


def _allocate(shape: tuple[int, ...], dtype: Any, device_id: int) -> Any:
    torch = sys.modules["torch"]
    name = _name_of(dtype)
    return torch.empty(shape, dtype=getattr(torch, name), device=f"cuda:{device_id}")


def _name_of(dtype: Any) -> str:
    return str(dtype).replace("x2", "_x2")


def _has_dtype(dtype: Any) -> bool:
    """Return whether PyTorch has the element type; its integers below 8 bits cannot hold values."""
    torch = sys.modules["torch"]
    is_narrow = dtype.is_integer and dtype.bits < 8
    return not is_narrow and isinstance(getattr(torch, _name_of(dtype), None), torch.dtype)


def recognize(cls: type) -> tuple[str, Any] | None:
    """Recognize tensors, dtypes and devices."""
    torch = sys.modules["torch"]
    if issubclass(cls, torch.Tensor):
        table = getattr(torch.Tensor, "__dlpack_c_exchange_api__", None)
        # A subclass may replace PyTorch's table with its own, or with None.
        same_table = getattr(cls, "__dlpack_c_exchange_api__", None) is table
        return ("exchange" if same_table and _framework.has_exchange else "dlpack"), _framework
    if cls is torch.dtype:
        return "dtype", _dtype
    if cls is torch.device:
        return "device", _device
    return None


def current_stream() -> tuple[Device, int]:
    """Return PyTorch's current device and the current stream on it."""
    torch = sys.modules["torch"]
    if not torch.cuda.is_available():
        raise RuntimeError("use_torch_stream: expected PyTorch to see a GPU, got none")
    stream = torch.cuda.current_stream()
    # A PyTorch built for ROCm also calls its devices "cuda".
    device_type = 10 if torch.version.hip else 2
    return Device(device_type, stream.device.index), stream.cuda_stream


def _dtype(value: Any) -> tuple[int, int, int]:
    """Parse the dtype: PyTorch's names match those of ``tvm_ffi.dtype``, except packed pairs."""
    try:
        return _core.parse_dtype(str(value).removeprefix("torch.").replace("_x2", "x2"))
    except ValueError:
        raise TypeError(f"expected a dtype that DLPack supports, got {value}") from None


def _device(value: Any) -> tuple[int, int]:
    if value.type not in _DEVICE_TYPES:
        raise ValueError(f"expected a device that DLPack supports, got {value}")
    return _DEVICE_TYPES[value.type], value.index or 0


_framework = _make_framework()

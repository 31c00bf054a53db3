# SPDX-License-Identifier: Apache-2.0
# Rows: R3
"""Views that PyTorch negates or conjugates on read are refused, however they are detected."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import tvm_ffi
from tvm_ffi import _core

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

from tvm_ffi.frameworks import torch as adapter  # noqa: E402  (needs PyTorch)


class Subclass(torch.Tensor):
    """A user-defined tensor type."""


class Answering(torch.Tensor):
    """A tensor type that overrides ``is_neg``."""

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Report that each tensor is negated."""
        if func is torch.Tensor.is_neg:
            return True
        return super().__torch_function__(func, types, args, kwargs or {})


def keys_of(tensor: Any) -> int:
    """Return the set of dispatch keys as reported by PyTorch."""
    return torch._C._dispatch_keys(tensor).raw_repr()


def samples() -> list[tuple[Any, int, int]]:
    """Return fresh samples as the adapter passes them."""
    return [(x, x._cdata, keys_of(x)) for x in adapter._samples(torch)]


def test_bits_are_found_with_this_pytorch() -> None:
    """The extension finds the bits itself, so no method is called."""
    assert adapter._learn_lazy_bits(_core.Framework("torch", exchange_type=torch.Tensor))


@pytest.mark.parametrize("wrong", ["address", "keys", "none"])
def test_samples_that_do_not_agree_teach_nothing(wrong: str) -> None:
    """One inconsistent sample is enough to fall back to calling the methods."""
    given = samples()
    tensor, address, keys = given[7]
    if wrong == "address":
        given[7] = (tensor, address + 8, keys)
    elif wrong == "keys":
        given[7] = (tensor, address, keys ^ 1)
    else:
        given = []
    framework = _core.Framework("torch", exchange_type=torch.Tensor)
    assert not _core.learn_lazy_bits(framework, torch.Tensor, torch.nn.Parameter, given, 1 << 32)


@pytest.mark.parametrize("kind", ["tensor", "parameter", "subclass"])
@pytest.mark.parametrize("dtype", [torch.float32, torch.complex64, torch.int8])
def test_lazy_views_are_refused(functions: tvm_ffi.Module, kind: str, dtype: torch.dtype) -> None:
    """A view is refused whatever its Python type; once resolved, the tensor is accepted."""
    base = torch.ones(3, dtype=dtype)
    views = [base._neg_view(), base._neg_view()[1:], base.view(3, 1)._neg_view().t()]
    if dtype.is_complex:
        views += [base.conj(), base.conj()[::2], base.conj().imag, base.conj()._neg_view()]
    for view in views:
        if kind == "parameter" and dtype != torch.int8:
            passed = torch.nn.Parameter(view)
        else:
            passed = view.as_subclass(Subclass) if kind == "subclass" else view
        assert passed.is_neg() or passed.is_conj()
        with pytest.raises(ValueError, match=r"argument 0 \(\w+\): expected a tensor whose memory"):
            functions.nop(passed)
        with pytest.raises(ValueError, match=r"from_dlpack: .* expected a tensor whose memory"):
            tvm_ffi.from_dlpack(passed)
        functions.nop(passed.resolve_neg().resolve_conj())


def test_subclasses_are_asked(functions: tvm_ffi.Module) -> None:
    """The answer of a user-defined type takes precedence over the bits."""
    with pytest.raises(ValueError, match="negated when read"):
        functions.nop(torch.ones(2).as_subclass(Answering))


def test_bits_are_read_as_pytorch_tells_them(functions: tvm_ffi.Module) -> None:
    """Tensors of every kind exported by DLPack are accepted exactly if no bit is set."""
    made = [
        torch.zeros(shape, dtype=dtype, requires_grad=grad)
        for shape in [(), (0,), (1,), (2, 3), (1,) * 9]
        for dtype in [torch.float16, torch.bool, torch.int64, torch.complex128, torch.bfloat16]
        for grad in [False, True]
        if not grad or dtype.is_floating_point or dtype.is_complex
    ]
    with torch.inference_mode():
        made += [torch.zeros(3), torch.zeros(3)[1:], torch.zeros(3)._neg_view()]
    made += [x.detach() for x in made] + [x[...] for x in made] + [x.conj() for x in made]
    made += [x._neg_view() for x in made if x.dtype != torch.bool]
    for tensor in made:
        lazy = tensor.is_neg() or tensor.is_conj()
        try:
            functions.nop(tensor)
        except ValueError:
            assert lazy, tensor
        else:
            assert not lazy, tensor


def test_methods_are_asked_where_bits_are_not_known(library: Path) -> None:
    """With a PyTorch that does not expose its keys, such views are still refused."""
    code = f"""
import torch, tvm_ffi
del torch._C._dispatch_keys
f = tvm_ffi.load_module({str(library)!r}).nop
for view in torch.ones(2)._neg_view(), torch.ones(2, dtype=torch.complex64).conj():
    f(torch.ones(2))
    try:
        f(view)
    except ValueError as error:
        print("refused")
from tvm_ffi.frameworks import torch as adapter
print(adapter._learn_lazy_bits(adapter._framework))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.stdout.split(), done.stderr) == (["refused", "refused", "False"], "")

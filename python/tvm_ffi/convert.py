# SPDX-License-Identifier: Apache-2.0
"""Conversion of Python values to the form that functions receive."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import _core
from ._core import Function, Object

if TYPE_CHECKING:
    from collections.abc import Callable


class ObjectConvertible:
    """Base of Python classes that functions accept as an :class:`tvm_ffi.Object`.

    A subclass defines ``asobject()``, which returns the object to pass in its place.

    Examples
    --------
    >>> import tvm_ffi
    >>> class Point(tvm_ffi.ObjectConvertible):
    ...     def asobject(self):
    ...         return tvm_ffi.Array([1, 2])
    >>> tvm_ffi.convert(Point())
    (1, 2)
    """

    def asobject(self) -> Object:
        """Return the object to pass in place of this one."""
        raise NotImplementedError(f"{type(self).__name__} does not implement asobject()")

    def __tvm_ffi_object__(self) -> Object:
        """Return ``asobject()``; the call path looks up this name."""
        return self.asobject()


class String(str):
    """The type that :func:`tvm_ffi.convert` returns for text."""

    __slots__ = ()


class Bytes(bytes):
    """The type that :func:`tvm_ffi.convert` returns for bytes."""

    __slots__ = ()


def convert(value: Any) -> Any:
    """Convert a value to the form that functions receive.

    Functions convert their arguments automatically: call this to see the result, or to convert a
    value only once if it is passed often.

    Parameters
    ----------
    value
        Any value that functions accept: a list or a tuple becomes a :class:`tvm_ffi.Array`, a dict
        a :class:`tvm_ffi.Map`, a callable a :class:`tvm_ffi.Function`, a framework tensor a
        :class:`tvm_ffi.Tensor` over the same memory, text a ``tvm_ffi.core.String``, which is a
        ``str``, and bytes a ``tvm_ffi.core.Bytes``. A Python object that functions treat as opaque
        is returned unchanged.

    Raises
    ------
    TypeError, ValueError
        Functions do not accept such a value.

    Examples
    --------
    >>> import tvm_ffi
    >>> tvm_ffi.convert({"sizes": [1, 2]})
    {'sizes': (1, 2)}
    """
    converted = _core.convert(value)
    if type(converted) is str:
        return String(converted)
    return Bytes(converted) if type(converted) is bytes else converted


def convert_func(pyfunc: Callable[..., Any], tensor_cls: type | None = None) -> Function:
    """Wrap a callable in a :class:`tvm_ffi.Function`; return a Function unchanged.

    Parameters
    ----------
    pyfunc
        The callable.
    tensor_cls
        A framework's tensor class, such as ``torch.Tensor``: the callable receives tensors, also
        those in containers, as tensors of that framework instead of :class:`tvm_ffi.Tensor`.

    Raises
    ------
    TypeError
        ``pyfunc`` is not callable, or ``tensor_cls`` is not a tensor class.

    Examples
    --------
    >>> import numpy, tvm_ffi
    >>> total = tvm_ffi.convert_func(lambda x: x.sum().item(), tensor_cls=numpy.ndarray)
    >>> total(tvm_ffi.from_dlpack(numpy.arange(4)))
    6
    """
    if tensor_cls is None:
        return Function(pyfunc)
    framework = _core.framework_of(tensor_cls) if isinstance(tensor_cls, type) else None
    if framework is None:
        raise TypeError(
            f"convert_func: tensor_cls: expected a framework's class of tensors, got {tensor_cls!r}"
        )
    if not callable(pyfunc):
        raise TypeError(f"convert_func: pyfunc: expected a callable, got {type(pyfunc).__name__}")
    from functools import partial, update_wrapper

    read = partial(_core.read_as, framework)

    def call(*arguments: Any) -> Any:
        return pyfunc(*map(read, arguments))

    return Function(update_wrapper(call, pyfunc))

# SPDX-License-Identifier: Apache-2.0
"""Python values as what a function gets of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import _core
from ._core import Function, Object

if TYPE_CHECKING:
    from collections.abc import Callable


class ObjectConvertible:
    """A base for Python classes that functions take as an :class:`tvm_ffi.Object`.

    A subclass tells by ``asobject()`` what is passed in its place.

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
        """Return the object that is passed in place of this one."""
        raise NotImplementedError(f"{type(self).__name__} does not say by asobject() what it is")

    def __tvm_ffi_object__(self) -> Object:
        """Answer the call path, which knows this name."""
        return self.asobject()


class String(str):
    """What :func:`tvm_ffi.convert` makes of text."""

    __slots__ = ()


class Bytes(bytes):
    """What :func:`tvm_ffi.convert` makes of bytes."""

    __slots__ = ()


def convert(value: Any) -> Any:
    """Make of a value what a function gets of it.

    Functions convert their arguments by themselves: this shows how, and saves the work where a
    value is passed often.

    Parameters
    ----------
    value
        Any value that a function takes: a list, a tuple or a dict becomes a
        :class:`tvm_ffi.Array` or a :class:`tvm_ffi.Map`, a callable a :class:`tvm_ffi.Function`, a
        tensor of a framework a :class:`tvm_ffi.Tensor` over the same memory, text a
        ``tvm_ffi.core.String``, which is a ``str``, and bytes a ``tvm_ffi.core.Bytes``. A Python
        object that no function looks into stays what it is.

    Raises
    ------
    TypeError, ValueError
        No function takes such a value.

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
    """Make a :class:`tvm_ffi.Function` of a callable; one that is a Function already is given back.

    Parameters
    ----------
    pyfunc
        The callable.
    tensor_cls
        A framework's class of tensors, such as ``torch.Tensor``: the callable gets its tensors, and
        those in containers, as tensors of that framework, in place of :class:`tvm_ffi.Tensor`.

    Raises
    ------
    TypeError
        ``pyfunc`` cannot be called, or ``tensor_cls`` is no class of tensors.

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

# SPDX-License-Identifier: Apache-2.0
"""Which Python exception each kind of error becomes."""

from __future__ import annotations

from typing import Any

from . import _core


class InternalError(RuntimeError):
    """A library found itself in a state that it holds impossible: a bug, not a user's mistake."""


# Filled in place: the extension reads the same two dictionaries.
_class_of_kind: dict[str, type[BaseException]] = {}
_kind_of_class: dict[type[BaseException], str] = {}


def _register(kind: str, cls: type[BaseException]) -> None:
    _class_of_kind[kind] = cls
    _kind_of_class[cls] = kind


def register_error(
    name_or_cls: str | type[BaseException] | None = None, cls: type[BaseException] | None = None
) -> Any:
    """Make a kind of error arrive as an exception class of your own.

    It can be used as a decorator, with or without the kind's name.

    Parameters
    ----------
    name_or_cls
        Name of the kind, as C++ writes it; or the class, whose own name is then the kind.
    cls
        The class; it must accept the message as its only argument.

    Raises
    ------
    TypeError
        The class is not an exception class.

    Examples
    --------
    >>> import tvm_ffi
    >>> @tvm_ffi.register_error
    ... class TileError(ValueError):
    ...     pass
    """
    if isinstance(name_or_cls, type):
        name_or_cls, cls = name_or_cls.__name__, name_or_cls
    if cls is None:
        wanted = name_or_cls

        def decorator(decorated: type[BaseException]) -> type[BaseException]:
            return register_error(wanted or decorated.__name__, decorated)

        return decorator
    if not (isinstance(cls, type) and issubclass(cls, BaseException)):
        raise TypeError(f"register_error: cls: expected an exception class, got {cls!r}")
    _register(name_or_cls or cls.__name__, cls)
    return cls


for _builtin in (
    ArithmeticError,
    AssertionError,
    AttributeError,
    BufferError,
    EOFError,
    FileExistsError,
    FileNotFoundError,
    ImportError,
    IndexError,
    KeyError,
    KeyboardInterrupt,
    LookupError,
    MemoryError,
    NotImplementedError,
    OSError,
    OverflowError,
    PermissionError,
    RecursionError,
    RuntimeError,
    StopIteration,
    SyntaxError,
    SystemError,
    TimeoutError,
    TypeError,
    ValueError,
    ZeroDivisionError,
):
    _register(_builtin.__name__, _builtin)
_register("InternalError", InternalError)
_core.set_error_classes(_class_of_kind, _kind_of_class)

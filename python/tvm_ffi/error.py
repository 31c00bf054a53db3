# SPDX-License-Identifier: Apache-2.0
"""The Python exception for each kind of error."""

from __future__ import annotations

from typing import Any

from . import _core
from ._core import Object


class InternalError(RuntimeError):
    """A library reached a state that should be impossible: a bug, not a user's mistake."""


class Error(Object):
    """An error as a value, which a function received, kept or returned instead of raising it.

    A Python exception that is passed as an argument becomes one, and :meth:`py_error` returns
    the same exception.

    Parameters
    ----------
    kind
        Name of the kind, for example ``"ValueError"``.
    message
        The error message.
    backtrace
        Lines of the form ``  File "f.cc", line 3, in g``, the most recent call first.
    """

    __slots__ = ()

    def __new__(cls, kind: str, message: str, backtrace: str = "") -> Error:
        """Create an error without raising it."""
        for name, text in (("kind", kind), ("message", message), ("backtrace", backtrace)):
            if not isinstance(text, str):
                raise TypeError(f"Error: {name}: expected a str, got {type(text).__name__}")
        return _core.new_error(kind, message, backtrace)

    @property
    def kind(self) -> str:
        """Name of the kind."""
        return _core.error_contents(self)[0]

    @property
    def message(self) -> str:
        """The error message."""
        return _core.error_contents(self)[1]

    @property
    def backtrace(self) -> str:
        """Lines of files and functions, the most recent call first."""
        return _core.error_contents(self)[2]

    @property
    def cause(self) -> Error | None:
        """The error that caused this one, or ``None``."""
        return _core.error_contents(self)[3]

    @property
    def extra_context(self) -> Any:
        """Context added where the error was thrown; for a Python exception, that exception."""
        return _core.error_contents(self)[4]

    def update_backtrace(self, backtrace: str) -> None:
        """Replace the backtrace."""
        _core.set_error_backtrace(self, backtrace)

    def py_error(self) -> BaseException:
        """Return this error as a Python exception, to raise or to inspect."""
        return _core.exception_of_error(self)

    def __repr__(self) -> str:
        return f"<tvm_ffi.core.Error {self.kind}: {self.message}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), _core.error_contents(self)[:3]


# Filled in place: the extension reads the same two dictionaries.
_class_of_kind: dict[str, type[BaseException]] = {}
_kind_of_class: dict[type[BaseException], str] = {}


def _register(kind: str, cls: type[BaseException]) -> None:
    _class_of_kind[kind] = cls
    _kind_of_class[cls] = kind


def register_error(
    name_or_cls: str | type[BaseException] | None = None, cls: type[BaseException] | None = None
) -> Any:
    """Map a kind of error to your own exception class.

    It can be used as a decorator, with or without the name of the kind.

    Parameters
    ----------
    name_or_cls
        Name of the kind, as spelled in C++; or the class, whose own name is then the kind.
    cls
        The class; it must accept the message as its only argument.

    Raises
    ------
    TypeError
        The class is not an exception class, or the name is not a str.

    Examples
    --------
    >>> import tvm_ffi
    >>> @tvm_ffi.register_error
    ... class TileError(ValueError):
    ...     pass
    """
    if isinstance(name_or_cls, type):
        cls, name_or_cls = name_or_cls, name_or_cls.__name__
    if name_or_cls is not None and not isinstance(name_or_cls, str):
        raise TypeError(
            "register_error: name_or_cls: expected a str or an exception class, got "
            f"{type(name_or_cls).__name__}"
        )
    if cls is None:
        wanted = name_or_cls

        def decorator(decorated: type[BaseException]) -> type[BaseException]:
            return register_error(wanted or decorated.__name__, decorated)

        return decorator
    if not (isinstance(cls, type) and issubclass(cls, BaseException)):
        raise TypeError(f"register_error: cls: expected an exception class, got {cls!r}")
    kind = name_or_cls or cls.__name__
    if kind.encode(errors="replace").decode() != kind:
        raise ValueError(f"register_error: name_or_cls: expected UTF-8 text, got {kind!r}")
    _register(kind, cls)
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
_core.register_object_class("ffi.Error", Error)
_core.set_error_classes(_class_of_kind, _kind_of_class)

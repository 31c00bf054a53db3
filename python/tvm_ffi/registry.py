# SPDX-License-Identifier: Apache-2.0
"""Functions that every language finds by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import _core
from ._core import Function


def get_global_func(name: str, allow_missing: bool = False) -> Function | None:
    """Look a global function up.

    Parameters
    ----------
    name
        Its name.
    allow_missing
        Give ``None`` instead of an error if there is none.

    Raises
    ------
    ValueError
        There is no such function.
    """
    function = _core.get_global_func(name)
    if function is None and not allow_missing:
        raise ValueError(f"get_global_func: name: expected a registered function, got {name!r}")
    return function


def register_global_func(
    name: str, function: Callable[..., Any] | None = None, override: bool = False
) -> Any:
    """Register a callable as a global function; also a decorator.

    Parameters
    ----------
    name
        Its name.
    function
        The callable; leave it out to use the call as a decorator.
    override
        Replace a function that has the name already, instead of an error.

    Raises
    ------
    ValueError
        The name is taken.

    Examples
    --------
    >>> import tvm_ffi
    >>> @tvm_ffi.register_global_func("example.twice", override=True)
    ... def twice(x):
    ...     return 2 * x
    >>> tvm_ffi.get_global_func("example.twice")(21)
    42
    """
    if function is None:

        def decorator(decorated: Callable[..., Any]) -> Callable[..., Any]:
            register_global_func(name, decorated, override)
            return decorated

        return decorator
    made = Function(function)
    _core.set_global_func(name, made, override)
    return made

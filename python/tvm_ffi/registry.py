# SPDX-License-Identifier: Apache-2.0
"""Global functions, which every language can look up by name."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any, overload

from . import _core
from ._core import Function
from ._runtime import call
from .object import register_object as register_object  # existing code imports it from here


def get_global_func(name: str, allow_missing: bool = False) -> Function | None:
    """Look up a global function.

    Parameters
    ----------
    name
        Name of the function.
    allow_missing
        Return ``None`` instead of raising an error if there is none.

    Returns
    -------
    Function
        The function; ``None`` if there is none and ``allow_missing`` is true.

    Raises
    ------
    ValueError
        There is no such function.
    TypeError
        The name is not a ``str``.
    """
    _check_name("get_global_func", name)
    function = _core.get_global_func(name)
    if function is None and not allow_missing:
        raise ValueError(f"get_global_func: name: expected a registered function, got {name!r}")
    return function


@overload
def register_global_func(
    func_name: str, f: None = None, override: bool = False
) -> Callable[[Callable[..., Any]], Function]: ...
@overload
def register_global_func(
    func_name: str, f: Callable[..., Any], override: bool = False
) -> Function: ...
@overload
def register_global_func(func_name: Callable[..., Any]) -> Function: ...
def register_global_func(
    func_name: str | Callable[..., Any],
    f: Callable[..., Any] | None = None,
    override: bool = False,
) -> Any:
    """Register a callable as a global function; also a decorator.

    The table of functions keeps the callable alive until its name is removed or given to another
    function. Threads may register, look up and remove functions at the same time.

    Parameters
    ----------
    func_name
        Name of the function; or the callable, whose own name is then used.
    f
        The callable; omit it to use the call as a decorator.
    override
        Replace an existing function of this name instead of raising an error.

    Returns
    -------
    Function
        The registered function; a decorated name is bound to it too.

    Raises
    ------
    ValueError
        The name is taken.
    TypeError
        The object to register is not callable, or the name is not a ``str``.

    Examples
    --------
    >>> import tvm_ffi
    >>> @tvm_ffi.register_global_func("example.twice", override=True)
    ... def twice(x):
    ...     return 2 * x
    >>> tvm_ffi.get_global_func("example.twice")(21)
    42
    """
    if callable(func_name):
        name = getattr(func_name, "__name__", None)
        if not isinstance(name, str):
            raise TypeError(
                "register_global_func: func_name: expected a callable with a name, got "
                f"{func_name!r}"
            )
        return register_global_func(name, func_name, override)
    _check_name("register_global_func", func_name)
    if f is None:

        def decorator(decorated: Callable[..., Any]) -> Function:
            return _register(func_name, decorated, override)

        return decorator
    return _register(func_name, f, override)


def remove_global_func(name: str) -> None:
    """Remove a global function from the table; existing references to it stay valid.

    Nothing happens if no function has that name.

    Parameters
    ----------
    name
        Name of the function.
    """
    _check_name("remove_global_func", name)
    call("ffi.FunctionRemoveGlobal", name)


def list_global_func_names() -> list[str]:
    """Return the names of all global functions, in alphabetical order."""
    names = call("ffi.FunctionListGlobalNamesFunctor")
    return sorted(names(i) for i in range(names(-1)))


def get_global_func_metadata(name: str) -> dict[str, Any]:
    """Return the metadata of a global function.

    Parameters
    ----------
    name
        Name of the function.

    Returns
    -------
    dict
        ``type_schema`` is JSON text with the types of the parameters and the result. The dictionary
        is empty for a function without metadata, such as a Python function.

    Raises
    ------
    ValueError
        There is no such function.
    """
    import json

    _check_name("get_global_func_metadata", name)
    text = call("ffi.GetGlobalFuncMetadata", name)
    return json.loads(text) if text else {}


def get_registered_type_keys() -> Sequence[str]:
    """List the names of all types in this process, in the order of their indices.

    Types whose values are not objects, such as ``"int"``, come first.

    Examples
    --------
    >>> import tvm_ffi.registry
    >>> "ffi.Tensor" in tvm_ffi.registry.get_registered_type_keys()
    True
    """
    return call("ffi.GetRegisteredTypeKeys")


def init_ffi_api(namespace: str, target_module_name: str | None = None) -> None:
    """Add the global functions of a namespace to a module.

    ``"my_library.add"`` becomes ``add``; names with a further dot are skipped. A namespace without
    functions adds nothing, which is not an error.

    Parameters
    ----------
    namespace
        The part before the dot, for example ``"my_library"``.
    target_module_name
        Name of the module, usually ``__name__``; by default, the namespace.

    Raises
    ------
    KeyError
        No module of that name has been imported.
    """
    if not isinstance(namespace, str):
        raise TypeError(f"init_ffi_api: namespace: expected a str, got {type(namespace).__name__}")
    # TVM's own modules are named "tvm.x", and their functions "x.y".
    prefix = namespace.removeprefix("tvm.")
    name = namespace if target_module_name is None else target_module_name
    if name not in sys.modules:
        raise KeyError(f"init_ffi_api: target_module_name: expected a module, got {name!r}")
    module = sys.modules[name]
    for full_name in list_global_func_names():
        start, _, short_name = full_name.rpartition(".")
        if start != prefix:
            continue
        function: Any = get_global_func(full_name)
        function.__name__ = short_name
        function._global_name = full_name
        setattr(module, short_name, function)


def _register(name: str, f: Callable[..., Any], override: bool) -> Function:
    made = Function(f)
    _core.set_global_func(name, made, override)
    return made


def _check_name(function: str, name: object) -> None:
    if not isinstance(name, str):
        raise TypeError(f"{function}: name: expected a str, got {type(name).__name__}")

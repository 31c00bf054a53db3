# SPDX-License-Identifier: Apache-2.0
"""Keyword arguments and defaults for functions that take arguments by position only."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import inspect

_METADATA = ("__module__", "__name__", "__qualname__", "__doc__", "__annotations__")


def make_kwargs_wrapper(
    target_func: Callable[..., Any],
    arg_names: list[str],
    arg_defaults: tuple[Any, ...] = (),
    kwonly_names: list[str] | None = None,
    kwonly_defaults: dict[str, Any] | None = None,
    prototype: Callable[..., Any] | None = None,
    map_dataclass_to_tuple: list[str] | None = None,
) -> Callable[..., Any]:
    """Wrap a positional-only function in one with keyword arguments and defaults.

    Python code is generated and compiled once, so a call costs little more than a direct one.

    Parameters
    ----------
    target_func
        Called with all values by position: first those of ``arg_names``, then those of
        ``kwonly_names``.
    arg_names
        Names of the parameters that may be passed by position.
    arg_defaults
        Defaults of the last of these parameters.
    kwonly_names
        Names of the keyword-only parameters.
    kwonly_defaults
        Defaults of keyword-only parameters, by name.
    prototype
        A function whose name, documentation, module and annotations are copied to the result.
    map_dataclass_to_tuple
        Names of parameters whose values are unpacked: see
        :func:`tvm_ffi.utils.unpack_dataclass.unpack_dataclass_to_tuple`.

    Raises
    ------
    TypeError
        A name is not a str, or ``arg_defaults`` is not a tuple.
    ValueError
        Names are not identifiers or not unique, or there are more defaults than names.

    Examples
    --------
    >>> from tvm_ffi.utils.kwargs_wrapper import make_kwargs_wrapper
    >>> power = make_kwargs_wrapper(pow, ["base", "exponent"], (2,))
    >>> power(5), power(exponent=3, base=2)
    (25, 8)
    """
    names, kwonly = list(arg_names), list(kwonly_names or ())
    kwonly_defaults = dict(kwonly_defaults or {})
    unpacked = list(map_dataclass_to_tuple or ())
    if not callable(target_func):
        raise TypeError(_expected("target_func", "a callable", target_func))
    if not isinstance(arg_defaults, tuple):
        raise TypeError(_expected("arg_defaults", "a tuple", arg_defaults))
    _check_names(names + kwonly)
    if len(arg_defaults) > len(names):
        raise ValueError(
            f"make_kwargs_wrapper: arg_defaults: expected at most {len(names)} values, one for "
            f"each name, got {len(arg_defaults)}"
        )
    _check_known("kwonly_defaults", kwonly_defaults, kwonly)
    _check_known("map_dataclass_to_tuple", unpacked, names + kwonly)

    # Values that the code refers to by name: a default may have no text that evaluates to it.
    values: dict[str, Any] = {"__i_target": target_func}
    if unpacked:
        from .unpack_dataclass import unpack_dataclass_to_tuple

        values["__i_unpack"] = unpack_dataclass_to_tuple
    defaults = dict(zip(names[len(names) - len(arg_defaults) :], arg_defaults, strict=True))
    parameters = []
    for name in [*names, "*", *kwonly] if kwonly else names:
        known = kwonly_defaults if name in kwonly else defaults
        if name in known:
            values[f"__i_default_{name}"] = known[name]
            parameters.append(f"{name}=__i_default_{name}")
        else:
            parameters.append(name)
    passed = [f"__i_unpack({n})" if n in unpacked else n for n in names + kwonly]
    code = (
        f"def make({', '.join(values)}):\n"
        f"    def wrapper({', '.join(parameters)}):\n"
        f"        return __i_target({', '.join(passed)})\n"
        "    return wrapper\n"
    )
    namespace: dict[str, Any] = {}
    exec(compile(code, f"<{__name__}>", "exec"), namespace)
    wrapper = namespace["make"](**values)
    wrapper.__qualname__ = "wrapper"  # Python's errors for wrong arguments begin with it
    for attribute in _METADATA if prototype is not None else ():
        if hasattr(prototype, attribute):
            setattr(wrapper, attribute, getattr(prototype, attribute))
    return wrapper


def make_kwargs_wrapper_from_signature(
    target_func: Callable[..., Any],
    signature: inspect.Signature,
    prototype: Callable[..., Any] | None = None,
    exclude_arg_names: Iterable[str] | None = None,
    map_dataclass_to_tuple: list[str] | None = None,
) -> Callable[..., Any]:
    """Wrap a positional-only function in one with the parameters of a signature.

    Parameters
    ----------
    target_func
        As for :func:`make_kwargs_wrapper`.
    signature
        Names and defaults of the parameters. A positional-only parameter may also be passed by
        keyword.
    prototype
        A function whose name, documentation, module and annotations are copied to the result.
    exclude_arg_names
        Names of parameters to leave out; names that are not in the signature are ignored.
    map_dataclass_to_tuple
        As for :func:`make_kwargs_wrapper`.

    Raises
    ------
    ValueError
        The signature has ``*args`` or ``**kwargs``.

    Examples
    --------
    >>> import inspect
    >>> from tvm_ffi.utils.kwargs_wrapper import make_kwargs_wrapper_from_signature
    >>> def scale(x, factor=2): ...
    >>> wrapped = make_kwargs_wrapper_from_signature(lambda *args: args, inspect.signature(scale))
    >>> wrapped(x=1)
    (1, 2)
    """
    excluded = set(exclude_arg_names or ())
    names, kwonly = [], []
    defaults: list[Any] = []
    kwonly_defaults = {}
    for name, parameter in signature.parameters.items():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            raise ValueError(
                "make_kwargs_wrapper_from_signature: signature: expected a fixed number of "
                f"parameters, got {parameter}"
            )
        if name in excluded:
            continue
        has_default = parameter.default is not parameter.empty
        if parameter.kind is parameter.KEYWORD_ONLY:
            kwonly.append(name)
            if has_default:
                kwonly_defaults[name] = parameter.default
        else:
            names.append(name)
            if has_default:
                defaults.append(parameter.default)
    return make_kwargs_wrapper(
        target_func,
        names,
        tuple(defaults),
        kwonly,
        kwonly_defaults,
        prototype,
        map_dataclass_to_tuple,
    )


def _check_names(names: list[str]) -> None:
    import keyword

    for name in names:
        if not isinstance(name, str):
            raise TypeError(_expected("arg_names", "names of type str", name))
        if not name.isidentifier() or keyword.iskeyword(name) or name.startswith("__i_"):
            raise ValueError(
                "make_kwargs_wrapper: arg_names: expected identifiers that are not keywords and do "
                f"not begin with '__i_', got {name!r}"
            )
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated:
        raise ValueError(
            "make_kwargs_wrapper: arg_names, kwonly_names: expected each name once, got "
            f"{', '.join(map(repr, repeated))} again"
        )


def _check_known(argument: str, names: Iterable[str], known: list[str]) -> None:
    for name in names:
        if name not in known:
            raise ValueError(
                f"make_kwargs_wrapper: {argument}: expected names among "
                f"({', '.join(known)}), got {name!r}"
            )


def _expected(argument: str, expected: str, got: object) -> str:
    return f"make_kwargs_wrapper: {argument}: expected {expected}, got {type(got).__name__}"

# SPDX-License-Identifier: Apache-2.0
"""Function introspection: parameter names, the signature and the documentation.

Nothing is looked up before it is requested, and the imports for it happen only then.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import _core
from ._core import Function
from ._runtime import call

# Marks a parameter without a default.
_NO_DEFAULT = object()
# Marks a parameter for which it is unknown whether None is accepted: the function decides.
_UNKNOWN_DEFAULT = object()


def _parameters(function: Function) -> tuple[tuple[str, ...], tuple[Any, ...]] | None:
    """Return names and defaults of the positional parameters, or ``None`` if they are unknown."""
    import sys

    if function._callable is not None:
        import inspect

        try:
            signature = inspect.signature(function._callable)
        except Exception:  # attributes of the callable may raise anything
            return None
        positional = [
            p
            for p in signature.parameters.values()
            if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)
        ]
        # A positional-only name must not match a keyword.
        names = ["" if p.kind is p.POSITIONAL_ONLY else p.name for p in positional]
        defaults = [_NO_DEFAULT if p.default is p.empty else p.default for p in positional]
    else:
        names = _names(function)
        if not names:
            return None
        defaults = [None if is_optional else _NO_DEFAULT for is_optional in _optional(function)]
        defaults = (defaults or [_UNKNOWN_DEFAULT] * len(names))[: len(names)]
        defaults += [_NO_DEFAULT] * (len(names) - len(defaults))
    return tuple(sys.intern(name) for name in names), tuple(defaults)


def _signature(function: Function) -> Any:
    """Return an ``inspect.Signature``; raise an AttributeError if nothing is known."""
    import inspect
    from keyword import iskeyword

    if function._callable is not None:
        try:
            return inspect.signature(function._callable)
        except Exception:  # attributes of the callable may raise anything
            raise AttributeError("__signature__") from None
    schema, names = _schema(function), _names(function)
    if schema is None and not names:
        raise AttributeError("__signature__")
    result: Any
    types: list[Any]
    known: list[Any] = [_type_text(each) for each in schema] if schema else ["object"]
    result, *types = known
    count = max(len(types), len(names))
    types += [inspect.Parameter.empty] * (count - len(types))
    optional = _trailing([is_optional(each) for each in schema[1:]]) if schema else []
    optional += [False] * (count - len(optional))
    parameters = []
    # A C++ parameter name may be a Python keyword.
    all_named = len(names) == count and not any(map(iskeyword, names))
    for i in range(count):
        is_named = i < len(names) and not iskeyword(names[i])
        parameters.append(
            inspect.Parameter(
                names[i] if is_named else f"arg{i}",
                inspect.Parameter.POSITIONAL_OR_KEYWORD
                if all_named
                else inspect.Parameter.POSITIONAL_ONLY,
                annotation=types[i],
                default=None if optional[i] else inspect.Parameter.empty,
            )
        )
    result = result if schema else inspect.Signature.empty
    return inspect.Signature(parameters, return_annotation=result)


def is_optional(schema: dict[str, Any]) -> bool:
    """Return whether a parameter of this type may be None."""
    return schema.get("type") in ("Optional", "Any", "None")


def _optional(function: Function) -> list[bool]:
    schema = _schema(function)
    return [is_optional(each) for each in schema[1:]] if schema else []


def _trailing(optional: list[bool]) -> list[bool]:
    """Mark the trailing parameters that are all optional."""
    first = len(optional)
    while first > 0 and optional[first - 1]:
        first -= 1
    return [i >= first for i in range(len(optional))]


def _schema(function: Function) -> list[dict[str, Any]] | None:
    """Return the types of the result and of each parameter; ``None`` if the text is malformed."""
    text = _metadata(function).get("type_schema")
    named = _object(_object(text).get("named_args"))
    result, parameters = named.get("return"), named.get("params")
    if not isinstance(result, list) or not isinstance(parameters, list) or len(result) != 1:
        return None
    types = [*result, *parameters]
    return types if all(map(_is_type, types)) else None


def _is_type(schema: Any) -> bool:
    """Return whether this describes a type."""
    if not isinstance(schema, dict) or not isinstance(schema.get("type"), str):
        return False
    args = schema.get("args", [])
    return isinstance(args, list) and all(map(_is_type, args))


def _names(function: Function) -> list[str]:
    text = _describe(function, "arg_names") or _metadata(function).get("arg_names")
    names = [name.strip() for name in text.split(",")] if isinstance(text, str) else []
    usable = all(name.isidentifier() for name in names) and len({*names}) == len(names)
    return names if usable else []


def _metadata(function: Function) -> dict[str, Any]:
    text = _describe(function, "metadata")
    if text is None and _is_global(function):
        text = call("ffi.GetGlobalFuncMetadata", _global_name(function))
    return _object(text)


def _object(value: Any) -> dict[str, Any]:
    """Parse a JSON object, or accept a dict; anything else from a library becomes ``{}``."""
    if isinstance(value, str):
        import json

        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return {}
    return value if isinstance(value, dict) else {}


def _doc(function: Function) -> str | None:
    """Return the documentation, or ``None``."""
    if function._callable is not None:
        return function._callable.__doc__
    text = _describe(function, "doc")
    if text is None and _is_global(function):
        text = call("ffi.GetGlobalFuncDoc", _global_name(function))
    return text or None


def _describe(function: Function, kind: str) -> str | None:
    return call("ffi.FunctionDescribe", function, kind)


def _global_name(function: Function) -> str:
    # init_ffi_api gives a function a short __name__.
    return getattr(function, "_global_name", function.__name__)


def _is_global(function: Function) -> bool:
    found = _core.get_global_func(_global_name(function))
    return found is not None and found.same_as(function)


def _type_text(schema: dict[str, Any]) -> str:
    """Return a type as an annotation: ``Array[int]``, ``float | None``."""
    name = schema["type"].removeprefix("ffi.").removeprefix("std::")
    name = {"DLTensor*": "Tensor", "String": "str", "string": "str", "Bytes": "bytes"}.get(
        name, name
    )
    args = [_type_text(each) for each in schema.get("args", ())]
    if name == "Optional" and len(args) == 1:
        return f"{args[0]} | None"
    if name == "Variant":
        return " | ".join(args)
    return f"{name}[{', '.join(args)}]" if args else name


class _OfEachFunction:
    """An attribute computed for each function; the class itself has a different value."""

    def __init__(self, of_class: Any, ask: Callable[[Function], Any]) -> None:
        self.of_class = of_class
        self.ask = ask

    def __get__(self, function: Function | None, owner: type | None = None) -> Any:
        return self.of_class if function is None else self.ask(function)


_core.set_describer(_parameters, _NO_DEFAULT, _UNKNOWN_DEFAULT)
Function.__doc__ = _OfEachFunction(Function.__doc__, _doc)  # type: ignore[assignment]
Function.__signature__ = _OfEachFunction(None, _signature)  # type: ignore[attr-defined]

# SPDX-License-Identifier: Apache-2.0
"""List the public names of the package ``tvm_ffi`` that this interpreter imports.

A program of its own, which runs in the environment of either package. It prints the names that the
package itself offers, reads names that the other one offers, a JSON list each, and prints a JSON
object of what it has of all these.
"""

from __future__ import annotations

import ast
import dataclasses
import importlib
import importlib.metadata
import inspect
import json
import pkgutil
import sys
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

PACKAGE = "tvm_ffi"
# The insides of a command and the hooks that frameworks call: not modules to import.
INTERNAL = ("tvm_ffi.frameworks", "tvm_ffi.new", "tvm_ffi.stub")
# What every object inherits is not listed again for each class.
ROOTS = ("CObject", "Object")
SIMPLE = (bool, int, float, str, type(None))  # their text is the same for every Python


def main(modules: list[str]) -> None:
    """Answer; the arguments are public modules, or all that have no underscore."""
    globals_ = importlib.import_module(f"{PACKAGE}.registry").list_global_func_names()
    own = sorted(name for module in modules or sorted(find_modules()) for name in offered(module))
    print(json.dumps(own), flush=True)
    wanted = sorted({*own, *json.loads(input())})
    values = {name: value for name in wanted for value in look_up(name)}
    print(
        json.dumps(
            {
                "version": distribution().version,
                "package": str(Path(sys.modules[PACKAGE].__file__ or "").parent),
                "scripts": sorted(each.name for each in distribution().entry_points),
                "globals": sorted(globals_),
                "names": {name: described(name, value) for name, value in values.items()},
                "aliases": aliases(values),
                "members": {
                    name: members_of(value)
                    for name, value in values.items()
                    if inspect.isclass(value) and of_package(value)
                },
            }
        )
    )


def distribution() -> importlib.metadata.Distribution:
    """The installed distribution that the package is part of."""
    [name] = {*importlib.metadata.packages_distributions()[PACKAGE]}
    return importlib.metadata.distribution(name)


def find_modules() -> Iterator[str]:
    """The public modules of the package."""
    yield PACKAGE
    for info in pkgutil.walk_packages(sys.modules[PACKAGE].__path__, f"{PACKAGE}."):
        hidden = any(part.startswith("_") for part in info.name.split("."))
        if not hidden and not info.name.startswith(INTERNAL):
            yield info.name


def import_module(name: str) -> types.ModuleType | None:
    """A module, or None where there is none or what it needs is not installed."""
    try:
        return importlib.import_module(name)
    except (ImportError, KeyError, OSError, RuntimeError):
        return None


def offered(name: str) -> Iterator[str]:
    """A module and what it lists in ``__all__``, or else what it or a part of it defines."""
    yield name
    module = import_module(name)
    if module is None:
        return
    own = (
        key
        for key, value in vars(module).items()
        if not key.startswith("_")
        and not isinstance(value, types.ModuleType)
        and f"{getattr(value, '__module__', '')}.".startswith(f"{name}.")
    )
    yield from (f"{name}.{key}" for key in getattr(module, "__all__", own))


def look_up(name: str) -> Iterator[Any]:
    """What a name stands for, if anything: an attribute of a module before a module."""
    parent, _, key = name.rpartition(".")
    module = import_module(parent) if parent else None
    missing = object()
    value = missing if module is None else getattr(module, key, missing)
    if value is missing:
        value = import_module(name) or missing
    if value is not missing:
        yield value


def of_package(value: Any) -> bool:
    """Whether a class is one of the package, and not one of Python that it passes on."""
    return str(getattr(value, "__module__", "")).split(".")[0] == PACKAGE


def described(name: str, value: Any) -> tuple[str, str]:
    """What a value is to who uses it, and its signature."""
    if isinstance(value, types.ModuleType):
        return "module", ""
    if inspect.isclass(value):
        return "exception" if issubclass(value, BaseException) else "class", ""
    if not callable(value):
        return "value", ""
    return "function", signature_of(value, stub_of(value).get(name.rpartition(".")[2]))


def aliases(values: dict[str, Any]) -> list[list[str]]:
    """Names of the same class, function or module, the shortest first."""
    found: dict[int, list[str]] = {}
    for name, value in values.items():
        if callable(value) or isinstance(value, types.ModuleType):
            found.setdefault(id(value), []).append(name)
    return [sorted(names, key=lambda each: (each.count("."), each)) for names in found.values()]


def members_of(cls: type) -> dict[str, tuple[str, str]]:
    """The public members of a class, and of those bases that are the package's."""
    found: dict[str, tuple[str, str]] = {}
    for base in cls.__mro__:
        if not of_package(base) or (base.__name__ in ROOTS and cls.__name__ not in ROOTS):
            continue
        fields = [each.name for each in dataclasses.fields(base)] if is_data(base) else []
        for key in {**vars(base), **dict.fromkeys(fields), **annotations_of(base)}:
            value = vars(base).get(key)
            if key.startswith("_") or key in found:
                continue
            plain = value.__func__ if isinstance(value, (classmethod, staticmethod)) else value
            if callable(plain) and not inspect.isclass(plain):
                stub = stub_of(base).get(f"{base.__name__}.{key}")
                found[key] = "method", signature_of(plain, stub)
            else:
                found[key] = "attribute", ""
    return dict(sorted(found.items()))


def is_data(cls: type) -> bool:
    """Whether a class is a dataclass of Python."""
    return "__dataclass_fields__" in vars(cls)


def annotations_of(cls: type) -> dict[str, Any]:
    """The attributes that a class declares."""
    try:
        return dict.fromkeys(inspect.get_annotations(cls))
    except NameError:  # a type that only a checker imports; Python 3.14 looks for it
        return {}


STUBS: dict[str, dict[str, str]] = {}


def stub_of(value: Any) -> dict[str, str]:
    """The signatures in the stub of the compiled module that has a value."""
    name = str(getattr(value, "__module__", ""))
    if name not in STUBS:
        STUBS[name] = read_stub(sys.modules.get(name))
    return STUBS[name]


def read_stub(module: types.ModuleType | None) -> dict[str, str]:
    """The signatures in a stub, if there is one."""
    file = getattr(module, "__file__", None)
    if module is None or not file or file.endswith(".py"):
        return {}
    path = Path(file).parent / f"{module.__name__.rpartition('.')[2]}.pyi"
    found: dict[str, str] = {}
    for node in ast.parse(path.read_text()).body if path.is_file() else []:
        if isinstance(node, ast.FunctionDef):
            found[node.name] = from_syntax(node.args)
        elif isinstance(node, ast.ClassDef):
            for member in node.body:
                if isinstance(member, ast.FunctionDef):
                    found[f"{node.name}.{member.name}"] = from_syntax(member.args)
    return found


def from_syntax(arguments: ast.arguments) -> str:
    """A signature as a stub has it."""
    plain = [*arguments.posonlyargs, *arguments.args]
    defaults = [None] * (len(plain) - len(arguments.defaults)) + arguments.defaults
    parts = [parameter(each.arg, default) for each, default in zip(plain, defaults, strict=True)]
    if arguments.vararg:
        parts.append(f"*{arguments.vararg.arg}")
    elif arguments.kwonlyargs:
        parts.append("*")
    keywords = zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    parts += [parameter(each.arg, default) for each, default in keywords]
    if arguments.kwarg:
        parts.append(f"**{arguments.kwarg.arg}")
    return joined(parts)


def parameter(name: str, default: ast.expr | None) -> str:
    """A parameter with its default, where that is plain text everywhere."""
    if default is None:
        return name
    if isinstance(default, ast.Constant) and default.value is not ...:
        return f"{name}={default.value!r}"
    return f"{name}=..."


def signature_of(value: Any, stub: str | None = None) -> str:
    """The parameters of a function, without types; empty if they are not known."""
    try:
        signature = inspect.signature(value)
    except (TypeError, ValueError):
        return stub or ""
    parts, star = [], False
    for each in signature.parameters.values():
        if each.kind == each.KEYWORD_ONLY and not star:
            parts.append("*")
        star = star or each.kind in (each.VAR_POSITIONAL, each.KEYWORD_ONLY)
        mark = "*" * (each.kind == each.VAR_POSITIONAL) + "**" * (each.kind == each.VAR_KEYWORD)
        default = ""
        if each.default is not each.empty:
            default = f"={each.default!r}" if type(each.default) in SIMPLE else "=..."
        parts.append(f"{mark}{each.name}{default}")
    return joined(parts)


def joined(parts: list[str]) -> str:
    """The parameters, but for the one that Python fills in."""
    return f"({', '.join(parts[1:] if parts[:1] in (['self'], ['cls']) else parts)})"


if __name__ == "__main__":
    main(sys.argv[1:])

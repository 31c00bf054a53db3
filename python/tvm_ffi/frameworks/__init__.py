# SPDX-License-Identifier: Apache-2.0
"""Recognition of each tensor framework's types: one adapter file per framework.

An adapter is a module named after the framework's package, with one function
``recognize(cls) -> tuple[str, Any] | None``. It is imported when a value of one of the framework's
types is first passed, so the framework is already imported. It returns the keyword of
a row in ``_core/calls/kinds.cc`` and the data for that kind:

``("exchange", Framework)``
    a tensor type with ``__dlpack_c_exchange_api__``;
``("dlpack", Framework)``
    a tensor type with ``__dlpack__``;
``("ndarray", Framework)``
    ``numpy.ndarray``, read without calling into NumPy;
``("dtype", function)``
    a dtype class; the function returns ``(code, bits, lanes)`` of an instance;
``("device", function)``
    a device class; the function returns ``(device type, device id)`` of an instance;
``("refused", reason)``
    a type that functions do not accept; the reason states what to pass instead;
``("bool", None)``
    a Boolean type.

Any other result except ``None`` raises a ``TypeError`` when a value of the type is passed.
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Any

from .. import _core

# The adapter of each package that has one.
_ADAPTERS = {
    "cupy": "cupy",
    "jax": "jax",
    "jaxlib": "jax",
    "numpy": "numpy",
    "paddle": "paddle",
    "torch": "torch",
}
# Frameworks without an adapter, by package name and identity of the DLPack table.
_frameworks: dict[tuple[str, int], _core.Framework] = {}
# Kept alive, so that no other table gets the same identity.
_tables: list[Any] = []


def recognize(cls: type) -> tuple[str, Any] | None:
    """Return how to pass a type seen for the first time; ``None`` if no framework defines it.

    The nearest base class from a package with an adapter decides.
    """
    return _ask(cls)[1]


def _ask(cls: type) -> tuple[str, tuple[str, Any] | None]:
    """Return the name of the module that recognizes the type, and its result."""
    for base in cls.__mro__:
        adapter = _ADAPTERS.get(_package_of(base))
        # A class may have the name of a package that is not imported.
        if adapter is not None and adapter in sys.modules:
            module = import_module(f"{__name__}.{adapter}")
            answer = module.recognize(cls)
            if answer is not None:
                return module.__name__, answer
            break
    table = getattr(cls, "__dlpack_c_exchange_api__", None)
    if table is None and not hasattr(cls, "__dlpack__"):
        return __name__, None
    package = _package_of(cls)
    # Two types of a package may have different tables: each table is a separate framework.
    key = (package, id(table))
    if key not in _frameworks:
        _frameworks[key] = _core.Framework(package, exchange_type=None if table is None else cls)
        _tables.append(table)
    word = "exchange" if _frameworks[key].has_exchange else "dlpack"
    return __name__, (word, _frameworks[key])


def _package_of(cls: type) -> str:
    module = getattr(cls, "__module__", None)
    return module.partition(".")[0] if isinstance(module, str) else ""


_core.set_recognizer(_ask)

# SPDX-License-Identifier: Apache-2.0
"""How each tensor framework's types are recognised: one adapter file per framework.

An adapter is a module named like the framework's package, with one function
``recognize(cls) -> tuple[str, Any] | None``. It is imported when a value of one of the framework's
types arrives for the first time, so the framework is imported already. It answers with the word of
a row in ``_core/calls/kinds.cc`` and what that kind needs:

``("exchange", Framework)``
    a tensor type with ``__dlpack_c_exchange_api__``;
``("dlpack", Framework)``
    a tensor type with ``__dlpack__``;
``("ndarray", Framework)``
    ``numpy.ndarray``, read without a call into NumPy;
``("dtype", function)``
    a type of dtypes; the function gives ``(code, bits, lanes)`` of one;
``("device", function)``
    a type of devices; the function gives ``(device type, device id)`` of one;
``("refused", reason)``
    a type that no function takes; the reason says what to pass instead;
``("bool", None)``
    a type of truth values.

Any other answer but ``None`` is a ``TypeError`` when a value of the type arrives.
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
# Of the packages that have none, by name and identity of the DLPack table.
_frameworks: dict[tuple[str, int], _core.Framework] = {}
# Kept, so that no other table gets the same identity.
_tables: list[Any] = []


def recognize(cls: type) -> tuple[str, Any] | None:
    """Return how to pass a type that no call has met before; ``None`` if no framework has it.

    The nearest base class that belongs to a package with an adapter decides.
    """
    return _ask(cls)[1]


def _ask(cls: type) -> tuple[str, tuple[str, Any] | None]:
    """Return the name of the module that knows the type, and its answer."""
    for base in cls.__mro__:
        adapter = _ADAPTERS.get(_package_of(base))
        # A class may bear the name of a package that is not there.
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
    # Two types of a package may have two tables: each is a framework of its own.
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

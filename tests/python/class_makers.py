# SPDX-License-Identifier: Apache-2.0
"""Names and classes for the tests of types defined in Python."""

from __future__ import annotations

import itertools
from typing import Any

from tvm_ffi import Object

_numbers = itertools.count()


def new_key() -> str:
    """Return a type key that is not in use yet: types live as long as the process."""
    return f"tests.T{next(_numbers)}"


def make_class(module: str, name: str, base: type = Object, **annotations: Any) -> Any:
    """Create a class with the given annotations."""
    return type(base)(name, (base,), {"__module__": module, "__annotations__": annotations})

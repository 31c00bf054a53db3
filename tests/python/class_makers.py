# SPDX-License-Identifier: Apache-2.0
"""Names and classes for the tests of types that Python defines."""

from __future__ import annotations

import itertools
from typing import Any

from tvm_ffi import Object

_numbers = itertools.count()


def new_key() -> str:
    """Give a name that no type has: types last as long as the process."""
    return f"tests.T{next(_numbers)}"


def make_class(module: str, name: str, base: type = Object, **annotations: Any) -> Any:
    """Make a class of annotations."""
    return type(base)(name, (base,), {"__module__": module, "__annotations__": annotations})

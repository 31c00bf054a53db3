# SPDX-License-Identifier: Apache-2.0
"""Copies with some fields replaced."""

from __future__ import annotations

from typing import Any, TypeVar

from .fields import is_instance

_T = TypeVar("_T")


def replace(obj: _T, /, **changes: Any) -> _T:
    """Copy an instance of a dataclass, with other values for some fields.

    A field that can only be read gets its value too, since the object is a new one. What the
    others refer to is shared, as by :func:`copy.copy`.

    Parameters
    ----------
    obj
        The instance.
    changes
        The values of fields by name.

    Raises
    ------
    TypeError
        It is no instance of a dataclass; a name is no field's; a value does not convert to the
        field's type; or the C++ class cannot be copied.

    Examples
    --------
    >>> from tvm_ffi.dataclasses import replace
    >>> from tvm_ffi.testing import TestIntPair
    >>> replace(TestIntPair(1, 2), b=5)
    testing.TestIntPair(a=1, b=5)
    """
    if not is_instance(obj):
        given = f"the class {obj.__name__}" if isinstance(obj, type) else type(obj).__name__
        raise TypeError(
            "replace: obj: expected an instance of a class that c_class or py_class decorates, "
            f"got {given}"
        )
    made: _T = obj.__replace__(**changes)  # type: ignore[attr-defined]
    return made

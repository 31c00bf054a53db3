# SPDX-License-Identifier: Apache-2.0
"""Copies with some fields replaced."""

from __future__ import annotations

from typing import Any, TypeVar

from .fields import is_instance

_T = TypeVar("_T")


def replace(obj: _T, /, **changes: Any) -> _T:
    """Copy an instance of a dataclass with new values for some fields.

    Read-only fields can get new values too, since the object is a new one. The values of the
    other fields are shared, as with :func:`copy.copy`.

    Parameters
    ----------
    obj
        The instance.
    changes
        The new values of fields, by name.

    Raises
    ------
    TypeError
        ``obj`` is not an instance of a dataclass; a name is not a field; a value cannot be
        converted to the field's type; or the C++ class cannot be copied.

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

# SPDX-License-Identifier: Apache-2.0
"""Python classes for the object types that libraries register."""

from __future__ import annotations

import os
from _thread import RLock
from collections.abc import Callable
from typing import Any

from . import _core
from . import copying as copying
from . import printing as printing
from ._core import Object
from ._runtime import call
from .type_info import TypeInfo


def register_object(type_key: Any = None, *, init: bool = True) -> Callable[[type], type]:
    """Bind a class to an object type that a library registers; a decorator.

    From then on, objects of the type arrive in Python as instances of the class. If another class
    is registered for the type later, it replaces this one, but existing instances keep their class.
    The class gets the type's fields, methods and constructor; names that its body defines are kept.
    See :doc:`/concepts/object_and_class` for a class of each kind.

    Parameters
    ----------
    type_key
        Name of the type, as declared in C++; by default, the name of the class.
    init
        Install ``__init__``, which creates an object with the registered constructor. A type
        without one gets an ``__init__`` that raises an error.

    Raises
    ------
    ValueError
        No loaded library registers such a type.
    TypeError
        The class is not derived from :class:`tvm_ffi.Object`, or it is derived from the class of a
        type that is not an ancestor of this one.
    """
    if isinstance(type_key, type):
        return _register(type_key.__name__, type_key, True)

    def decorator(cls: type) -> type:
        return _register(type_key or getattr(cls, "__name__", ""), cls, init)

    return decorator


def _prepare(type_key: str, cls: Any, init: bool) -> type | None:
    """Add the type's members to a class; return the class already registered for the type."""
    if not isinstance(type_key, str):
        raise TypeError(f"register_object: type_key: expected a str, got {type(type_key).__name__}")
    if not (isinstance(cls, type) and issubclass(cls, Object)):
        raise TypeError(
            f"register_object: {type_key}: expected a class derived from tvm_ffi.Object, "
            f"got {cls!r}"
        )
    type_index = _core.find_type(type_key)
    if type_index is None:
        raise ValueError(
            f"register_object: type_key: expected a type that a loaded library registers, got "
            f"{type_key!r}"
        )
    known = _core.registered_class(type_index)
    if known is not None and known.__module__.startswith("tvm_ffi") and not issubclass(cls, known):
        # The runtime's own handling of such objects relies on its class.
        raise TypeError(
            f"register_object: {type_key}: expected a class derived from {known!r}, got {cls!r}"
        )
    info = TypeInfo(type_index, cls)
    inherited = _inherited(cls)
    for base in inherited.values():
        # The members of a stranger's class would read this object as if it were the stranger.
        strange = base.type_index not in (type_index, *info.type_ancestors)
        if strange and (base.fields or base.methods):
            raise TypeError(
                f"register_object: {type_key}: expected a class derived from those of its "
                f"ancestors, got {cls.__name__}, which is derived from that of {base.type_key}"
            )
    own = frozenset(cls.__dict__)
    for ancestor in info.type_ancestors[1:]:
        if ancestor not in inherited:
            _add_members(cls, TypeInfo(ancestor, cls), own)
    _add_members(cls, info, own)
    _add_constructor(cls, info, own, init)
    cls.__tvm_ffi_type_info__ = info  # type: ignore[attr-defined]
    return known


def _register(type_key: str, cls: Any, init: bool) -> Any:
    known = _prepare(type_key, cls, init)
    _core.register_object_class(type_key, cls)
    # Classes generated for descendants are generated again, derived from this one.
    for index, made in list(_made.items()):
        if known is not None and made is not cls and issubclass(made, known):
            del _made[index]
            if _core.registered_class(index) is made:
                _core.forget_class(index)
    return cls


def _inherited(cls: type) -> dict[int, TypeInfo]:
    """Return the type information of a class's bases, by type index."""
    infos = [base.__dict__.get("__tvm_ffi_type_info__") for base in cls.__mro__[1:]]
    return {info.type_index: info for info in infos if info is not None}


def _add_members(cls: type, info: TypeInfo, own: frozenset[str]) -> None:
    for field in info.fields:
        if field.name not in own:
            setattr(cls, field.name, field.descriptor)
    for method in info.methods:
        if method.name not in own and method.name != "__ffi_init__":
            setattr(
                cls, method.name, staticmethod(method.func) if method.is_static else method.func
            )


def _add_constructor(cls: type, info: TypeInfo, own: frozenset[str], init: bool) -> None:
    function = _core.type_attribute(info.type_index, "__ffi_init__")
    registered = [method for method in info.methods if method.name == "__ffi_init__"]
    if function is None and registered:
        function = registered[0].func.__func__
    if function is None:
        constructor = Object.__init__  # refuses; the parent's would create a parent object
    else:
        # A registered constructor has no argument names; one generated from the fields has.
        mark = None if registered else _keyword_mark()
        doc = (registered[0].doc or "") if registered else ""
        constructor = _core.make_constructor(info.type_key, doc, function, mark)
        if "__ffi_init__" not in own:
            cls.__ffi_init__ = constructor  # type: ignore[attr-defined]
    if init and "__init__" not in own:
        cls.__init__ = constructor  # type: ignore[misc]


_mark: Object | None = None


def _keyword_mark() -> Object:
    """Return the argument that precedes keyword arguments in a constructor call."""
    global _mark
    if _mark is None:
        _mark = call("ffi.GetKwargsObject")
    return _mark


# Classes generated for types without one.
_made: dict[int, type] = {}
# If threads generate one at once, only one is registered: all objects of a type share its class.
_making = RLock()


def _renew_lock() -> None:
    """Replace the lock in a forked child, which lacks the thread that may have held it."""
    global _making
    _making = RLock()


os.register_at_fork(after_in_child=_renew_lock)


def _make_class(type_index: int) -> None:
    """Register a class for a type that has none, and for its ancestors."""
    # Without the lock: a base class may import a module as classes are derived from it, and
    # another thread, which imports that module, may need the lock.
    type_key, made = _missing_class(type_index)
    with _making:
        if _core.registered_class(type_index) is None:
            _core.register_object_class(type_key, made)
            _made[type_index] = made


def _missing_class(type_index: int) -> tuple[str, type]:
    type_key, doc, ancestors, _, _ = _core.describe_type(type_index)
    module, _, name = type_key.rpartition(".")
    base = _core.class_of(ancestors[-1]) if ancestors else Object
    metaclass: Any = type(base)
    body = {
        "__module__": module,
        "__slots__": (),
        "__doc__": doc or f"Made for {type_key}, for which no class is registered.",
    }
    made = metaclass(name, (base,), body)
    _prepare(type_key, made, True)
    return type_key, made


_core.set_class_maker(_make_class)

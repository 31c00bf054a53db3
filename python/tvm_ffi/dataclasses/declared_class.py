# SPDX-License-Identifier: Apache-2.0
"""Python classes that become object types: first declared, then defined with their fields."""

from __future__ import annotations

import contextlib
import json
import os
import sys
import types
from _thread import RLock, get_ident
from collections.abc import Callable, Sequence
from typing import Any

from .. import _core
from .. import field_flags as bits
from .._core import Function, Object
from .._runtime import call
from ..object import register_object
from ..type_info import all_fields
from .annotations import resolved
from .declared_fields import NamedField, check_is_new, take_fields
from .described_field import Field
from .field import STRUCTURAL_BITS
from .field_types import UnsupportedTypeError, describe
from .fields import fields, keep_fields
from .install import Options, install
from .missing import MISSING

# Methods of the body that the runtime looks up as attributes of the type.
_ATTRIBUTES = (
    "__any_equal__",
    "__any_hash__",
    "__data_from_json__",
    "__data_to_json__",
    "__ffi_compare__",
    "__ffi_convert__",
    "__ffi_eq__",
    "__ffi_hash__",
    "__ffi_repr__",
    "__s_equal__",
    "__s_hash__",
)

# TVMFFITypeIndex: the index of ffi.Object, and the number of types that the runtime defines.
_FIRST_OBJECT = 64
_BUILT_IN = 15

_COMPUTED = "__tvm_ffi_init_properties__"

# Classes whose fields are not known yet, with the indices of their types.
_declared: dict[type, int] = {}
# Types that a class in this process defined; other classes may have joined them since.
_defined: set[int] = set()
_waiting: list[DeclaredClass] = []
# Guards the three above. No annotation or default factory runs under it: one may import a
# module that another thread is importing, and that module may define a class.
_lock = RLock()
_locks_of_types: dict[str, RLock] = {}


def _renew_locks() -> None:
    """Replace the locks in a forked child, which lacks the threads that may have held them."""
    global _lock
    _lock = RLock()
    _locks_of_types.clear()


os.register_at_fork(after_in_child=_renew_locks)


def lock_of_type(type_key: str) -> RLock:
    """Return a lock for threads that define the same type."""
    with _lock:
        return _locks_of_types.setdefault(type_key, RLock())


class DeclaredClass:
    """A decorated class; its fields become known once its annotations can be resolved."""

    def __init__(
        self,
        cls: Any,
        type_key: str,
        options: Options,
        *,
        kw_only: bool = False,
        structural_kind: int,
        local_names: dict[str, Any],
        more: Sequence[type] = (),
    ) -> None:
        self.cls = cls
        self.type_key = type_key
        self.options = options
        self.structural_kind = structural_kind
        self.local_names = local_names
        self.body = dict(cls.__dict__)
        self.own = dict(self.body)
        self.error: BaseException | None = None
        self.is_new = True  # until the decorator has tried to complete it
        # Threads resolving the annotations, which may decorate other classes meanwhile.
        self.threads: set[int] = set()
        # Classes decorated meanwhile in the same scope, where they get their names only afterwards.
        self.beside: dict[str, type] = {}
        if _COMPUTED in self.body:
            raise TypeError(
                f"py_class: {cls.__name__}: expected a class that is not decorated yet, got one "
                "that py_class has decorated"
            )
        with _lock:
            self.parent = _parent_of(cls)
            _check_bases(cls, self.parent)
            inherited = {each.__name__ for each in _inherited_fields(self.parent)}
        self.fields, computed = take_fields(cls, more, kw_only, inherited)
        for each in self.fields:
            self.own.pop(each.name, None)
        setattr(cls, _COMPUTED, {**getattr(cls, _COMPUTED, {}), **computed})
        try:
            self._wait()
        except BaseException as error:
            self._give_up(error)
            raise

    def _wait(self) -> None:
        """Declare the type and wait for the annotations to be resolved."""
        cls = self.cls
        with _lock:
            self.type_index = _declare(cls, self.type_key, self.parent)
            again = TypeError(f"{self.type_key}: expected the class that was decorated last")
            for other in [other for other in _waiting if other.type_key == self.type_key]:
                other.fail(again)
            for other in _waiting:
                if self._is_beside(other):
                    self.beside[other.cls.__name__] = other.cls
                    other.beside[cls.__name__] = cls
            _declared[cls] = self.type_index
            _waiting.append(self)
            cls.__init__ = self._refuse

    def complete(self) -> NameError | None:
        """Define the type if its annotations can be resolved; otherwise return the reason.

        Raises
        ------
        TypeError
            An annotation is not a type that a field can have.
        """
        thread = get_ident()
        if thread in self.threads:
            return NameError("the annotations are still being resolved")
        self.threads.add(thread)
        try:
            if self._is_waiting():
                annotations = {each.name: self._resolve(each) for each in self.fields}
                with _lock:
                    if self._is_waiting():  # no other thread has completed it meanwhile
                        self._define(annotations)
        except NameError as error:
            return error
        except BaseException as error:
            if self.is_new:
                self._give_up(error)
            elif isinstance(error, Exception):
                self.fail(error)
            raise
        finally:
            self.threads.discard(thread)
            self.is_new = False
        return None

    def _is_waiting(self) -> bool:
        """Return whether the type is not defined yet; raise an error if it cannot be."""
        with _lock:
            if self.error is not None:
                # Drop the frames, and so the arguments, of the calls that raised it before.
                raise self.error.with_traceback(None)
            if self not in _waiting:
                return False
            _check_bases(self.cls, self.parent)
            if self.parent in _declared.values():
                raise NameError("the fields of the base class are not known yet")
            return True

    def fail(self, error: BaseException) -> None:
        """Stop waiting; creating an object of the class then raises the error."""
        name = self.cls.__name__
        with _lock:
            if self in _waiting:
                self.error = error
                _waiting.remove(self)
                _declared.pop(self.cls, None)
                for other in _waiting:
                    if other.beside.get(name) is self.cls:
                        del other.beside[name]

    def _give_up(self, error: BaseException) -> None:
        """Stop waiting and restore the class to its state before decoration."""
        self.fail(error)
        for name in (*(each.name for each in self.fields), _COMPUTED, "__init__"):
            if name in self.body:
                setattr(self.cls, name, self.body[name])
            elif name in self.cls.__dict__:
                delattr(self.cls, name)

    def _define(self, annotations: dict[str, Any]) -> None:
        cls: Any = self.cls
        inherited = {each.__name__ for each in all_fields(self.parent)}
        for each in self.fields:  # the base class may have been waiting as well
            check_is_new(cls, each.name, inherited)
        described = [self._describe(each, annotations[each.name]) for each in self.fields]
        doc = self.own.get("__doc__") or ""
        # Checked before the type is defined, because a definition is permanent.
        functions = {name: self.own[name] for name in _ATTRIBUTES if self.own.get(name) is not None}
        made = {name: Function(getattr(f, "__func__", f)) for name, f in functions.items()}
        call("ffi._DefineType", self.type_index, doc, self.structural_kind, described)
        for name, function in made.items():
            call("ffi._SetTypeAttribute", self.type_index, name, function)
        _defined.add(self.type_index)
        if "__init__" in self.own:
            cls.__init__ = self.own["__init__"]
        else:
            del cls.__init__
        register_object(self.type_key, init=self.options.init)(cls)
        cls.__tvm_ffi_defines__ = True
        self._add_hooks()
        taken = self._described_fields(annotations)
        install(cls, self.own, self.options, taken)
        keep_fields(cls, taken)
        _waiting.remove(self)
        del _declared[cls]

    def _resolve(self, each: NamedField) -> Any:
        """Resolve the names in an annotation, or raise a NameError."""
        module = dict(vars(sys.modules.get(self.cls.__module__, types)))
        scope = {**self.local_names, **vars(self.cls), **self.beside, self.cls.__name__: self.cls}
        try:
            return resolved(each.annotation, module, scope)
        except (NameError, KeyboardInterrupt):
            raise
        except BaseException as error:  # SystemExit, too, if the text of the annotation raises it
            raise TypeError(
                f"py_class: {self.cls.__name__}.{each.name}: expected the type of a field, got "
                f"{each.annotation!r}: {error}"
            ) from None

    def _is_beside(self, other: DeclaredClass) -> bool:
        """Return whether the other class is in the same scope."""
        scopes = [each.cls.__qualname__.rpartition(".")[0] for each in (self, other)]
        return scopes[0] == scopes[1] and self.cls.__module__ == other.cls.__module__

    def _describe(self, each: NamedField, annotation: Any) -> list[Any]:
        options = each.options
        where = f"py_class: {self.cls.__name__}.{each.name}"
        try:
            description, schema = describe(annotation, _declared)
        except UnsupportedTypeError as error:
            raise TypeError(
                f"{where}: expected the type of a field, such as int, list[float], tvm_ffi.Tensor "
                f"or another class of py_class, got {error}"
            ) from None
        flags = 0 if options.frozen or self.options.frozen else bits.WRITABLE
        hashed = options.compare if options.hash is None else options.hash
        default = None
        if options.default_factory is not MISSING:
            flags |= bits.HAS_DEFAULT | bits.DEFAULT_FROM_FACTORY
            default = Function(options.default_factory)
        elif options.default is not MISSING:
            flags |= bits.HAS_DEFAULT
            default = options.default
        elif (
            not options.init
            and description[0] in ("dtype", "Device")
            and each.name not in getattr(self.cls, _COMPUTED)
        ):
            raise TypeError(
                f"{where}: expected a default, since the constructor does not take the field and a "
                f"{description[0]} is never empty, got none"
            )
        for bit, is_set in (
            (bits.REPR_OFF, not options.repr),
            (bits.COMPARE_OFF, not options.compare),
            (bits.HASH_OFF, not hashed),
            (bits.INIT_OFF, not options.init),
            (bits.KW_ONLY, options.kw_only),
        ):
            flags |= bit if is_set else 0
        flags |= STRUCTURAL_BITS[options.structural_eq]
        metadata = json.dumps({"type_schema": json.dumps(schema)})
        return [each.name, options.doc or "", metadata, flags, description, default]

    def _described_fields(self, annotations: dict[str, Any]) -> tuple[Field, ...]:
        frozen = self.options.frozen
        own = {each.name: each.options for each in self.fields}
        inherited = {each.name: each for each in _fields_of_base(self.cls)}
        made = []
        for descriptor in all_fields(self.type_index):
            name = descriptor.__name__
            if name in own:
                made.append(Field(descriptor, annotations[name], frozen))
                made[-1].metadata = own[name].metadata
                made[-1].default = own[name].default
                made[-1].default_factory = own[name].default_factory
            else:
                made.append(inherited.get(name) or Field(descriptor, None, frozen))
        return tuple(made)

    def _add_hooks(self) -> None:
        """Make the constructor compute fields and call ``__post_init__``, if there are any."""
        cls: Any = self.cls
        computed = getattr(cls, _COMPUTED)
        if not computed and not hasattr(cls, "__post_init__"):
            return
        construct = cls.__ffi_init__
        descriptors = {each.__name__: each for each in all_fields(self.type_index)}

        def __ffi_init__(self: Any, /, *args: Any, **kwargs: Any) -> None:
            construct(self, *args, **kwargs)
            for name, prop in computed.items():
                descriptors[name].store(self, prop.func(self))
            post_init = getattr(self, "__post_init__", None)
            if post_init is not None:
                post_init()

        if "__ffi_init__" not in self.own:
            cls.__ffi_init__ = __ffi_init__
        if "__init__" not in self.own and self.options.init:
            cls.__init__ = __ffi_init__

    @property
    def _refuse(self) -> Callable[..., None]:
        """Return the ``__init__`` of a class whose fields are not known yet."""

        def __init__(instance: Any, /, *args: Any, **kwargs: Any) -> None:
            reason = self.complete()
            if reason is not None:
                raise TypeError(
                    f"{self.type_key}: expected annotations whose names are defined by now, got "
                    f"one that is not: {reason}"
                )
            self.cls.__init__(instance, *args, **kwargs)

        return __init__


def is_defined(type_index: int) -> bool:
    """Return whether a Python class defined the fields of a type."""
    return type_index in _defined


def complete_all() -> None:
    """Define the types of all classes whose annotations can be resolved by now.

    An error in one of them is raised when the class is called, not here.
    """
    before = -1
    while len(_waiting) != before:  # another class may be waiting for one that is now complete
        before = len(_waiting)
        # Leave new ones to their own thread, which may be importing what the annotations name.
        for each in [each for each in _waiting if not each.is_new]:
            with contextlib.suppress(Exception):
                each.complete()


def _declare(cls: type, type_key: str, parent: int) -> int:
    index = _core.find_type(type_key)
    if index is not None and _core.describe_type(index)[3] is not None:
        raise ValueError(
            f"py_class: type_key: expected a new name, got {type_key!r}, which is already "
            "registered; types last until the process ends"
        )
    try:
        made: int = call("ffi._DeclareType", type_key, parent)
    except TypeError:
        raise TypeError(
            f"py_class: {cls.__name__}: expected a class derived from tvm_ffi.Object, an "
            "enumeration or another class of py_class, got one derived from the class of "
            f"{_core.describe_type(parent)[0]}"
        ) from None
    except ValueError:
        raise ValueError(
            f"py_class: {cls.__name__}: expected the base class with which {type_key!r} was "
            f"declared before, got {_core.describe_type(parent)[0]}"
        ) from None
    return made


def _index_of(cls: type) -> int | None:
    if cls in _declared:
        return _declared[cls]
    info = cls.__dict__.get("__tvm_ffi_type_info__")
    if info is not None:
        return int(info.type_index)
    for index in range(_FIRST_OBJECT, _FIRST_OBJECT + _BUILT_IN):
        if _core.registered_class(index) is cls:
            return index
    return None


def _parent_of(cls: type) -> int:
    for base in cls.__mro__[1:]:
        index = _index_of(base)
        if index is not None:
            return index
    return _FIRST_OBJECT


def _check_bases(cls: type, parent: int) -> None:
    ancestors = (*_core.describe_type(parent)[2], parent)
    for base in cls.__mro__[1:]:
        index = _index_of(base)
        if index is None and _COMPUTED in vars(base):
            raise TypeError(
                f"py_class: {cls.__name__}: expected a base class that could be defined, got "
                f"{base.__name__}; call it to see why it could not be"
            )
        if index is not None and index not in ancestors:
            raise TypeError(
                f"py_class: {cls.__name__}: expected one base class with fields, got "
                f"{_core.describe_type(parent)[0]} and {_core.describe_type(index)[0]}"
            )


def _inherited_fields(parent: int) -> tuple[_core.Field, ...]:
    return () if parent in _declared.values() else all_fields(parent)


def _fields_of_base(cls: type) -> tuple[Field, ...]:
    for base in cls.__mro__[1:]:
        if "__ffi_is_dataclass__" in base.__dict__ and base is not Object:
            return fields(base)
    return ()

# SPDX-License-Identifier: Apache-2.0
"""Enumerations: object types with a fixed set of named instances."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any, ClassVar, TypeVar

from .. import _core, field_flags
from .._core import Object, ObjectMeta
from .._runtime import call
from ..container import Dict, List, Map
from ..object import register_object
from ..type_info import all_fields
from .annotations import is_class_variable, own_annotations
from .declared_class import DeclaredClass, lock_of_type
from .install import Options
from .methods import repr_of
from .missing import MISSING

_Self = TypeVar("_Self", bound="Enum")

_STATE = "__ffi_enum__"
_ENTRIES = "__ffi_enum_entries__"  # the instances by name, in libraries of release 0.1.12
_INDICES = ("_int_index", "_str_index")
_SINGLETON = 5  # kTVMFFISEqHashKindUniqueInstance
_OPTIONS = Options(
    frozen=True, init=False, repr=False, eq=False, order=False, unsafe_hash=False, match_args=False
)


class _Entry:
    """The placeholder that :func:`entry` and :func:`auto` return until the class exists."""

    __slots__ = ("fields",)

    def __init__(self, fields: dict[str, Any]) -> None:
        self.fields = fields


def _given_fields(given: Any) -> dict[str, Any]:
    """Return the field values that a class body gives to an instance."""
    return dict(given.fields) if isinstance(given, _Entry) else {"value": given}


def entry(**fields: Any) -> Any:
    """Declare an instance of an enumeration with the values of its fields.

    Parameters
    ----------
    fields
        Values of the fields, by name. ``value`` is the number of an instance of :class:`IntEnum`,
        or the string of an instance of :class:`StrEnum`.

    Examples
    --------
    >>> from typing import ClassVar
    >>> from tvm_ffi.dataclasses import Enum, entry
    >>> class Activation(Enum, type_key="example.Activation"):
    ...     monotonic: bool
    ...     relu: ClassVar["Activation"] = entry(monotonic=True)
    ...     gelu: ClassVar["Activation"] = entry(monotonic=False)
    >>> Activation.gelu.monotonic
    False
    """
    return _Entry(fields)


def auto() -> Any:
    """Declare an instance of an enumeration, numbered after the last one.

    Examples
    --------
    >>> from tvm_ffi.dataclasses import Enum, auto
    >>> class Priority(Enum, type_key="example.Priority"):
    ...     low = auto()
    ...     high = auto()
    >>> list(Priority)
    [example.Priority.low, example.Priority.high]
    """
    return _Entry({})


@register_object("ffi.EnumState")
class EnumState(Object):
    """The instances of an enumeration, which all libraries in the process share.

    ``entries`` lists them in registration order, ``indexes`` maps numbers and names to instances,
    and ``attrs`` holds the values set through :meth:`Enum.def_attr`.
    """

    entries: List[Any]
    indexes: Dict[int | str, Any]
    attrs: Dict[str, Any]


class _EnumMeta(ObjectMeta):
    """Metaclass of enumerations: they are iterable, and callable with a number or a name."""

    def __call__(cls: Any, value: Any) -> Any:
        try:
            return cls.get(value)
        except KeyError:
            raise ValueError(
                f"{cls.__name__}: expected the name or the number of an instance, got {value!r}"
            ) from None

    def __iter__(cls: Any) -> Iterator[Any]:
        entries: Iterator[Any] = cls.all_entries()
        return entries

    def __len__(cls) -> int:
        return len(_state(cls).entries)

    def __bool__(cls) -> bool:
        return True  # like other classes, although it has a length

    def __contains__(cls, value: object) -> bool:
        return isinstance(value, cls)

    @property
    def attr_dict(cls) -> Dict[str, Any]:
        """Attributes of the instances by name; see :meth:`Enum.def_attr`."""
        return _state(cls).attrs


@register_object("ffi.Enum", init=False)
class Enum(Object, metaclass=_EnumMeta):
    """Base of an enumeration whose instances are shared by all languages.

    A class that declares instances, or has a ``type_key``, defines an enumeration, or joins the one
    that a library or another class has registered as ``type_key``. Without ``type_key``, the type
    is named after the module and the class. Each instance is an attribute that :func:`auto` or
    :func:`entry` declares. An attribute that is annotated with ``ClassVar`` and has no value is
    bound to the registered instance of that name. Other annotations are fields, whose values
    :func:`entry` takes.

    Each instance exists once in the process. ``_int_index`` is its number and ``_str_index`` its
    name; calling the class with either returns the instance.

    Raises
    ------
    ValueError
        Another instance has the number or the name, or no registered instance has the name of an
        attribute without a value.
    TypeError
        ``type_key`` is not a str; an instance has the name of an attribute that every enumeration
        has; the value of a field is missing or cannot be converted; or a value is given for a name
        that is not a field.
    """

    _int_index: int
    _str_index: str
    attr_dict: ClassVar[Dict[str, Any]]
    _is_numbered: ClassVar[bool] = False

    def __init_subclass__(cls, type_key: str | None = None, **options: Any) -> None:
        super().__init_subclass__(**options)
        if type_key is not None and not isinstance(type_key, str):
            raise TypeError(
                f"{cls.__name__}: type_key: expected a str, got {type(type_key).__name__}"
            )
        body = dict(cls.__dict__)
        entries = {name: each for name, each in body.items() if cls._is_entry(name, each)}
        if type_key is None:
            if not entries:
                return  # a base class for others
            type_key = f"{cls.__module__}.{cls.__qualname__}"
        bound = [
            name
            for name, annotation in own_annotations(cls).items()
            if is_class_variable(annotation) and name not in body
        ]
        cls._check_names(type_key, [*entries, *bound])
        local_names = dict(sys._getframe(1).f_locals)
        with lock_of_type(type_key):  # another thread may define the enumeration too
            _define(cls, type_key, entries, bound, local_names)
        # Without the lock: a default factory may import a module, which another thread may be
        # importing, and that module may join the enumeration.
        instances = {name: cls._make(name, given) for name, given in entries.items()}
        with lock_of_type(type_key):  # another thread may take the next number
            _register(cls, entries, instances, bound)

    @classmethod
    def _is_entry(cls, name: str, value: Any) -> bool:
        return isinstance(value, _Entry)

    @classmethod
    def _check_names(cls, type_key: str, names: list[str]) -> None:
        """Refuse names that the base classes use, other than those of their instances."""
        for name in names:
            used = [base for base in cls.__mro__[1:] if name in vars(base)]
            is_instance = bool(used) and isinstance(vars(used[0])[name], Enum)
            if (used and not is_instance) or name in ("attr_dict", "name", "value"):
                if not used and not issubclass(cls, _Valued) and name != "attr_dict":
                    continue
                raise TypeError(
                    f"{type_key}.{name}: expected a name that enumerations do not use, got {name!r}"
                )

    @classmethod
    def _indices(cls, name: str, place: int, fields: dict[str, Any]) -> tuple[int, str]:
        return place, name

    @classmethod
    def _make(cls, name: str, given: Any) -> Any:
        """Create an instance without a number, or return None if its name is registered."""
        info = cls.__tvm_ffi_type_info__  # type: ignore[attr-defined]
        fields = _given_fields(given)
        if cls._indices(name, 0, fields)[1] in _state(cls).indexes:
            return None
        instance = _core.new_object(info.type_index)
        for field in all_fields(info.type_index):
            if field.__name__ in _INDICES:
                continue
            value = fields.pop(field.__name__, MISSING)
            if value is not MISSING:
                field.store(instance, value)
            elif field.flags & field_flags.HAS_DEFAULT:
                default = field.default
                is_factory = field.flags & field_flags.DEFAULT_FROM_FACTORY
                field.store(instance, default() if is_factory else default)
            elif not field.flags & field_flags.INIT_OFF:
                raise TypeError(
                    f"{info.type_key}.{name}: {field.__name__}: expected a value, got none"
                )
        if fields:
            raise TypeError(
                f"{info.type_key}.{name}: expected names of fields, got {', '.join(fields)}"
            )
        return instance

    @classmethod
    def _number(cls, name: str, given: Any, instance: Any, made: dict[str, Any]) -> Any:
        """Number an instance, or return the registered one of that name."""
        info = cls.__tvm_ffi_type_info__  # type: ignore[attr-defined]
        fields = _given_fields(given)
        state = _state(cls)
        others = [each for each in made.values() if each._str_index not in state.indexes]
        place = len(state.entries) + len(others)
        int_index, str_index = cls._indices(name, place, fields)
        known = state.indexes.get(str_index)
        if known is not None and not fields and (not cls._is_numbered or known == int_index):
            return known
        taken = [known] if known is not None else []
        taken += [each for each in (state.indexes.get(int_index),) if each is not None]
        taken += [each for each in others if str_index == each._str_index]
        taken += [each for each in others if int_index == each._int_index]
        if taken:
            raise ValueError(
                f"{info.type_key}.{name}: expected a new name and a new number, got {str_index!r} "
                f"and {int_index}, one of which {taken[0]!r} has already"
            )
        for field in all_fields(info.type_index):
            if field.__name__ in _INDICES:
                field.store(instance, int_index if field.__name__ == "_int_index" else str_index)
        return instance

    @classmethod
    def get(cls: type[_Self], index: int | str | Enum) -> _Self:
        """Return the instance with the given number or name.

        Raises
        ------
        KeyError
            No instance has that number or name.
        """
        if isinstance(index, cls):
            return index
        if isinstance(index, (int, str)) and not isinstance(index, bool):
            found = _state(cls).indexes.get(index)
            if found is not None:
                return found
        raise KeyError(index)

    @classmethod
    def all_entries(cls: type[_Self]) -> Iterator[_Self]:
        """Iterate over the instances in registration order."""
        return iter(list(_state(cls).entries))

    @classmethod
    def def_attr(cls, name: str, *, default: Any = MISSING) -> EnumAttrMap:
        """Return the values of an attribute of the instances, which any library may set.

        Parameters
        ----------
        name
            Name of the attribute.
        default
            Value of instances without one. If it is omitted, reading such a value raises a
            KeyError.
        """
        return EnumAttrMap(cls, name, default=default)

    def __repr__(self) -> str:
        return repr_of(self)

    def __copy__(self) -> Enum:
        """Return the instance itself, which exists once."""
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Enum:
        """Return the instance itself, which exists once."""
        return self

    def __replace__(self, /, **changes: Any) -> Enum:
        raise TypeError(f"replace: {self!r}: expected an object to copy, got a unique instance")

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._str_index,)


def _define(
    cls: Any, type_key: str, entries: dict[str, Any], bound: list[str], local_names: dict[str, Any]
) -> None:
    """Define the type of an enumeration, or join it."""
    index = _core.find_type(type_key)
    is_known = index is not None and _core.describe_type(index)[3] is not None
    known = _known_state(index) if index is not None else None
    for name in bound:
        if known is None or name not in known.indexes:
            raise ValueError(
                f"{type_key}.{name}: expected the name of a registered instance, got none of "
                "that name"
            )
    for name in entries:
        delattr(cls, name)
    # Fields of bases without a type of their own count as the class's own.
    more = [base for base in reversed(cls.__mro__[1:]) if _has_no_type(base)]
    if is_known:
        _check_fields(cls, type_key, index or 0, more)
        register_object(type_key, init=False)(cls)
    else:
        declared = DeclaredClass(
            cls,
            type_key,
            _OPTIONS,
            structural_kind=_SINGLETON,
            local_names=local_names,
            more=more,
        )
        reason = declared.complete()
        if reason is not None:
            error = TypeError(f"{type_key}: expected annotations that are defined: {reason}")
            declared.fail(error)
            raise error
    _state(cls)


def _register(
    cls: Any, entries: dict[str, Any], instances: dict[str, Any], bound: list[str]
) -> None:
    """Number the instances of a class and register them."""
    # All of them are numbered before any is registered, so that an error leaves none.
    state = _state(cls)
    made: dict[str, Any] = {}
    for name, given in entries.items():
        made[name] = cls._number(name, given, instances[name], made)
    for each in made.values():
        if each._str_index not in state.indexes:
            state.entries.append(each)
            state.indexes[each._int_index] = each
            state.indexes[each._str_index] = each
    for name in bound:
        made[name] = state.indexes[name]
    for name, each in made.items():
        setattr(cls, name, each)


class _Valued(Enum):
    """An enumeration whose instances are equal to their values."""

    _value_type: ClassVar[type] = type(None)

    @classmethod
    def _is_entry(cls, name: str, value: Any) -> bool:
        plain = isinstance(value, cls._value_type) and not name.startswith("_")
        return isinstance(value, _Entry) or plain

    @classmethod
    def _value(cls, name: str, fields: dict[str, Any]) -> Any:
        value = fields.pop("value", MISSING)
        if isinstance(value, bool) or not isinstance(value, cls._value_type):
            got = "none" if value is MISSING else repr(value)
            kind = {int: "an int", str: "a str"}[cls._value_type]
            raise TypeError(f"{cls.__name__}.{name}: value: expected {kind}, got {got}")
        return value

    @property
    def name(self) -> str:
        """The name of the instance."""
        return self._str_index

    def __eq__(self, other: object) -> bool:
        if isinstance(other, self._value_type) and not isinstance(other, bool):
            return bool(self.value == other)  # type: ignore[attr-defined]
        return Object.__eq__(self, other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(self.value)  # type: ignore[attr-defined]

    def __repr__(self) -> str:
        return f"{type(self).__name__}.{self.name}"

    def __str__(self) -> str:
        return str(self.value)  # type: ignore[attr-defined]


@register_object("ffi.IntEnum", init=False)
class IntEnum(_Valued):
    """Base of an enumeration whose numbers the class specifies.

    A number, or ``entry(value=number)``, declares an instance. The instance is equal to its number
    and has the same hash; ``name`` is its name and ``value`` its number.

    Examples
    --------
    >>> from tvm_ffi.dataclasses import IntEnum
    >>> class Level(IntEnum, type_key="example.Level"):
    ...     low = 10
    ...     high = 20
    >>> Level.low.name, Level.low == 10, Level(20)
    ('low', True, Level.high)
    """

    value: int
    _value_type = int
    _is_numbered = True

    @classmethod
    def _indices(cls, name: str, place: int, fields: dict[str, Any]) -> tuple[int, str]:
        return cls._value(name, fields), name


@register_object("ffi.StrEnum", init=False)
class StrEnum(_Valued):
    """Base of an enumeration whose instances are strings.

    A string, or ``entry(value=string)``, declares an instance. The instance is equal to its string
    and has the same hash. ``name`` and ``value`` are both the string: the name of the attribute is
    not registered.

    Examples
    --------
    >>> from tvm_ffi.dataclasses import StrEnum
    >>> class Operator(StrEnum, type_key="example.Operator"):
    ...     add = "+"
    >>> Operator.add == "+", Operator("+")
    (True, Operator.+)
    """

    value: str
    _value_type = str

    @classmethod
    def _indices(cls, name: str, place: int, fields: dict[str, Any]) -> tuple[int, str]:
        return place, cls._value(name, fields)


class EnumAttrMap:
    """The values of one attribute of an enumeration's instances.

    Every library in the process sees the same values.

    Parameters
    ----------
    enum_cls
        The enumeration.
    name
        Name of the attribute.
    default
        Value of instances without one.
    """

    __slots__ = ("_default", "_enum", "name")

    def __init__(self, enum_cls: type[Enum], name: str, *, default: Any = MISSING) -> None:
        self._enum = enum_cls
        self.name = name
        self._default = default

    def __getitem__(self, variant: Enum) -> Any:
        """Return the value of an instance, or the default; without either, raise a KeyError."""
        value = self.get(variant, self._default)
        if value is MISSING:
            raise KeyError(f"{variant!r} has no attribute {self.name!r}")
        return value

    def __setitem__(self, variant: Enum, value: Any) -> None:
        """Set the value of an instance."""
        self._check(variant)
        attrs = _state(self._enum).attrs
        # Another thread may set the first value too.
        with lock_of_type(self._enum.__tvm_ffi_type_info__.type_key):  # type: ignore[attr-defined]
            if self.name not in attrs:
                attrs[self.name] = Dict({})
        attrs[self.name][variant] = value

    def __contains__(self, variant: object) -> bool:
        """Return whether a value was set for an instance."""
        return variant in _state(self._enum).attrs.get(self.name, {})

    def get(self, variant: Enum, default: Any = None) -> Any:
        """Return the value that was set for an instance, or ``default``.

        The default of the attribute is not used.
        """
        self._check(variant)
        return _state(self._enum).attrs.get(self.name, {}).get(variant, default)

    def _check(self, variant: object) -> None:
        if not isinstance(variant, self._enum):
            raise TypeError(
                f"{self._enum.__name__}: {self.name}: expected an instance, got "
                f"{type(variant).__name__}"
            )


def _has_no_type(cls: type) -> bool:
    return issubclass(cls, Enum) and cls not in (Enum, _Valued) and not _defines_type(cls)


def _defines_type(cls: type) -> bool:
    return "__tvm_ffi_type_info__" in cls.__dict__


def _check_fields(cls: type, type_key: str, index: int, more: list[type]) -> None:
    """Refuse annotations that are not fields of an existing type."""
    names = [each.__name__ for each in all_fields(index)]
    for owner in (*more, cls):
        for name, annotation in own_annotations(owner).items():
            if not is_class_variable(annotation) and name not in names:
                raise TypeError(
                    f"{type_key}.{name}: expected a field of the existing type, one of "
                    f"{', '.join(names)}"
                )


def _state(cls: Any) -> Any:
    """Return the state of an enumeration, created here if it has none yet."""
    info = cls.__tvm_ffi_type_info__
    known = _known_state(info.type_index)
    if known is None:
        known = _new_state()
        call("ffi._SetTypeAttribute", info.type_index, _STATE, known)
    return known


def _known_state(type_index: int) -> Any:
    """Return the state of an enumeration, made of the instances in an older library if need be."""
    known = _core.type_attribute(type_index, _STATE)
    older = _core.type_attribute(type_index, _ENTRIES) if known is None else None
    if older is not None:
        instances = list(older.values()) if isinstance(older, (Dict, Map)) else [older]
        for each in instances:
            if not (isinstance(each, Object) and _core.type_index_of(each) == type_index):
                type_key = _core.describe_type(type_index)[0]
                raise TypeError(
                    f"{type_key}: {_ENTRIES}: expected a map from names to instances of the "
                    f"enumeration, got {each!r}"
                )
        known = _new_state()
        for each in sorted(instances, key=lambda instance: instance._int_index):
            known.entries.append(each)
            known.indexes[each._int_index] = each
            known.indexes[each._str_index] = each
        call("ffi._SetTypeAttribute", type_index, _STATE, known)
    return known


def _new_state() -> Any:
    index = _core.find_type("ffi.EnumState")
    assert index is not None
    return _core.new_object(index)

# SPDX-License-Identifier: Apache-2.0
"""Enumerations: object types with a fixed set of named instances."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar, TypeVar

from .. import _core
from .._core import Object, ObjectMeta
from .._runtime import call
from ..container import Dict, List
from ..object import register_object
from ..type_info import all_fields
from .annotations import is_class_variable, own_annotations
from .declared_class import DeclaredClass
from .install import Options
from .methods import repr_of
from .missing import MISSING

_Self = TypeVar("_Self", bound="Enum")

_STATE = "__ffi_enum__"
_SINGLETON = 5  # kTVMFFISEqHashKindUniqueInstance
_OPTIONS = Options(
    frozen=True, init=False, repr=False, eq=False, order=False, unsafe_hash=False, match_args=False
)


class _Entry:
    """What :func:`entry` and :func:`auto` give, until the class exists."""

    __slots__ = ("fields",)

    def __init__(self, fields: dict[str, Any]) -> None:
        self.fields = fields


def entry(**fields: Any) -> Any:
    """Declare an instance of an enumeration, with values of its fields.

    Parameters
    ----------
    fields
        Values by name. ``value`` is the number of an :class:`IntEnum`'s instance, or the text of a
        :class:`StrEnum`'s.

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
    """Declare an instance of an enumeration, with the next number.

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
    """The instances of an enumeration: ``entries``, ``indexes`` and ``attrs``."""

    entries: List[Any]
    indexes: Dict[int | str, Any]
    attrs: Dict[str, Any]


class _EnumMeta(ObjectMeta):
    """The class of enumerations: they can be iterated over, and called with a number or a name."""

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

    def __contains__(cls, value: object) -> bool:
        return isinstance(value, cls)

    @property
    def attr_dict(cls) -> Dict[str, Any]:
        """Give the attributes of the instances, by name: see :meth:`Enum.def_attr`."""
        return _state(cls).attrs


@register_object("ffi.Enum", init=False)
class Enum(Object, metaclass=_EnumMeta):
    """Base of an enumeration whose instances every language knows.

    A class that gives ``type_key`` defines an enumeration, or joins one that a library registers.
    Its instances are the attributes that :func:`auto` or :func:`entry` declares; an attribute that
    is annotated with ``ClassVar`` and has no value is bound to the instance of that name, which
    exists already. Other annotations are fields, which :func:`entry` gives values.

    An instance exists once in the process. Its number and its name are ``_int_index`` and
    ``_str_index``, and the class called with one of them gives the instance.

    Raises
    ------
    ValueError
        A number is taken, or no instance has the name of an attribute without a value.
    TypeError
        A field's value is missing or does not convert, or a name is no field's.
    """

    _int_index: int
    _str_index: str
    attr_dict: ClassVar[Dict[str, Any]]

    def __init_subclass__(cls, type_key: str | None = None, **options: Any) -> None:
        super().__init_subclass__(**options)
        body = dict(cls.__dict__)
        entries = {name: each for name, each in body.items() if cls._is_entry(name, each)}
        if type_key is None:
            if not entries:
                return  # a base for others
            type_key = f"{cls.__module__}.{cls.__qualname__}"
        bound = [
            name
            for name, annotation in own_annotations(cls).items()
            if is_class_variable(annotation) and name not in body
        ]
        index = _core.find_type(type_key)
        is_known = index is not None and _core.describe_type(index)[3] is not None
        known = _core.type_attribute(index, _STATE) if index is not None else None
        for name in bound:
            if known is None or name not in known.indexes:
                raise ValueError(
                    f"{type_key}.{name}: expected the name of a registered instance, got none of "
                    "that name"
                )
        for name in entries:
            delattr(cls, name)
        if not is_known:
            declared = DeclaredClass(cls, type_key, _OPTIONS, False, _SINGLETON, {})
            reason = declared.complete()
            if reason is not None:
                declared.give_up()
                raise TypeError(f"{type_key}: expected annotations that are defined, got {reason}")
        else:
            register_object(type_key, init=False)(cls)
        for name, given in entries.items():
            setattr(cls, name, cls._make(name, given))
        for name in bound:
            setattr(cls, name, _state(cls).indexes[name])

    @classmethod
    def _is_entry(cls, name: str, value: Any) -> bool:
        return isinstance(value, _Entry)

    @classmethod
    def _indices(cls, name: str, fields: dict[str, Any]) -> tuple[int, str]:
        return len(_state(cls).entries), name

    @classmethod
    def _make(cls, name: str, given: Any) -> Any:
        """Register an instance, or give the one that has the name already."""
        info = cls.__tvm_ffi_type_info__  # type: ignore[attr-defined]
        fields = dict(given.fields) if isinstance(given, _Entry) else {"value": given}
        int_index, str_index = cls._indices(name, fields)
        state = _state(cls)
        if str_index in state.indexes and not fields:
            return state.indexes[str_index]
        for taken in (int_index, str_index):
            if taken in state.indexes:
                raise ValueError(f"{info.type_key}.{name}: expected a new index, got {taken!r}")
        made = _core.new_object(info.type_index)
        fields.update(_int_index=int_index, _str_index=str_index)
        for field in all_fields(info.type_index):
            value = fields.pop(field.__name__, MISSING)
            if value is not MISSING:
                field.store(made, value)
            elif field.flags & 2:
                factory = field.default
                field.store(made, factory() if field.flags & 32 else factory)
            elif not field.flags & 512:
                raise TypeError(
                    f"{info.type_key}.{name}: {field.__name__}: expected a value, got none"
                )
        if fields:
            raise TypeError(
                f"{info.type_key}.{name}: expected names of fields, got {', '.join(fields)}"
            )
        state.entries.append(made)
        state.indexes[int_index] = made
        state.indexes[str_index] = made
        return made

    @classmethod
    def get(cls: type[_Self], index: int | str | Enum) -> _Self:
        """Give the instance of a number or a name.

        Raises
        ------
        KeyError
            There is none.
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
        """Iterate over the instances, in the order of their registration."""
        return iter(list(_state(cls).entries))

    @classmethod
    def def_attr(cls, name: str, *, default: Any = MISSING) -> EnumAttrMap:
        """Give the values that instances have of an attribute, which any library may set.

        Parameters
        ----------
        name
            Name of the attribute.
        default
            Value of instances without one; otherwise, reading it raises a KeyError.
        """
        return EnumAttrMap(cls, name, default=default)

    def __repr__(self) -> str:
        return repr_of(self)

    def __copy__(self) -> Enum:
        """Return the instance: it exists once."""
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Enum:
        """Return the instance: it exists once."""
        return self

    def __replace__(self, /, **changes: Any) -> Enum:
        raise TypeError(f"replace: {self!r}: expected an object to copy, got what exists once")

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._str_index,)


class _Valued(Enum):
    """An enumeration whose instances have a value, to which they are equal."""

    _value_type: ClassVar[type] = type(None)

    @classmethod
    def _is_entry(cls, name: str, value: Any) -> bool:
        plain = isinstance(value, cls._value_type) and not isinstance(value, bool)
        return isinstance(value, _Entry) or (plain and not name.startswith("_"))

    @classmethod
    def _value(cls, name: str, fields: dict[str, Any]) -> Any:
        value = fields.pop("value", MISSING)
        if isinstance(value, bool) or not isinstance(value, cls._value_type):
            got = "none" if value is MISSING else repr(value)
            raise TypeError(
                f"{cls.__name__}.{name}: value: expected a {cls._value_type.__name__}, got {got}"
            )
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
    """Base of an enumeration whose instances have chosen numbers.

    An instance is declared by its number, or by ``entry(value=number)``. It is equal to its number
    and has the same hash; ``name`` and ``value`` are its name and its number.

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

    @classmethod
    def _indices(cls, name: str, fields: dict[str, Any]) -> tuple[int, str]:
        return cls._value(name, fields), name


@register_object("ffi.StrEnum", init=False)
class StrEnum(_Valued):
    """Base of an enumeration whose instances are texts.

    An instance is declared by its text, or by ``entry(value=text)``. It is equal to its text and
    has the same hash; ``name`` and ``value`` are both the text.

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
    def _indices(cls, name: str, fields: dict[str, Any]) -> tuple[int, str]:
        return len(_state(cls).entries), cls._value(name, fields)


class EnumAttrMap:
    """The values that the instances of an enumeration have of an attribute.

    Every library of the process sees the same values.

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
        """Give the value of an instance, or the default; a KeyError without either."""
        value = self.get(variant, self._default)
        if value is MISSING:
            raise KeyError(f"{variant!r} has no attribute {self.name!r}")
        return value

    def __setitem__(self, variant: Enum, value: Any) -> None:
        """Set the value of an instance."""
        self._check(variant)
        attrs = _state(self._enum).attrs
        if self.name not in attrs:
            attrs[self.name] = Dict({})
        attrs[self.name][variant] = value

    def __contains__(self, variant: object) -> bool:
        """Return whether an instance has a value of its own."""
        return variant in _state(self._enum).attrs.get(self.name, {})

    def get(self, variant: Enum, default: Any = None) -> Any:
        """Give the value of an instance, or ``default``."""
        self._check(variant)
        return _state(self._enum).attrs.get(self.name, {}).get(variant, default)

    def _check(self, variant: object) -> None:
        if not isinstance(variant, self._enum):
            raise TypeError(
                f"{self._enum.__name__}: {self.name}: expected an instance, got "
                f"{type(variant).__name__}"
            )


def _state(cls: Any) -> Any:
    """Give the instances of an enumeration, which may have none yet."""
    info = cls.__tvm_ffi_type_info__
    known = _core.type_attribute(info.type_index, _STATE)
    if known is None:
        index = _core.find_type("ffi.EnumState")
        assert index is not None
        known = _core.new_object(index)
        call("ffi._SetTypeAttribute", info.type_index, _STATE, known)
    return known

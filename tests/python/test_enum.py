# SPDX-License-Identifier: Apache-2.0
# Rows: R5, R6
"""Enumerations defined by Python classes or shared with C++."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any, ClassVar

import pytest
import tvm_ffi
from tvm_ffi import Object
from tvm_ffi.dataclasses import (
    Enum,
    IntEnum,
    StrEnum,
    auto,
    entry,
    field,
    gen_abi_cpp,
    is_dataclass,
    py_class,
)
from tvm_ffi.serialization import from_json_graph_str, to_json_graph_str

from .conftest import compile_cpp_library


class Priority(Enum, type_key="enum_test.Priority"):
    """Numbered from 0."""

    low = auto()
    high = auto()

    def louder(self) -> Any:
        """Return the next instance."""
        return Priority.get(self._int_index + 1)


class Activation(Enum, type_key="enum_test.Activation"):
    """With fields."""

    monotonic: bool
    order: int = 3
    relu: ClassVar[Activation] = entry(monotonic=True)
    gelu: ClassVar[Activation] = entry(monotonic=False, order=4)


class Level(IntEnum, type_key="enum_test.Level"):
    """With explicit numbers."""

    low = 10
    high = entry(value=20)


class Operator(StrEnum, type_key="enum_test.Operator"):
    """With text values."""

    add = "+"
    sub = entry(value="-")


@pytest.fixture(scope="module")
def colours(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Load a library that registers its own enumeration."""
    path = tmp_path_factory.mktemp("colours") / "colours.so"
    compile_cpp_library(Path(__file__).resolve().parent / "colours.cc", path)
    return tvm_ffi.load_module(path)


def test_instances() -> None:
    """Instances are ordered attributes, each with a number and a name."""
    assert list(Priority) == [Priority.low, Priority.high]
    assert len(Priority) == 2
    assert (Priority.high._int_index, Priority.high._str_index) == (1, "high")
    assert isinstance(Priority.low, Priority)
    assert Priority.low in Priority
    assert repr(Priority.low) == str(Priority.low) == "enum_test.Priority.low"
    assert repr(tvm_ffi.convert([Priority.low])) == "(enum_test.Priority.low,)"
    assert Priority.low.louder() is Priority.high or Priority.low.louder() == Priority.high
    assert list(Priority.all_entries()) == list(Priority)


def test_lookup() -> None:
    """A number, a name or an instance looks up the instance; anything else is an error."""
    assert Priority("low") == Priority(0) == Priority(Priority.low) == Priority.low
    assert Priority.get("high").same_as(Priority.high)
    assert Priority("high") is not Priority.high
    for missing in ("name", "value"):
        assert not hasattr(Priority.high, missing)
    with pytest.raises(TypeError, match="not subscriptable"):
        Priority["high"]  # type: ignore[misc]
    for wrong in ("mid", 7, True, 1.0, None, Activation.relu):
        with pytest.raises(ValueError, match="Priority: expected the name or the number"):
            Priority(wrong)
        with pytest.raises(KeyError):
            Priority.get(wrong)  # type: ignore[arg-type]


def test_identity() -> None:
    """Copies, pickles, JSON and containers preserve an instance's identity."""
    for each in (Priority.low, Activation.gelu, Level.high, Operator.add):
        assert copy.copy(each) is each
        assert copy.deepcopy(each) is each
        assert pickle.loads(pickle.dumps(each)).same_as(each)
        assert from_json_graph_str(to_json_graph_str(each)).same_as(each)
        assert copy.deepcopy(tvm_ffi.List([each]))[0].same_as(each)
        assert tvm_ffi.convert([each])[0] == each
        assert {tvm_ffi.convert([each])[0]: 1}[each] == 1
        assert tvm_ffi.structural_equal(each, each)
    assert not tvm_ffi.structural_equal(Priority.low, Priority.high)
    assert Priority.low != Priority.high


def test_identity_in_fields() -> None:
    """An instance stays the same in a pickle or a copy of an object that refers to it."""

    @py_class("enum_test.Holder")
    class Holder(Object):
        held: Any

    for each in (Priority.low, Activation.gelu, Level.high, Operator.add):
        holder = Holder(Holder(each))
        assert pickle.loads(pickle.dumps(holder)).held.held.same_as(each)
        assert copy.deepcopy(holder).held.held.same_as(each)
        assert from_json_graph_str(to_json_graph_str(holder)).held.held.same_as(each)


def test_fields() -> None:
    """Instances have read-only fields."""
    assert (Activation.relu.monotonic, Activation.relu.order) == (True, 3)
    assert (Activation.gelu.monotonic, Activation.gelu.order) == (False, 4)
    with pytest.raises(AttributeError, match="can only be read"):
        Activation.relu.monotonic = False
    assert is_dataclass(Activation)


def test_values() -> None:
    """Instances of IntEnum and StrEnum equal their values."""
    assert Level.low == 10
    assert Level.low != 11
    assert hash(Level.low) == hash(10)
    assert Level.low == 10
    assert Level.low != Level.high
    assert Level.low != "low"
    assert not isinstance(Level.low, int)
    assert (Level.low.name, Level.low.value, str(Level.low)) == ("low", 10, "10")
    assert Level(20) == Level.high
    assert Level("low") == Level.low
    assert Operator.add == "+"
    assert Operator.add != "add"
    assert hash(Operator.add) == hash("+")
    assert (Operator.add.name, Operator.sub.value, repr(Operator.sub)) == ("+", "-", "Operator.-")
    assert Operator("-") == Operator.sub
    assert to_json_graph_str(Level.low).count("10") == 1


def test_attributes() -> None:
    """An attribute has values for instances, shared by every map of the same name."""
    cost = Activation.def_attr("cost", default=0)
    cost[Activation.relu] = 3
    again = Activation.def_attr("cost")
    assert (cost[Activation.relu], cost[Activation.gelu], again[Activation.relu]) == (3, 0, 3)
    assert Activation.relu in cost
    assert Activation.gelu not in cost
    assert again.get(Activation.gelu) is None
    assert again.get(Activation.gelu, 7) == 7
    assert Activation.attr_dict["cost"][Activation.relu] == 3
    with pytest.raises(KeyError, match=r"enum_test\.Activation\.gelu has no attribute 'cost'"):
        again[Activation.gelu]
    with pytest.raises(TypeError, match="cost: expected an instance, got str"):
        cost["relu"] = 3  # type: ignore[index]


def test_as_fields() -> None:
    """A field can have an enumeration as its type and then refuses other values."""

    @py_class("enum_test.Task")
    class Task(Object):
        priority: Priority
        level: Level = Level.low

    task = Task(Priority.high)
    assert task.priority == Priority.high
    assert task.level == 10
    assert copy.deepcopy(task).priority.same_as(Priority.high)
    with pytest.raises(TypeError, match=r"priority: expected enum_test\.Priority, got"):
        Task(Level.low)


def test_shared_with_cpp(colours: Any) -> None:
    """A class joins an enumeration registered by a library and adds to it."""

    class Colour(Enum, type_key="colours.Colour"):
        red: ClassVar[Colour]
        green: ClassVar[Colour]
        blue = auto()

    assert [each._str_index for each in Colour] == ["red", "green", "blue"]
    assert colours.green().same_as(Colour.green)
    assert type(colours.green()) is Colour
    assert Colour.def_attr("rgb")[Colour.red] == 0xFF0000
    assert Colour.blue._int_index == 2

    class Again(Enum, type_key="colours.Colour"):
        red = auto()

    assert Again.red.same_as(Colour.red)
    assert len(Again) == 3


def test_bases() -> None:
    """A class with neither type_key nor instances is a base; with instances it gets its own key."""

    class Base(Enum):
        def shout(self) -> str:
            return self._str_index.upper()

    class Derived(Base, type_key="enum_test.Derived"):
        one = auto()

    class Unnamed(Base):
        two = auto()

    assert Derived.one.shout() == "ONE"
    assert Unnamed.two.shout() == "TWO"
    assert repr(Unnamed.two).endswith("test_bases.<locals>.Unnamed.two")


def declare(base: Any, key: Any, **body: Any) -> Any:
    """Create an enumeration from a body."""
    return type(base)("Made", (base,), {"__module__": __name__, **body}, type_key=key)


def test_after_an_error() -> None:
    """A body that fails halfway registers nothing; a corrected one does."""
    annotations = {"size": int}
    with pytest.raises(TypeError, match="size: expected int, got str"):
        declare(
            Enum, "enum_test.Half", __annotations__=annotations, a=entry(size=1), b=entry(size="x")
        )
    made = declare(
        Enum, "enum_test.Half", __annotations__=annotations, a=entry(size=1), b=entry(size=2)
    )
    assert [each.size for each in made] == [1, 2]


# Creates instances abandoned by an error, and objects that reuse their memory.
REFUSED = """
import tvm_ffi
from tvm_ffi.dataclasses import StrEnum, entry
for i in range(200):
    twice = entry(value=f"{i} of more than 7 bytes")
    body = {"__module__": __name__, "a": twice, "b": twice}
    try:
        type(StrEnum)("Made", (StrEnum,), body, type_key=f"enum_test.Freed{i}")
    except ValueError as error:
        assert "b: expected a new name and a new number" in str(error)
    else:
        raise AssertionError("two instances have the same value")
    texts = [tvm_ffi.convert([f"{i} {k} of more than 7 bytes"]) for k in range(4)]
    assert texts[3][0] == f"{i} 3 of more than 7 bytes"
"""


def test_refused_instances_are_freed() -> None:
    """An instance abandoned by an error frees its text exactly once."""
    done = subprocess.run([sys.executable, "-c", REFUSED], check=False, capture_output=True)
    assert (done.returncode, done.stderr) == (0, b"")


def test_joining_again() -> None:
    """A second class for a type finds the existing instances and refuses conflicting ones."""
    first = declare(IntEnum, "enum_test.Joined", a=1, b=2)
    again = declare(IntEnum, "enum_test.Joined", a=1, c=3)
    assert again.a.same_as(first.a)
    assert len(again) == 3
    assert "class JoinedObj" in gen_abi_cpp("enum_test.Joined")
    with pytest.raises(ValueError, match="b: expected a new name and a new number, got 'b' and 4"):
        declare(IntEnum, "enum_test.Joined", b=4)
    with pytest.raises(TypeError, match="size: expected a field of the existing type"):
        declare(IntEnum, "enum_test.Joined", __annotations__={"size": int}, d=5)


def test_a_class_without_instances_is_true() -> None:
    """A class without instances is truthy, as other classes are, although its length is 0."""
    empty = declare(Enum, "enum_test.Empty")
    assert len(empty) == 0
    assert empty


def test_fields_of_a_base() -> None:
    """A base without a type key passes its fields to derived enumerations."""

    class Sized(Enum):
        size: int

        def twice(self) -> int:
            return 2 * self.size

    class Block(Sized, type_key="enum_test.Block"):
        small: ClassVar[Block] = entry(size=4)

    assert Block.small.twice() == 8


@pytest.mark.parametrize("name", ["get", "all_entries", "attr_dict", "__repr__", "same_as"])
def test_used_names(name: str) -> None:
    """An instance cannot have a name that the class uses."""
    with pytest.raises(TypeError, match="expected a name that enumerations do not use"):
        declare(Enum, "enum_test.UsedName", **{name: auto()})
    with pytest.raises(TypeError, match="expected a name that enumerations do not use, got 'value"):
        declare(IntEnum, "enum_test.UsedName", value=3)


def test_values_for_fields() -> None:
    """A field of type IntEnum or StrEnum accepts an instance's value."""

    @py_class("enum_test.Job")
    class Job(Object):
        level: Level
        operators: list[Operator]

    job = Job(20, ["+", Operator.sub])  # type: ignore[arg-type, list-item]
    assert job.level.same_as(Level.high)
    assert job.operators[0].same_as(Operator.add)
    with pytest.raises(TypeError, match=r"level: expected enum_test\.Level, got int"):
        Job(7, [])  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("base", "body", "error", "message"),
    [
        (IntEnum, {"a": True}, TypeError, "a: value: expected an int, got True"),
        (IntEnum, {"a": auto()}, TypeError, "a: value: expected an int, got none"),
        (StrEnum, {"a": entry(value=3)}, TypeError, "a: value: expected a str, got 3"),
        (
            IntEnum,
            {"a": 1, "b": 1},
            ValueError,
            "b: expected a new name and a new number, got 'b' and 1, one of which Refused.a",
        ),
        (Enum, {"a": entry(size=3)}, TypeError, "a: expected names of fields, got size"),
        (
            Enum,
            {"__annotations__": {"size": int}, "a": auto()},
            TypeError,
            "a: size: expected a value, got none",
        ),
        (
            Enum,
            {"__annotations__": {"size": int}, "a": entry(size="x")},
            TypeError,
            "size: expected int, got str",
        ),
        (
            Enum,
            {"__annotations__": {"gone": ClassVar[Any]}},
            ValueError,
            "gone: expected the name of a registered instance",
        ),
        (
            Enum,
            {"__annotations__": {"size": "Nowhere"}, "a": auto()},
            TypeError,
            "expected annotations that are defined: name 'Nowhere'",
        ),
    ],
)
def test_refused(base: Any, body: dict[str, Any], error: type[Exception], message: str) -> None:
    """An error about a wrong declaration names the instance and states what was expected."""
    key = f"enum_test.Refused{abs(hash(message))}"
    with pytest.raises(error, match=message):
        type(base)("Refused", (base,), {"__module__": __name__, **body}, type_key=key)


def test_threads_number_instances_in_turn() -> None:
    """While a default factory runs, another thread can join; no number is given twice."""
    meanwhile: list[Any] = []

    def start_the_other() -> int:
        while meanwhile:
            thread = meanwhile.pop()
            thread.start()
            thread.join(10)
        return 1

    class Kind(Enum, type_key="enum_test.InTurn"):
        cost: int = field(default_factory=start_the_other)
        first = auto()

    def join() -> None:
        class Third(Enum, type_key="enum_test.InTurn"):
            third = auto()

    thread = threading.Thread(target=join)
    meanwhile.append(thread)

    class Second(Enum, type_key="enum_test.InTurn"):
        second = auto()

    thread.join()
    assert [(each._int_index, each._str_index) for each in Kind] == [
        *((0, "first"), (1, "third"), (2, "second"))
    ]


def test_default_factory_that_joins_the_enumeration() -> None:
    """A default factory, or a module that it imports, may take the next number."""
    joins = ["Second"]

    def join() -> int:
        while joins:
            Enum.__class__(joins.pop(), (Enum,), {"second": auto()}, type_key="enum_test.ByFactory")
        return 1

    class Kind(Enum, type_key="enum_test.ByFactory"):
        cost: int = field(default_factory=join)
        first = auto()

    assert [(each._int_index, each._str_index) for each in Kind] == [(0, "second"), (1, "first")]
    assert Kind(0) == Kind("second")
    assert Kind(1) == Kind("first") == Kind.first


def test_threads_set_the_first_values_of_an_attribute() -> None:
    """None of the values is lost."""
    each = Enum.__class__("Each", (Enum,), {"__module__": __name__, "a": auto(), "b": auto()})
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for i in range(400):
            attribute = each.def_attr(f"attribute{i}")
            start = threading.Barrier(2)

            def work(variant: Any, attribute: Any = attribute, start: Any = start) -> None:
                start.wait()
                attribute[variant] = 1

            threads = [threading.Thread(target=work, args=(variant,)) for variant in each]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            assert all(variant in attribute for variant in each)
    finally:
        sys.setswitchinterval(interval)

# SPDX-License-Identifier: Apache-2.0
# Rows: R5, R7
"""Python classes derived from Function, Object, Module, Tensor and the containers."""

from __future__ import annotations

import copy
import gc
import pickle
import weakref
from collections.abc import Callable, Sequence
from typing import Any, Generic, Protocol, TypeVar

import numpy
import pytest
import tvm_ffi
import tvm_ffi.testing


class Compiled:
    """A compiler's data about a function it compiled; a plain Python class."""

    def __init__(self, name: str, *, arch: str = "any") -> None:
        self.compiled_name, self.arch = name, arch


class Kernel(tvm_ffi.Function, Compiled):
    """A compiled function, called without a detour through Python."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)

    __call__ = tvm_ffi.Function.__call__


class Wrapped(tvm_ffi.Function):
    """Its ``__call__`` calls that of its base."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the base."""
        return "wrapped", super().__call__(*args, **kwargs)


class Empty(tvm_ffi.Function):
    """Its ``__init__`` makes no function."""

    def __init__(self, *args: Any) -> None:
        self.args = args


def test_base_of_python_and_moved_handle(functions: Any) -> None:
    """The bases are initialised in order; the function is moved from another Function."""
    kernel = Kernel("scale", arch="sm_90")
    assert (kernel.compiled_name, kernel.arch, kernel.__chandle__()) == ("scale", "sm_90", 0)
    kernel.__move_handle_from__(functions.sum)
    assert kernel.__chandle__() == functions.sum.__chandle__()
    assert kernel(1, 2, 3) == 6
    assert isinstance(kernel, tvm_ffi.Function)
    assert isinstance(kernel, Compiled)
    echoed = functions.echo(kernel)
    assert type(echoed) is tvm_ffi.Function
    assert echoed == kernel
    assert echoed(4, 5) == 9
    assert functions.call(kernel, 1, 2) == 3
    kernel.release_gil = False
    assert kernel(1) == 1


def test_keywords_for_the_base() -> None:
    """``super().__call__`` calls the function itself, with keyword or positional arguments."""
    wrapped = Wrapped(lambda a, b=2: f"{a} {b}")
    for answer in (wrapped(1), wrapped(a=1), wrapped(b=2, a=1), wrapped(1, b=2)):
        assert answer == ("wrapped", "1 2")


@pytest.mark.parametrize("order", ["function first", "function last"])
def test_base_of_python_on_either_side(order: str) -> None:
    """Function may be at any position among the bases."""
    bases = (
        (tvm_ffi.Function, Compiled) if order == "function first" else (Compiled, tvm_ffi.Function)
    )
    cls = type(tvm_ffi.Function)("Made", bases, {})
    made = cls("name", arch="x")
    assert made.arch == "x"
    made.__init_handle_by_constructor__(tvm_ffi.Function(lambda: tvm_ffi.Function(lambda: 7)))
    assert made() == 7


def test_init_by_callable() -> None:
    """Without a Python base, ``Function.__init__`` takes the callable as Function does."""

    class Named(tvm_ffi.Function):
        def __init__(self, callable: Callable[..., Any], unit: str) -> None:
            super().__init__(callable)
            self.unit = unit

    def double(x: int) -> int:
        return 2 * x

    named = Named(double, "m")
    assert (named(4), named.unit, named.__name__) == (8, "m", "double")
    assert Named(named, "s")(5) == 10
    assert tvm_ffi.Function(named)(6) == 12
    assert type(tvm_ffi.Function(named)) is tvm_ffi.Function
    with pytest.raises(TypeError, match=r"^Function: callable: expected a callable, got int$"):
        Named(1, "m")  # type: ignore[arg-type]


def test_own_call(functions: Any) -> None:
    """A subclass can have its own ``__call__``; C++ calls the function itself."""

    class Loud(tvm_ffi.Function):
        def __call__(self, *args: Any) -> Any:
            return ("called", super().__call__(*args))

    loud = Loud(lambda x: x + 1)
    assert loud(1) == ("called", 2)
    assert functions.call(loud, 1) == 2


def test_slots_dictionaries_and_weak_references() -> None:
    """Instances have a dictionary, the class's slots and weak references."""

    class Slotted(tvm_ffi.Function):
        __slots__ = ("unit",)

    slotted = Slotted(lambda: 1)
    slotted.unit, slotted.other = "m", 2
    assert (slotted.unit, slotted.__dict__, slotted()) == ("m", {"other": 2}, 1)
    alive = weakref.ref(slotted)
    assert alive() is slotted
    del slotted
    assert alive() is None


def test_cycles_are_collected() -> None:
    """A cycle of a function and its owner is freed by the collector."""

    class Owner:
        def __init__(self) -> None:
            self.function = Kernel("name")
            self.function.__move_handle_from__(tvm_ffi.Function(self.method))

        def method(self) -> int:
            return 1

    owner = Owner()
    assert owner.function() == 1
    alive = weakref.ref(owner)
    del owner
    gc.collect()
    assert alive() is None


MISUSES: dict[str, tuple[Callable[[Any], Any], str]] = {
    "call": (lambda x: x(1), "expected a function, got an instance that holds none"),
    "keyword": (
        lambda x: x(a=1),
        "expected an object, got an instance that holds none",
    ),
    "argument": (lambda x: tvm_ffi.Function(id)(x), "expected an object, got an instance"),
    "wrap": (lambda x: Kernel("x").__move_handle_from__(x), "got Empty that holds no object"),
    "wrap again": (lambda x: tvm_ffi.Function(x), "got Empty that holds no object"),
    "register": (
        lambda x: tvm_ffi.register_global_func("tests.subclasses", x, override=True),
        "got Empty that holds no object",
    ),
    "convert": (lambda x: tvm_ffi.convert([x]), "expected an object, got an instance"),
    "copy": (copy.copy, "expected an object"),
    "pickle": (pickle.dumps, "expected an object"),
    "item": (lambda x: tvm_ffi.storage.set("tests.subclasses", x), "expected an object"),
}


@pytest.mark.parametrize("misuse", MISUSES)
def test_instances_without_a_function(misuse: str) -> None:
    """An operation that needs the function raises an error that says there is none."""
    use, message = MISUSES[misuse]
    with pytest.raises((TypeError, ValueError), match=message):
        use(Empty())


def test_instances_without_a_function_can_be_looked_at() -> None:
    """They can be printed, compared and hashed."""
    empty = Empty(1)
    assert (empty.args, empty.__chandle__(), empty.same_as(empty)) == ((1,), 0, True)
    assert repr(empty) == "<tvm_ffi.Function tvm_ffi.Function>"
    assert empty.__doc__ == "Its ``__init__`` makes no function."


def test_instances_without_an_object_are_themselves() -> None:
    """Each equals only itself until both hold the same object."""
    one, other = Empty(), Empty()
    assert one == one
    assert one != other
    assert not one.same_as(other)
    assert one.same_as(one)
    assert hash(one) == hash(one)
    assert len({one, other, one}) == 2
    function = tvm_ffi.Function(lambda: 1)
    assert one != function
    one.__move_handle_from__(function)
    assert one == function
    assert hash(one) == hash(function)
    assert one != other
    other.__move_handle_from__(function)
    assert one == other
    assert hash(one) == hash(other)


def test_wrong_objects_are_refused() -> None:
    """A function can hold neither an object of another type nor a second function."""
    empty = Empty()
    with pytest.raises(TypeError, match=r"expected a tvm_ffi.Function, got a .*Array"):
        empty.__move_handle_from__(tvm_ffi.convert([1]))
    with pytest.raises(TypeError, match=r"expected a tvm_ffi.Function, got a .*Array"):
        empty.__init_handle_by_constructor__(tvm_ffi.Function(lambda: tvm_ffi.convert([1])))
    empty.__move_handle_from__(tvm_ffi.Function(lambda: 1))
    with pytest.raises(
        TypeError,
        match="holds no object yet, got one that already holds one",
    ):
        empty.__move_handle_from__(tvm_ffi.Function(lambda: 2))
    assert empty() == 1


class Frame(tvm_ffi.Tensor, Compiled):
    """A tensor with additional data."""

    def __init__(self, tensor: Any, name: str) -> None:
        super().__init__(name)
        if tensor is not None:
            self.__move_handle_from__(tvm_ffi.from_dlpack(tensor))


def test_tensors(functions: Any) -> None:
    """A subclass of Tensor is passed, exported and read as the tensor it holds."""
    array = numpy.arange(6, dtype="float32").reshape(2, 3)
    frame = Frame(array, "name")
    assert (frame.compiled_name, frame.shape, frame.data_ptr()) == (
        "name",
        (2, 3),
        array.ctypes.data,
    )
    assert tvm_ffi.from_dlpack(frame) is frame
    assert numpy.from_dlpack(frame)[1, 2] == 5
    assert numpy.asarray(frame)[1, 2] == 5
    assert functions.address(frame) == array.ctypes.data
    assert type(functions.echo(frame)) is tvm_ffi.Tensor
    assert functions.echo(frame) == frame
    del array
    gc.collect()
    assert numpy.from_dlpack(frame).sum() == 15


@pytest.mark.parametrize(
    "use",
    [
        lambda x: x.shape,
        lambda x: x.strides,
        lambda x: x.dtype,
        lambda x: x.device,
        lambda x: x.ndim,
        lambda x: x.read_only,
        lambda x: x.size(0),
        lambda x: x.numel(),
        lambda x: x.data_ptr(),
        lambda x: x.is_contiguous(),
        lambda x: x.__dlpack__(),
        lambda x: x.__dlpack_device__(),
        lambda x: numpy.from_dlpack(x),
        lambda x: numpy.asarray(x),
        lambda x: tvm_ffi.from_dlpack(x),
        lambda x: tvm_ffi.convert([x]),
        lambda x: tvm_ffi.Function(id)(x),
        lambda x: tvm_ffi.storage.set("tests.subclasses", x),
    ],
)
def test_instances_without_a_tensor(use: Callable[[Any], Any]) -> None:
    """An operation that needs the tensor raises an error that says there is none."""
    empty = Frame(None, "name")
    with pytest.raises(
        ValueError, match="expected a tensor, got a Frame that holds none: its __init__"
    ):
        use(empty)
    assert repr(empty) == "<Frame without an object>"


def test_tensors_have_no_constructor() -> None:
    """A subclass without an ``__init__`` cannot be called, as Tensor cannot."""

    class Plain(tvm_ffi.Tensor):
        pass

    for cls in (Plain, tvm_ffi.Tensor):
        with pytest.raises(TypeError, match="cannot be made by calling its type"):
            cls()
    with pytest.raises(TypeError, match=r"expected a tvm_ffi.Tensor, got a tvm_ffi.Function"):
        Frame(None, "name").__move_handle_from__(tvm_ffi.Function(id))


def test_modules_and_objects(functions: Any) -> None:
    """Modules and plain objects can have a Python base too."""

    class Library(tvm_ffi.Module, Compiled):
        def __init__(self, name: str) -> None:
            super().__init__(name)

    library = Library("name")
    with pytest.raises((TypeError, ValueError), match="expected an object"):
        library.get_function("sum")
    library.__move_handle_from__(functions)
    assert library.compiled_name == "name"
    assert library.get_function("sum")(1, 2) == 3

    class Thing(tvm_ffi.Object, Compiled):
        def __init__(self, name: str) -> None:
            super().__init__(name)

    thing = Thing("name")
    assert thing.compiled_name == "name"
    # Code that passes a tensor or container relies on its class.
    for other in (tvm_ffi.convert([1]), tvm_ffi.from_dlpack(numpy.zeros(2)), tvm_ffi.Function(id)):
        with pytest.raises(TypeError, match="expected an instance of a subclass of tvm_ffi"):
            thing.__move_handle_from__(other)


KINDS = (tvm_ffi.Array, tvm_ffi.List, tvm_ffi.Map, tvm_ffi.Dict, tvm_ffi.Tensor, tvm_ffi.Function)
VALUES: dict[type, Callable[[], Any]] = {
    tvm_ffi.Array: lambda: tvm_ffi.Array([1, 2]),
    tvm_ffi.List: lambda: tvm_ffi.List([1, 2]),
    tvm_ffi.Map: lambda: tvm_ffi.Map({1: 2}),
    tvm_ffi.Dict: lambda: tvm_ffi.Dict({1: 2}),
    tvm_ffi.Tensor: lambda: tvm_ffi.from_dlpack(numpy.zeros(3)),
    tvm_ffi.Function: lambda: tvm_ffi.Function(id),
    tvm_ffi.Object: lambda: tvm_ffi.testing.TestIntPair(1, 2),
}
UNLIKE = [(one, other) for one in KINDS for other in KINDS if one is not other]


@pytest.mark.parametrize(("one", "other"), UNLIKE, ids=lambda kind: kind.__name__)
def test_a_class_has_one_kind_of_object(one: type, other: type) -> None:
    """A class of two kinds would read an object of one kind as one of the other."""

    class Mine(one):  # type: ignore[misc, valid-type]
        pass

    for first in (one, Mine):
        expected = (
            rf"^Both: bases: expected classes of one kind of object, "
            rf"got (tvm_ffi\.)?{first.__name__} and (tvm_ffi\.)?{other.__name__}$"
        )
        with pytest.raises(TypeError, match=expected):
            type("Both", (Compiled, first, other), {})
        with pytest.raises(TypeError, match=expected):
            type(tvm_ffi.Object)("Both", (first, Compiled, other), {"__slots__": ("a",)})


@pytest.mark.parametrize(("one", "other"), UNLIKE, ids=lambda kind: kind.__name__)
def test_python_itself_knows_the_kinds_apart(one: type, other: type) -> None:
    """``type.__new__``, which bypasses the metaclass, and ``__bases__`` refuse mixed kinds too."""
    with pytest.raises(TypeError, match=r"lay-?out conflict"):
        type.__new__(type(one), "Both", (one, other), {})
    mine: Any = type(one)("Mine", (one,), {})
    for bases in ((other,), (one, other), (other, one)):
        with pytest.raises(TypeError, match=r"lay-?out|deallocator differs"):
            mine.__bases__ = bases
    assert mine.__bases__ == (one,)


@pytest.mark.parametrize("kind", VALUES, ids=lambda kind: kind.__name__)
def test_an_instance_keeps_its_kind(kind: type) -> None:
    """``__class__`` cannot become a class of another kind of object."""
    for other in (*KINDS, tvm_ffi.Object, tvm_ffi.Module):
        value = VALUES[kind]()
        cls = type(value)
        if issubclass(cls, other):
            continue
        with pytest.raises(TypeError, match="__class__ assignment"):
            value.__class__ = other
        with pytest.raises(TypeError, match="__class__ assignment"):
            object.__setattr__(value, "__class__", other)
        assert type(value) is cls


def test_every_container_has_an_object() -> None:
    """Only its own type creates a container instance, so none lacks an object."""
    for kind in KINDS[:4]:
        for other in (tvm_ffi.Object, tvm_ffi.Tensor, tvm_ffi.Function, object):
            if other is not kind:
                with pytest.raises(TypeError):
                    other.__new__(kind)

        class Idle(kind):  # type: ignore[misc, valid-type]
            def __init__(self, *arguments: Any) -> None:
                pass

        assert len(Idle(VALUES[kind]())) == len(VALUES[kind]())


def test_bases_of_one_kind() -> None:
    """A class can derive from any number of classes of one kind and of Python classes."""
    T = TypeVar("T")

    class Mine(tvm_ffi.Array):
        pass

    class Other(tvm_ffi.Array):
        __slots__ = ("unit",)

    class Both(Mine, Other, Compiled, Generic[T], Sequence):  # type: ignore[misc]
        def __init__(self, values: Any) -> None:
            self.unit = "m"

    both = Both[int]([1, 2, 3])
    assert (both.unit, list(both), len(both), both[2]) == ("m", [1, 2, 3], 3, 3)
    assert isinstance(both, Sequence)

    class Meta(type(tvm_ffi.Object), type(Protocol)):  # type: ignore[misc]
        pass

    class Sized(Protocol):
        def __len__(self) -> int: ...

    class Third(Both, Sized, metaclass=Meta):  # type: ignore[misc]
        pass

    assert len(Third([1, 2])) == 2

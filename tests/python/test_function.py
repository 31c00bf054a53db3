# SPDX-License-Identifier: Apache-2.0
# Rows: R5, R6
"""Calling functions from Python."""

from __future__ import annotations

import copy
import ctypes
import functools
import gc
import inspect
import pickle
import sys
import threading
import weakref
from typing import Any

import pytest
import tvm_ffi
from hypothesis import given
from hypothesis import strategies as st


@pytest.mark.parametrize("count", [0, 1, 12, 13, 500])
def test_any_number_of_arguments_arrives(functions: Any, count: int) -> None:
    """Arguments beyond the on-stack capacity are counted and summed like the first ones."""
    arguments = list(range(count))
    assert functions.count(*arguments) == count
    assert functions.sum(*arguments) == sum(arguments)


def test_keyword_arguments_are_refused(functions: Any) -> None:
    """A function that exports no names refuses keywords with an error that says so."""
    with pytest.raises(
        TypeError,
        match=r"^nop: expected positional arguments only, got keyword 'x'; the function does not "
        r"export the names of its arguments$",
    ):
        functions.nop(x=1)


def test_unpacked_calls_work(functions: Any) -> None:
    """A call through argument unpacking reaches the same function."""
    assert functions.sum(*(1, 2), **{}) == 3


def test_name_shows_in_repr(functions: Any) -> None:
    """A module's function shows its name in its repr."""
    assert repr(functions.get_function("nop")) == "<tvm_ffi.Function nop>"


def test_name_must_be_text(functions: Any) -> None:
    """A name that is not a str is a TypeError."""
    with pytest.raises(TypeError, match="__name__: expected a str"):
        functions.get_function("nop").__name__ = 3


def test_name_may_change_during_a_call() -> None:
    """If an argument's own code renames the function, the message still has the old name."""
    function = tvm_ffi.Function(lambda x: x)
    function.__name__ = "".join(["former", "name"])  # held by nothing else

    class Renames:
        def __tvm_ffi_object__(self) -> None:
            function.__name__ = "later"
            raise ValueError("no")

    with pytest.raises(ValueError, match=r"^formername: argument 0 \(Renames\): no$"):
        function(Renames())
    assert function.__name__ == "later"


def test_error_leaves_nothing_behind(functions: Any) -> None:
    """A call that fails while packing its arguments releases those already packed."""
    value = object()
    before = sys.getrefcount(value)
    with pytest.raises(ValueError, match="argument 2"):
        functions.nop(value, "a text of some length", "\ud800")
    assert sys.getrefcount(value) == before


@pytest.mark.parametrize(("release_gil", "milliseconds"), [(None, 10_000), (False, 300)])
def test_other_threads_run_during_a_call_by_default(
    functions: Any, release_gil: bool | None, milliseconds: int
) -> None:
    """A function that waits for a Python thread sees it run only if it releases the GIL."""
    flag = ctypes.c_int64(0)
    wait = functions.get_function("wait_for_change")
    if release_gil is not None:
        wait.release_gil = release_gil

    def change() -> None:
        flag.value = 1

    timer = threading.Timer(0.05, change)
    timer.start()
    assert wait(ctypes.addressof(flag), milliseconds) == (0 if release_gil is False else 1)
    timer.join()


def test_the_lock_can_be_kept(functions: Any) -> None:
    """A function that holds the GIL works and can call back into Python."""
    call = functions.get_function("call")
    call.release_gil = False
    assert call(lambda x: x + 1, 1) == 2


def test_function_without_an_error_is_reported(functions: Any) -> None:
    """A function that fails without raising is a RuntimeError, not a crash."""
    with pytest.raises(RuntimeError, match="fail_without_error: the function returned -1"):
        functions.fail_without_error()


def test_callable_becomes_function(functions: Any) -> None:
    """A Function created from a callable calls it, from Python and from C."""
    twice = tvm_ffi.Function(lambda x: 2 * x)
    assert twice(21) == 42
    assert functions.call(twice, 21) == 42


def test_function_of_function_is_itself() -> None:
    """A Function created from a Function is the same object."""
    one = tvm_ffi.Function(len)
    assert tvm_ffi.Function(one) is one


def test_function_needs_a_callable() -> None:
    """A value that is not callable is a TypeError that says so."""
    with pytest.raises(TypeError, match="Function: callable: expected a callable, got int"):
        tvm_ffi.Function(3)


def test_function_outlives_its_name(functions: Any) -> None:
    """A callback may drop the last reference to the running function."""
    holder = [functions.get_function("call")]

    def drop() -> int:
        holder.clear()
        gc.collect()
        return 5

    assert holder[0](drop) == 5


@given(
    values=st.fixed_dictionaries(
        {"x": st.integers(0, 99), "factor": st.integers(0, 99)},
        optional={"shift": st.integers(0, 99), "unit": st.text("abc", min_size=1)},
    ),
    by_position=st.integers(0, 2),
    order=st.randoms(use_true_random=False),
)
def test_keyword_arguments(
    described: Any, values: dict[str, Any], by_position: int, order: Any
) -> None:
    """Positional and keyword arguments, in any order, arrive at the positions of their names."""
    names = ["x", "factor"]
    args = [values[name] for name in names[:by_position]]
    rest = [item for item in values.items() if item[0] not in names[:by_position]]
    order.shuffle(rest)
    expected = [str(values.get(name, "none")) for name in ("x", "factor", "shift", "unit")]
    assert described.affine(*args, **dict(rest)) == " ".join(expected)


@pytest.mark.parametrize(
    ("args", "keywords", "message"),
    [
        ((1, 2), {"y": 3}, r"affine: expected keywords among (x, factor, shift, unit), got 'y'"),
        ((1, 2), {"x": 3}, r"affine: argument 0: expected one value for 'x', got two"),
        ((1,), {"shift": 3}, r"affine: argument 1: expected a value for 'factor', got none"),
        ((), {"factor": 3}, r"affine: argument 0: expected a value for 'x', got none"),
    ],
)
def test_wrong_keyword_arguments(
    described: Any, args: tuple[int, ...], keywords: dict[str, int], message: str
) -> None:
    """An unknown, duplicate or missing argument is a TypeError that names it."""
    with pytest.raises(TypeError) as caught:
        described.affine(*args, **keywords)
    assert str(caught.value) == message


def test_missing_arguments_of_unknown_type(described: Any) -> None:
    """Without exported types an omitted value is None; if None is refused, the error names it."""
    assert described.untyped(1, factor=2, unit="m") == "1 2 none m"
    with pytest.raises(TypeError) as caught:
        described.untyped(1, unit="m")
    assert str(caught.value) == "untyped: argument 1: expected a value for 'factor', got none"
    with pytest.raises(TypeError, match=r"argument 1: expected float, got None"):
        described.untyped(1, None, unit="m")
    with pytest.raises(TypeError, match=r"argument 0: expected int, got str"):
        described.untyped("one", unit="m")
    with pytest.raises(TypeError, match=r"^refuses_second: y: expected better than none$"):
        described.refuses_second(1, z=3)
    with pytest.raises(TypeError, match=r"^another\(.*: argument 1: expected int, got None$"):
        described.calls_another(1, z=3)


def test_too_few_arguments_show_the_signature(described: Any) -> None:
    """The function itself checks the count if trailing arguments are missing."""
    message = r"affine\(int, float, .*\) -> str: expected 2 to 4 arguments, got 1"
    with pytest.raises(TypeError, match=message):
        described.affine(x=1)


def test_trailing_optionals_may_be_left_out(described: Any) -> None:
    """Optional arguments may be omitted, even in positional calls."""
    assert described.affine(1, 2) == "1 2 none none"
    assert described.affine(1, 2, 3) == "1 2 3 none"
    assert described.affine(1, 2, None, "m") == "1 2 none m"


@pytest.mark.parametrize("wrong", [False, True])
def test_keyword_calls_leave_the_counts(described: Any, wrong: bool) -> None:
    """A call with keywords leaves reference counts unchanged, even on error."""
    value = "a unit of some length"
    keywords = {"unit": value, "other" if wrong else "factor": 2}
    before = sys.getrefcount(value)
    for _ in range(100):
        try:
            described.affine(1, **keywords)
        except TypeError:
            assert wrong
    assert sys.getrefcount(value) == before


def test_some_parameters_may_have_names(described: Any) -> None:
    """Unnamed parameters are passed by position."""
    assert described.half_named(1, 2) == "1 2 none none"
    with pytest.raises(TypeError, match=r"half_named: expected keywords among \(x\), got 'factor'"):
        described.half_named(1, factor=2)


def test_functions_of_python_take_keywords() -> None:
    """A Function created from a callable has the callable's parameter names and defaults."""
    function = tvm_ffi.Function(lambda a, b=3, c=4: (a * 100) + b * 10 + c)
    assert function(a=1) == 134
    assert function(1, c=9) == 139
    with pytest.raises(TypeError, match="expected a value for 'a', got none"):
        function(c=9)

    # No default value has a special meaning.
    odd = tvm_ffi.Function(lambda a, b=..., c=NotImplemented, d=1: (b, c, d))
    assert odd(0, d=2) == (..., NotImplemented, 2)

    def mixed(a: int, /, b: int, *, c: int = 3) -> int:
        return a + b + c

    assert tvm_ffi.Function(mixed)(1, b=2) == 6
    for name in ("a", "c"):
        with pytest.raises(TypeError, match=f"mixed: expected keywords among .*, got '{name}'"):
            tvm_ffi.Function(mixed)(1, b=2, **{name: 3})


def test_converted_callables_are_such_functions() -> None:
    """tvm_ffi.convert treats a callable as the Function constructor does."""
    function = tvm_ffi.convert(lambda a, b=3: a * 10 + b)
    assert function(b=1, a=2) == 21
    assert str(inspect.signature(function)) == "(a, b=3)"


def test_callables_without_a_signature() -> None:
    """Keywords are refused; nothing else changes."""
    function = tvm_ffi.Function(max)
    assert function(3, 4) == 4
    with pytest.raises(TypeError, match="max: expected positional arguments only"):
        function(3, 4, key=5)
    assert not hasattr(function, "__signature__")


def test_signatures(described: Any) -> None:
    """inspect.signature shows the types, names and optional parameters exported by the library."""
    assert str(inspect.signature(described.affine)) == (
        "(x: 'int', factor: 'float', shift: 'int | None' = None, unit: 'str | None' = None)"
        " -> 'str'"
    )
    assert str(inspect.signature(described.unnamed)) == (
        "(arg0: 'int', arg1: 'float', arg2: 'int | None' = None, arg3: 'str | None' = None, /)"
        " -> 'str'"
    )
    assert str(inspect.signature(described.many_types)) == (
        "(arg0: 'Array[int]', arg1: 'int | str', arg2: 'Function', /) -> 'bool'"
    )
    assert str(inspect.signature(tvm_ffi.Function(lambda x, *, y=3: x))) == "(x, *, y=3)"


def test_documentation(described: Any) -> None:
    """A function's docstring is its own, separate from the class's."""
    assert described.affine.__doc__ == "Scales x and adds to it."
    assert described.unnamed.__doc__ is None
    assert tvm_ffi.Function(len).__doc__ == len.__doc__
    assert tvm_ffi.Function.__doc__.startswith("A function that every language can call")


def test_global_functions_tell_too(described: Any) -> None:
    """A global function registered by C++ has names, a signature and documentation too."""
    function = tvm_ffi.get_global_func("tests.described.affine")
    assert function(1, unit="m", factor=2) == "1 2 none m"
    assert function.__doc__ == "Scales, globally."
    assert list(inspect.signature(function).parameters) == ["x", "factor", "shift", "unit"]


def test_functions_tell_nothing_if_nobody_does(functions: Any) -> None:
    """A plain C function has no signature or documentation."""
    assert functions.nop.__doc__ is None
    assert not hasattr(functions.nop, "__signature__")


def test_functions_carry_attributes(functions: Any) -> None:
    """Any attribute may be set on a function, so decorators work."""
    function = functions.get_function("count")
    function.note = [1]
    assert function.note == [1]
    assert function.__dict__ == {"note": [1]}

    @functools.wraps(function)
    def wrapper(*args: Any) -> Any:
        return function(*args)

    assert (wrapper.__name__, wrapper(1, 2)) == ("count", 2)
    del function.note
    with pytest.raises(AttributeError):
        _ = function.note


def test_equality_is_that_of_the_object(functions: Any) -> None:
    """The same function object compares and hashes equal, however it was obtained."""
    function = functions.get_function("echo")
    same = function(function)
    assert same is not function
    assert same == function
    assert hash(same) == hash(function)
    assert function != functions.get_function("nop")
    assert function != 3


def test_weak_references(functions: Any) -> None:
    """A weak reference to a function dies with it."""
    function = functions.get_function("nop")
    seen: list[int] = []
    reference = weakref.ref(function, lambda _: seen.append(1))
    assert reference() is function
    del function
    assert reference() is None
    assert seen == [1]


def test_functions_are_not_pickled(functions: Any) -> None:
    """A function's code is meaningless in another process."""
    with pytest.raises(TypeError, match="cannot pickle"):
        pickle.dumps(functions.nop)
    with pytest.raises(TypeError, match="cannot copy"):
        copy.copy(functions.nop)


class Owner:
    """Owns a function that refers back to it."""

    def __init__(self) -> None:
        self.function = tvm_ffi.Function(self.method)

    def method(self) -> int:
        """Return a number."""
        return 5


def test_cycles_are_collected() -> None:
    """The garbage collector finds a callable that owns the function created from it."""
    owner = Owner()
    assert owner.function() == 5
    gone = weakref.ref(owner)
    del owner
    gc.collect()
    assert gone() is None


def test_cycles_through_attributes_are_collected(functions: Any) -> None:
    """A function that owns itself through an attribute is collected too."""
    function = functions.get_function("nop")
    function.myself = function
    gone = weakref.ref(function)
    del function
    gc.collect()
    assert gone() is None


def test_what_a_library_keeps_is_not_collected(described: Any) -> None:
    """A callable that C++ can still call is not collected, even if Python cannot reach it."""
    owner = Owner()
    gone = weakref.ref(owner)
    described.keep(owner.function)
    del owner
    gc.collect()
    assert gone() is not None
    assert described.give_back()() == 5
    described.keep(None)
    gc.collect()
    assert gone() is None


def test_collecting_during_a_call(described: Any) -> None:
    """The collector may run while C++ holds the only reference to a function."""

    def make() -> tvm_ffi.Function:
        owner = Owner()
        owner.method = lambda: gc.collect() and 7  # type: ignore[method-assign]
        owner.function = tvm_ffi.Function(lambda: [gc.collect(), owner.method(), 7][-1])
        return owner.function

    assert described.call(make()) == 7
    assert make()() == 7


def test_chains_of_functions_are_freed() -> None:
    """A long chain of functions, each owned by the next one's callable, is freed safely."""
    function = tvm_ffi.Function(lambda: 0)
    for _ in range(200_000):
        function = tvm_ffi.Function(functools.partial(function))
    gone = weakref.ref(function)
    del function
    assert gone() is None


SAFE_CALL = ctypes.CFUNCTYPE(
    ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int32, ctypes.c_void_p
)
MLIR_CALL = ctypes.CFUNCTYPE(None, ctypes.POINTER(ctypes.c_void_p))


def give_int(result: int, value: int) -> None:
    """Write an integer to the address of a TVMFFIAny."""
    ctypes.c_int32.from_address(result).value = 1
    ctypes.c_int64.from_address(result + 8).value = value


@SAFE_CALL
def count_and_add(_: int, args: int, count: int, result: int) -> int:
    """Return the first argument plus the number of arguments."""
    give_int(result, ctypes.c_int64.from_address(args + 8).value + count)
    return 0


@MLIR_CALL
def count_and_add_packed(addresses: Any) -> None:
    """Do the same from MLIR's packed addresses."""
    args = ctypes.c_void_p.from_address(addresses[1]).value
    count = ctypes.c_int32.from_address(addresses[2]).value
    result = ctypes.c_void_p.from_address(addresses[3]).value
    give_int(result, ctypes.c_int64.from_address(args + 8).value + count)
    ctypes.c_int32.from_address(addresses[4]).value = 0


MAKERS = [
    (tvm_ffi.Function.__from_extern_c__, count_and_add),
    (tvm_ffi.Function.__from_mlir_packed_safe_call__, count_and_add_packed),
]


@pytest.mark.parametrize(("make", "code"), MAKERS)
def test_functions_of_addresses(make: Any, code: Any) -> None:
    """Code at an address becomes a function that keeps the given object alive."""

    class Engine:
        """Owns the code."""

    engine = Engine()
    gone = weakref.ref(engine)
    address = ctypes.cast(code, ctypes.c_void_p).value
    function = make(address, keep_alive_object=engine)
    del engine
    gc.collect()
    assert gone() is not None
    assert function(40, "two") == 42
    assert make(address)(1) == 2
    del function
    assert gone() is None


@pytest.mark.parametrize("make", [make for make, _ in MAKERS])
def test_wrong_addresses(make: Any) -> None:
    """A value that is not a valid address is refused."""
    with pytest.raises(ValueError, match="expected the address of a function, got 0"):
        make(0)
    with pytest.raises(ValueError, match="expected the address of a function, got 36893"):
        make(1 << 65)
    with pytest.raises(TypeError, match="expected an int, got str"):
        make("0")
    with pytest.raises(TypeError):
        make(1, 2)

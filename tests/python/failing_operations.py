# SPDX-License-Identifier: Apache-2.0
"""A program that runs operations while allocations fail: failing_operations.py MALLOC LIBRARY.

MALLOC is failing_malloc.c as a preloaded library; LIBRARY exports add_one. Each trial is
a separate process. One line per operation lists the trials that were killed by a signal, or after
which the operation did not work.

The operations define no function or generator expression: CPython 3.12 and 3.13 release the code
object twice if it cannot be allocated (https://github.com/python/cpython/issues/122752).
"""

from __future__ import annotations

import contextlib
import copy
import ctypes
import gc
import os
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import tvm_ffi
from tvm_ffi import testing
from tvm_ffi.access_path import AccessPath
from tvm_ffi.dataclasses import Enum, auto, field, py_class
from tvm_ffi.serialization import from_json_graph_str, to_json_graph_str

malloc = ctypes.PyDLL(sys.argv[1])
malloc.allocations.restype = ctypes.c_long
fail_after, fail_never = malloc.fail_after, malloc.fail_never  # looked up without an allocation
library: Any = tvm_ffi.load_module(sys.argv[2])
LONG = "a text that is too long for a cell"
values = np.arange(4, dtype="float32")
echo: Any = testing.echo


def raises(*args: Any) -> None:
    """Raise an error."""
    raise ValueError(f"refused: {args}")


def raises_with_cause() -> None:
    """Raise an error with a cause."""
    try:
        raising(1)
    except ValueError as error:
        raise KeyError(LONG) from error


def same(x: Any) -> Any:
    """Return the argument."""
    return x


raising = tvm_ffi.convert(raises)
calling = tvm_ffi.convert(lambda function, *args: function(*args))


class Producer:
    """A tensor from an unknown framework."""

    def __dlpack__(self, **options: Any) -> Any:
        """Lend the values."""
        return values.__dlpack__(**options)

    def __dlpack_device__(self) -> Any:
        """Return the device of the values."""
        return values.__dlpack_device__()


class Opaque:
    """A plain Python object."""

    me: Any = None


@py_class("failing_operations.Point")
class Point(tvm_ffi.Object):
    """An object with fields."""

    x: int
    names: list[str] = field(default_factory=list)


class Colour(Enum, type_key="failing_operations.Colour"):
    """An enumeration."""

    red = auto()


def pass_values() -> None:
    """Pass values of many kinds and get them back."""
    for value in (None, True, 1, 2**200, 2.5, LONG, b"bytes that are too long for a cell"):
        assert echo(value) == value
    assert isinstance(echo(Opaque()), Opaque)
    assert echo((1, [LONG], {"k": 2.5}))[1][0] == LONG
    assert tvm_ffi.dtype("float16x4").lanes == 4
    assert tvm_ffi.Shape([1, 2])[1] == 2


def pass_tensors() -> None:
    """Pass tensors and get them back."""
    assert np.from_dlpack(tvm_ffi.from_dlpack(values))[1] == 1
    assert np.from_dlpack(echo(Producer()))[2] == 2


def raise_errors() -> None:
    """Raise errors from callbacks, from wrong arguments, and with causes."""
    calls: Any = ((calling, raises_with_cause), (tvm_ffi.dtype, LONG), (Point, LONG))
    for function, argument in calls:
        try:
            function(argument)
        except (KeyError, TypeError, ValueError):
            pass
        else:
            raise AssertionError("expected an error")


def call_back() -> None:
    """Call a Python function through the runtime."""
    assert calling(same, 5) == 5


def use_sequences() -> None:
    """Create, change and compare sequences."""
    items: Any = tvm_ffi.List(range(20))
    items[2:5] = [LONG]
    items.reverse()
    items.insert(0, values)
    del items[1]
    items.append(tvm_ffi.Array([1, [2]]))
    assert LONG in items
    assert len(repr(items)) > 20
    assert hash(tvm_ffi.Array([1, (2,)])) == hash(tvm_ffi.Array([1, (2,)]))


def use_mappings() -> None:
    """Create, change and compare mappings."""
    mapping: Any = tvm_ffi.Dict({"a": 1, "b": [LONG]})
    mapping.update(c={"d": 1})
    mapping.setdefault("e", [])
    mapping.pop("a")
    assert sorted(mapping) == ["b", "c", "e"]
    assert len(repr(mapping)) > 20
    assert hash(tvm_ffi.Map({(1, 2): "x"})) == hash(tvm_ffi.Map({(1, 2): "x"}))


def use_objects() -> None:
    """Create, print, compare, copy and serialize objects."""
    point = Point(1, [LONG])
    point.x = 4
    assert copy.deepcopy(point).names[0] == LONG
    assert LONG in repr(point)
    assert tvm_ffi.structural_equal(point, from_json_graph_str(to_json_graph_str(point)))
    assert Colour.get("red").same_as(Colour.red)
    assert repr(AccessPath.root().attr("x").array_item(3)) == "<root>.x[3]"


def use_modules() -> None:
    """Get, call and register functions."""
    with contextlib.suppress(TypeError):
        library["add_one"](1)
    tvm_ffi.register_global_func("failing_operations.same", same, override=True)
    assert tvm_ffi.get_global_func("failing_operations.same")(3) == 3


def collect_cycles() -> None:
    """Collect a cycle through a container."""
    items: Any = tvm_ffi.List([LONG])
    opaque = Opaque()
    opaque.me = items
    items.append(opaque)
    del items, opaque
    gc.collect()


def trial(operation: Callable[[], None], count: int, once: bool) -> int:
    """Run the operation in a child process; return 0 if it does not crash and then works."""
    child = os.fork()
    if child == 0:
        code = 0
        try:
            fail_after(count, once)
            operation()
        except BaseException:
            fail_never()
        fail_never()
        try:
            operation()
        except BaseException:
            code = 1
        os._exit(code)
    return os.waitpid(child, 0)[1]


def main() -> int:
    """Fail every allocation of every operation."""
    failed = 0
    operations = (pass_values, pass_tensors, raise_errors, call_back, use_sequences)
    for operation in (*operations, use_mappings, use_objects, use_modules, collect_cycles):
        for _ in range(5):  # one-time allocations happen here
            operation()
        before = malloc.allocations()
        operation()
        count = malloc.allocations() - before
        trials = [(number, once) for once in (True, False) for number in range(count)]
        bad = [(*each, code) for each in trials if (code := trial(operation, *each)) != 0]
        print(f"{operation.__name__}: {count} allocations: {bad or 'survived'}", flush=True)
        failed += len(bad)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

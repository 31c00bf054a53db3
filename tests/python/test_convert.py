# SPDX-License-Identifier: Apache-2.0
# Rows: R5, R7
"""tvm_ffi.convert, and Python objects that define their own conversion."""

from __future__ import annotations

from typing import Any

import numpy
import pytest
import tvm_ffi


@pytest.mark.parametrize(
    ("value", "cls", "text"),
    [
        (None, type(None), "None"),
        (True, bool, "True"),
        (1, int, "1"),
        (2**70, int, "1180591620717411303424"),
        (1.5, float, "1.5"),
        ("text", tvm_ffi.core.String, "'text'"),
        (b"bytes", tvm_ffi.core.Bytes, "b'bytes'"),
        (bytearray(b"bytes"), tvm_ffi.core.Bytes, "b'bytes'"),
        ([1, "a"], tvm_ffi.Array, "(1, 'a')"),
        ((1,), tvm_ffi.Array, "(1,)"),
        ({"a": [1]}, tvm_ffi.Map, "{'a': (1,)}"),
        (tvm_ffi.List([1]), tvm_ffi.List, "[1]"),
        (tvm_ffi.dtype("int8"), tvm_ffi.dtype, "dtype('int8')"),
        (tvm_ffi.Shape((1, 2)), tvm_ffi.Shape, None),
    ],
)
def test_values(value: Any, cls: type, text: str | None) -> None:
    """A value is converted as it would be for a function argument."""
    converted = tvm_ffi.convert(value)
    assert type(converted) is cls
    assert converted == value
    assert text is None or repr(converted) == text


def test_text_stays_text() -> None:
    """String and Bytes are str and bytes, with the same hashes."""
    text, data = tvm_ffi.convert("text"), tvm_ffi.convert(b"data")
    assert isinstance(text, str)
    assert isinstance(data, bytes)
    assert {"text": 1}[text] == {b"data": 1}[data] == 1


def test_callables_become_functions() -> None:
    """A callable becomes a Function, and a Function stays itself."""
    function = tvm_ffi.convert(lambda x: x + 1)
    assert type(function) is tvm_ffi.Function
    assert function(1) == 2
    assert tvm_ffi.convert(function).same_as(function)
    assert tvm_ffi.convert_func(len)([1, 2]) == 2
    with pytest.raises(TypeError, match="expected a callable, got int"):
        tvm_ffi.convert_func(3)


def test_callbacks_of_a_framework(functions: Any, framework: Any) -> None:
    """Given a tensor class, a callback receives that framework's tensors, even in containers."""
    cls = type(framework.zeros(1))
    seen = []

    def callback(*arguments: Any) -> Any:
        """Record the arguments."""
        seen.extend(arguments)
        return arguments[0]

    function = tvm_ffi.convert_func(callback, tensor_cls=cls)
    source = framework.zeros((3,))
    result = functions.call(function, source, [source], 1, "text")
    assert type(seen[0]) is type(seen[1][0]) is cls
    assert seen[2:] == [1, "text"]
    seen[0][1] = 5
    assert float(source[1]) == float(result[1]) == 5
    assert function.__name__ == "callback"
    for wrong in (int, 3, tvm_ffi.Tensor):
        with pytest.raises(TypeError, match="tensor_cls: expected a framework's class of tensors"):
            tvm_ffi.convert_func(callback, wrong)
    with pytest.raises(TypeError, match="convert_func: pyfunc: expected a callable, got int"):
        tvm_ffi.convert_func(3, cls)


def test_views_that_a_callback_gets(functions: Any, framework: Any) -> None:
    """A view lent to such a callback owns its memory if an argument does."""
    cls = type(framework.zeros(1))
    seen = []
    function = tvm_ffi.convert_func(seen.append, tensor_cls=cls)
    source = framework.full((1000,), 3.0)
    functions.call_with_view(function, source)
    del source
    assert type(seen[0]) is cls
    assert float(seen[0].sum()) == 3000


def test_tensors_become_tensors(framework: Any) -> None:
    """A framework's tensor becomes a tvm_ffi.Tensor over the same memory."""
    source = framework.zeros((3,))
    tensor = tvm_ffi.convert(source)
    assert type(tensor) is tvm_ffi.Tensor
    source[0] = 5
    assert float(numpy.from_dlpack(tensor)[0]) == 5
    assert type(tvm_ffi.convert([source])[0]) is tvm_ffi.Tensor


def test_other_objects_stay() -> None:
    """An opaque object is returned as itself."""
    value = object()
    assert tvm_ffi.convert(value) is value


def test_what_cannot_be_converted() -> None:
    """An error about a value that no function accepts names its location."""
    with pytest.raises(TypeError, match=r"^convert: set: expected a single value"):
        tvm_ffi.convert({1})
    with pytest.raises(TypeError, match=r"^convert: list: element 1 \(set\): expected a single"):
        tvm_ffi.convert([1, {1}])
    with pytest.raises(ValueError, match=r"^convert: str: .*surrogates not allowed"):
        tvm_ffi.convert("\ud800")


class Point(tvm_ffi.ObjectConvertible):
    """Passed as an Array of its coordinates."""

    def asobject(self) -> tvm_ffi.Object:
        """Return the Array."""
        return tvm_ffi.Array([1, 2])


def test_objects_that_convert(functions: Any) -> None:
    """Its asobject determines what is passed, both directly and in containers."""
    assert tvm_ffi.convert(Point()) == [1, 2]
    assert functions.echo(Point()) == [1, 2]
    assert functions.echo([Point(), {"a": Point()}]) == [[1, 2], {"a": [1, 2]}]
    assert tvm_ffi.Array([Point()]) == [[1, 2]]
    assert tvm_ffi.core.ObjectConvertible is tvm_ffi.ObjectConvertible


def test_only_derived_classes_convert(functions: Any) -> None:
    """Another class's asobject is not called: its object is passed as it is."""

    class Unrelated:
        asobject = Point.asobject

    unrelated = Unrelated()
    assert functions.echo(unrelated) is unrelated


def test_objects_that_convert_badly(functions: Any) -> None:
    """A missing asobject, one that raises, and one that returns self are errors."""

    class Silent(tvm_ffi.ObjectConvertible):
        pass

    class Fails(tvm_ffi.ObjectConvertible):
        def asobject(self) -> Any:
            raise KeyError("nothing")

    class Itself(tvm_ffi.ObjectConvertible):
        def asobject(self) -> Any:
            return self

    with pytest.raises(
        ValueError, match=r"argument 0 \(Silent\): Silent does not implement asobject"
    ):
        functions.nop(Silent())
    with pytest.raises(ValueError, match=r"argument 0 \(list\): element 0 \(Fails\): 'nothing'"):
        functions.nop([Fails()])
    with pytest.raises(RecursionError):
        functions.nop(Itself())


def test_asobject_alone_means_nothing(functions: Any) -> None:
    """An object that merely has a method of that name is passed unchanged."""

    class Other:
        def asobject(self) -> Any:
            raise AssertionError

    value = Other()
    assert functions.echo(value) is value

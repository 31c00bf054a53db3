# SPDX-License-Identifier: Apache-2.0
"""Array and List in Python."""

import copy
import operator

import numpy
import tvm_ffi

from .case import case, error_of


def function(name):
    """The global function of that name."""
    return tvm_ffi.get_global_func(f"ffi.{name}")


@case
def python_lists(makers, checkers):
    """Lists and tuples of Python become Arrays, in each other too, and come back."""
    for value in (
        [],
        [1, "two", None, 2.5, b"x"],
        (1, (2, [3, ()])),
        [["a" * 20]],
        list(range(99)),
    ):
        got = checkers.values.echo(makers.values.echo(value))
        assert type(got) is tvm_ffi.Array
        assert got == tvm_ffi.Array(value)
        assert len(got) == len(value)
        assert bool(got) is bool(value)


@case
def python_arrays(makers, checkers):
    """An Array in Python: indices, slices, search, sums, equality, hash, copies."""
    array = checkers.values.echo(makers.values.echo(tvm_ffi.Array([1, "two", [3]])))
    assert (array[0], array[-2], array[2][0], array[1:2]) == (1, "two", 3, ["two"])
    assert "two" in array
    assert 1.0 not in array
    assert (array.index("two"), array.count(1)) == (1, 1)
    assert list(reversed(array))[-1] == 1
    assert operator.add(array, [4])[3] == operator.add([4], array)[0] == 4
    assert array == tvm_ffi.Array([1, "two", [3]]) != tvm_ffi.Array([1, "two", [4]])
    assert hash(array) == hash(tvm_ffi.Array([1, "two", [3]]))
    assert copy.deepcopy(array) == array
    assert type(error_of(array.__getitem__, 3)) is IndexError
    assert type(error_of(array.__getitem__, "a")) is TypeError


@case
def python_shared_lists(makers, checkers):
    """A List that Python changes is one object for all."""
    made = tvm_ffi.List([1, 2])
    got = checkers.values.echo(makers.values.echo(made))
    assert got.same_as(made)
    got.append("x")
    got.insert(0, 0)
    got[1:2] = [5, 6]
    del got[-1]
    made += [7]
    made.extend([8])
    made.remove(7)
    assert list(got) == list(made) == [0, 5, 6, 2, 8]
    assert (made.pop(), made.pop(0)) == (8, 0)
    made.reverse()
    assert got == tvm_ffi.List([2, 6, 5])
    made.clear()
    assert len(got) == 0
    assert type(error_of(made.pop)) is IndexError


@case
def python_sequence_functions(makers, checkers):
    """The global functions of sequences."""
    array = makers.values.echo(function("Array")(1, "a"))
    assert (function("ArraySize")(array), function("ArrayGetItem")(array, 1)) == (2, "a")
    assert function("ArrayContains")(array, "a")
    made = checkers.values.echo(function("List")(1, 2, 3))
    function("ListSetItem")(made, 0, "x")
    function("ListAppend")(made, 4)
    function("ListInsert")(made, 0, 0)
    function("ListErase")(made, 1)
    assert function("ListPop")(made, 0) == 0
    function("ListReplaceSlice")(made, 0, 1, [7, 8])
    function("ListReverse")(made)
    assert (list(made), function("ListSize")(made)) == ([4, 3, 8, 7], 4)
    function("ListEraseRange")(made, 1, 3)
    assert function("ListContains")(made, 7)
    function("ListReserve")(made, 10)
    assert list(made) == [4, 7]
    for name, *arguments in (("ListPop", 2), ("ListInsert", 3, 0), ("ListEraseRange", 1, 0)):
        assert type(error_of(function(name), made, *arguments)) is IndexError
    function("ListClear")(made)
    assert len(made) == 0


@case
def python_tensors_in_lists(makers, checkers):
    """Tensors in a list are passed and read without a copy."""
    source = numpy.zeros(3, "float32")
    got = checkers.values.echo(makers.values.echo([source, [source]]))
    for tensor in (got[0], got[1][0]):
        array = numpy.from_dlpack(tensor)
        assert array.ctypes.data == source.ctypes.data

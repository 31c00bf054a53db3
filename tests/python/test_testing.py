# SPDX-License-Identifier: Apache-2.0
# Rows: R5, R6
"""The functions and object types of tvm_ffi.testing."""

import subprocess
import sys

import numpy as np
import pytest
import tvm_ffi
from tvm_ffi import testing


@pytest.mark.parametrize("value", [None, True, -1, 2.5, "text", b"bytes", "text of more bytes"])
def test_echo(value):
    """A value comes back unchanged."""
    assert testing.echo(value, "ignored") == value


def test_echo_shares_memory():
    """A tensor comes back as the same memory."""
    x = tvm_ffi.from_dlpack(np.arange(3))
    assert testing.echo(x).data_ptr() == x.data_ptr()


def test_nop():
    """It accepts anything and returns None."""
    assert testing.nop() is None
    assert testing.nop(1, "two", [3], object_that_is_opaque := object()) is None
    assert object_that_is_opaque


def test_add_one():
    """It accepts one integer."""
    assert testing.add_one(41) == 42
    with pytest.raises(TypeError, match="add_one"):
        testing.add_one("41")


def test_apply():
    """The first argument is called with the others."""
    assert testing.apply(lambda *args: len(args)) == 0
    assert testing.apply(testing.echo, "a", "b") == "a"
    for wrong in ((), (3,)):
        with pytest.raises(TypeError):
            testing.apply(*wrong)


@pytest.mark.parametrize("kind", [ValueError, TypeError, KeyError, RuntimeError, IndexError])
def test_errors(kind):
    """The kind determines the exception."""
    with pytest.raises(kind, match="why"):
        testing.test_raise_error(kind.__name__, "why")


def test_pair():
    """It has two read-only fields and a method."""
    pair = testing.TestIntPair(3, b=4)
    assert (pair.a, pair.b, pair.sum()) == (3, 4, 7)
    with pytest.raises(AttributeError):
        pair.a = 1


def test_base():
    """Each field has a default."""
    base = testing.TestObjectBase()
    assert (base.v_i64, base.v_f64, base.v_str) == (10, 10.0, "hello")
    base = testing.TestObjectBase(v_i64=1, v_str="x")
    base.v_i64 += 1
    assert (base.v_i64, base.v_f64, base.v_str, base.add_i64(5)) == (2, 10.0, "x", 7)


def test_derived():
    """It is an instance of its base, and its own fields are required."""
    derived = testing.TestObjectDerived(v_map={"a": 1}, v_array=[1, 2], v_i64=3)
    assert isinstance(derived, testing.TestObjectBase)
    assert (derived.v_map["a"], list(derived.v_array), derived.add_i64(1)) == (1, [1, 2], 4)
    with pytest.raises(TypeError, match="v_map"):
        testing.TestObjectDerived()


def test_use_count():
    """A container that holds the object adds to its count."""
    pair = testing.TestIntPair(1, 2)
    before = testing.object_use_count(pair)
    holder = tvm_ffi.Array([pair])
    assert testing.object_use_count(pair) == before + 1
    del holder
    assert testing.object_use_count(pair) == before


def test_unregistered():
    """Fields and methods work without a registered class."""
    made = testing.make_unregistered_object()
    assert (made.v1, made.v2) == (41, 42)
    assert (made.get_v1_plus_one(), made.get_v2_plus_two()) == (42, 44)
    assert testing.object_use_count(made) == 1


def test_create_object():
    """A type with a class can be created by its name."""
    made = testing.create_object("testing.TestIntPair", a=1, b=2)
    assert isinstance(made, testing.TestIntPair)
    with pytest.raises(ValueError, match="create_object: type_key: expected a type"):
        testing.create_object("no.such")
    with pytest.raises(TypeError, match="b"):
        testing.create_object("testing.TestIntPair", a=1)


def test_registered_on_import():
    """A program that never imports the module has none of its functions."""
    program = (
        "import tvm_ffi\n"
        "name = 'testing.echo'\n"
        "assert tvm_ffi.get_global_func(name, allow_missing=True) is None\n"
        "import tvm_ffi.testing\n"
        "assert tvm_ffi.get_global_func(name)(1) == 1\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)

# SPDX-License-Identifier: Apache-2.0
"""Map and Dict in Python."""

import copy

import tvm_ffi

from .case import case, error_of


def function(name):
    """The global function of that name."""
    return tvm_ffi.get_global_func(f"ffi.{name}")


@case
def python_dicts(makers, checkers):
    """A dict of Python becomes a Map and comes back in its order."""
    for size in (0, 1, 4, 5, 100):
        value = {f"key {i}" if i % 2 else i: [i] for i in range(size)}
        got = checkers.values.echo(makers.values.echo(value))
        assert type(got) is tvm_ffi.Map
        assert list(got) == list(got.keys()) == list(value)
        assert [list(each) for each in got.values()] == list(value.values())
        assert len(got) == len(got.items()) == size
        assert all(key in got for key in value)


@case
def python_maps(makers, checkers):
    """A Map in Python: look-up, defaults, kinds of keys, equality, hash, copies."""
    made = checkers.values.echo(makers.values.echo(tvm_ffi.Map({"a": 1, 2: None, 2.5: "c"})))
    assert (made["a"], made[2], made[2.5]) == (1, None, "c")
    assert (made.get("a"), made.get("b"), made.get("b", 5)) == (1, None, 5)
    assert 2.0 not in made
    assert type(error_of(made.__getitem__, "b")) is KeyError
    assert made == tvm_ffi.Map({2.5: "c", 2: None, "a": 1}) != tvm_ffi.Map({"a": 1})
    assert hash(made) == hash(tvm_ffi.Map({2.5: "c", 2: None, "a": 1}))
    assert copy.deepcopy(made) == made


@case
def python_shared_dicts(makers, checkers):
    """A Dict that Python changes is one object for all."""
    made = tvm_ffi.Dict({"a": 1})
    got = checkers.values.echo(makers.values.echo(made))
    assert got.same_as(made)
    got["b"] = [2]
    made.update({"c": 3})
    del got["a"]
    assert list(made.items())[1] == ("c", 3)
    assert (got.pop("c"), got.pop("c", None), made.setdefault("d", 4)) == (3, None, 4)
    assert [key for key in got] == ["b", "d"]  # noqa: C416
    assert made.popitem()[0] == "b"
    assert type(error_of(made.pop, "zz")) is KeyError
    got.clear()
    assert len(made) == 0


@case
def python_mapping_functions(makers, checkers):
    """The global functions of mappings."""
    for kind in ("Map", "Dict"):
        made = checkers.values.echo(makers.values.echo(function(kind)("a", 1, 2, None)))
        assert (function(f"{kind}Size")(made), function(f"{kind}GetItem")(made, "a")) == (2, 1)
        assert (function(f"{kind}Count")(made, 2), function(f"{kind}Count")(made, 2.0)) == (1, 0)
        missing = function("GetInvalidObject")()
        assert function(f"{kind}GetItemOrMissing")(made, 2) is None
        assert function(f"{kind}GetItemOrMissing")(made, "zz").same_as(missing)
        walk = function(f"{kind}ForwardIterFunctor")(made)
        assert (walk(0), walk(1), walk(2)) == ("a", 1, True)
        assert (walk(0), walk(1), walk(2)) == (2, None, False)
        assert type(error_of(function(f"{kind}GetItem"), made, "zz")) is KeyError
    function("DictSetItem")(made, "b", 2)
    function("DictErase")(made, "a")
    assert list(made) == [2, "b"]
    function("DictClear")(made)
    assert len(made) == 0

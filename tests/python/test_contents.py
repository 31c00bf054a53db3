# SPDX-License-Identifier: Apache-2.0
# Rows: R5, R7
"""Printed form, copy, order, hash, structure and text of values, all based on contents.

Behaviour common to both packages is in content_cases.py, which tests/interop runs with both.
"""

from __future__ import annotations

import copy
import pickle
from pathlib import Path
from typing import Any

import numpy
import pytest
import tvm_ffi
from tvm_ffi import (
    Array,
    List,
    Map,
    get_first_structural_mismatch,
    structural_equal,
    structural_hash,
)
from tvm_ffi.access_path import AccessKind, AccessPath, AccessStep
from tvm_ffi.serialization import from_json_graph_str, to_json_graph_str

from .conftest import compile_cpp_library
from .content_cases import CASES, call, loop, make

DEEP = 50_000  # levels; a function that recursed at each would overflow the stack


@pytest.fixture(scope="module", autouse=True)
def contents(tmp_path_factory: pytest.TempPathFactory) -> tvm_ffi.Module:
    """Load the library built from contents.cc."""
    path = tmp_path_factory.mktemp("contents") / "contents.so"
    compile_cpp_library(Path(__file__).with_name("contents.cc"), path)
    return tvm_ffi.load_module(path)


@pytest.mark.parametrize("name", CASES)
def test_as_the_published_package(name: str) -> None:
    """Each case of the table passes with this package."""
    CASES[name]()


def nested(levels: int, innermost: Any) -> Any:
    """Return nested arrays with an occasional list, map and object in between."""
    value = innermost
    for i in range(levels):
        if i % 1000 == 0:
            value = [Map({"k": value}), List([value]), make("Tree", value, 1)][i // 1000 % 3]
        value = Array([value])
    return value


def test_deep_values() -> None:
    """Values of any depth can be printed, copied, compared, hashed and serialized."""
    value, equal, other = nested(DEEP, 1), nested(DEEP, 1), nested(DEEP, 2)
    assert call("ffi.ReprPrint", value).count("1") >= 1
    assert call("ffi.RecursiveEq", value, equal)
    assert not call("ffi.RecursiveEq", value, other)
    assert call("ffi.RecursiveHash", value) == call("ffi.RecursiveHash", equal)
    assert call("ffi.RecursiveHash", value) != call("ffi.RecursiveHash", other)
    array: Any = Array([1])
    greater: Any = Array([2])
    for _ in range(DEEP):
        array, greater = Array([array]), Array([greater])
    assert call("ffi.RecursiveLt", array, greater)
    assert structural_equal(value, equal)
    assert structural_hash(value) == structural_hash(equal) != structural_hash(other)
    found = get_first_structural_mismatch(value, other)
    assert found is not None
    assert found[0] == found[1]
    assert found[0].depth > DEEP
    text = to_json_graph_str(value)
    assert call("ffi.RecursiveEq", from_json_graph_str(text), value)
    assert structural_equal(call("ffi.DeepCopy", value), value)


def test_shared_values_cost_once() -> None:
    """A value that doubles by sharing at each of 100 levels is quick to compare and hash."""
    value: Any = Array([1])
    equal: Any = Array([1])
    for _ in range(100):
        value, equal = Array([value, value]), Array([equal, equal])
    assert call("ffi.RecursiveEq", value, equal)
    assert not call("ffi.RecursiveLt", value, equal)
    assert call("ffi.RecursiveHash", value) == call("ffi.RecursiveHash", equal)
    assert structural_equal(value, equal)
    assert structural_hash(value) == structural_hash(equal)
    assert len(from_json_graph_str(to_json_graph_str(value))) == 2
    copied = call("ffi.DeepCopy", value)
    assert copied[0].same_as(copied[1])


def test_values_that_contain_themselves() -> None:
    """They can be compared and hashed without a stack overflow."""
    a, b = loop(), loop()
    assert structural_equal(a, b)
    assert structural_hash(a) == structural_hash(b)
    unrolled = List([1, a])
    assert structural_equal(a, unrolled)
    assert structural_hash(a) != structural_hash(unrolled)  # as the docstring warns
    b[0] = 2
    assert not structural_equal(a, b)
    assert not call("ffi.RecursiveEq", a, b)
    assert call("ffi.RecursiveLt", a, b)


def test_own_functions_call_back_at_most_200_deep() -> None:
    """Types' own functions that call back too deeply raise a ValueError."""
    deep = make("Own", 1)
    for _ in range(150):
        deep = make("Own", deep)
    assert call("ffi.ReprPrint", deep).startswith("own<own<")
    same = make("Own", 1)
    for _ in range(150):
        same = make("Own", same)
    assert call("ffi.RecursiveEq", deep, same)
    for _ in range(100):
        deep, same = make("Own", deep), make("Own", same)
    for name, arguments in (
        ("ReprPrint", [deep]),
        ("RecursiveHash", [deep]),
        ("RecursiveEq", [deep, same]),
        ("RecursiveLt", [deep, same]),
    ):
        with pytest.raises(ValueError, match=f"ffi.{name}: expected at most 200 nested callbacks"):
            call(f"ffi.{name}", *arguments)
    custom = [make("Custom", 1, 1), make("Custom", 1, 1)]
    for _ in range(250):
        custom = [make("Custom", each, 1) for each in custom]
    with pytest.raises(ValueError, match="at most 200 nested callbacks"):
        structural_equal(*custom)
    with pytest.raises(ValueError, match="at most 200 nested callbacks"):
        structural_hash(custom[0])


def test_keys_within_keys() -> None:
    """Keys that contain mappings with such keys are compared at most 200 deep."""

    def key(levels: int) -> tvm_ffi.StructuralKey:
        made = tvm_ffi.StructuralKey(1)
        for _ in range(levels):
            made = tvm_ffi.StructuralKey(Map({made: 1}))
        return made

    assert key(100) == key(100) != key(99)
    with pytest.raises(ValueError, match="at most 200 nested callbacks"):
        key(300) == key(300)  # noqa: B015  (the comparison raises)


def test_own_functions_may_not_call_back_later() -> None:
    """The callback given to a type's own function refuses calls after the function returns."""
    assert structural_equal(make("Custom", 1, 1), make("Custom", 1, 1))
    with pytest.raises(RuntimeError, match="got one after it returned"):
        call("contents.kept")(1, 1, 0, None)
    structural_hash(make("Custom", 1, 1))
    with pytest.raises(RuntimeError, match="got one after it returned"):
        call("contents.kept")(1, 1, 0)


def test_own_functions_go_on_after_an_error() -> None:
    """Parts that failed to compare or hash, or that differ, leave no state behind."""
    a, b = (make("Forgiving", [len, i], 5) for i in (1, 2))
    assert structural_equal([a, 7], [b, 7])
    paths = get_first_structural_mismatch([a, 7], [b, 8])
    assert paths is not None
    assert paths[0] == AccessPath.root().array_item(1)
    assert structural_hash([a, 7]) == structural_hash([b, 7])
    assert structural_hash([a, 7]) != structural_hash([a, 8])
    p, q = Array([1]), Array([2])
    a, b = make("Forgiving", p, 5), make("Forgiving", q, 5)
    assert structural_equal(a, b)
    paths = get_first_structural_mismatch([a, p], [b, q])
    assert paths is not None
    assert paths[0] == AccessPath.root().array_item(1).array_item(0)
    first, other, equal = make("Dag", 1, 1), make("Dag", 2, 1), make("Dag", 1, 1)
    a, b = make("Forgiving", first, 5), make("Forgiving", other, 5)
    assert structural_equal([a, first], [b, equal])
    refused, another, variable = Array([len]), Array([len]), make("Var", "x", 1)
    with pytest.raises(TypeError, match="expected types with a structural_eq_hash_kind"):
        structural_hash([make("Forgiving", refused, 5), refused])
    a, b = make("Forgiving", refused, 5), make("Forgiving", another, 5)
    with pytest.raises(TypeError, match="expected types with a structural_eq_hash_kind"):
        structural_equal([a, refused], [b, another])
    named = [make("Forgiving", [variable, len], 5), make("Pattern", variable, 1)]
    fresh = [make("Forgiving", 0, 5), make("Pattern", make("Var", "y", 1), 1)]
    assert structural_equal(named, fresh)
    assert structural_hash(named) == structural_hash(fresh)


def test_without_fields_by_address() -> None:
    """Tensors and functions equal only themselves, unlike in the published package."""
    tensors = [tvm_ffi.from_dlpack(numpy.zeros(2)) for _ in range(2)]
    functions = [tvm_ffi.convert(len), tvm_ffi.convert(max)]
    for a, b in (tensors, functions):
        assert call("ffi.RecursiveEq", a, a)
        assert not call("ffi.RecursiveEq", a, b)
        assert call("ffi.RecursiveHash", a) != call("ffi.RecursiveHash", b)
        with pytest.raises(TypeError, match="expected values that have an order, got two"):
            call("ffi.RecursiveLt", a, b)


def test_tensors_with_gaps() -> None:
    """The elements of a view are compared, not the memory between them."""
    base = numpy.arange(12.0).reshape(3, 4)
    view = tvm_ffi.from_dlpack(base[:, ::2])
    packed = tvm_ffi.from_dlpack(base[:, ::2].copy())
    assert structural_equal(view, packed)
    assert structural_hash(view) == structural_hash(packed)
    base[0, 1] = -1
    assert structural_equal(view, packed)
    base[2, 2] = -1
    assert not structural_equal(view, packed)


@pytest.mark.parametrize(
    ("name", "arguments", "error", "message"),
    [
        ("RecursiveLt", (1, True), TypeError, "RecursiveLt: expected values of one type, got int"),
        ("RecursiveGe", (float("nan"), 1.0), TypeError, "expected values that have an order"),
        ("DeepCopy", (len,), RuntimeError, "DeepCopy: expected a value whose objects can be copi"),
        ("ToJSONGraph", (len, None), TypeError, "expected values of types whose objects can be ma"),
        ("FromJSONGraph", (1,), ValueError, "FromJSONGraph: expected an object with root_index"),
    ],
)
def test_errors(name: str, arguments: tuple[Any, ...], error: type, message: str) -> None:
    """An error names the function and what it got."""
    with pytest.raises(error, match=message):
        call(f"ffi.{name}", *arguments)


@pytest.mark.parametrize(
    ("nodes", "error", "message"),
    [
        ('{"type":"ffi.Array","data":[0]}', ValueError, "node 0: expected a node that does not c"),
        (
            '{"type":"ffi.List","data":[1]},{"type":"ffi.Map","data":[0,0]}',
            ValueError,
            "node 0: expected a node that does not contain itself",
        ),
        ('{"type":"int"}', ValueError, 'node 0: expected a member "data", got none'),
        ('{"type":"int","data":"a"}', ValueError, "node 0: data: expected int, got str"),
        ('{"type":"ffi.Array","data":[0.5]}', ValueError, "node 0: data: expected"),
        (
            '{"type":"ffi.Array","data":[7]}',
            ValueError,
            "expected the index of one of 1 nodes, got",
        ),
        ('{"type":"ffi.Map","data":[1]},1', ValueError, "expected key-value pairs"),
        ('{"type":"Device","data":[1]}', ValueError, "expected a device's type and index"),
        ('{"type":"ffi.BigInt","data":"1x"}', ValueError, 'expected decimal digits, got "1x"'),
        ('{"type":"ffi.BigInt","data":""}', ValueError, "expected decimal digits"),
        ('{"type":"ffi.Bytes","data":"?"}', ValueError, "Base64Decode: expected a mul"),
        ('{"type":"no.Such","data":{}}', TypeError, 'expected a registered type, got "no.Such"'),
        ('{"type":"contents.Fields","data":{"number":"x"}}', TypeError, "number: expected int"),
        ('{"type":"contents.Fields","data":{"name":9}}', ValueError, "index of one of 1 nodes"),
        ('{"type":"contents.Fields","data":{"any":0}}', ValueError, "contain itself"),
        ("1", ValueError, "node 0: expected an object, got int"),
        ('{"type":"ffi.StructuralKey","data":{}}', ValueError, 'a member "key", got none'),
        ('{"type":"ffi.StructuralKey","data":{"key":0}}', ValueError, "does not contain itself"),
        (
            '{"type":"ffi.StructuralKey","data":{"key":1}},{"type":"contents.Text","data":"x"}',
            TypeError,
            "StructuralHash: expected types with a structural_eq_hash_kind, got contents.Text",
        ),
    ],
)
def test_texts_that_are_refused(nodes: str, error: type, message: str) -> None:
    """A text that is not a graph raises an error that names the node."""
    with pytest.raises(error, match=message):
        from_json_graph_str(f'{{"root_index":0,"nodes":[{nodes}]}}')


def test_keys_are_hashed_anew() -> None:
    """A text may have a wrong key hash or none; lookup by the key still works."""
    key = tvm_ffi.StructuralKey([1, "a"])
    text = to_json_graph_str(Map({key: "found"}))
    member = f',"hash_i64":{key.hash_i64}'
    assert member in text
    for other in (member, ',"hash_i64":7', ""):
        value = from_json_graph_str(text.replace(member, other))
        assert value[key] == "found"
        [read] = value
        assert (read, read.hash_i64) == (key, key.hash_i64)


def test_keys_are_hashed_anew_in_a_copy() -> None:
    """An object compared by identity hashes differently in the copy, and so must its key."""
    copied = call("ffi.DeepCopy", Map({tvm_ffi.StructuralKey([make("Unique", 1, 2)]): "found"}))
    [key] = copied
    assert key.hash_i64 == structural_hash(key.key)
    assert copied[tvm_ffi.StructuralKey(key.key)] == "found"


@pytest.mark.parametrize("number", [2**63, -(2**63) - 1, 2**64, 10**30, -(10**40), 2**127 - 1])
def test_big_integers(number: int) -> None:
    """They are printed and serialized in decimal, and read back."""
    assert call("ffi.ReprPrint", number) == str(number)
    assert from_json_graph_str(to_json_graph_str(number)) == number


def test_big_integers_of_many_digits() -> None:
    """Their text is right at every length, and at a million digits."""
    for length in (*range(1, 40), 63, 64, 65, 127, 128, 129, 300, 440):
        for power in (2 ** (32 * length), 10 ** (9 * length), 7 ** (11 * length)):
            for number in (power - 1, power, -power, 1 - power):
                assert call("ffi.ReprPrint", number) == str(number)
                assert from_json_graph_str(to_json_graph_str(number)) == number
    text = to_json_graph_str(-(10**1_000_000))
    assert '"-1' + "0" * 1_000_000 + '"' in text
    assert from_json_graph_str(text) == -(10**1_000_000)


# Paths


def test_paths() -> None:
    """A path has its steps, its parent and a printed form."""
    root = AccessPath.root()
    path = root.attr("x").array_item(2).map_item("k")
    path = path.array_item_missing(3).attr_missing("z").map_item_missing(4)
    assert repr(path) == '<root>.x[2]["k"][<missing:3>][<missing:"z">][<missing:4>]'
    assert (path.depth, root.depth, root.step, root.parent) == (6, 0, None, None)
    assert path.parent == root.attr("x").array_item(2).map_item("k").array_item_missing(
        3
    ).attr_missing("z")
    assert [(step.kind, step.key) for step in path.to_steps()] == [
        (AccessKind.ATTR, "x"),
        (AccessKind.ARRAY_ITEM, 2),
        (AccessKind.MAP_ITEM, "k"),
        (AccessKind.ARRAY_ITEM_MISSING, 3),
        (AccessKind.ATTR_MISSING, "z"),
        (AccessKind.MAP_ITEM_MISSING, 4),
    ]
    assert path.step == path.to_steps()[-1]
    assert [*AccessKind] == [*range(6)]


def test_paths_compare() -> None:
    """Paths with the same steps are equal; a path is a prefix of its extensions."""
    root = AccessPath.root()
    path = root.attr("x").map_item(1)
    assert path == root.attr("x").map_item(1)
    assert hash(path) == hash(root.attr("x").map_item(1))
    for other in (root, root.attr("x"), root.attr("x").array_item(1), root.attr("x").map_item(1.0)):
        assert path != other
    assert path != "x"
    assert path.step != "x"
    for prefix in (root, root.attr("x"), path):
        assert prefix.is_prefix_of(path)
    assert not path.is_prefix_of(root.attr("x"))
    assert not root.attr("y").is_prefix_of(path)


def test_paths_are_made_from_the_root() -> None:
    """Neither a path nor a step can be created by calling its class."""
    with pytest.raises(ValueError, match=r"AccessPath: expected AccessPath\.root\(\)"):
        AccessPath()
    with pytest.raises(TypeError, match="AccessStep: expected a step of an AccessPath"):
        AccessStep()


VECTORS = """
#include <tvm/ffi/extra/stl.h>
#include <tvm/ffi/reflection/registry.h>
#include <tvm/ffi/tvm_ffi.h>

#include <vector>

namespace ffi = tvm::ffi;
class VectorObj : public ffi::Object {
 public:
  std::vector<int64_t> items;
  static constexpr bool _type_mutable = true;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("contents.Vector", VectorObj, ffi::Object);
};
static ffi::ObjectRef make_vector(std::vector<int64_t> items) {
  auto made = ffi::make_object<VectorObj>();
  made->items = items;
  return ffi::ObjectRef(made);
}
TVM_FFI_STATIC_INIT_BLOCK() {
  tvm::ffi::reflection::ObjectDef<VectorObj>().def_rw("items", &VectorObj::items);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(make_vector, make_vector);
"""


def test_parts_that_a_field_makes_are_copied(tmp_path: Path) -> None:
    """A field creates a new Array from its vector on each read, possibly at a reused address."""
    source = tmp_path / "vectors.cc"
    source.write_text(VECTORS)
    compile_cpp_library(source, tmp_path / "vectors.so")
    module = tvm_ffi.load_module(str(tmp_path / "vectors.so"))
    copied = call("ffi.DeepCopy", tvm_ffi.List([module.make_vector([i] * 3) for i in range(9)]))
    assert [list(vector.items) for vector in copied] == [[i] * 3 for i in range(9)]


def test_paths_cross_languages() -> None:
    """C++ accepts and returns the same paths; they can be copied, pickled and printed."""
    path = AccessPath.root().map_item("k").array_item_missing(3)
    below = tvm_ffi.get_global_func("contents.below")(path)
    assert type(below) is AccessPath
    assert below == path.attr("below")
    assert path.is_prefix_of(below)
    assert repr(tvm_ffi.convert([below])) == '(<root>["k"][<missing:3>].below,)'
    assert type(below.step) is AccessStep
    assert below.step.kind is AccessKind.ATTR
    for same in (copy.copy(below), copy.deepcopy(below), pickle.loads(pickle.dumps(below))):
        assert same == below
        assert hash(same) == hash(below)

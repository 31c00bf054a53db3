# SPDX-License-Identifier: Apache-2.0
"""Content-based operations of both packages; run as a program, it prints failures.

``content_cases.py LIBRARY`` takes the library built from contents.cc and does not need pytest.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable
from typing import Any

import tvm_ffi
from tvm_ffi import (
    Array,
    Dict,
    List,
    Map,
    Shape,
    get_first_structural_mismatch,
    structural_equal,
    structural_hash,
)
from tvm_ffi.serialization import from_json_graph_str, to_json_graph_str

NAN = float("nan")
CASES: dict[str, Callable[[], None]] = {}


def case(function: Callable[[], None]) -> Callable[[], None]:
    """Register a function as a case; its docstring states the behaviour."""
    CASES[function.__name__] = function
    return function


def call(name: str, *arguments: Any) -> Any:
    """Call a global function."""
    function: Any = tvm_ffi.get_global_func(name)
    return function(*arguments)


def make(name: str, *arguments: Any) -> Any:
    """Create an object of a type in contents.cc."""
    return call(f"contents.{name}", *arguments)


def error_of(function: Callable[..., Any], *arguments: Any) -> type:
    """Return the type of the error raised by a call."""
    try:
        function(*arguments)
    except Exception as error:
        return type(error)
    raise AssertionError("nothing was raised")


# A self-containing value lives until it is cleared. Keep it reachable so that a sanitizer
# does not report a leak.
kept: list[Any] = []


def loop() -> Any:
    """Create a list that contains itself."""
    made: Any = List([1])
    made.append(made)
    kept.append(made)
    return made


def equal_parts(name: str) -> tuple[Any, Any]:
    """Return two equal objects of a type with two fields."""
    return make(name, 1, [2]), make(name, 1, [2])


# The printed form


@case
def printed_values() -> None:
    """Floats have six digits, text is escaped, and each container type has its own brackets."""
    for value, text in (
        (None, "None"),
        (True, "True"),
        (-5, "-5"),
        (1 << 70, "1180591620717411303424"),
        (-(1 << 65), "-36893488147419103232"),
        (1.0, "1"),
        (3.14159265, "3.14159"),
        (1e16, "1e+16"),
        (-0.0, "-0"),
        (NAN, "nan"),
        ("", '""'),
        (
            'it\'s "x"\n\r\t\\ \x01\x7fé\U0001f600',
            r'"it' "'" r's \"x\"\n\r\t\\ \x01\x7f\u00e9\U0001f600"',
        ),
        (b'a"\\\n\x00\xff', r'b"a\x22\x5c\x0a\x00\xff"'),
        (tvm_ffi.dtype("int8x4"), "int8x4"),
        (tvm_ffi.device("cuda", 1), "cuda:1"),
        (Shape((1, 2)), "Shape(1, 2)"),
        (ctypes.c_void_p(64), "void*"),
        (Array([]), "()"),
        (Array([1]), "(1,)"),
        (Array([1, "a", None]), '(1, "a", None)'),
        (List([1, 2.5]), "[1, 2.5]"),
        (Map({"a": [1]}), '{"a": (1,)}'),
        (Dict({}), "{}"),
        (tvm_ffi.convert(len), "ffi.Function"),
        (loop(), "[1, ...]"),
    ):
        assert call("ffi.ReprPrint", value) == text, (text, call("ffi.ReprPrint", value))


@case
def printed_objects() -> None:
    """An object prints its type and fields, or the result of its type's own function."""
    marked = make("Marked", 1, "a", None, 5)
    assert call("ffi.ReprPrint", marked) == (
        'contents.Marked(key=1, uncompared="a", unhashed=None)'
    )
    assert call("ffi.ReprPrint", [make("Own", [1])]) == "(own<(1,)>,)"
    assert call("ffi.ReprPrint", make("EqualOnly")) == "contents.EqualOnly"


# Copies


@case
def copied_containers() -> None:
    """Containers are copied deeply, and shared elements stay shared."""
    shared = List([1])
    for kind in (Array, List):
        copied = call("ffi.DeepCopy", kind([shared, shared]))
        assert type(copied) is kind
        assert list(copied[0]) == [1]
        assert copied[0].same_as(copied[1])
        assert not copied[0].same_as(shared)
    for mapping in (Map, Dict):
        copied = call("ffi.DeepCopy", mapping({"a": shared}))
        assert type(copied) is mapping
        assert not copied["a"].same_as(shared)
    copied = call("ffi.DeepCopy", loop())
    assert copied[1].same_as(copied)
    inner: Any = List([])
    outer = Array([inner])
    inner.append(outer)
    kept.extend([copied, outer])
    copied = call("ffi.DeepCopy", outer)
    assert copied[0][0].same_as(copied)
    kept.append(copied)


@case
def copied_objects() -> None:
    """An object is copied with all its fields, including those not shown or compared."""
    key = make("Tree", 1, 2)
    held = List([key])
    copied = call("ffi.DeepCopy", make("Marked", 1, held, held, Map({key: 1})))
    assert copied.key == 1
    assert copied.uncompared.same_as(copied.unhashed)
    assert not copied.uncompared.same_as(held)
    assert next(iter(copied.hidden)).same_as(copied.uncompared[0])
    loop_of_objects = make("Tree", None, 1)
    loop_of_objects.a = List([loop_of_objects])
    copied = call("ffi.DeepCopy", loop_of_objects)
    assert copied.a[0].same_as(copied)
    kept.extend([loop_of_objects, copied])


@case
def what_cannot_be_copied() -> None:
    """A value of a type that cannot be copied is refused, even deep inside."""
    for value in (make("NoCopy"), [make("NoCopy")], tvm_ffi.convert(len)):
        assert error_of(call, "ffi.DeepCopy", value) is RuntimeError


# Order and equality

ORDERED: list[tuple[Any, Any]] = [
    (1, 2),
    (-1, 1),
    (1, 1 << 70),
    (-(1 << 70), -(1 << 69)),
    (1 << 70, 1 << 71),
    (False, True),
    (1.0, 1.5),
    (None, 1),
    (None, "a"),
    ("a", "b"),
    ("a", "a" * 20),
    (b"a" * 20, b"b"),
    (Shape((1,)), Shape((1, 0))),
    (tvm_ffi.dtype("int8"), tvm_ffi.dtype("int16")),
    (tvm_ffi.device("cpu"), tvm_ffi.device("cuda")),
    ([1, 2], [1, 3]),
    ([1], [1, 0]),
    ([1, 5], [2]),
    (List([[1], 2]), List([[2], 1])),
]


@case
def ordered_values() -> None:
    """Values of one type are ordered; the first difference orders two sequences."""
    cases = [*ORDERED]
    cases += [(make("Tree", a, 5), make("Tree", b, 1)) for a, b in ORDERED]
    cases += [(make("Own", b), make("Own", a)) for a, b in ORDERED]
    for a, b in cases:
        for x, y, order in ((a, b, -1), (b, a, 1), (a, a, 0)):
            seen = [call(f"ffi.Recursive{name}", x, y) for name in ("Eq", "Lt", "Le", "Gt", "Ge")]
            assert seen == [order == 0, order < 0, order <= 0, order > 0, order >= 0], (x, y, seen)


@case
def equal_values() -> None:
    """Equality and hash depend on content; fields excluded from comparison are ignored."""
    for a, b in (
        (NAN, NAN),
        (0.0, -0.0),
        (Map({1: [2], 3: 4}), Map({3: 4, 1: [2]})),
        (Dict({"a": Shape((1,))}), Dict({"a": Shape((1,))})),
        (loop(), loop()),
        (make("Marked", 1, 2, 3, 4), make("Marked", 1, 5, 3, 4)),
        (make("Own", [1]), make("Own", [1])),
        (make("Tree", make("Dag", 1, 2), [1]), make("Tree", make("Dag", 1, 2), [1])),
    ):
        assert call("ffi.RecursiveEq", a, b), (a, b)
        assert call("ffi.RecursiveHash", a) == call("ffi.RecursiveHash", b), (a, b)
    for a, b in (
        (1, True),
        (1, 1.0),
        ("a", b"a"),
        ([1], List([1])),
        (Shape((1, 2)), [1, 2]),
        (Map({1: 2}), Dict({1: 2})),
        (Map({1: 2}), Map({1: 3})),
        (Map({1: 2}), Map({2: 2})),
        (Map({}), Map({1: 1})),
        (NAN, 1.0),
        (make("Tree", 1, 2), make("Dag", 1, 2)),
        (make("Tree", 1, 2), 1),
        (make("Own", 1), make("Own", 2)),
    ):
        assert not call("ffi.RecursiveEq", a, b), (a, b)
        assert call("ffi.RecursiveHash", a) != call("ffi.RecursiveHash", b), (a, b)
    unhashed = [make("Marked", 1, 2, i, 4) for i in range(2)]
    assert not call("ffi.RecursiveEq", *unhashed)
    assert call("ffi.RecursiveHash", unhashed[0]) == call("ffi.RecursiveHash", unhashed[1])
    assert call("ffi.RecursiveEq", make("EqualOnly"), make("EqualOnly"))
    assert error_of(call, "ffi.RecursiveHash", make("EqualOnly")) is ValueError


@case
def values_without_an_order() -> None:
    """Values of different types, NaN and unequal mappings have no order."""
    for a, b in (
        (1, True),
        (1, 1.5),
        ("a", b"a"),
        ([1, "a"], [1, 2]),
        (NAN, NAN),
        (Map({1: 2}), Map({1: 3})),
        (Dict({}), Dict({1: 1})),
        (make("Tree", 1, 2), 1),
    ):
        for name in ("Lt", "Le", "Gt", "Ge"):
            assert error_of(call, f"ffi.Recursive{name}", a, b) is TypeError
    assert call("ffi.RecursiveLe", Map({1: 2}), Map({1: 2}))


# Structure


ROOT = "<root>"
DIFFERENT: list[tuple[Any, Any, str, str]] = [
    (1, 2, ROOT, ROOT),
    (1, True, ROOT, ROOT),
    (0.0, -0.0, ROOT, ROOT),
    ("a", b"a", ROOT, ROOT),
    (Shape((1, 2)), Shape((1, 3)), ROOT, ROOT),
    ([1], List([1]), ROOT, ROOT),
    ([1, 2], [1, 3], "<root>[1]", "<root>[1]"),
    ([1], [1, 0], "<root>[<missing:1>]", "<root>[1]"),
    ([1, 0], [1], "<root>[1]", "<root>[<missing:1>]"),
    (List([1, [2]]), List([1, [3]]), "<root>[1][0]", "<root>[1][0]"),
    ({"a": 2}, {"a": 3}, '<root>["a"]', '<root>["a"]'),
    ({1: 2}, {2: 2}, "<root>[1]", "<root>[<missing:1>]"),
    ({}, {1: 1}, "<root>[<missing:1>]", "<root>[1]"),
    ({1: 2, 5: 1}, {1: 3, 6: 1}, "<root>[1]", "<root>[1]"),
    ({5: 1, 1: 2}, {6: 1, 1: 3}, "<root>[5]", "<root>[<missing:5>]"),
    ({(1,): 1}, {(1,): 1}, "<root>[(1,)]", "<root>[<missing:(1,)>]"),
]


def agree(a: Any, b: Any, **options: bool) -> bool:
    """Return whether two values have the same structure; all three functions must agree."""
    equal: bool = structural_equal(a, b, **options)
    assert (get_first_structural_mismatch(a, b, **options) is None) == equal
    if equal:
        assert structural_hash(a, **options) == structural_hash(b, **options)
    return equal


def differ_at(a: Any, b: Any, left: str, right: str | None = None, **options: bool) -> None:
    """Check that two values differ, and where."""
    assert not agree(a, b, **options)
    found = get_first_structural_mismatch(a, b, **options)
    assert found is not None
    assert [*map(repr, found)] == [left, left if right is None else right]


@case
def structure_of_values() -> None:
    """Numbers are compared bitwise, containers by type and elements."""
    for a, b in (
        (NAN, NAN),
        ("a" * 20, "a" * 20),
        (1 << 70, 1 << 70),
        (Shape((1, 2)), Shape((1, 2))),
        ([1, [2]], [1, [2]]),
        (Map({1: [2], 3: 4}), Map({3: 4, 1: [2]})),
    ):
        assert agree(a, b), (a, b)
    for a, b, left, right in DIFFERENT:
        differ_at(a, b, left, right)


@case
def structure_of_objects() -> None:
    """Objects are compared according to the kind of their type."""
    for kind in ("Tree", "Dag", "Const", "Custom"):
        assert agree(*equal_parts(kind))
    differ_at(make("Tree", 1, [2, {"k": 3}]), make("Tree", 1, [2, {"k": 4}]), '<root>.b[1]["k"]')
    differ_at(make("Tree", 1, 2), [1], "<root>")
    a, b = equal_parts("Unique")
    differ_at(a, b, "<root>")
    unique = make("Unique", 1, 2)
    assert agree([unique], [unique])
    shared, other = equal_parts("Dag")
    assert agree([shared, shared], [other, other])
    differ_at([shared, shared], [*equal_parts("Dag")], "<root>[1]")
    differ_at([*equal_parts("Dag")], [shared, shared], "<root>[1]")
    assert agree([*equal_parts("Dag")], [*equal_parts("Dag")])
    for value in (make("Own", 1), tvm_ffi.convert(len)):
        for function in (structural_equal, get_first_structural_mismatch):
            assert error_of(function, value, value) is TypeError
        assert error_of(structural_hash, [value]) is TypeError
    assert not structural_equal(make("Own", 1), 1)


@case
def structure_with_variables() -> None:
    """Variables match each other once defined; free variables match only themselves."""
    x, y, z = (make("Var", name, 1) for name in "xyz")
    other = make("Var", "x", 2)
    assert agree(x, x)
    differ_at(x, y, "<root>")
    assert agree(x, y, map_free_vars=True)
    assert agree([x, y], [y, x], map_free_vars=True)
    differ_at([x, x], [y, z], "<root>[1]", map_free_vars=True)
    differ_at([x, y], [z, z], "<root>[1]", map_free_vars=True)
    for defining in ("Pattern", "Simple"):

        def function(parameters: Any, body: Any, defining: str = defining) -> Any:
            return make(defining, parameters, body)

        assert agree(function([x, y], [x, y]), function([y, z], [y, z]))
        differ_at(function([x, y], [x, y]), function([y, z], [z, y]), "<root>.b[0]")
        differ_at(function([x], 1), function([other], 1), "<root>.a[0].b")
        assert agree(function([x], {x: 1}), function([y], {y: 1}))
        differ_at(
            function([x], {x: 1}),
            function([y], {x: 1}),
            f"<root>.b[{call('ffi.ReprPrint', x)}]",
            f"<root>.b[<missing:{call('ffi.ReprPrint', y)}>]",
        )
        assert agree(function(make("Tree", 1, x), x), function(make("Tree", 1, y), y))
        differ_at([function([x], x), x], [function([y], y), x], "<root>[1]")
        assert agree([function([x], x), x], [function([y], y), y])
        differ_at(function([x], function([x], x)), function([y], function([z], z)), "<root>.b.a[0]")
        assert agree([x, function([x], x)], [x, function([x], x)])
        # A free variable matches only itself from its first use on.
        free = Array([x])
        assert agree([free, function([x], free)], [Array([x]), function([x], Array([x]))])
        differ_at([free, function([x], free)], [free, function([y], free)], "<root>[1].a[0]")
        differ_at([x, function([x], x)], [x, function([y], y)], "<root>[1].a[0]")
    dependent = [make("Var", "n", variable) for variable in (x, y)]
    assert agree(*(make("Pattern", [each], 1) for each in dependent))
    a, b = (make("Simple", [each], 1) for each in dependent)
    differ_at(a, b, "<root>.a[0].b")


@case
def structure_by_own_functions() -> None:
    """A type's own functions decide what is compared."""
    x, y = (make("Var", name, 1) for name in "xy")
    assert agree(make("Custom", [1], 1), make("Custom", [1], 2))
    differ_at(make("Custom", [1], 1), make("Custom", [2], 1), "<root>.a[0]")
    assert agree([make("Custom", x, 1), x], [make("Custom", y, 1), y])


@case
def structure_of_tensors() -> None:
    """Tensors are compared by shape, element type and, unless skipped, content."""
    import numpy

    def tensor(*values: float, dtype: str = "float32") -> Any:
        return tvm_ffi.from_dlpack(numpy.array(values, dtype))

    assert agree(tensor(1, 2), tensor(1, 2))
    differ_at([tensor(1, 2)], [tensor(1, 3)], "<root>[0]")
    differ_at(tensor(1, 2), tensor(1), "<root>")
    differ_at(tensor(1, 2), tensor(1, 2, dtype="float64"), "<root>")
    assert agree(tensor(1, 2), tensor(1, 3), skip_tensor_content=True)
    differ_at(tensor(1, 2), tensor(1), "<root>", skip_tensor_content=True)


@case
def structural_keys() -> None:
    """A key is looked up by the structure of its value, in mappings and in a dict."""
    key = tvm_ffi.StructuralKey([1, make("Tree", 1, [2])])
    same = tvm_ffi.StructuralKey([1, make("Tree", 1, [2])])
    other = tvm_ffi.StructuralKey([1, make("Tree", 1, [3])])
    assert key == same
    assert key != other
    assert key != 1
    assert hash(key) == hash(same) == key.hash_i64 == structural_hash(key.key)
    for mapping in (Map({key: 5}), Dict({key: 5}), {key: 5}):
        assert mapping[same] == 5
        assert other not in mapping
    assert agree(Map({key: 1}), Map({same: 1}))
    assert error_of(tvm_ffi.StructuralKey, len) is TypeError


# Text

TEXTS: list[tuple[Any, str]] = [
    (None, '{"root_index":0,"nodes":[{"type":"None"}]}'),
    (True, '{"root_index":0,"nodes":[{"type":"bool","data":true}]}'),
    (-1, '{"root_index":0,"nodes":[{"type":"int","data":-1}]}'),
    (1 << 70, '{"root_index":0,"nodes":[{"type":"ffi.BigInt","data":"1180591620717411303424"}]}'),
    (
        -(1 << 70) - 3,
        '{"root_index":0,"nodes":[{"type":"ffi.BigInt","data":"-1180591620717411303427"}]}',
    ),
    (1.0, '{"root_index":0,"nodes":[{"type":"float","data":1.0}]}'),
    (NAN, '{"root_index":0,"nodes":[{"type":"float","data":NaN}]}'),
    ("é\n", '{"root_index":0,"nodes":[{"type":"ffi.String","data":"é\\n"}]}'),
    (b"ab\x00", '{"root_index":0,"nodes":[{"type":"ffi.Bytes","data":"YWIA"}]}'),
    (
        tvm_ffi.dtype("float32"),
        '{"root_index":0,"nodes":[{"type":"DataType","data":"float32"}]}',
    ),
    (tvm_ffi.device("cuda", 1), '{"root_index":0,"nodes":[{"type":"Device","data":[2,1]}]}'),
    (Shape((1, 2)), '{"root_index":0,"nodes":[{"type":"ffi.Shape","data":[1,2]}]}'),
    (
        Array([1, "a", 1, "a"]),
        '{"root_index":2,"nodes":[{"type":"int","data":1},{"type":"ffi.String","data":"a"},'
        '{"type":"ffi.Array","data":[0,1,0,1]}]}',
    ),
    (List([]), '{"root_index":0,"nodes":[{"type":"ffi.List","data":[]}]}'),
    (
        Map({1: 2, "a": None}),
        '{"root_index":4,"nodes":[{"type":"int","data":1},{"type":"int","data":2},'
        '{"type":"ffi.String","data":"a"},{"type":"None"},{"type":"ffi.Map","data":[0,1,2,3]}]}',
    ),
    (
        Dict({1: 1.5}),
        '{"root_index":2,"nodes":[{"type":"int","data":1},{"type":"float","data":1.5},'
        '{"type":"ffi.Dict","data":[0,1]}]}',
    ),
]


@case
def texts_of_values() -> None:
    """Each value has exactly this text, and reading the text restores the value."""
    for value, text in TEXTS:
        assert to_json_graph_str(value) == text, (value, to_json_graph_str(value))
        assert call("ffi.RecursiveEq", from_json_graph_str(text), value), text
    assert to_json_graph_str(1, {"version": "x", "n": [1, None]}) == (
        '{"root_index":0,"nodes":[{"type":"int","data":1}],"metadata":{"version":"x","n":[1,null]}}'
    )


@case
def texts_of_objects() -> None:
    """Numbers and element types are inline in the object's node, other fields in separate nodes."""
    text = to_json_graph_str(make("Fields"))
    assert text == (
        '{"root_index":2,"nodes":[{"type":"ffi.String","data":"name"},{"type":"None"},'
        '{"type":"contents.Fields","data":{"number":1,"real":0.5,"flag":true,"dtype":"int8",'
        '"name":0,"maybe":1,"any":1}}]}'
    ), text
    fields = make("Fields")
    fields.number, fields.maybe, fields.any = 5, 7, [make("Tree", 1, 2)]
    read = from_json_graph_str(to_json_graph_str([fields, fields]))
    assert read[0].same_as(read[1])
    assert call("ffi.RecursiveEq", read[0], fields)
    read = from_json_graph_str(
        '{"root_index":0,"nodes":[{"type":"contents.Fields","data":{"number":7,"zz":1}}]}'
    )
    assert (read.number, read.real, read.name) == (7, 0.5, "name")
    assert to_json_graph_str(make("Text", 3)) == (
        '{"root_index":0,"nodes":[{"type":"contents.Text","data":"xxx"}]}'
    )
    assert from_json_graph_str(to_json_graph_str([make("Text", 3)]))[0].value == 3


@case
def what_has_no_text() -> None:
    """Functions, self-containing values and texts that are not graphs are refused."""
    assert error_of(to_json_graph_str, tvm_ffi.convert(len)) is TypeError
    assert error_of(to_json_graph_str, loop()) is ValueError
    node = '"nodes":[{"type":"int","data":1}]'
    for text in (
        "",
        "{}",
        "[]",
        f"{{{node}}}",
        f'{{"root_index":1,{node}}}',
        f'{{"root_index":-1,{node}}}',
        '{"root_index":0,"nodes":[{"type":"ffi.Array","data":[5]}]}',
        '{"root_index":0,"nodes":[{"type":"ffi.Map","data":[0]}]}',
    ):
        assert error_of(from_json_graph_str, text) is ValueError, text


def main(library: str) -> None:
    """Run all cases and print the failures."""
    import traceback

    tvm_ffi.load_module(library)
    failed = 0
    for name, function in CASES.items():
        try:
            function()
        except Exception:
            failed += 1
            print(name, traceback.format_exc(), flush=True)
    print(f"{len(CASES) - failed} of {len(CASES)} cases passed")
    sys.exit(failed != 0)


if __name__ == "__main__":
    main(*sys.argv[1:])

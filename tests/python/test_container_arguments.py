# SPDX-License-Identifier: Apache-2.0
# Rows: R3, R5, R6
"""Lists, tuples, dicts and containers as arguments, results and arguments of callbacks."""

from __future__ import annotations

import collections
import gc
import sys
import weakref
from typing import Any

import numpy
import pytest
import tvm_ffi
from tvm_ffi import Array, Dict, List, Map

Pair = collections.namedtuple("Pair", "x y")


@pytest.mark.parametrize(
    ("value", "cls", "text"),
    [
        ([], Array, "()"),
        ([1, 2], Array, "(1, 2)"),
        ((1, "a", None), Array, "(1, 'a', None)"),
        (Pair(1, [2]), Array, "(1, (2,))"),
        ({}, Map, "{}"),
        ({"a": 1, 2: {"b": (3,)}}, Map, "{'a': 1, 2: {'b': (3,)}}"),
        (collections.OrderedDict(a=1), Map, "{'a': 1}"),
        (collections.defaultdict(list, {1: [2]}), Map, "{1: (2,)}"),
        (List([1]), List, "[1]"),
        (Dict({1: 2}), Dict, "{1: 2}"),
    ],
)
def test_python_containers_become_ours(functions: Any, value: Any, cls: Any, text: str) -> None:
    """A list or tuple arrives as an Array, a dict as a Map, and a tvm_ffi container as itself."""
    result = functions.echo(value)
    assert type(result) is cls
    assert repr(result) == text


@pytest.mark.parametrize("made", [Array([1]), List([1]), Map({1: 2}), Dict({1: 2})])
def test_a_container_goes_through_as_the_same_object(functions: Any, made: Any) -> None:
    """The object returned is the object passed."""
    assert functions.echo(made).same_as(made)


def test_subclasses_of_list_and_dict(functions: Any) -> None:
    """A subclass counts as its base, and a dict subclass may override items."""

    class Numbers(list):
        pass

    class Doubled(dict):
        def items(self) -> Any:
            return [(key, 2 * value) for key, value in super().items()]

    class Broken(dict):
        def items(self) -> Any:
            return [1]

    assert functions.echo(Numbers([1, 2])) == [1, 2]
    assert functions.echo(Doubled(a=1)) == {"a": 2}
    with pytest.raises(
        TypeError, match=r"argument 0 \(Broken\): expected items\(\) to return pairs"
    ):
        functions.echo(Broken(a=1))


@pytest.mark.parametrize(
    ("value", "place"),
    [
        ([1, 2, {3}], r"argument 1 \(list\): element 2 \(set\): expected a single value"),
        (([{3}],), r"argument 1 \(tuple\): element 0 \(list\): element 0 \(set\): expected"),
        ({"a": {3}}, r"argument 1 \(dict\): key 'a' \(set\): expected a single value"),
        ({7: [{3}]}, r"argument 1 \(dict\): key 7 \(list\): element 0 \(set\): expected"),
        ({(1,): {3}}, r"argument 1 \(dict\): value number 0 \(set\): expected a single value"),
        (["\ud800"], r"argument 1 \(list\): element 0 \(str\): .*surrogates not allowed"),
        ({"\ud800": 1}, r"argument 1 \(dict\): key number 0 \(str\): .*surrogates not allowed"),
    ],
)
def test_errors_name_the_place(functions: Any, value: Any, place: str) -> None:
    """An error about a value that cannot be packed names the path to it."""
    with pytest.raises((TypeError, ValueError), match=f"^nop: {place}"):
        functions.nop(0, value)


def test_errors_of_elements(functions: Any) -> None:
    """An error raised by an element's own code is the cause; only a TypeError keeps its type."""

    class Raises:
        def __tvm_ffi_object__(self) -> Any:
            raise LookupError("nothing here")

    with pytest.raises(
        ValueError, match=r"argument 0 \(list\): element 1 \(Raises\): nothing"
    ) as caught:
        functions.nop([1, Raises()])
    assert type(caught.value.__cause__) is LookupError


def test_python_containers_that_hold_themselves(functions: Any) -> None:
    """A list or dict that contains itself is a ValueError; one that is shared is not."""
    loop: list[Any] = [1]
    loop.append([loop])
    expected = (
        r"element 1 \(list\): element 0 \(list\): expected a list that does not contain itself"
    )
    with pytest.raises(ValueError, match=expected):
        functions.nop(loop)
    table: dict[str, Any] = {}
    table["me"] = table
    with pytest.raises(
        ValueError, match=r"key 'me' \(dict\): expected a dict that does not contain"
    ):
        functions.nop(table)
    shared = [1]
    assert functions.echo([shared, shared]) == [[1], [1]]


@pytest.mark.parametrize(
    ("change", "first"),
    [
        (lambda source, me: source.update({object(): me}), True),
        (lambda source, me: source.update({object(): me}), False),
        (lambda source, me: source.popitem(), True),
        (lambda source, me: source.popitem(), False),
        (lambda source, me: source.clear(), True),
        (lambda source, me: (source.pop(2), source.update({object(): me})), False),
    ],
    ids=["grows", "grows at the end", "shrinks", "shrinks at the end", "empties", "other keys"],
)
def test_dicts_that_change_while_they_are_packed(functions: Any, change: Any, first: bool) -> None:
    """A dict changed by an element's own code is an error, and packing stops."""
    calls = 0

    class Changes:
        def __tvm_ffi_int__(self) -> int:
            nonlocal calls
            calls += 1
            if calls > 1000:
                raise RecursionError("packing does not end")
            change(source, self)
            return 7

    expected = "expected a dict that does not change while it is packed, got one that changed"
    for take, name in [(functions.nop, r"nop: argument 0 \(dict\)"), (Map, "Map: dict")]:
        source: dict[Any, Any] = {0: 0, 1: 1, 2: 2}
        source[0 if first else 2] = Changes()
        with pytest.raises(ValueError, match=f"^{name}: {expected}$") as caught:
            take(source)
        assert type(caught.value.__cause__) is RuntimeError


def test_changes_that_do_not_reach_what_is_packed(functions: Any) -> None:
    """A dict's values may change, and a dict subclass yields its pairs before any is packed."""

    class Changes:
        def __init__(self, change: Any) -> None:
            self.change = change

        def __tvm_ffi_int__(self) -> int:
            self.change()
            return 7

    class Pairs(dict):
        pass

    source: dict[Any, Any] = {"a": Changes(lambda: source.update(b=8)), "b": 2}
    assert functions.echo(source) == {"a": 7, "b": 8}
    pairs: dict[Any, Any] = Pairs(a=Changes(lambda: pairs.clear()), b=2)
    assert functions.echo(pairs) == {"a": 7, "b": 2}


def test_lists_that_change_while_they_are_packed(functions: Any) -> None:
    """Packing a list stops at its original length, or sooner if the list shrinks."""

    class Changes:
        def __init__(self, change: Any) -> None:
            self.change = change

        def __tvm_ffi_int__(self) -> int:
            self.change(source)
            return 7

    source: list[Any] = [Changes(lambda source: source.append(source[0])), 2]
    assert functions.echo(source) == [7, 2]
    source = [1, Changes(lambda source: source.pop()), 3, 4]
    assert functions.echo(source) == [1, 7, 3]


def test_too_deep_lists(functions: Any) -> None:
    """Lists nested beyond Python's limit are a RecursionError."""
    nested: list[Any] = []
    for _ in range(1_000_000):  # from 3.14 on, the C stack size is the limit
        nested = [nested]
    with pytest.raises(RecursionError):
        functions.nop(nested)
    shallow: list[Any] = []
    for _ in range(50):
        shallow = [shallow]
    assert functions.echo(shallow) == shallow


def test_a_failed_call_keeps_nothing(functions: Any) -> None:
    """Values packed before the failing element are released."""
    value = object()
    tensor = numpy.zeros(3)
    before = sys.getrefcount(value), sys.getrefcount(tensor)
    for _ in range(3):
        with pytest.raises(TypeError):
            functions.nop([value, {"a": value}, tensor, "a text of some length", {1}])
    gc.collect()
    assert (sys.getrefcount(value), sys.getrefcount(tensor)) == before


# ---- Tensors in containers ----


def test_tensors_in_containers_are_not_copied(functions: Any, framework: Any) -> None:
    """A tensor in a list or dict shares the framework's memory, as does the one returned."""
    tensor = framework.zeros((3,))
    for value in ([tensor], (1, [tensor]), {"a": tensor}, [{"a": [tensor]}]):
        result = functions.echo(value)
        while not isinstance(result, type(tensor)):
            result = result[-1] if isinstance(result, Array) else result["a"]
        result[1] = 5
        assert float(tensor[1]) == 5
        tensor[1] = 0


def test_tensors_come_back_in_the_framework(functions: Any, framework: Any) -> None:
    """Elements of a returned container are tensors of the framework of the call's arguments."""
    tensor = framework.zeros((3,))
    result = functions.echo([tensor, [tensor]])
    kinds = [result[0], result[1][0], *result[:1], next(iter(result)), *reversed(result[1])]
    assert {type(each) for each in kinds} == {type(tensor)}
    mapping = functions.echo({"a": tensor})
    kinds = [mapping["a"], mapping.get("a"), *mapping.values(), *dict(mapping.items()).values()]
    assert {type(each) for each in kinds} == {type(tensor)}
    again = functions.echo(result)
    assert type(again[0]) is type(tensor)


def test_tensors_in_containers_made_by_python(functions: Any, framework: Any) -> None:
    """Containers created in Python yield tvm_ffi.Tensor and keep the memory alive."""
    tensor = framework.zeros((3,))
    for made in (Array([tensor]), List([tensor])):
        assert type(made[0]) is tvm_ffi.Tensor
        assert type(functions.echo(made)[0]) is tvm_ffi.Tensor
    kept = Map({"a": framework.full((1000,), 3.0)})["a"]
    gc.collect()
    assert float(numpy.from_dlpack(kept).sum()) == 3000


def test_mixed_frameworks(functions: Any) -> None:
    """PyTorch takes precedence in containers as it does among arguments."""
    torch = pytest.importorskip("torch")
    result = functions.echo([numpy.zeros(3), torch.zeros(3), tvm_ffi.from_dlpack(numpy.zeros(2))])
    assert [type(each) for each in result] == [torch.Tensor] * 3
    result = functions.echo([numpy.zeros(3), tvm_ffi.from_dlpack(numpy.zeros(2))])
    assert [type(each) for each in result] == [tvm_ffi.Tensor] * 2


def test_refused_tensors_in_containers(functions: Any) -> None:
    """A tensor that is refused as an argument is refused in a list too."""
    frozen = numpy.zeros(3)
    frozen.flags.writeable = False
    with pytest.raises(
        ValueError, match=r"argument 0 \(list\): element 1 \(.*ndarray\): .*written"
    ):
        functions.nop([1, frozen])
    torch = pytest.importorskip("torch")
    with pytest.raises(ValueError, match=r"element 0 \(Tensor\): .* negated when read"):
        functions.nop([torch._neg_view(torch.ones(2))])


def test_a_tensor_outlives_the_list(functions: Any, framework: Any) -> None:
    """A kept container owns its tensors; one that is not kept releases them at once."""
    tensor = framework.full((1000,), 3.0)
    alive = weakref.ref(tensor)
    functions.nop([tensor])
    kept = functions.echo([tensor])
    del tensor
    gc.collect()
    assert float(kept[0].sum()) == 3000
    del kept
    gc.collect()
    assert alive() is None


def test_a_list_that_changes_during_the_call(functions: Any) -> None:
    """A tensor stays alive even if a callback removes it from the list that was passed."""
    source = [numpy.full((1000,), 3.0)]
    seen = []

    def callback(array: Any) -> None:
        source.clear()
        gc.collect()
        seen.append(float(numpy.from_dlpack(array[0]).sum()))

    functions.call(callback, source)
    assert seen == [3000]


# ---- Callbacks ----


def test_callbacks_get_containers(functions: Any) -> None:
    """A callback receives the same container classes, and its result is converted to one."""
    seen: list[Any] = []

    def callback(*arguments: Any) -> Any:
        seen.extend(arguments)
        return {"all": list(arguments)}

    shared = List([1])
    result = functions.call(callback, [1, numpy.zeros(2)], {"a": 1}, shared)
    assert [type(each) for each in seen] == [Array, Map, List]
    assert type(seen[0][1]) is tvm_ffi.Tensor
    assert type(result) is Map
    assert result["all"][2].same_as(shared)


def test_callbacks_change_what_they_share(functions: Any) -> None:
    """A callback's changes to a List or Dict are visible to the caller."""
    numbers, table = List([1]), Dict()

    def callback(numbers: Any, table: Any) -> None:
        numbers.append(2)
        table["key"] = [3]

    functions.call(callback, numbers, table)
    assert numbers == [1, 2]
    assert table == {"key": [3]}


def test_errors_in_results_name_the_place(functions: Any) -> None:
    """An error about a result's element names the callback and the path to the element."""

    def gives() -> Any:
        return [1, {"a": {2}}]

    with pytest.raises(
        TypeError, match=r"gives: result \(list\): element 1 \(dict\): key 'a' \(set"
    ):
        functions.call(gives)


def test_functions_and_objects_in_containers(functions: Any) -> None:
    """Callables, dtypes, devices, shapes and opaque objects can be elements too."""
    value = object()
    result = functions.echo(
        [len, tvm_ffi.dtype("int8"), tvm_ffi.device("cpu"), tvm_ffi.Shape((1, 2)), value]
    )
    assert result[0]([1, 2]) == 2
    assert result[1:4] == [tvm_ffi.dtype("int8"), tvm_ffi.device("cpu"), (1, 2)]
    assert result[4] is value


def test_references_of_elements(functions: Any) -> None:
    """Calls with containers leave every reference count unchanged."""
    value, text = object(), "a text of some length"
    made = Array([value])
    before = sys.getrefcount(value), sys.getrefcount(text), sys.getrefcount(made)
    for _ in range(100):
        functions.echo([value, text, made, {"a": [value]}])
        functions.echo(made)[0]
        functions.call(lambda x: x, [value])
    gc.collect()
    assert (sys.getrefcount(value), sys.getrefcount(text), sys.getrefcount(made)) == before

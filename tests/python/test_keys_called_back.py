# SPDX-License-Identifier: Apache-2.0
# Rows: R5, R7
"""Keys and elements whose equality changes the container being searched or compared."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import tvm_ffi
from tvm_ffi import Dict, List, StructuralKey, structural_equal

from .conftest import compile_cpp_library
from .content_cases import call


@pytest.fixture(scope="module", autouse=True)
def calling(tmp_path_factory: pytest.TempPathFactory) -> tvm_ffi.Module:
    """Load the library built from keys_called_back.cc."""
    path = tmp_path_factory.mktemp("keys_called_back") / "keys.so"
    compile_cpp_library(Path(__file__).with_name("keys_called_back.cc"), path)
    return tvm_ffi.load_module(path)


class Hook:
    """Calls a function once when a key is compared."""

    def __init__(self) -> None:
        """Start with no function to call."""
        self.waiting: list[Callable[[], None]] = []

    def __call__(self) -> None:
        """Call the pending function, if any."""
        if self.waiting:
            self.waiting.pop()()


def key_by_equality(hook: Hook, value: int) -> Any:
    """Return a key with its own equality function."""
    return call("keys_called_back.Calling", hook, value)


def key_by_structure(hook: Hook, value: int) -> Any:
    """Return a key compared by the structure of an object with its own function."""
    return StructuralKey(key_by_equality(hook, value))


KEYS = [key_by_equality, key_by_structure]
LOOK_UPS: dict[str, Callable[[Dict[Any, Any], Any], Any]] = {
    "[]": lambda d, key: d[key],
    "get": lambda d, key: d.get(key),
    "in": lambda d, key: key in d,
    "set": lambda d, key: d.update([(key, 5)]),
    "assign": lambda d, key: d.__setitem__(key, 5),
    "setdefault": lambda d, key: d.setdefault(key, 5),
    "pop": lambda d, key: d.pop(key, None),
    "del": lambda d, key: d.__delitem__(key),
    "function": lambda d, key: call("ffi.DictGetItem", d, key),
}
COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    "==": lambda a, b: a == b,
    "structural": structural_equal,
    "recursive": lambda a, b: call("ffi.RecursiveEq", a, b),
}


@pytest.mark.parametrize("size", [1, 3, 40])
@pytest.mark.parametrize("make", KEYS)
@pytest.mark.parametrize("name", LOOK_UPS)
def test_look_ups(name: str, make: Callable[[Hook, int], Any], size: int) -> None:
    """A look-up whose key changes the Dict raises, and the key's changes remain."""
    hook = Hook()
    d = Dict({make(hook, i): [f"the value of {i}"] for i in range(size)})

    def change() -> None:
        d.clear()
        d.update({i: [i] for i in range(1000)})

    hook.waiting.append(change)
    with pytest.raises(RuntimeError, match="Dict: expected a mapping that the hash and the equali"):
        LOOK_UPS[name](d, make(hook, size // 2))
    assert d == {i: [i] for i in range(1000)}


@pytest.mark.parametrize("make", KEYS)
@pytest.mark.parametrize("name", COMPARISONS)
def test_comparisons(name: str, make: Callable[[Hook, int], Any]) -> None:
    """Comparing two Dicts whose keys clear both raises."""
    hook = Hook()
    a, b = (Dict({make(hook, i): [f"the value of {i}"] for i in range(300)}) for _ in range(2))
    assert COMPARISONS[name](a, b)

    def change() -> None:
        a.clear()
        b.clear()

    hook.waiting.append(change)
    with pytest.raises(RuntimeError, match="Dict: expected a mapping that the hash and the equali"):
        COMPARISONS[name](a, b)


@pytest.mark.parametrize("make", KEYS)
def test_values(make: Callable[[Hook, int], Any]) -> None:
    """A value or element whose equality clears its container stays alive until it returns."""
    hook = Hook()
    a, b = (Dict({i: [make(hook, i)] for i in range(300)}) for _ in range(2))
    x, y = (List([[make(hook, i)] for i in range(300)]) for _ in range(2))

    def change() -> None:
        for container in (a, b, x, y):
            container.clear()

    hook.waiting.append(change)
    assert a != b
    x.extend([[make(hook, 1)]])
    y.extend([[make(hook, 1)]])
    hook.waiting.append(change)
    assert x == y
    x.append([make(hook, 1)])
    hook.waiting.append(change)
    assert [make(hook, 1)] in x
    assert not x

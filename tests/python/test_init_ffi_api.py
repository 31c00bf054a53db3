# SPDX-License-Identifier: Apache-2.0
# Rows: R5
"""Modules filled with the global functions of a namespace."""

from __future__ import annotations

import inspect
import sys
import types
from collections.abc import Iterator
from typing import Any

import pytest
import tvm_ffi


@pytest.fixture
def module(request: pytest.FixtureRequest) -> Iterator[Any]:
    """Yield an empty module registered under a name derived from the test's."""
    made = types.ModuleType(f"module_of_{request.node.name}")
    sys.modules[made.__name__] = made
    yield made
    del sys.modules[made.__name__]


@pytest.fixture
def functions() -> Iterator[None]:
    """Register functions of several namespaces."""
    registered = {
        "api_test.one": lambda: 1,
        "api_test.two": lambda: 2,
        "api_test.deep.three": lambda: 3,
        "api_test_other.four": lambda: 4,
        "api_test": lambda: 5,
    }
    for name, function in registered.items():
        tvm_ffi.register_global_func(name, function)
    yield
    for name in registered:
        tvm_ffi.remove_global_func(name)


def public(module: Any) -> set[str]:
    """Return the module's names other than the dunder names."""
    return {name for name in vars(module) if not name.startswith("__")}


def test_a_module_gets_its_functions(module: Any, functions: None) -> None:
    """Each function of the namespace, and no other, is set under its short name."""
    tvm_ffi.init_ffi_api("api_test", module.__name__)
    assert public(module) == {"one", "two"}
    assert (module.one(), module.two()) == (1, 2)
    assert isinstance(module.one, tvm_ffi.Function)
    assert module.one.__name__ == "one"


def test_nested_namespaces(module: Any, functions: None) -> None:
    """A namespace may contain a dot."""
    tvm_ffi.init_ffi_api("api_test.deep", module.__name__)
    assert public(module) == {"three"}


def test_the_module_of_the_same_name(functions: None) -> None:
    """Without a module name, the target is the module named like the namespace."""
    sys.modules["api_test"] = types.ModuleType("api_test")
    try:
        tvm_ffi.init_ffi_api("api_test")
        assert public(sys.modules["api_test"]) == {"one", "two"}
    finally:
        del sys.modules["api_test"]


def test_namespaces_of_tvm(module: Any, functions: None) -> None:
    """The prefix of TVM's own modules is not part of the function names."""
    tvm_ffi.init_ffi_api("tvm.api_test", module.__name__)
    assert public(module) == {"one", "two"}


def test_functions_tell_about_themselves(module: Any) -> None:
    """Under its short name, a function keeps its signature and registered documentation."""
    tvm_ffi.init_ffi_api("ffi", module.__name__)
    schema = tvm_ffi.get_global_func_metadata("ffi.ListPop")["type_schema"]
    assert '"type":"int"' in schema.replace(" ", "")
    assert str(inspect.signature(module.ListPop)).endswith("-> 'Any'")
    assert module.ListPop.__name__ == "ListPop"


def test_twice(module: Any, functions: None) -> None:
    """A second call adds functions registered since and overwrites existing names."""
    tvm_ffi.init_ffi_api("api_test", module.__name__)
    module.one = None
    tvm_ffi.register_global_func("api_test.later", lambda: 6)
    try:
        tvm_ffi.init_ffi_api("api_test", module.__name__)
        assert (module.later(), module.one()) == (6, 1)
    finally:
        tvm_ffi.remove_global_func("api_test.later")


def test_wrong_arguments(module: Any) -> None:
    """An error names a namespace that is not text and a module that does not exist."""
    with pytest.raises(TypeError, match=r"^init_ffi_api: namespace: expected a str, got int$"):
        tvm_ffi.init_ffi_api(3)  # type: ignore[arg-type]
    with pytest.raises(KeyError, match="init_ffi_api: target_module_name: expected a module, got"):
        tvm_ffi.init_ffi_api("api_test", "no.such.module")
    tvm_ffi.init_ffi_api("no_such_namespace", module.__name__)
    assert public(module) == set()

# SPDX-License-Identifier: Apache-2.0
# Rows: R5
"""Modules that are filled with the global functions of a namespace."""

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
    """Give an empty module, known to Python by the test's own name."""
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
    """Names of a module that Python did not put there."""
    return {name for name in vars(module) if not name.startswith("__")}


def test_a_module_gets_its_functions(module: Any, functions: None) -> None:
    """Each function of the namespace, and no other, gets its short name."""
    tvm_ffi.init_ffi_api("api_test", module.__name__)
    assert public(module) == {"one", "two"}
    assert (module.one(), module.two()) == (1, 2)
    assert isinstance(module.one, tvm_ffi.Function)
    assert module.one.__name__ == "one"


def test_nested_namespaces(module: Any, functions: None) -> None:
    """A dot within the namespace belongs to it."""
    tvm_ffi.init_ffi_api("api_test.deep", module.__name__)
    assert public(module) == {"three"}


def test_the_module_of_the_same_name(functions: None) -> None:
    """Without a module's name, it is the one that is named like the namespace."""
    sys.modules["api_test"] = types.ModuleType("api_test")
    try:
        tvm_ffi.init_ffi_api("api_test")
        assert public(sys.modules["api_test"]) == {"one", "two"}
    finally:
        del sys.modules["api_test"]


def test_namespaces_of_tvm(module: Any, functions: None) -> None:
    """The prefix of TVM's own modules is not part of the functions' names."""
    tvm_ffi.init_ffi_api("tvm.api_test", module.__name__)
    assert public(module) == {"one", "two"}


def test_functions_tell_about_themselves(module: Any) -> None:
    """Under its short name, too, a function has its signature and the registered text."""
    tvm_ffi.init_ffi_api("ffi", module.__name__)
    schema = tvm_ffi.get_global_func_metadata("ffi.ListPop")["type_schema"]
    assert '"type":"int"' in schema.replace(" ", "")
    assert str(inspect.signature(module.ListPop)).endswith("-> 'Any'")
    assert module.ListPop.__name__ == "ListPop"


def test_twice(module: Any, functions: None) -> None:
    """A second time picks up what was registered since, in place of what was there."""
    tvm_ffi.init_ffi_api("api_test", module.__name__)
    module.one = None
    tvm_ffi.register_global_func("api_test.later", lambda: 6)
    try:
        tvm_ffi.init_ffi_api("api_test", module.__name__)
        assert (module.later(), module.one()) == (6, 1)
    finally:
        tvm_ffi.remove_global_func("api_test.later")


def test_wrong_arguments(module: Any) -> None:
    """A namespace that is no text, and a module that is not there, are named."""
    with pytest.raises(TypeError, match=r"^init_ffi_api: namespace: expected a str, got int$"):
        tvm_ffi.init_ffi_api(3)  # type: ignore[arg-type]
    with pytest.raises(KeyError, match="init_ffi_api: target_module_name: expected a module, got"):
        tvm_ffi.init_ffi_api("api_test", "no.such.module")
    tvm_ffi.init_ffi_api("no_such_namespace", module.__name__)
    assert public(module) == set()

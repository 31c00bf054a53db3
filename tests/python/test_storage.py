# SPDX-License-Identifier: Apache-2.0
# Rows: R5
"""The key-value store, used from Python."""

from __future__ import annotations

import gc
import subprocess
import sys
import threading
import uuid
import weakref
from collections.abc import Callable
from typing import Any

import numpy
import pytest
import tvm_ffi
from hypothesis import given
from hypothesis import strategies as st
from tvm_ffi import storage


@pytest.fixture
def key() -> Any:
    """Yield a unique key and erase it afterwards."""
    name = f"tests.storage.{uuid.uuid4()}"
    yield name
    storage.erase(name)


def test_set_get_erase(key: str) -> None:
    """A value can be read until it is erased or replaced."""
    assert storage.get(key) is None
    assert storage.erase(key) is False
    storage.set(key, 3)
    assert storage.get(key) == 3
    storage.set(key, "text of some length")
    assert storage.get(key) == "text of some length"
    assert storage.erase(key) is True
    assert storage.get(key) is None


@given(value=st.one_of(st.integers(-(2**63), 2**63 - 1), st.text(), st.binary(), st.booleans()))
def test_values_come_back(value: Any) -> None:
    """Numbers, text and bytes come back equal."""
    storage.set("tests.storage.value", value)
    assert storage.get("tests.storage.value") == value


@given(name=st.text())
def test_any_text_is_a_key(name: str) -> None:
    """Any text is a valid key, even empty; two keys do not interfere."""
    key = "tests.storage." + name
    storage.set(key, 1)
    storage.set(key + "2", 2)
    assert (storage.get(key), storage.get(key + "2")) == (1, 2)
    assert storage.erase(key)
    assert storage.erase(key + "2")


def test_tensors_share_memory(key: str) -> None:
    """A framework's tensor comes back as a tvm_ffi.Tensor over the same memory."""
    array = numpy.zeros(4)
    storage.set(key, array)
    found = storage.get(key)
    assert type(found) is tvm_ffi.Tensor
    array[1] = 5
    assert numpy.from_dlpack(found)[1] == 5


def test_objects_are_kept_and_freed(key: str) -> None:
    """A Python object comes back as itself and is freed when erased."""

    class Plain:
        """Nothing in particular."""

    value = Plain()
    gone = weakref.ref(value)
    storage.set(key, value)
    del value
    assert storage.get(key) is gone()
    storage.erase(key)
    gc.collect()
    assert gone() is None


def test_functions_are_stored(key: str) -> None:
    """A callable comes back as a function."""
    storage.set(key, lambda x: x + 1)
    assert storage.get(key)(3) == 4


def test_get_or_create(key: str) -> None:
    """The factory is called once; one that raises leaves nothing behind."""
    calls = []

    def factory() -> str:
        calls.append(1)
        if len(calls) == 1:
            raise LookupError("not yet")
        return "made"

    with pytest.raises(LookupError, match="not yet"):
        storage.get_or_create(key, factory)
    assert storage.get(key) is None
    assert [storage.get_or_create(key, factory) for _ in range(3)] == ["made"] * 3
    assert len(calls) == 2


def test_threads_create_one_value(key: str) -> None:
    """Of many threads, one calls its factory, and all get its result."""
    calls: list[int] = []
    found: list[Any] = []
    start = threading.Barrier(8)

    def ask() -> None:
        start.wait()
        found.append(storage.get_or_create(key, lambda: calls.append(1) or object()))

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(calls) == 1
    assert len(found) == 8
    assert all(each is found[0] for each in found)


def test_factories_do_not_ask_for_their_key(key: str) -> None:
    """A factory that requests its own key would wait for itself, so it is an error."""
    with pytest.raises(RuntimeError, match="does not request the key that it makes a value for"):
        storage.get_or_create(key, lambda: storage.get_or_create(key, lambda: 1))


def test_keys_for_devices_and_streams() -> None:
    """A key contains the device in canonical form and the stream as a number."""
    assert storage.key("name") == "name"
    assert storage.key("name", "cpu") == "name@cpu:0"
    assert storage.key("name", tvm_ffi.device("cuda", 1)) == "name@cuda:1"
    assert storage.key("name", "cuda:1", 0) == "name@cuda:1#0"
    assert storage.key("name", "cuda:1", 0x1234) == "name@cuda:1#4660"
    with pytest.raises(ValueError, match="device: expected the stream's device, got None"):
        storage.key("name", stream=3)


@pytest.mark.parametrize(("device", "stream"), [("cpu", None), ("cuda:3", 0), ("rocm:1", 77)])
def test_cpp_makes_the_same_keys(described: Any, device: str, stream: int | None) -> None:
    """A value stored from one language is found from the other."""
    tvm_device = tvm_ffi.device(device)
    assert storage.key("name", device, stream) == described.storage_key("name", tvm_device, stream)
    storage.set(storage.key("tests.storage.both", device, stream), 4)
    assert described.storage_get("tests.storage.both", tvm_device, stream) == 4
    assert storage.erase(storage.key("tests.storage.both", device, stream))


def test_cpp_converts_a_value_as_it_does_an_argument(described: Any) -> None:
    """A bool is read as an int; a float, which no int parameter accepts, is refused."""
    cpu = tvm_ffi.device("cpu")
    name = storage.key("tests.storage.converted", "cpu")
    storage.set(name, True)
    assert described.storage_get("tests.storage.converted", cpu, None) == 1
    storage.set(name, 2.5)
    with pytest.raises(TypeError, match=r'expected int at key "tests\.storage\.converted@cpu:0"'):
        described.storage_get("tests.storage.converted", cpu, None)
    assert storage.erase(name)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (
            lambda: storage.set("k", None),
            ValueError,
            "storage.set: value: expected a value, got No",
        ),
        (lambda: storage.set(3, 1), TypeError, "storage.set: key: expected a str, got int"),
        (lambda: storage.get(None), TypeError, "storage.get: key: expected a str, got NoneType"),
        (lambda: storage.erase(b"k"), TypeError, "storage.erase: key: expected a str, got bytes"),
        (
            lambda: storage.get_or_create("k", 3),
            TypeError,
            "storage.get_or_create: factory: expected a callable, got int",
        ),
        (
            lambda: storage.get_or_create("tests.none", lambda: None),
            ValueError,
            "factory: expected a value, got None",
        ),
        (lambda: storage.key(3), TypeError, "storage.key: name: expected a str, got int"),
    ],
)
def test_wrong_arguments(call: Callable[[], Any], error: type[Exception], message: str) -> None:
    """A wrong argument is an error that names the function and the argument."""
    with pytest.raises(error, match=message):
        call()


def test_python_ends_with_values_in_the_store() -> None:
    """Values still stored at interpreter exit do no harm."""
    code = """
import tvm_ffi
class Plain:
    def __del__(self):
        print("never")
tvm_ffi.storage.set("k", Plain())
tvm_ffi.storage.set("f", lambda: 1)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")

# SPDX-License-Identifier: Apache-2.0
# Rows: R3, R4
"""Objects of any library that define by a method what they are passed as."""

from __future__ import annotations

import gc
import sys
import weakref
from pathlib import Path
from typing import Any

import numpy
import pytest
import tvm_ffi

from .conftest import compile_library, needs_torch, torch

CUDA = 2


def with_method(name: str, answer: Any, *bases: type) -> Any:
    """Create an object with one method."""
    return type("Duck", bases, {name: lambda self: answer})()


@pytest.mark.parametrize(
    ("method", "answer", "expected"),
    [
        ("__tvm_ffi_int__", 3, 3),
        ("__tvm_ffi_float__", 2.5, 2.5),
        ("__tvm_ffi_value__", "a text of more than seven letters", None),
        ("__tvm_ffi_value__", None, None),
        ("__tvm_ffi_value__", tvm_ffi.device("cuda:1"), None),
        ("__dlpack_data_type__", (2, 16, 1), tvm_ffi.dtype("float16")),
        ("__dlpack_device__", (2, 1), tvm_ffi.device("cuda:1")),
    ],
)
def test_values_that_stand_in(functions: Any, method: str, answer: Any, expected: Any) -> None:
    """The method's result is passed in place of the object."""
    assert functions.echo(with_method(method, answer)) == (answer if expected is None else expected)


def test_a_method_that_is_there_only_once(functions: Any) -> None:
    """A method found through a metaclass is cached: a later look-up may give another result."""
    answers = iter([lambda self: 3])

    class Meta(type):
        def __getattr__(cls, name: str) -> Any:
            if name == "__tvm_ffi_object__":
                return next(answers)
            raise AttributeError(name)

    value = Meta("Duck", (), {})()
    assert functions.echo(value) == 3
    assert functions.echo(value) == 3


@pytest.mark.parametrize("package", ["cupy", "jaxlib", "paddle"])
def test_a_class_named_like_a_package_that_is_not_there(
    functions: Any, monkeypatch: Any, package: str
) -> None:
    """If the framework is not imported, such objects are treated like any others."""
    monkeypatch.delitem(sys.modules, "jax" if package == "jaxlib" else package, raising=False)
    value = type("Array", (), {"__module__": f"{package}.inner"})()
    assert functions.echo(value) is value
    with pytest.raises(TypeError, match="expected a str, a DLDeviceType or a device, got Array"):
        tvm_ffi.device(value)


def test_addresses(functions: Any) -> None:
    """Opaque pointers and CUDA streams are passed as addresses."""
    assert functions.echo(with_method("__tvm_ffi_opaque_ptr__", 64)).value == 64
    assert functions.echo(with_method("__cuda_stream__", (0, 4096))).value == 4096


NUMBER = {"__index__": lambda self: 7, "__float__": lambda self: 7.5}


@pytest.mark.parametrize("number", NUMBER)
@pytest.mark.parametrize(
    ("method", "answer"),
    [("__tvm_ffi_int__", 3), ("__tvm_ffi_float__", 2.5), ("__tvm_ffi_value__", "text")],
)
def test_numbers_that_stand_in(functions: Any, method: str, answer: Any, number: str) -> None:
    """A compiler's number, such as CuTe DSL's, defines how it is passed, whatever else it has."""
    value = type("Number", (), {method: lambda self: answer, number: NUMBER[number]})()
    assert functions.echo(value) == answer
    assert functions.echo(type("Plain", (), {number: NUMBER[number]})()) in (7, 7.5)


def test_a_callable_address_is_an_address(functions: Any) -> None:
    """Methods that give an address take precedence over __call__."""
    methods = {"__tvm_ffi_opaque_ptr__": lambda self: 64, "__call__": lambda self: 1}
    assert functions.echo(type("Pointer", (), methods)()).value == 64


def test_objects_that_stand_in(functions: Any) -> None:
    """A wrapper of a tensor passes the tensor, even if the wrapper is also an array."""
    tensor = tvm_ffi.from_dlpack(numpy.arange(3.0))

    class Wrapper:
        def __tvm_ffi_object__(self) -> Any:
            return tensor

        def __dlpack__(self, **options: Any) -> Any:
            raise AssertionError("not asked")

        def __dlpack_device__(self) -> Any:
            raise AssertionError("not asked")

    assert functions.address(Wrapper()) == tensor.data_ptr()
    assert functions.echo(Wrapper()).same_as(tensor)


def test_stand_ins_live_until_the_call_is_over(functions: Any) -> None:
    """A tensor held only by the method's result lives for the call and no longer."""
    gone: list[Any] = []

    class Maker:
        def __tvm_ffi_value__(self) -> Any:
            array = numpy.full(1000, 7.0)
            gone.append(weakref.ref(array))
            return array

    result = functions.echo(Maker())
    assert set(numpy.asarray(result).tolist()) == {7.0}
    assert gone[0]() is not None
    del result
    gc.collect()
    assert gone[0]() is None


def test_stand_ins_are_counted(functions: Any) -> None:
    """A call with a stand-in leaves every reference count unchanged."""
    tensor = tvm_ffi.from_dlpack(numpy.arange(3.0))
    duck = with_method("__tvm_ffi_object__", tensor)
    before = sys.getrefcount(tensor), functions.use_count(tensor)
    for _ in range(100):
        functions.nop(duck, duck)
    assert (sys.getrefcount(tensor), functions.use_count(tensor)) == before


def test_a_duck_of_itself_is_an_error(functions: Any) -> None:
    """An object that converts to itself raises an error and does not crash."""

    class Endless:
        def __tvm_ffi_value__(self) -> Any:
            return self

    with pytest.raises(RecursionError):
        functions.nop(Endless())


@pytest.mark.parametrize(
    ("method", "answer", "message"),
    [
        ("__tvm_ffi_opaque_ptr__", "x", r"nop: argument 0 \(Duck\)"),
        ("__cuda_stream__", 3, r"nop: argument 0 \(Duck\)"),
        ("__cuda_stream__", (0, "x"), r"nop: argument 0 \(Duck\)"),
        ("__dlpack_device__", (1,), r"nop: argument 0 \(Duck\)"),
        ("__dlpack_device__", 7, r"nop: argument 0 \(Duck\): .*int"),
        ("__dlpack_device__", (2**31, 0), r"nop: argument 0 \(Duck\): .* of 32 bits each"),
        # 258 and 65537 are the codes of a floating-point type and of one lane if truncated.
        *(
            ("__dlpack_data_type__", answer, rf"argument 0 \(Duck\): expected .* got {got}")
            for answer, got in (
                ((258, 32, 1), r"\(258, 32, 1\)"),
                ((2, 288, 1), r"\(2, 288, 1\)"),
                ((2, 32, 65537), r"\(2, 32, 65537\)"),
                ((-254, 32, 1), r"\(-254, 32, 1\)"),
                ((2, 32, 2**70), r"\(2, 32, \d+\)"),
                ((2, 32), r"\(2, 32\)"),
            )
        ),
        ("__dlpack_data_type__", 7, r"nop: argument 0 \(Duck\): .*int"),
        ("__dlpack_data_type__", (2, "x", 1), r"nop: argument 0 \(Duck\): .*str"),
    ],
)
def test_wrong_answers(functions: Any, method: str, answer: Any, message: str) -> None:
    """An invalid answer from a method is an error that names the argument."""
    with pytest.raises((TypeError, ValueError), match=message):
        functions.nop(with_method(method, answer))


def test_raising_methods(functions: Any) -> None:
    """An exception raised by the method is the cause of an error that names the argument."""

    class Raising:
        def __tvm_ffi_object__(self) -> Any:
            raise KeyError("lost")

    with pytest.raises(ValueError, match=r"nop: argument 1 \(Raising\): .*lost") as caught:
        functions.nop(0, Raising())
    assert isinstance(caught.value.__cause__, KeyError)


def test_integers_go_before_their_methods(functions: Any) -> None:
    """A subclass of int is passed as its integer value."""
    assert functions.echo(type("Duck", (int,), {"__tvm_ffi_int__": lambda self: 3})(7)) == 7


class Streamed:
    """A producer on CUDA device 3 that names its stream."""

    stream = 99

    def __dlpack_device__(self) -> tuple[int, int]:
        return (CUDA, 3)

    def __dlpack__(self, **options: Any) -> Any:
        return on_device_three(numpy.zeros(2))

    def __tvm_ffi_env_stream__(self) -> int:
        return self.stream


def on_device_three(values: Any) -> Any:
    """Return a capsule that claims its memory is on CUDA device 3."""
    import ctypes

    capsule = values.__dlpack__()
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    address = get(capsule, b"dltensor")
    ctypes.c_int32.from_address(address + 8).value = CUDA
    ctypes.c_int32.from_address(address + 12).value = 3
    return capsule


def test_the_named_stream_is_followed(functions: Any) -> None:
    """A call runs on the stream named by the argument, even after from_dlpack."""
    source = Streamed()
    assert functions.stream_of(CUDA, 3, source) == 99
    tensor = tvm_ffi.from_dlpack(source)
    assert functions.stream_of(CUDA, 3, tensor) == 99
    source.stream = 101
    assert functions.stream_of(CUDA, 3, tensor) == 101
    assert functions.stream_of(CUDA, 3) == 0


def test_a_container_follows_the_named_stream(functions: Any) -> None:
    """A container that holds the argument queries its stream again on each call."""
    source = Streamed()
    assert functions.stream_of(CUDA, 3, [source]) == 99
    container = tvm_ffi.convert([source])
    source.stream = 101
    assert functions.stream_of(CUDA, 3, container) == 101


def test_from_dlpack_keeps_who_names_the_stream(functions: Any) -> None:
    """The producer lives as long as the tensor that follows its stream, and no longer."""
    source = Streamed()
    gone = weakref.ref(source)
    tensor = tvm_ffi.from_dlpack(source)
    del source
    gc.collect()
    assert functions.stream_of(CUDA, 3, tensor) == 99
    del tensor
    gc.collect()
    assert gone() is None


def test_a_stream_that_raises(functions: Any) -> None:
    """An error raised by __tvm_ffi_env_stream__ names the argument, and no stream stays set."""

    class Broken(Streamed):
        def __tvm_ffi_env_stream__(self) -> int:
            raise OSError("no stream")

    with pytest.raises(ValueError, match=r"nop: argument 1 \(Broken\): .*no stream"):
        functions.nop(0, Broken())
    assert functions.stream_of(CUDA, 3) == 0


def test_allocation_on_a_gpu_needs_a_framework_that_can(functions: Any, tmp_path: Any) -> None:
    """If no argument's framework has GPU memory, the error says what to pass."""
    compile_library(Path(__file__).with_name("elements.c"), tmp_path / "elements.so")
    elements = tvm_ffi.load_module(tmp_path / "elements.so")
    with pytest.raises(RuntimeError, match=r"got cuda:3; pass a tensor of a framework"):
        elements.allocate_like(Streamed())


@needs_torch
def test_a_subclass_names_its_stream(functions: Any) -> None:
    """A subclass of torch.Tensor on the CPU is not queried; its method is for devices."""

    class Named(torch.Tensor):
        def __tvm_ffi_env_stream__(self) -> int:
            raise AssertionError("not asked")

    assert functions.ndim(torch.zeros(2).as_subclass(Named)) == 1

# SPDX-License-Identifier: Apache-2.0
# Rows: R5, R7
"""A kernel library written in plain C99 against ``c_api.h`` works like one in C++."""

import ctypes
import shlex
import subprocess
from pathlib import Path

import numpy as np
import pytest
import tvm_ffi
from _verify.package_flags import flags

SOURCE = Path(__file__).with_name("kernel_in_c.c")
FLAGS = "-std=c99 -pedantic -Wall -Wextra -Werror -shared -fPIC -O1"


@pytest.fixture(scope="module")
def module(tmp_path_factory):
    """Build the library with warnings as errors and load it."""
    library = tmp_path_factory.mktemp("kernel_in_c") / "kernel_in_c.so"
    command = (
        f"gcc {FLAGS} {flags('--cflags')} {SOURCE} -o {library} {flags('--ldflags', '--libs')}"
    )
    subprocess.run(shlex.split(command), check=True)
    return tvm_ffi.load_module(library)


@pytest.mark.parametrize("part", [slice(None), slice(0), slice(1, None, 3), slice(None, None, -1)])
def test_results(module, part):
    """The kernel reads any part of an array, writes into another and returns the length."""
    x = np.arange(10, dtype=np.float32)[part]
    y = np.zeros(2 * x.size, np.float32)[::2]
    assert module.add_one(x, y) == x.size
    np.testing.assert_array_equal(y, x + 1)
    assert not y.base[1::2].any()


FLOATS = np.zeros(3, np.float32)


class OnGpu:
    """An array in the CPU's memory that says that it is on a GPU."""

    def __dlpack_device__(self):
        """Type and number of the device."""
        return (2, 0)

    def __dlpack__(self, **_):
        """A capsule whose tensor names that device."""
        capsule = FLOATS.__dlpack__()
        pointer = ctypes.pythonapi.PyCapsule_GetPointer
        pointer.restype, pointer.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)
        # The type of the device follows the address of the elements.
        ctypes.c_int32.from_address(pointer(capsule, b"dltensor") + 8).value = 2
        return capsule


@pytest.mark.parametrize(
    ("arguments", "kind", "message"),
    [
        ((FLOATS,), TypeError, "add_one(x, y): expected 2 arguments"),
        ((3, FLOATS), TypeError, "add_one: x: expected a tensor"),
        ((FLOATS, None), TypeError, "add_one: y: expected a tensor"),
        ((FLOATS, OnGpu()), ValueError, "add_one: x, y: expected tensors on the CPU"),
        ((np.zeros(3), FLOATS), TypeError, "add_one: x: expected a float32 vector"),
        (
            (FLOATS, np.zeros((3, 1), np.float32)),
            TypeError,
            "add_one: y: expected a float32 vector",
        ),
        (
            (FLOATS, np.zeros(4, np.float32)),
            ValueError,
            "add_one: y: expected the length of x, got another",
        ),
    ],
)
def test_errors(module, arguments, kind, message):
    """What the kernel raises arrives as the Python exception of that kind."""
    with pytest.raises(kind) as caught:
        module.add_one(*arguments)
    assert str(caught.value) == message
    assert type(caught.value) is kind


HEAP = pytest.param("a text on the heap", marks=pytest.mark.only_here)


@pytest.mark.parametrize("value", [None, 3, 2.5, True, "short", HEAP, b"a\0b"])
def test_values(module, value):
    """A value goes in and comes out the same, of the same type."""
    result = module.same(value)
    assert result == value
    assert type(result) is type(value)


def test_call_back(module):
    """C code calls a Python function, and passes on what that raises."""
    assert module.call_back(lambda a, b: a + b) == 42

    def fail(a, b):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        module.call_back(fail)
    with pytest.raises(TypeError, match=r"call_back\(f\): f: expected a Function"):
        module.call_back(3)


@pytest.mark.only_here
def test_same_exception(module):
    """An exception that goes through C comes back itself."""
    error = KeyError("mine")

    def fail(a, b):
        raise error

    with pytest.raises(KeyError) as caught:
        module.call_back(fail)
    assert caught.value is error

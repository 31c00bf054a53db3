# SPDX-License-Identifier: Apache-2.0
# Rows: R7
"""Values between Python and C++, as the page on them shows."""

import math
import re
import shlex
import subprocess
from pathlib import Path

import numpy
import pytest
import tvm_ffi
from _verify.package_flags import flags

HERE = Path(__file__).resolve().parent
FLAGS = "-shared -fPIC -O1 -Wall -Wextra -Wconversion -Werror"


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    """The library of the page."""
    library = tmp_path_factory.mktemp("values") / "values.so"
    command = (
        f"g++ {FLAGS} {flags('--cxxflags')} {HERE}/values.cc -o {library}"
        f" {flags('--ldflags', '--libs')}"
    )
    subprocess.run(shlex.split(command), check=True)
    return library


@pytest.fixture
def mod(library, shows):
    """The library, loaded; the test proves what it calls of it, and itself."""
    shows("tests/snippets/values.cc", "tests/snippets/test_values.py")
    shows("tests/snippets/test_values.py", "tests/snippets/values.cc")
    return tvm_ffi.load_module(library)


def test_any(mod):
    """A parameter of any type takes what the function makes of it."""
    # [call_any.begin]
    assert mod.add("ab", "cd") == "abcd"
    assert mod.add(1, 2.5) == 3.5
    with pytest.raises(TypeError, match=r"Any: expected float, got None"):
        mod.add(1, None)
    # [call_any.end]


# [accepted.begin]
def square(x):
    """Any callable is a function for C++."""
    return x * x


float16, gpu = tvm_ffi.dtype("float16"), tvm_ffi.device("cuda", 1)
tensor = tvm_ffi.from_dlpack(numpy.arange(3))

ACCEPTED = [  # (parameter, argument, what comes back)
    ("bool", True, True),
    ("bool", 2, True),
    ("int64", -3, -3),
    ("int64", True, 1),
    ("int8", 127, 127),
    ("double", 1.5, 1.5),
    ("double", 2, 2.0),
    ("double", True, 1.0),
    ("pointer", None, None),
    ("dtype", float16, float16),
    ("dtype", "float16", float16),
    ("dtype", numpy.dtype("float16"), float16),
    ("device", gpu, gpu),
    ("String", "text", "text"),
    ("string", "text", "text"),
    ("Bytes", b"\0\1", b"\0\1"),
    ("Bytes", bytearray(b"\0\1"), b"\0\1"),
    ("Shape", tvm_ffi.Shape((2, 3)), tvm_ffi.Shape((2, 3))),
    ("Shape", (2, 3), tvm_ffi.Shape((2, 3))),
    ("Shape", tvm_ffi.List([2, 3]), tvm_ffi.Shape((2, 3))),
    ("Tensor", tensor, tensor),
    ("Function", square, square),
    ("Function", None, None),
    ("Optional", None, None),
    ("Optional", 5, 5),
    ("optional", None, None),
    ("Variant", 5, 5),
    ("Variant", "text", "text"),
    ("variant", "text", "text"),
    ("Any", None, None),
    ("Any", 2.5, 2.5),
]

REFUSED = [  # (parameter, argument, the end of the message)
    ("bool", 1.0, "expected bool, got float"),
    ("int64", 3.0, "expected int, got float"),
    ("int64", None, "expected int, got None"),
    ("int8", 128, "expected int of 8 bits, got int 128"),
    ("uint64", 2**63, "got int beyond the limits of a number, -2**63 and 2**63 - 1"),
    ("double", "1.5", "expected float, got str"),
    ("double", 2**63, "got int beyond the limits of a number, -2**63 and 2**63 - 1"),
    ("dtype", float, "expected dtype, got Function"),
    ("device", "cuda:1", "expected Device, got str"),
    ("String", b"bytes", "expected str, got bytes"),
    ("Bytes", "text", "expected bytes, got str"),
    ("Bytes", memoryview(b"text"), "expected bytes, got memoryview"),
    ("Shape", 2, "expected Shape, got int 2"),
    ("Shape", range(2), "expected Shape, got range"),
    ("Tensor", None, "expected Tensor, got None"),
    ("Optional", "5", "expected Optional[int], got str"),
    ("Variant", 2.5, "expected Variant[int, str], got float"),
]
# [accepted.end]


def same(a, b):
    """Whether two values are the same for Python, and of one type."""
    if isinstance(b, tvm_ffi.Tensor):
        return a.data_ptr() == b.data_ptr()
    if callable(b):
        return isinstance(a, tvm_ffi.Function) and a(7) == b(7)
    return type(a) is type(b) and a == b


@pytest.mark.parametrize(("parameter", "argument", "back"), ACCEPTED)
def test_accepted(mod, parameter, argument, back):
    """The parameter takes the argument, converted if need be."""
    assert same(mod[f"take_{parameter}"](argument), back)


@pytest.mark.parametrize(("parameter", "argument", "message"), REFUSED)
def test_refused(mod, parameter, argument, message):
    """The parameter refuses the argument with a message that names both."""
    with pytest.raises(TypeError, match=re.escape(message) + "$"):
        mod[f"take_{parameter}"](argument)


def test_containers(mod):
    """A container that a function gives is read like one of Python, and a list goes in as one."""
    # [containers.begin]
    array = tvm_ffi.get_global_func("values.array")
    numbers = array(1, 2, 3)
    assert list(numbers) == [1, 2, 3]
    assert mod.total(numbers) == 6
    assert mod.total([1, 2, 3]) == 6
    # [containers.end]
    assert type(numbers) is tvm_ffi.Array
    assert mod.size_of(array()) == 0
    assert mod.element(array(array(1, 2), "text"), 1) == "text"
    assert mod.element([[1, 2], "text"], 1) == "text"
    with pytest.raises(TypeError, match=re.escape("expected Array[int]")):
        mod.total({"a": 1})


def test_special_numbers(mod):
    """Numbers at the ends of their ranges come back as they are."""
    for number in (2**63 - 1, -(2**63)):
        assert mod.take_int64(number) == number
    assert math.isnan(mod.take_double(math.nan))
    assert mod.take_double(math.inf) == math.inf

# SPDX-License-Identifier: Apache-2.0
# Rows: R5, R6, R7
"""NVIDIA's CuTe DSL, a compiler for the published package, with its option --enable-tvm-ffi.

The cases are those of cute_dsl_probe.py. Each environment compiles and calls the functions itself.
"""

import importlib.util
import json
import re
import subprocess
from pathlib import Path

import pytest

PROBE = Path(__file__).with_name("cute_dsl_probe.py")
CASES = re.findall(r"^def case_(\w+)\(", PROBE.read_text(), re.MULTILINE)

ADD = "add(a: int32, b: int32, out: Tensor([3], int32))"
SCALE = "scale(x: Tensor([n0], float32), y: Tensor([n1], float32), factor: float32)"
NUMBERS = "numbers(flag: bool, wide: int64, small: uint8, real: float64, out: Tensor([4], float64))"
TWO = "two(pair: Tuple[int32, int32], out: Tensor([3], int32))"
FIELDS = "fields(pair: Tuple[int32, int32], out: Tensor([3], int32))"


def refused(kind: str, what: str, call: str, expected: str) -> list[str]:
    """An error of the compiled function, whose text the compiler wrote."""
    return [kind, f"{what} when calling: `{call}`, expected {expected}"]


def no_int(place: str, call: str = ADD) -> list[str]:
    """The error where an int was expected."""
    return refused("TypeError", f"Mismatched type on {place}", call, "int")


def other(what: str, expected: str) -> list[str]:
    """The error where a tensor is laid out in another way."""
    return refused("ValueError", f"Mismatched {what} on argument #2", ADD, expected)


EXPECTED = {
    "ints": [None, [7, 0, 0]],
    "bool_for_an_int": [None, [5, 0, 0]],
    "array_of_numpy": [None, [11, 0, 0]],
    "own_tensor": [None, [15, 0, 0]],
    "keywords": [None, [19, 0, 0]],
    "passed_on": [None, [50, 0, 0]],
    "too_few": ["TypeError", "wrapper() missing 1 required positional argument: 'out'"],
    "too_many": ["TypeError", "wrapper() takes 3 positional arguments but 4 were given"],
    "unknown_keyword": ["TypeError", "wrapper() got an unexpected keyword argument 'z'"],
    "text_for_an_int": no_int("argument #0"),
    "float_for_an_int": no_int("argument #0"),
    "none_for_an_int": no_int("argument #1"),
    "int_for_a_tensor": refused("TypeError", "Mismatched type on argument #2", ADD, "Tensor"),
    "int_out_of_range": refused(
        "ValueError",
        "Out of bound value on argument #0",
        ADD,
        "to be in int32 range [-2147483648, 2147483647]",
    ),
    "other_dtype": other("Tensor", "dtype=int32"),
    "other_shape": other("out.shape[0]", "to be 3"),
    "other_rank": other("Tensor", "ndim=1"),
    "other_strides": other("out.strides[0]", "to be 1"),
    "default": [None, [0.0, 2.0, 4.0, 6.0]],
    "float": [None, [0.0, 0.5, 1.0, 1.5]],
    "int_for_a_float": [None, [0.0, 3.0, 6.0, 9.0]],
    "any_length": [None, [2.0] * 7],
    "text_for_a_float": refused("TypeError", "Mismatched type on argument #2", SCALE, "float"),
    "missing_tensor": ["TypeError", "wrapper() missing 1 required positional argument: 'y'"],
    "twice": ["TypeError", "wrapper() got multiple values for argument 'x'"],
    "each_kind_of_number": [None, [1.0, 2.0**40, 255.0, 2.5]],
    "numbers_of_the_compiler": [None, [0.0, -9.0, 8.0, 7.5]],
    "small_int_out_of_range": refused(
        "ValueError",
        "Out of bound value on argument #2",
        NUMBERS,
        "to be in uint8 range [0, 255]",
    ),
    "none": [None, [9, 0, 0]],
    "int_for_none": refused(
        "TypeError",
        "Mismatched type on argument #0",
        "no_value(a: None, out: Tensor([3], int32))",
        "None",
    ),
    "tuple": [None, [4, 5, 0]],
    "list_for_a_tuple": [None, [6, 7, 0]],
    "longer_tuple": refused(
        "ValueError", "Mismatched tuple size on argument #0", TWO, "tuple size=2"
    ),
    "text_in_a_tuple": no_int("pair[1] in argument #0", TWO),
    "dataclass": [None, [8, 9, 0]],
    "text_in_a_dataclass": no_int("pair[1] in argument #0", FIELDS),
    "pointer": [[None, [3, 9, 0]], [None, [3, 9, 0]]],
    "text_for_a_pointer": refused(
        "TypeError",
        "Mismatched type on argument #0",
        "first(pointer: DataPointer, out: Tensor([3], int32))",
        "handle or int",
    ),
    "derived_class": [None, 3, True, True, [True, "TVMFFIJitCompiledFunction", "Function"]],
    "argument_of_nothing": [
        "TypeError",
        "Expects 0 parameters when calling: `nothing()`",
    ],
    "threads": [[number, [2.0 * number] * 4] for number in range(4)],
    "exported": [[None, [23, 9, 0]], no_int("argument #1"), [None, [27, 9, 0]]],
    "error_of_the_compiler": ["CUDADialectError", "CUDA Error Code: 35", True],
}


@pytest.fixture(scope="module")
def seen(pythons) -> dict[str, dict]:
    """What each case came to, under each package."""
    for package in ("nvidia_cutlass_dsl", "torch"):
        if importlib.util.find_spec(package) is None:
            pytest.skip(f"{package} is not installed")
    found = {}
    for name, python in pythons.items():
        done = subprocess.run([python, str(PROBE)], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        found[name] = json.loads(done.stdout.splitlines()[-1])
    return found


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("runtime", ["ours", "published"])
def test_cute_dsl(seen, runtime, case) -> None:
    """A result, or the kind and the whole message of an error."""
    assert seen[runtime][case] == EXPECTED[case]


def test_every_case_is_expected() -> None:
    """None is left out, and none is gone."""
    assert [*EXPECTED] == CASES

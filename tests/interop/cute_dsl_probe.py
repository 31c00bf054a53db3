# SPDX-License-Identifier: Apache-2.0
"""Compiles host functions by CuTe DSL with --enable-tvm-ffi, and prints what calls give as JSON.

Each function ``case_*`` is one case. What it returns is its result; an error is written as its kind
and message. The functions have no device code, so that no GPU is needed.
"""

import ctypes
import dataclasses
import json
import os
import subprocess
import tempfile
import threading
from pathlib import Path
from typing import Any

os.environ["CUTE_DSL_ARCH"] = "sm_90"  # where there is no GPU to ask

import cutlass
import numpy
import torch
import tvm_ffi
from cutlass import cute
from cutlass.cute.runtime import from_dlpack, load_module, make_ptr
from cutlass.cutlass_dsl.tvm_ffi_provider import CUDADialectError


@dataclasses.dataclass
class Pair:
    """Two numbers, which are passed as a tuple."""

    first: cutlass.Int32
    second: cutlass.Int32


@cute.jit
def add(a: cutlass.Int32, b: cutlass.Int32, out: cute.Tensor):
    """Write the sum into the first element."""
    out[0] = a + b


@cute.jit
def scale(x: cute.Tensor, y: cute.Tensor, factor: cutlass.Float32 = 2.0):
    """Write x * factor into y."""
    for i in range(cute.size(x)):
        y[i] = x[i] * factor


@cute.jit
def numbers(
    flag: cutlass.Boolean,
    wide: cutlass.Int64,
    small: cutlass.Uint8,
    real: cutlass.Float64,
    out: cute.Tensor,
):
    """Write a number of each kind."""
    out[0] = cutlass.Float64(flag)
    out[1] = cutlass.Float64(wide)
    out[2] = cutlass.Float64(small)
    out[3] = real


@cute.jit
def no_value(a: Any, out: cute.Tensor):
    """Take None."""
    out[0] = 9


@cute.jit
def two(pair: tuple[cutlass.Int32, cutlass.Int32], out: cute.Tensor):
    """Write both numbers of a tuple."""
    out[0] = pair[0]
    out[1] = pair[1]


@cute.jit
def fields(pair: Pair, out: cute.Tensor):
    """Write both fields."""
    out[0] = pair.first
    out[1] = pair.second


@cute.jit
def first(pointer: cute.Pointer, out: cute.Tensor):
    """Take an address."""
    out[0] = 3


@cute.jit
def nothing():
    """Take no argument."""


def compiled(function, *arguments):
    """Compile a function whose calls go through TVM FFI."""
    return cute.compile(function, *arguments, options="--enable-tvm-ffi")


def example(tensor, dynamic=False):
    """What a tensor parameter is compiled for: this layout, or every length."""
    described = from_dlpack(tensor, enable_tvm_ffi=True)
    return described.mark_layout_dynamic() if dynamic else described


def address(tensor):
    """The address of a tensor as CuTe DSL has it."""
    return make_ptr(cutlass.Int32, tensor.data_ptr(), cute.AddressSpace.generic)


OUT = torch.zeros(3, dtype=torch.int32)
REALS = torch.zeros(4, dtype=torch.float64)
X, Y = torch.arange(4, dtype=torch.float32), torch.zeros(4)

ADD = compiled(add, 1, 2, example(OUT))
SCALE = compiled(scale, example(X, dynamic=True), example(Y, dynamic=True))
NUMBERS = compiled(
    numbers,
    cutlass.Boolean(True),
    cutlass.Int64(1),
    cutlass.Uint8(1),
    cutlass.Float64(1.0),
    example(REALS),
)
NO_VALUE = compiled(no_value, None, example(OUT))
TWO = compiled(two, (cutlass.Int32(1), cutlass.Int32(2)), example(OUT))
FIELDS = compiled(fields, Pair(1, 2), example(OUT))
FIRST = compiled(first, address(OUT), example(OUT))
NOTHING = compiled(nothing)


def written(function, *arguments, **keywords):
    """Call a function, and give what it returned and what it wrote into its last argument."""
    out = [*arguments, *keywords.values()][-1]
    return function(*arguments, **keywords), out.tolist()


def case_ints():
    """Two ints and a tensor of PyTorch."""
    return written(ADD, 3, 4, OUT)


def case_bool_for_an_int():
    """A truth value is a number."""
    return written(ADD, True, 4, OUT)


def case_array_of_numpy():
    """An array in the tensor's place."""
    return written(ADD, 5, 6, numpy.zeros(3, "int32"))


def case_own_tensor():
    """A tensor of the package in its place."""
    return ADD(7, 8, tvm_ffi.from_dlpack(OUT)), OUT.tolist()


def case_keywords():
    """Names of parameters."""
    return written(ADD, b=9, a=10, out=OUT)


def case_passed_on():
    """The compiled function as an argument, called by its receiver."""
    return tvm_ffi.convert(lambda function: function(20, 30, OUT))(ADD), OUT.tolist()


def case_too_few():
    """An argument is missing."""
    return ADD(1, 2)


def case_too_many():
    """One too many."""
    return ADD(1, 2, OUT, OUT)


def case_unknown_keyword():
    """A name that no parameter has."""
    return ADD(1, 2, OUT, z=3)


def case_text_for_an_int():
    """A str is no int."""
    return ADD("x", 2, OUT)


def case_float_for_an_int():
    """Nor is a float."""
    return ADD(2.5, 2, OUT)


def case_none_for_an_int():
    """Nor is None."""
    return ADD(1, None, OUT)


def case_int_for_a_tensor():
    """An int is no tensor."""
    return ADD(1, 2, 3)


def case_int_out_of_range():
    """A number that int32 cannot hold."""
    return ADD(2**31, 2, OUT)


def case_other_dtype():
    """A tensor of another element type."""
    return ADD(1, 2, OUT.float())


def case_other_shape():
    """A tensor of another length."""
    return ADD(1, 2, torch.zeros(4, dtype=torch.int32))


def case_other_rank():
    """A tensor of another rank."""
    return ADD(1, 2, torch.zeros(3, 1, dtype=torch.int32))


def case_other_strides():
    """A tensor with gaps."""
    return ADD(1, 2, torch.zeros(6, dtype=torch.int32)[::2])


def case_default():
    """A default value."""
    return written(SCALE, X, Y)


def case_float():
    """A float in its place."""
    return SCALE(X, Y, 0.5), Y.tolist()


def case_int_for_a_float():
    """An int is a float."""
    return SCALE(X, Y, factor=3), Y.tolist()


def case_any_length():
    """A tensor compiled for every length."""
    return written(SCALE, torch.ones(7), torch.zeros(7))


def case_text_for_a_float():
    """A str is no float."""
    return SCALE(X, Y, "x")


def case_missing_tensor():
    """An argument without a default is missing."""
    return SCALE(X)


def case_twice():
    """An argument by position and by name."""
    return SCALE(X, Y, x=X)


def case_each_kind_of_number():
    """A truth value, a wide number, a small one and a real one."""
    return written(NUMBERS, True, 2**40, 255, 2.5, REALS)


def case_numbers_of_the_compiler():
    """Its own classes for numbers."""
    mine = cutlass.Boolean(False), cutlass.Int64(-9), cutlass.Uint8(8), cutlass.Float64(7.5)
    return written(NUMBERS, *mine, REALS)


def case_small_int_out_of_range():
    """A number that uint8 cannot hold."""
    return NUMBERS(True, 1, 256, 2.5, REALS)


def case_none():
    """None where it was compiled for None."""
    return written(NO_VALUE, None, OUT)


def case_int_for_none():
    """Anything else is refused."""
    return NO_VALUE(3, OUT)


def case_tuple():
    """A tuple of numbers."""
    return written(TWO, (4, 5), OUT)


def case_list_for_a_tuple():
    """A list in its place."""
    return written(TWO, [6, 7], OUT)


def case_longer_tuple():
    """A tuple of another length."""
    return TWO((4, 5, 6), OUT)


def case_text_in_a_tuple():
    """A tuple with something else in it."""
    return TWO((4, "x"), OUT)


def case_dataclass():
    """An instance of a data class."""
    return written(FIELDS, Pair(8, 9), OUT)


def case_text_in_a_dataclass():
    """A field with something else in it."""
    return FIELDS(Pair(8, "x"), OUT)


def case_pointer():
    """An address, in the compiler's class and as a number."""
    return written(FIRST, address(OUT), OUT), written(FIRST, OUT.data_ptr(), OUT)


def case_text_for_a_pointer():
    """A str is no address."""
    return FIRST("x", OUT)


def case_derived_class():
    """A function without parameters is an instance of a class below Function, with attributes."""
    NOTHING.mine = 3
    same = tvm_ffi.convert(lambda function: function)(NOTHING)
    kinds = isinstance(NOTHING, tvm_ffi.Function), type(NOTHING).__name__, type(same).__name__
    return NOTHING(), NOTHING.mine, NOTHING.__chandle__() != 0, same == NOTHING, kinds


def case_argument_of_nothing():
    """It refuses an argument."""
    return NOTHING(1)


def case_threads():
    """Threads call one function at once."""
    seen = {}

    def work(number):
        y = torch.zeros(4)
        for _ in range(100):
            SCALE(torch.full((4,), float(number)), y)
        seen[number] = y.tolist()

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sorted(seen.items())


def case_exported():
    """Compiled ahead of time: an object file, linked into a library, which needs no compiler."""
    with tempfile.TemporaryDirectory() as folder:
        exported = Path(folder, "add.o")
        ADD.export_to_c(str(exported), function_name="add")
        # A name that no other case has: a file that a process has loaded is never written anew.
        library = Path(folder, "exported_add.so")
        subprocess.run(["g++", "-shared", exported, "-o", library], check=True)
        module = tvm_ffi.load_module(str(library))
        results = written(module.add, 11, 12, OUT), outcome(lambda: module.add(1, "x", OUT))
        # The compiler's own loader of the same object file.
        mine = load_module(str(exported), enable_tvm_ffi=True)
        return *results, written(mine.add, 13, 14, OUT)


def case_error_of_the_compiler():
    """An error kind that it registers becomes its class, made of the message of the C code."""
    library = ctypes.CDLL(str(tvm_ffi.libinfo.find_libtvm_ffi()))

    @ctypes.CFUNCTYPE(
        ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int32, ctypes.c_void_p
    )
    def fail(*_):
        library.TVMFFIErrorSetRaisedFromCStr(b"CUDADialectError", b"CUDA Error Code: 35")
        return -1

    place = ctypes.cast(fail, ctypes.c_void_p).value
    function = tvm_ffi.Function.__from_extern_c__(place, keep_alive_object=fail)
    try:
        function()
    except CUDADialectError as error:
        name = type(error).__name__
        return name, error.raw_tvm_ffi_message, "cudaErrorInsufficientDriver" in str(error)


def outcome(case):
    """What a case returns, or the kind and the message of its error."""
    try:
        return case()
    except Exception as error:
        return type(error).__name__, str(error)


def main():
    """Run every case."""
    cases = {name[5:]: case for name, case in globals().items() if name.startswith("case_")}
    print(json.dumps({name: outcome(case) for name, case in cases.items()}))


if __name__ == "__main__":
    main()

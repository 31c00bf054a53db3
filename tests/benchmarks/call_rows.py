# SPDX-License-Identifier: Apache-2.0
"""The rows of the benchmark of calls: a statement each, which both runtimes run.

calls.py times them, instructions.py counts their instructions and leaks.py what they leave behind,
so that none forgets a row.
"""

from __future__ import annotations

import ctypes
import importlib.util
import shlex
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any, NamedTuple

import tvm_ffi
from tvm_ffi.utils.kwargs_wrapper import make_kwargs_wrapper

# How often a function of cpp_library.cc repeats the operation that its row is named after.
TIMES = 1000
# How often a row of callbacks with tensors calls back.
CALLBACKS = 100
# Whether this is our runtime or the published one.
OURS = hasattr(tvm_ffi.Function, "trusted")
# Rows with a trusted mode beside the default one: those that pass PyTorch tensors.
TRUSTED = " (trusted)"
# The same call through limit.cc, for rows that have one.
LIMIT = " (limit)"


class Row(NamedTuple):
    """What one row runs: a statement, the names in it, and how often it does the named thing."""

    statement: str
    names: dict[str, Any]
    times: int = 1


def build_library(library: Path, python: str = sys.executable) -> Path:
    """Build the functions that rows call, with the headers of an interpreter's package.

    The source has the name of the library.
    """
    command = [python, "-m", "tvm_ffi.config", "--cxxflags", "--ldflags", "--libs"]
    flags = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    source = Path(__file__).with_name(library.name).with_suffix(".cc")
    subprocess.run(
        ["g++", "-shared", "-fPIC", "-O2", str(source), "-o", str(library), *shlex.split(flags)],
        check=True,
    )
    return library


def build_limit(library: Path) -> Path:
    """Build the extension that calls with the least possible work, for this interpreter."""
    includes = [sysconfig.get_path("include"), str(Path(tvm_ffi.__file__).parent / "include")]
    source = Path(__file__).with_name("limit.cc")
    flags = ["-std=c++17", "-O2", "-shared", "-fPIC", *(f"-I{folder}" for folder in includes)]
    subprocess.run(["g++", *flags, str(source), "-o", str(library)], check=True)
    return library


def limit_rows(library: str, limit: str) -> dict[str, Row]:
    """Give the rows through limit.cc: the functions that other rows call, and PyTorch's part."""
    import torch

    spec = importlib.util.spec_from_file_location("limit", limit)
    assert spec is not None
    module: Any = importlib.util.module_from_spec(spec)
    module.lend(torch.Tensor)
    functions = ctypes.CDLL(library)

    def call(name: str, **values: Any) -> Row:
        address = ctypes.cast(functions[f"__tvm_ffi_{name}"], ctypes.c_void_p).value
        return Row(f"f({', '.join(values)})", {"f": module.function(address), **values})

    tensors = {letter: torch.zeros(4, 5) for letter in "pqrstuvw"}
    rows = {
        "no argument": call("none"),
        "int": call("one_int", a=1),
        "1 torch tensor": call("one_tensor", a=tensors["p"]),
        "3 torch tensors": call("three_tensors", **{x: tensors[x] for x in "pqr"}),
        "8 torch tensors": call("eight_tensors", **tensors),
        "torch tensor allocated": Row("f(a)", {"f": module.allocated, "a": tensors["p"]}),
        "from_dlpack of torch": Row("f(a)", {"f": module.taken, "a": tensors["p"]}),
        "to torch": Row("f(a)", {"f": torch.from_dlpack, "a": module.Producer()}),
    }
    return {name + LIMIT: row for name, row in rows.items()}


def all_rows(library: str) -> dict[str, Row]:
    """Give every row that the installed frameworks allow, by its name."""
    module = tvm_ffi.load_module(library)
    tvm_ffi.register_object("calls_library.Point")(type("Point", (tvm_ffi.Object,), {}))
    rows = plain_rows(module)
    load = {"load": tvm_ffi.load_module, "path": library}
    rows["load_module, loaded before"] = Row("load(path)", load)
    for of_framework in (numpy_rows, torch_rows):
        try:
            rows |= of_framework(module)
        except ImportError as error:
            if error.name not in ("numpy", "torch"):
                raise
    return rows


def cpp_rows(library: str) -> dict[str, Row]:
    """Give the rows of C++ that uses the headers, from cpp_library.so."""
    module = tvm_ffi.load_module(library)
    names = {
        "object made": "make_object",
        "Any with an object, copied": "copy_any",
        "AnyView, made an Any": "own_view",
        "Any of an int, and back": "any_of_int",
        "String of 6, made": "small_string",
        "String of 22, made": "heap_string",
        "String of 22, copied": "copy_string",
        "Shape of 4, made": "shape_of_4",
        "Array of 8, made": "array_of_8",
        "Array, 8 times push_back": "array_push_8",
        "Array of 8, read": "array_read_8",
        "List, 8 times push_back": "list_push_8",
        "Map of 8, made": "map_of_8",
        "Map of 4 strings, look-up": "map_look_up_4",
        "Map of 100 strings, look-up": "map_look_up_100",
        "Map of 100 ints, look-up": "map_look_up_int",
        "Map of 100, iterated": "map_iterate_100",
        "Dict of 64, set": "dict_set",
        "Function, made": "make_function",
        "Function, packed call": "call_packed",
        "Function, call with an int": "call_typed",
        "TypedFunction, call with an int": "call_typed_function",
        "Function, call with a Tensor": "call_with_tensor",
        "global function, look-up": "global_function",
        "Tensor of an allocator, made": "custom_tensor",
        "error, thrown and caught": "throw_and_catch",
    }
    return {
        name: Row("f(n)", {"f": module.get_function(function), "n": TIMES}, TIMES)
        for name, function in names.items()
    }


def plain_rows(module: tvm_ffi.Module) -> dict[str, Row]:
    """Give the rows that need no framework."""

    def call(name: str, **values: Any) -> Row:
        return Row(f"f({', '.join(values)})", {"f": module.get_function(name), **values})

    point = module.get_function("point")()
    lock_kept = module.get_function("none")
    lock_kept.release_gil = False
    return {
        "no argument": call("none"),
        "no argument, lock kept": Row("f()", {"f": lock_kept}),
        "int": call("one_int", a=1),
        "3 floats": call("three_floats", a=1.0, b=2.0, c=3.0),
        "4 None": call("four_optionals", a=None, b=None, c=None, d=None),
        "str of 6": call("same_string", a="kernel"),
        "str of 22": call("same_string", a="the name of one kernel"),
        "list of 8 ints": call("ints", a=list(range(8))),
        "dict of 3": call("map", a={"m": 1, "n": 2, "k": 3}),
        "tuple as shape": call("shape", a=(2, 3, 4)),
        **keyword_rows(module),
        "1,000 callbacks": call("call_back", a=lambda i: None, n=1000),
        "error": Row(
            "try:\n    f()\nexcept ValueError:\n    pass", {"f": module.get_function("fail")}
        ),
        "function of a module": Row("m.none", {"m": module}),
        "global function": Row("get('ffi.FunctionRemoveGlobal')", {"get": tvm_ffi.get_global_func}),
        "field of an object": Row("p.x", {"p": point}),
        "field of an object, set": Row("p.y = a", {"p": point, "a": 5}),
        "method of an object": Row("p.plus(a)", {"p": point, "a": 1}),
    }


def keyword_rows(module: tvm_ffi.Module) -> dict[str, Row]:
    """Give the rows of calls by keyword.

    Functions of the published package take no keywords; its users wrap them, so the row does too.
    """
    plain, named = (module.get_function(name) for name in ("three_floats", "three_named"))
    letters = ["a", "b", "c"]
    wrapped = make_kwargs_wrapper(plain, letters)
    named = named if OURS else wrapped
    values = dict(zip(letters, (1.0, 2.0, 3.0), strict=True))
    return {
        "3 floats by keyword": Row("f(a=a, b=b, c=c)", {"f": named, **values}),
        "3 floats by keyword, wrapped": Row("f(a=a, b=b, c=c)", {"f": wrapped, **values}),
    }


def callbacks_with(tensor: Any, callback: Any, module: tvm_ffi.Module) -> Row:
    """Give the row of a Python function that is given a tensor, and gives one back."""
    function = module.get_function("call_back_with_tensor")
    names = {"f": function, "callback": callback, "a": tensor, "n": CALLBACKS}
    return Row("f(callback, a, n)", names, CALLBACKS)


def numpy_rows(module: tvm_ffi.Module) -> dict[str, Row]:
    """Give the rows with NumPy's arrays, which are also where tvm_ffi's tensors come from."""
    import numpy

    a, b, c = (numpy.zeros((4, 5), "float32") for _ in range(3))
    p, q, r = (tvm_ffi.from_dlpack(x) for x in (a, b, c))
    three = module.get_function("three_tensors")
    return {
        "3 NumPy arrays": Row("f(a, b, c)", {"f": three, "a": a, "b": b, "c": c}),
        "3 tvm_ffi tensors": Row("f(a, b, c)", {"f": three, "a": p, "b": q, "c": r}),
        "callback with a tensor": callbacks_with(p, lambda x: x, module),
        "tvm_ffi tensor returned": Row("f(a)", {"f": module.get_function("same_tensor"), "a": p}),
        "from_dlpack of NumPy": Row("f(a)", {"f": tvm_ffi.from_dlpack, "a": a}),
        "from_dlpack of tvm_ffi": Row("f(a)", {"f": tvm_ffi.from_dlpack, "a": p}),
        "to NumPy": Row("f(a)", {"f": numpy.from_dlpack, "a": p}),
    }


def torch_rows(module: tvm_ffi.Module) -> dict[str, Row]:
    """Give the rows with PyTorch's tensors, those that pass some also in trusted mode."""
    import torch

    letters = "pqrstuvw"
    tensors = {letter: torch.zeros(4, 5) for letter in letters}
    a = tensors["p"]

    def calls(trusted: bool) -> dict[str, Row]:
        def call(name: str, values: dict[str, Any]) -> Row:
            function = module.get_function(name)
            if trusted:
                function.trusted = True
            return Row(f"f({', '.join(values)})", {"f": function, **values})

        return {
            "1 torch tensor": call("one_tensor", {"a": a}),
            "3 torch tensors": call("three_tensors", {x: tensors[x] for x in "pqr"}),
            "8 torch tensors": call("eight_tensors", tensors),
            "list of 8 torch tensors": call("tensors", {"a": list(tensors.values())}),
            "torch tensor returned": call("same_tensor", {"a": a}),
            "torch tensor allocated": call("like", {"a": a}),
        }

    rows = calls(trusted=False)
    if OURS:
        rows |= {name + TRUSTED: row for name, row in calls(trusted=True).items()}
    return rows | {
        "callback with a torch tensor": callbacks_with(a, torch.from_dlpack, module),
        "from_dlpack of torch": Row("f(a)", {"f": tvm_ffi.from_dlpack, "a": a}),
        "to torch": Row("f(a)", {"f": torch.from_dlpack, "a": tvm_ffi.from_dlpack(a)}),
    }

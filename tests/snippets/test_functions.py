# SPDX-License-Identifier: Apache-2.0
# Rows: R5
"""Functions and modules, as their page shows them."""

import gc
import inspect
import json
import shlex
import subprocess
from pathlib import Path

import numpy
import pytest
import tvm_ffi
from _verify.package_flags import flags

HERE = Path(__file__).resolve().parent
FLAGS = "-shared -fPIC -O1 -Wall -Wextra -Wconversion -Werror"
SOURCES = ["norms.cc", "norms_binding.cc"]
NAMES = "norms_names.cc"
# What each of the shown files is run with.
SHOWN = [f"tests/snippets/{name}" for name in [*SOURCES, "norms.h", "test_functions.py"]]


def build(library, *sources):
    """Compile sources of this folder, with warnings as errors."""
    command = f"g++ {FLAGS} {flags('--cxxflags')} {' '.join(sources)} -o {library}"
    command += f" {flags('--ldflags', '--libs')}"
    subprocess.run(shlex.split(command), cwd=HERE, check=True)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with the library, made of an implementation file and a binding file."""
    folder = tmp_path_factory.mktemp("functions")
    try:
        build(folder / "norms.so", *SOURCES, NAMES)
    except subprocess.CalledProcessError:  # the published headers have no macro for names
        build(folder / "norms.so", *SOURCES)
    return folder


@pytest.fixture
def mod(folder, shows):
    """The library; the test proves what it calls of it, and itself."""
    shows("tests/snippets/norms.h", *SHOWN)
    shows("tests/snippets/norms.cc", *SHOWN)
    shows("tests/snippets/norms_binding.cc", *SHOWN)
    shows("tests/snippets/test_functions.py", *SHOWN)
    return tvm_ffi.load_module(folder / "norms.so")


def test_call(mod):
    """The exported function checks its arguments; what is optional may be left out."""
    # [call.begin]
    x = numpy.array([3, 4], dtype="float32")
    assert mod.norm(x) == 5.0
    assert mod.norm(x, None) == 5.0
    assert mod.norm(x, 2.0) == 10.0
    with pytest.raises(TypeError, match="norm: x must be float32, got int64"):
        mod.norm(numpy.array([3, 4]))
    with pytest.raises(TypeError, match="expected 1 to 2 arguments, got 3"):
        mod.norm(x, 2.0, 3.0)
    # [call.end]


@pytest.fixture
def names(shows):
    """Declare the file that exports parameter names; tests that use it fail without them."""
    for path in [*SHOWN, f"tests/snippets/{NAMES}"]:
        shows(path, *SHOWN, f"tests/snippets/{NAMES}")


def test_keywords(mod, names):
    """Functions whose parameter names are exported accept keyword arguments."""
    x = numpy.array([3, 4], dtype="float32")
    # [keywords.begin]
    assert mod.norm(x, scale=2.0) == mod.norm(scale=2.0, x=x) == 10.0
    with pytest.raises(TypeError, match=r"norm: expected keywords among \(x, scale\), got 'y'"):
        mod.norm(x, y=2.0)
    with pytest.raises(TypeError, match="sum_of: expected positional arguments only"):
        mod.sum_of(abs, n=4)  # which tells no names
    # [keywords.end]


def test_description(mod):
    """The library tells what its functions take, and what they are for."""
    # [description.begin]
    described = mod.get_function_metadata("norm")
    schema = json.loads(described["type_schema"])
    assert schema["named_args"]["return"] == [{"type": "float"}]
    assert schema["named_args"]["params"] == [
        {"type": "DLTensor*"},
        {"type": "Optional", "args": [{"type": "float"}]},
    ]
    assert mod.get_function_doc("norm") == "The Euclidean norm of x, times scale."
    # [description.end]
    assert mod.get_function_doc("sum_of") is None


def test_signature(mod, names):
    """A function has a docstring and a signature with its parameter names."""
    # [signature.begin]
    assert mod.norm.__doc__ == "The Euclidean norm of x, times scale."
    assert str(inspect.signature(mod.norm)) == (
        "(x: 'Tensor', scale: 'float | None' = None) -> 'float'"
    )
    # [signature.end]


def test_callback(mod):
    """A Python function is called from C++; a wrong result is an error that says so."""
    # [callback.begin]
    assert mod.sum_of(lambda i: i * i, 4) == 14
    with pytest.raises(TypeError, match="expected int, got str"):
        mod.sum_of(lambda i: "text", 4)
    # [callback.end]


def test_function_as_result(mod):
    """A function that C++ returns keeps its state."""
    # [result.begin]
    count = mod.make_counter()
    assert [count(), count(), count()] == [1, 2, 3]
    assert mod.make_counter()() == 1
    # [result.end]


def test_global_functions(mod):
    """Both sides register global functions and look them up."""

    # [global.begin]
    @tvm_ffi.register_global_func("norms.twice")
    def twice(x):
        return 2 * x

    assert mod.call_global("norms.twice", 4.0) == 8.0
    assert tvm_ffi.get_global_func("norms.square")(3.0) == 9.0
    with pytest.raises(ValueError, match=r'got "norms\.nothing"'):
        mod.call_global("norms.nothing", 1.0)
    # [global.end]


def test_names(mod):
    """A module gives its functions by name, and says which there are."""
    # [names.begin]
    assert mod["norm"](numpy.zeros(2, "float32")) == 0.0
    assert mod.implements_function("sum_of")
    with pytest.raises(AttributeError, match="has no function 'nurm'; it has call_global, "):
        mod["nurm"]
    assert "sum_of" in dir(mod)
    # [names.end]
    assert mod.kind == "library"


def test_two_modules(mod, tmp_path):
    """A module finds functions of the modules that it imports, when asked to."""
    source = tmp_path / "other.cc"
    source.write_text(
        "#include <tvm/ffi/tvm_ffi.h>\nint seven() { return 7; }"
        "TVM_FFI_DLL_EXPORT_TYPED_FUNC(only_here, seven);"
    )
    command = (
        f"g++ {FLAGS} {flags('--cxxflags')} {source} -o {tmp_path}/other.so {flags('--ldflags')}"
        " -ltvm_ffi"
    )
    subprocess.run(shlex.split(command), check=True)
    # [imports.begin]
    other = tvm_ffi.load_module(tmp_path / "other.so")
    mod.import_module(other)
    assert mod.get_function("only_here", query_imports=True)() == 7
    with pytest.raises(AttributeError):
        mod.get_function("only_here")
    assert mod.imports == [other]
    mod.clear_imports()
    # [imports.end]


def test_unloading(mod, tmp_path):
    """A library that may be unloaded stays as long as a function of it lives."""
    library = tmp_path / "counter.so"
    source = tmp_path / "counter.cc"
    source.write_text(
        "#include <tvm/ffi/tvm_ffi.h>\nint first() { return 1; }"
        "TVM_FFI_DLL_EXPORT_TYPED_FUNC(one, first);"
        "using tvm::ffi::Function;\n#ifdef GLOBAL\nTVM_FFI_STATIC_INIT_BLOCK() {"
        'Function::SetGlobal("test_functions.two", Function::FromTyped([] { return 2; })); }'
        "\n#endif\n"
    )
    command = (
        f"g++ {FLAGS} {flags('--cxxflags')} {source} -o {library} {flags('--ldflags', '--libs')}"
    )
    subprocess.run(shlex.split(command), check=True)

    def loaded():
        gc.collect()
        return str(library) in Path("/proc/self/maps").read_text()

    # [unloading.begin]
    one = tvm_ffi.load_module(library, keep_module_alive=False).one
    assert loaded()
    assert one() == 1
    del one
    assert not loaded()
    # [unloading.end]
    library = tmp_path / "with_global.so"
    command = (
        f"g++ -DGLOBAL {FLAGS} {flags('--cxxflags')} {source} -o {library} {flags('--ldflags')}"
    )
    subprocess.run([*shlex.split(command), "-ltvm_ffi"], check=True)
    tvm_ffi.load_module(library, keep_module_alive=False)
    assert loaded()
    assert tvm_ffi.get_global_func("test_functions.two")() == 2

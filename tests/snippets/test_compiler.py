# SPDX-License-Identifier: Apache-2.0
# Rows: R5, R6, R7, R8
"""Compilers that emit kernels, as C, as LLVM IR and as CUDA, without C++."""

import gc
import inspect
import re
import shlex
import subprocess
from pathlib import Path

import numpy
import pytest
import torch
import tvm_ffi
from _verify.package_flags import flags
from _verify.tools import find_nvcc

ROOT = Path(__file__).resolve().parents[2]
FOLDER = "tests/snippets/compiler"
EXPRESSION = "2 * x + y / 4"


@pytest.fixture
def compiler(shows, monkeypatch):
    """Import a file of the page's compiler, and say that the test runs it."""
    monkeypatch.syspath_prepend(ROOT / FOLDER)

    def load(name):
        front, back, test = (
            f"{FOLDER}/expression.py",
            f"{FOLDER}/{name}.py",
            "tests/snippets/test_compiler.py",
        )
        for path in (front, back, test):
            shows(path, *{front, back, test} - {path})
        return __import__(name)

    return load


def vectors():
    """Two inputs and an output, of NumPy."""
    x = numpy.linspace(-1, 1, 5, dtype="float32")
    return x, x[::-1].copy(), numpy.full_like(x, numpy.nan)


@pytest.mark.parametrize("language", ["c", "cuda"])
def test_emitted(compiler, captured, language):
    """The generators write this text."""
    text = compiler(f"emit_{language}").emit("axpy", EXPRESSION)
    captured(f"tests/snippets/captured/axpy_{language}.txt", text)


def test_c(compiler, tmp_path):
    """What is written compiles, loads, computes, and tells what it is."""
    build = compiler("emit_c").build
    # [call_c.begin]
    mod = build("axpy", "2 * x + y / 4", tmp_path)
    x, y, out = vectors()
    mod.axpy(x, y, out)
    numpy.testing.assert_array_equal(out, 2 * x + y / 4)
    # [call_c.end]


def test_texts_in_c(compiler, tmp_path):
    """The library tells about its kernel what Python then knows."""
    mod = compiler("emit_c").build("axpy", "2 * x + y / 4", tmp_path)
    # [texts.begin]
    mod.axpy(x=torch.ones(2), y=torch.ones(2), out=torch.empty(2))
    assert mod.axpy.__doc__ == "axpy(x, y, out): out = 2 * x + y / 4"
    # [texts.end]
    assert list(inspect.signature(mod.axpy).parameters) == ["x", "y", "out"]


# [wrong.begin]
WRONG = [  # (arguments made of x, y and out, exception, message)
    (lambda x, y, out: (x, y), TypeError, "axpy: expected 3 arguments"),
    (lambda x, y, out: (x, 1.5, out), TypeError, "axpy: y: expected a"),
    (lambda x, y, out: (x.astype("float64"), y, out), TypeError, "axpy: x: expected"),
    (lambda x, y, out: (x, y, out.reshape(1, 5)), ValueError, "axpy: out: expected"),
    (lambda x, y, out: (x, y.repeat(2)[::2], out), ValueError, "axpy: y: expected"),
    (lambda x, y, out: (x[:4], y, out), ValueError, "axpy: expected vectors of one length"),
]
# [wrong.end]


@pytest.mark.parametrize("back", ["emit_c", "emit_llvm"])
def test_refuses(compiler, back, tmp_path):
    """Both kinds of kernels refuse what they cannot read."""
    if back == "emit_llvm":
        pytest.importorskip("llvmlite", reason="llvmlite is not installed")
    function = compiler(back).build("axpy", EXPRESSION, tmp_path).axpy
    for arguments, kind, message in WRONG:
        with pytest.raises(kind, match=f"^{re.escape(message)}") as caught:
            function(*arguments(*vectors()))
        assert caught.type is kind
    short = numpy.ones(3, dtype="float32")
    # The stride of one element says nothing, and no element is touched where there is none.
    for n in (1, 0):
        x, out = short[::2][:n], numpy.zeros(n, dtype="float32")
        function(x, x, out)
        numpy.testing.assert_array_equal(out, 2 * x + x / 4)


@pytest.mark.parametrize("text", ["x @ y", "sin(x)", "1 + 2", "out + x", "x + 'a'"])
def test_expressions(compiler, text):
    """What the compiler does not know is a ValueError."""
    with pytest.raises(ValueError, match=r"^expression: expected"):
        compiler("emit_c").emit("f", text)


@pytest.mark.parametrize("text", ["x @ y", "sin(x)", "x + 'a'"])
def test_expressions_in_llvm(compiler, text):
    """The other compiler refuses them too."""
    pytest.importorskip("llvmlite", reason="llvmlite is not installed")
    with pytest.raises(ValueError, match=r"^expression: expected"):
        compiler("emit_llvm").jit("f", text)


def test_jit(compiler):
    """A function of an address is called with tensors of any framework."""
    pytest.importorskip("llvmlite", reason="llvmlite is not installed")
    jit = compiler("emit_llvm").jit
    # [call_jit.begin]
    axpy = jit("axpy", "2 * x + y / 4")
    x, y, out = vectors()
    axpy(x, y, out)
    numpy.testing.assert_array_equal(out, 2 * x + y / 4)
    a, b, c = torch.arange(4.0), torch.ones(4), torch.empty(4)
    axpy(a, b, c)
    assert torch.equal(c, 2 * a + b / 4)
    with pytest.raises(TypeError, match="axpy: y: expected float32"):
        axpy(x, y.astype("float64"), out)
    # [call_jit.end]


def test_jit_keeps_the_engine(compiler):
    """The engine lives as long as the function does, and not longer."""
    pytest.importorskip("llvmlite", reason="llvmlite is not installed")
    from llvmlite import binding as llvm

    def engines():
        gc.collect()
        found = [each for each in gc.get_objects() if type(each) is llvm.ExecutionEngine]
        return len(found)

    before = engines()
    axpy = compiler("emit_llvm").jit("axpy", EXPRESSION)
    x, y, out = vectors()
    assert engines() == before + 1
    axpy(x, y, out)
    numpy.testing.assert_array_equal(out, 2 * x + y / 4)
    del axpy
    assert engines() == before


def test_object_file(compiler, tmp_path):
    """The same IR as an object, linked, is a library like any other."""
    pytest.importorskip("llvmlite", reason="llvmlite is not installed")
    build = compiler("emit_llvm").build
    # [call_object.begin]
    mod = build("axpy", "2 * x + y / 4", tmp_path)
    x, y, out = vectors()
    mod.axpy(x, y, out)
    numpy.testing.assert_array_equal(out, 2 * x + y / 4)
    # [call_object.end]


def test_layout(compiler, tmp_path):
    """The numbers that the compiler writes into the IR are those of the C header."""
    pytest.importorskip("llvmlite", reason="llvmlite is not installed")
    emit = compiler("emit_llvm")
    names = {
        "ANY_SIZE": "sizeof(TVMFFIAny)",
        "ANY_VALUE": "offsetof(TVMFFIAny, v_ptr)",
        "OBJECT_HEAD": "sizeof(TVMFFIObject)",
        "DATA": "offsetof(DLTensor, data)",
        "DEVICE_TYPE": "offsetof(DLTensor, device.device_type)",
        "NDIM": "offsetof(DLTensor, ndim)",
        "DTYPE": "offsetof(DLTensor, dtype)",
        "SHAPE": "offsetof(DLTensor, shape)",
        "STRIDES": "offsetof(DLTensor, strides)",
        "OFFSET": "offsetof(DLTensor, byte_offset)",
        "NONE": "kTVMFFINone",
        "DLTENSOR_PTR": "kTVMFFIDLTensorPtr",
        "TENSOR": "kTVMFFITensor",
        "CPU": "kDLCPU",
        "FLOAT32": "(kDLFloat | 32 << 8 * offsetof(DLDataType, bits)"
        " | 1 << 8 * offsetof(DLDataType, lanes))",
    }
    facts = "".join(
        f"typedef char fact_{name}[{text} == {getattr(emit, name)} ? 1 : -1];\n"
        for name, text in names.items()
    )
    source = tmp_path / "facts.c"
    source.write_text(f"#include <tvm/ffi/c_api.h>\n{facts}")
    command = f"cc -std=c99 -fsyntax-only {flags('--cflags')} {source}"
    subprocess.run(shlex.split(command), check=True)


def test_cuda(compiler, monkeypatch, tmp_path):
    """NVIDIA's compiler makes GPU code of what is written, which has the kernel by its name."""
    nvcc = find_nvcc()
    if not nvcc:
        pytest.skip("no nvcc is installed")
    emit = compiler("emit_cuda")
    for name, value in nvcc.items():
        monkeypatch.setenv(name, value)
    # [call_cuda.begin]
    cubin = emit.compile_for("sm_80", "axpy", "2 * x + y / 4", tmp_path, nvcc["NVCC"])
    assert cubin.startswith(b"\x7fELF")
    assert b".text.axpy\0" in cubin
    # [call_cuda.end]


@pytest.fixture(scope="module")
def calls_library(tmp_path_factory):
    """The library of runtime_calls.c."""
    library = tmp_path_factory.mktemp("compiler") / "runtime_calls.so"
    source = ROOT / FOLDER / "runtime_calls.c"
    command = (
        f"cc -std=c99 -O1 -Wall -Wextra -Wpedantic -Werror -shared -fPIC"
        f" {flags('--cflags')} {source}"
        f" -o {library} {flags('--ldflags', '--libs')}"
    )
    subprocess.run(shlex.split(command), check=True)
    return library


@pytest.fixture
def calls(shows, calls_library):
    """The library that calls the runtime."""
    shows(f"{FOLDER}/runtime_calls.c", "tests/snippets/test_compiler.py")
    shows("tests/snippets/test_compiler.py", f"{FOLDER}/runtime_calls.c")
    return tvm_ffi.load_module(calls_library)


def test_new_tensor(calls):
    """A tensor that C allocates is the caller's."""
    # [new_tensor.begin]
    assert numpy.from_dlpack(calls.countdown(4)).tolist() == [3, 2, 1, 0]
    # [new_tensor.end]
    assert calls.countdown(0).shape == (0,)
    with pytest.raises(TypeError, match="n: expected an int, not negative"):
        calls.countdown(-1)


def test_state(calls):
    """Each function that C makes has a state of its own."""
    # [state.begin]
    by_two, by_ten = calls.make_counter(2), calls.make_counter(10)
    assert [by_two(), by_two(), by_two()] == [0, 2, 4]
    assert [by_ten(), by_ten()] == [0, 10]
    # [state.end]
    with pytest.raises(TypeError, match="make_counter: step: expected an int"):
        calls.make_counter("two")


def test_global_function(calls):
    """C calls what Python registered; what is missing is an error, and is looked for again."""
    # [global.begin]
    with pytest.raises(RuntimeError, match=r"run: no function compiler\.report"):
        calls.run()
    lines = []
    tvm_ffi.register_global_func("compiler.report", lines.append)
    calls.run()
    calls.run()
    assert lines == ["run was called", "run was called"]
    # [global.end]
    tvm_ffi.remove_global_func("compiler.report")
    calls.run()  # it was looked up once, and is kept
    assert len(lines) == 3

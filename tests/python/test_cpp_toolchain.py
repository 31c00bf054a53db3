# SPDX-License-Identifier: Apache-2.0
# Rows: R5, R6
"""Compilers, architectures and literals of builds."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import numpy
import pytest
import tvm_ffi
from hypothesis import given, settings
from hypothesis import strategies as st
from tvm_ffi import cpp
from tvm_ffi.cpp import cache, ninja, source, toolchain

from .cpp_builds import ADD, own_cache, wrapper  # noqa: F401  (a fixture)


def test_missing_programs_are_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The error says how to fix it."""
    monkeypatch.setenv("CXX", "no-such-compiler")
    with pytest.raises(RuntimeError, match="no program 'no-such-compiler': install one"):
        cpp.build_inline("adder", cpp_sources=ADD)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    monkeypatch.setitem(sys.modules, "ninja", None)
    with pytest.raises(RuntimeError, match="Ninja, found none: pip install ninja"):
        toolchain.find_ninja()
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    for variable in ("NVCC", "CUDA_HOME", "CUDA_PATH"):
        monkeypatch.delenv(variable, raising=False)
    with pytest.raises(RuntimeError, match="found no nvcc: install the CUDA toolkit"):
        cpp.build_inline("adder", cuda_sources=ADD)
    monkeypatch.setenv("CUDA_HOME", str(tmp_path))
    with pytest.raises(RuntimeError, match="expected a CUDA toolkit in CUDA_HOME, got"):
        cpp.build_inline("adder", cuda_sources=ADD)


def test_architectures_are_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """They come from the variable, else from the GPUs present, else from a widely usable set."""
    monkeypatch.setenv("TVM_FFI_CUDA_ARCH_LIST", "8.0;9.0a+PTX 10.0f")
    assert toolchain.architecture_flags() == [
        "-gencode=arch=compute_80,code=sm_80",
        "-gencode=arch=compute_90a,code=sm_90a",
        "-gencode=arch=compute_90a,code=compute_90a",
        "-gencode=arch=compute_100f,code=sm_100f",
    ]
    monkeypatch.setenv("TVM_FFI_CUDA_ARCH_LIST", "sm_80")
    with pytest.raises(ValueError, match="expected architectures such as"):
        toolchain.architecture_flags()
    monkeypatch.delenv("TVM_FFI_CUDA_ARCH_LIST")
    monkeypatch.setattr(toolchain, "gpu_architectures", lambda: ("9.0",))
    assert toolchain.architecture_flags() == ["-gencode=arch=compute_90,code=sm_90"]
    monkeypatch.setattr(toolchain, "gpu_architectures", lambda: ())
    assert toolchain.architecture_flags()[-1] == "-gencode=arch=compute_90,code=compute_90"


@pytest.mark.parametrize(("name", "later"), [("9.0+PTX", True), ("9.0a+PTX", False)])
def test_ptx_for_later_gpus(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, later: bool
) -> None:
    """PTX of the architecture suggested in messages runs on later GPUs; PTX of 9.0a does not."""
    try:
        nvcc = toolchain.cuda_compiler()
    except RuntimeError as error:
        pytest.skip(str(error))
    monkeypatch.setenv("TVM_FFI_CUDA_ARCH_LIST", "sm_90")
    with pytest.raises(ValueError, match=re.escape('such as "8.0 9.0+PTX"')):
        toolchain.architecture_flags()
    monkeypatch.setenv("TVM_FFI_CUDA_ARCH_LIST", name)
    (tmp_path / "kernel.cu").write_text("__global__ void fill(float* x) { *x = 1; }")
    ptx = [flag for flag in toolchain.architecture_flags() if "code=compute_" in flag]
    make = [*nvcc, *ptx, "--ptx", "kernel.cu", "-o", "kernel.ptx"]
    subprocess.run(make, cwd=tmp_path, check=True)
    assemble = [*nvcc, "-arch=sm_100", "-cubin", "kernel.ptx", "-o", "kernel.cubin"]
    done = subprocess.run(assemble, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode == 0) is later, done.stderr


def test_cuda_source_is_compiled_and_linked(monkeypatch: pytest.MonkeyPatch) -> None:
    """C++ declares and exports CUDA definitions; without a GPU nothing is launched."""
    try:
        toolchain.cuda_compiler()
    except RuntimeError as error:
        pytest.skip(str(error))
    monkeypatch.setenv("TVM_FFI_CUDA_ARCH_LIST", "9.0")
    kernel = """
    __global__ void fill(float* x) { *x = 1; }
    int status() { fill<<<1, 0>>>(nullptr); return cudaGetLastError(); }
    int twice(int x) { return 2 * x; }"""
    options = {"cuda_sources": kernel, "functions": ["status", "twice"]}
    alone = cpp.load_inline("cuda_alone", **options)  # type: ignore[arg-type]
    assert alone.twice(21) == 42
    assert alone.status() != 0  # launching zero threads fails, and so does a launch without a GPU
    declared = cpp.load_inline("both", cpp_sources="int status(); int twice(int);", **options)  # type: ignore[arg-type]
    assert declared.twice(21) == 42


def test_build_from_the_cache_says_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    """It prints nothing on stdout or stderr."""
    cpp.build_inline("adder", cpp_sources=ADD, functions="add")
    capfd.readouterr()
    cpp.build_inline("adder", cpp_sources=ADD, functions="add")
    assert capfd.readouterr() == ("", "")


def test_interrupt_ends_the_compilers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If the wait is interrupted, nothing keeps running in the background, and the lock is free."""
    wrapper(tmp_path / "endless", 'case " $* " in *" -c "*) sleep 1000;; esac')
    monkeypatch.setenv("CXX", str(tmp_path / "endless"))

    def interrupt(message: str) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(ninja, "tell", interrupt)
    monkeypatch.setattr(ninja, "PROGRESS_AFTER", 0.2)
    with pytest.raises(KeyboardInterrupt):
        cpp.build_inline("adder", cpp_sources=ADD, build_directory=tmp_path / "out")
    from tvm_ffi.utils import FileLock

    assert FileLock(tmp_path / "out" / "lock").acquire()


@given(st.text())
@settings(max_examples=200)
def test_literals_are_plain_ascii_without_trigraphs(text: str) -> None:
    """Parsed as C++, the literal is the text in UTF-8."""
    try:
        literal = source.cpp_literal(text)
    except UnicodeEncodeError:
        return
    assert literal.isascii()
    assert "??" not in literal
    inside = literal[1:-1].encode()
    assert inside.decode("unicode_escape").encode("latin-1") == text.encode()


@given(st.lists(st.text("ab \t\\#$:\u00fc/", min_size=1), min_size=1, max_size=4))
def test_depfiles_are_read_as_compilers_write_them(names: list[str]) -> None:
    """Spaces, tabs and # are escaped by a backslash, and $ is doubled."""
    names = [name for name in names if not name.endswith("\\") and "\\" not in name]
    written = [re.sub("([ \t#])", r"\\\1", name).replace("$", "$$") for name in names]
    assert cache.parse_depfile("made.o: " + " \\\n ".join(written) + "\n") == names


def test_dtypes_have_names_in_cpp() -> None:
    """Text, tvm_ffi dtypes and NumPy dtypes have names; an unknown type is refused."""
    assert cpp.to_cpp_dtype("float32") == "float"
    assert cpp.to_cpp_dtype(tvm_ffi.dtype("int64")) == "int64_t"
    assert cpp.to_cpp_dtype(numpy.dtype("uint8")) == "uint8_t"
    assert cpp.to_cpp_dtype("bfloat16") == "__nv_bfloat16"
    for wrong in ("float32x4", "nonsense", 3):
        with pytest.raises(ValueError, match=f"to_cpp_dtype: .*got {wrong!r}"):
            cpp.to_cpp_dtype(wrong)


def test_import_leaves_the_builder_out() -> None:
    """The builder is imported on first use."""
    code = (
        "import sys, tvm_ffi\n"
        "assert not {'tvm_ffi.cpp', 'subprocess', 'json', 'hashlib'} & {*sys.modules}\n"
        "assert tvm_ffi.cpp.build_inline.__name__ == 'build_inline'\n"
        "try: tvm_ffi.nothing\n"
        "except AttributeError as error: print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "module 'tvm_ffi' has no attribute 'nothing'\n"

# SPDX-License-Identifier: Apache-2.0
# Rows: R5, R6, R8
"""A host compiler that nvcc refuses, and the ways to choose another, as Troubleshooting shows.

The compiler that is too new is an imitation: the one of this machine, with another number.
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import tvm_ffi.cpp
from _verify.tools import find_nvcc

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = "tests/snippets/host_compiler/choose.sh"
MESSAGE = "unsupported GNU version! gcc versions later than"
LINES = [shlex.split(line, comments=True) for line in (ROOT / SCRIPT).read_text().splitlines()]
VARIABLES = dict(words[1].split("=", 1) for words in LINES if words[:1] == ["export"])
PROJECT = """\
cmake_minimum_required(VERSION 3.20)
project(kernels LANGUAGES CUDA)
"""


def compiler(name):
    """The compiler itself; the script that counts lines would find the imitation, and that one it.

    See docs/_verify/gcov.py.
    """
    found = (Path(folder, name) for folder in os.environ["PATH"].split(os.pathsep))
    return next(path for path in found if path.exists() and path.resolve().name != "compile.sh")


@pytest.fixture
def build(monkeypatch, tmp_path):
    """Give a function that runs a command where the default compiler is too new for nvcc."""
    found = find_nvcc()
    if not found:
        pytest.skip("no nvcc is installed")
    programs = tmp_path / "bin"
    programs.mkdir()
    wrappers = {"nvcc": f"'{found['NVCC']}'"}
    for name in ("gcc", "g++"):
        wrappers[name] = f"'{compiler(name)}' -U__GNUC__ -D__GNUC__=99"
    wrappers["g++-14"] = f"'{compiler('g++')}'"  # any that nvcc supports
    for name, command in wrappers.items():
        (programs / name).write_text(f'#!/bin/sh\nexec {command} "$@"\n')
        (programs / name).chmod(0o755)
    for name in (*VARIABLES, "CUDACXX", "NVCC"):
        monkeypatch.delenv(name, raising=False)
    if "NVCC_APPEND_FLAGS" in found:
        monkeypatch.setenv("NVCC_APPEND_FLAGS", found["NVCC_APPEND_FLAGS"])
    first = [str(programs), str(Path(sys.executable).parent)]
    monkeypatch.setenv("PATH", os.pathsep.join([*first, os.environ["PATH"]]))
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    (tmp_path / "kernel.cu").write_text("__global__ void kernel(float* y) { *y = 1; }\n")

    def run(*command, **variables):
        done = subprocess.run(
            command,
            cwd=tmp_path,
            env={**os.environ, **variables},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        return done.returncode, done.stdout

    return run


COMMAND = ("nvcc", "-c", "kernel.cu", "-o", "kernel.o")


def test_refused(captured, build):
    """The message names the newest version that this nvcc supports: 15 in CUDA 13.0."""
    status, said = build(*COMMAND)
    assert status != 0
    [line] = [line for line in said.splitlines() if " error: " in line]
    line = re.sub(r"^\S*/(\w+\.h):\d+:\d+:", r"\1:", line)
    line = re.sub(rf"({MESSAGE}) \d+", r"\1 15", line)
    text = f"$ {' '.join(COMMAND)} 2>&1 | grep error:\n{line}"
    captured("tests/snippets/captured/host_compiler.txt", text)


def test_default(build, tmp_path):
    """Without a flag or a variable, nvcc calls gcc, which it finds on the path."""
    compiler = (tmp_path / "bin" / "g++-14").read_text()
    (tmp_path / "bin" / "gcc").write_text(compiler)
    status, said = build(*COMMAND)
    assert status == 0, said


def test_flag(shows, build):
    """With the flag, nvcc runs the compiler that it names."""
    status, said = build("bash", str(shows(SCRIPT, "tests/snippets/test_host_compiler.py")))
    assert status == 0, said


@pytest.mark.parametrize("name", ["NVCC_CCBIN", "NVCC_PREPEND_FLAGS"])
def test_variables(shows, build, name):
    """Each of the two variables is enough."""
    shows(SCRIPT, "tests/snippets/test_host_compiler.py")
    status, said = build(*COMMAND, **{name: VARIABLES[name]})
    assert status == 0, said


def test_the_flag_counts_more_than_the_variable(build):
    """A flag of the command replaces the compiler that the variable names."""
    status, _ = build(*COMMAND, "-ccbin", "g++-14", NVCC_CCBIN="g++")
    assert status == 0
    status, said = build(*COMMAND, "-ccbin", "g++", NVCC_CCBIN="g++-14")
    assert status != 0
    assert MESSAGE in said


def test_builds_from_python(build, monkeypatch, tmp_path):
    """The builds of tvm_ffi.cpp follow the variable, and run again if it changes."""
    monkeypatch.setenv("TVM_FFI_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("TVM_FFI_CUDA_ARCH_LIST", "9.0")

    def built():
        return tvm_ffi.cpp.build("kernel", sources=[tmp_path / "kernel.cu"])

    with pytest.raises(tvm_ffi.cpp.CompileError, match=MESSAGE):
        built()
    monkeypatch.setenv("NVCC_PREPEND_FLAGS", VARIABLES["NVCC_PREPEND_FLAGS"])
    assert Path(built()).exists()
    monkeypatch.setenv("NVCC_PREPEND_FLAGS", "-ccbin g++")
    with pytest.raises(tvm_ffi.cpp.CompileError, match=MESSAGE):
        built()


def test_cmake(build, tmp_path):
    """CMake follows its variable, and keeps the compiler of the first configuration."""
    if not shutil.which("ninja"):
        pytest.skip("ninja is not installed")
    (tmp_path / "CMakeLists.txt").write_text(PROJECT)
    command = ("cmake", "-G", "Ninja", "-DCMAKE_CUDA_ARCHITECTURES=90", "-S", ".", "-B")
    status, said = build(*command, "refused")
    assert status != 0
    assert "unsupported GNU version!" in said
    status, said = build(*command, "build", CUDAHOSTCXX=VARIABLES["CUDAHOSTCXX"])
    if "Could not find" in said and "cudart" in said.lower():
        pytest.skip("CMake cannot use the nvcc from PyPI")
    assert status == 0, said
    status, said = build(*command, "build", CUDAHOSTCXX="g++")
    assert status == 0, said


def test_last_resort(build):
    """The flag in the message takes away only the check: nvcc still reads the compiler's headers.

    The imitation shows it by features of a version 99, which are not in its headers.
    """
    status, said = build(*COMMAND, "-allow-unsupported-compiler")
    assert MESSAGE not in said
    assert status != 0
    assert "error" in said

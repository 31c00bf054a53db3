# SPDX-License-Identifier: Apache-2.0
"""Builds one library for each tool that peers.py measures, all by the same compiler and options."""

from __future__ import annotations

import contextlib
import importlib.util
import io
import shlex
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().with_name("peers")
CPP = ["g++", "-std=c++20", "-O2", "-shared", "-fPIC", "-fvisibility=hidden"]
C = ["gcc", "-O2", "-shared", "-fPIC"]


def build(folder: Path) -> None:
    """Build all of them in a folder."""
    extensions = cffi_extension, nanobind_extension, pybind11_extension
    for command in (tvm_ffi_library, functions, operators, *extensions):
        subprocess.run(command(folder), check=True)


def extension(folder: Path, name: str) -> Any:
    """Import one that is a Python extension."""
    spec = importlib.util.spec_from_file_location(name, folder / f"{name}.so")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def tvm_ffi_library(folder: Path) -> list[str]:
    """For this runtime."""
    command = [sys.executable, "-m", "tvm_ffi.config", "--cxxflags", "--ldflags", "--libs"]
    flags = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return [*CPP, *source_of("tvm_ffi", folder), *shlex.split(flags)]


def functions(folder: Path) -> list[str]:
    """For ctypes, C functions."""
    return [*C, str(HERE / "functions.c"), "-o", str(folder / "functions.so")]


def cffi_extension(folder: Path) -> list[str]:
    """For cffi, the same in an extension that it generates: its faster mode."""
    from cffi import FFI

    maker = FFI()
    _, _, declared = (HERE / "functions.h").read_text().partition("// [cffi.begin]")
    maker.cdef(declared.partition("// [cffi.end]")[0])
    maker.set_source("cffi_peer", '#include "functions.c"')
    source = str(folder / "cffi_peer.c")
    with contextlib.redirect_stdout(io.StringIO()):  # it prints what it writes
        maker.emit_c_code(source)
    return [*C, *including(HERE), source, "-o", str(folder / "cffi_peer.so")]


def pybind11_extension(folder: Path) -> list[str]:
    """For pybind11, with PyTorch's conversion of tensors."""
    import pybind11

    own = including(pybind11.get_include())
    return [*CPP, *source_of("pybind11", folder), *own, *torch_flags("torch_python")]


def nanobind_extension(folder: Path) -> list[str]:
    """For nanobind, whose own source is compiled with it."""
    import nanobind

    package = Path(nanobind.__file__).parent
    own = including(package / "include", package / "ext" / "robin_map" / "include")
    combined = str(package / "src" / "nb_combined.cpp")
    options = ["-fno-strict-aliasing", "-DNDEBUG"]  # as its own build tool compiles it
    return [*CPP, *options, *source_of("nanobind", folder), combined, *own]


def operators(folder: Path) -> list[str]:
    """For torch.ops, a library that registers operators when it is loaded."""
    return [*CPP, *source_of("torch", folder), *torch_flags()]


def source_of(peer: str, folder: Path) -> list[str]:
    """The source of a peer, and what it is built to."""
    return [str(HERE / f"{peer}_peer.cc"), "-o", str(folder / f"{peer}_peer.so")]


def including(*folders: str | Path) -> list[str]:
    """Where headers are, Python's too."""
    return [f"-isystem{each}" for each in (*folders, sysconfig.get_path("include"))]


def torch_flags(*more: str) -> list[str]:
    """Where PyTorch's headers and libraries are."""
    from torch.utils import cpp_extension

    paths = cpp_extension.library_paths()
    return [
        *including(*cpp_extension.include_paths()),
        *(f"-L{path}" for path in paths),
        *(f"-l{name}" for name in (*more, "torch_cpu", "c10")),
    ]

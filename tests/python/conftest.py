# SPDX-License-Identifier: Apache-2.0
"""Compiles the C functions called by the tests, once per session."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

import numpy
import pytest
import tvm_ffi
from tvm_ffi import config

from .cpp_builds import cache_folder, compilations, project  # noqa: F401  (fixtures)
from .object_classes import Classes

try:
    import torch
except ImportError:
    torch = None

needs_torch = pytest.mark.skipif(torch is None, reason="PyTorch is not installed")


@pytest.fixture(scope="session")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the path of the library built from functions.c."""
    path = tmp_path_factory.mktemp("library") / "functions.so"
    compile_library(Path(__file__).with_name("functions.c"), path)
    return path


@pytest.fixture(scope="session")
def functions(library: Path) -> tvm_ffi.Module:
    """Load the library built from functions.c."""
    return tvm_ffi.load_module(library)


@pytest.fixture(scope="session")
def elements(tmp_path_factory: pytest.TempPathFactory) -> tvm_ffi.Module:
    """Load the library built from elements.c."""
    path = tmp_path_factory.mktemp("elements") / "elements.so"
    compile_library(Path(__file__).with_name("elements.c"), path)
    return tvm_ffi.load_module(path)


@pytest.fixture(params=["numpy", pytest.param("torch", marks=needs_torch)])
def framework(request: pytest.FixtureRequest) -> Any:
    """Return each tensor framework in turn."""
    return numpy if request.param == "numpy" else torch


def compile_library(source: Path, path: Path) -> None:
    """Build a library of C functions against the installed package."""
    flags = f"{config.cflags()} -fPIC -Wall -Wextra -std=gnu99 -pthread".split()
    link = f"{config.ldflags()} -ltvm_ffi".split()
    compiler = os.environ.get("CC", "cc")
    subprocess.run([compiler, "-shared", *flags, str(source), "-o", str(path), *link], check=True)


@pytest.fixture(scope="session")
def described(tmp_path_factory: pytest.TempPathFactory) -> tvm_ffi.Module:
    """Load the library built from described.cc."""
    path = tmp_path_factory.mktemp("described") / "described.so"
    compile_cpp_library(Path(__file__).with_name("described.cc"), path)
    return tvm_ffi.load_module(path)


@pytest.fixture(scope="session")
def stubs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The library built from stubs.cc."""
    path = tmp_path_factory.mktemp("stubs") / "libstubs.so"
    compile_cpp_library(Path(__file__).with_name("stubs.cc"), path)
    return path


def compile_cpp_library(source: Path, path: Path, *first: str) -> None:
    """Build a library of C++ functions and types against the installed package."""
    flags = f"{config.cxxflags()} -fPIC -O1 -Wall -Wextra -Werror -pthread".split()
    link = f"{config.ldflags()} -ltvm_ffi".split()
    compiler = os.environ.get("CXX", "g++")
    command = [compiler, "-shared", *first, *flags, str(source), "-o", str(path), *link]
    subprocess.run(command, check=True)


@pytest.fixture(scope="session")
def objects(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build and load the library of object types."""
    path = tmp_path_factory.mktemp("objects") / "objects.so"
    compile_cpp_library(Path(__file__).with_name("objects.cc"), path)
    tvm_ffi.load_module(path)
    return path


@pytest.fixture(scope="session")
def classes(objects: Path) -> Classes:
    """Register the classes of its types once."""
    return Classes()

# SPDX-License-Identifier: Apache-2.0
"""Sources, compilers and folders shared by the tests of builds."""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

ADD = "int add(int a, int b) { return a + b; }"
EXPORTED = """
#include <tvm/ffi/tvm_ffi.h>
#include "number.h"
static int number() { return NUMBER_HERE; }
TVM_FFI_DLL_EXPORT_TYPED_FUNC(number, number);
"""


@pytest.fixture
def cache_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache private to the test."""
    monkeypatch.setenv("TVM_FFI_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture(autouse=True)
def own_cache(cache_folder: Path) -> None:
    """Build into the test's cache in each file that imports this fixture."""


@pytest.fixture
def compilations(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], int]:
    """Count the compilations by the C++ compiler."""
    log = tmp_path / "compilations"
    log.touch()
    wrapper(tmp_path / "counting", f'case " $* " in *" -c "*) echo x >> "{log}";; esac')
    monkeypatch.setenv("CXX", str(tmp_path / "counting"))
    return lambda: len(log.read_text()) // 2


def wrapper(path: Path, script: str) -> None:
    """Write a compiler wrapper that runs a script first."""
    compiler = shutil.which(os.environ.get("CXX", "c++"))
    path.write_text(f'#!/bin/sh\n{script}\nexec "{compiler}" "$@"\n')
    path.chmod(path.stat().st_mode | stat.S_IXUSR)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder whose name needs quoting, with a source file and a header."""
    folder = tmp_path / "a #1 $x:ü\\' project"
    folder.mkdir()
    (folder / "number.cc").write_text(EXPORTED)
    (folder / "number.h").write_text("#define NUMBER_HERE 1\n")
    return folder

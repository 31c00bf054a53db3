# SPDX-License-Identifier: Apache-2.0
# Rows: R5, R6
"""Other Python threads may keep working while a library is loaded."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

from .conftest import compile_cpp_library, compile_library
from .test_fork import NAMED

SCRIPT = """
import faulthandler, os, sys, threading
import tvm_ffi
faulthandler.dump_traceback_later({seconds}, exit=True)
called = []
{register}
def work():
    with open(os.environ["LOADING_BEGUN"]) as begun:
        begun.read()
    with open(os.environ["LOADING_MAY_GO_ON"], "w") as may_go_on:
        may_go_on.write("x")
    {work}
thread = threading.Thread(target=work, daemon=True)
thread.start()
tvm_ffi.load_module(sys.argv[1])
thread.join()
print(len(called))
"""
REGISTER = "tvm_ffi.register_global_func('tests.loading.called', lambda: called.append(1))"


needs_extension = pytest.mark.skipif(
    importlib.util.find_spec("_ctypes_test") is None,
    reason="this Python has no extension that nothing imports",
)


@pytest.fixture(scope="module")
def loading(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the library of loading.c."""
    path = tmp_path_factory.mktemp("loading") / "loading.so"
    compile_library(Path(__file__).with_name("loading.c"), path)
    return path


def load(library: Path, folder: Path, seconds: int, **parts: str) -> tuple[int, str, str]:
    """Load the library in a separate process; return its status and output."""
    pipes = {"LOADING_BEGUN": str(folder / "begun"), "LOADING_MAY_GO_ON": str(folder / "may")}
    for pipe in pipes.values():
        os.mkfifo(pipe)
    code = SCRIPT.format(seconds=seconds, **{"register": "", "work": "pass", **parts})
    done = subprocess.run(
        [sys.executable, "-c", code, str(library)],
        env={**os.environ, **pipes},
        capture_output=True,
        text=True,
    )
    return done.returncode, done.stdout, done.stderr


def test_other_threads_run(loading: Path, tmp_path: Path) -> None:
    """A static initialiser may wait for another Python thread, and one may call Python."""
    assert load(loading, tmp_path, 60, register=REGISTER) == (0, "1\n", "")


@needs_extension
def test_imports_beside_a_load(loading: Path, tmp_path: Path) -> None:
    """Another thread may import an extension if no static initialiser calls Python."""
    assert load(loading, tmp_path, 60, work="import _ctypes_test") == (0, "0\n", "")


def test_generated_code_while_an_initialiser_calls_python(loading: Path, tmp_path: Path) -> None:
    """A function of code in no library may be created meanwhile, with the GIL held."""
    address = "numpy.zeros(1).__array_interface__['data'][0]"
    assert load(
        loading,
        tmp_path,
        60,
        register=f"{REGISTER}\nimport numpy\naddress = {address}",
        work="tvm_ffi.Function.__from_extern_c__(address)",
    ) == (0, "1\n", "")


@needs_extension
def test_an_import_while_an_initialiser_calls_python_is_a_deadlock(
    loading: Path, tmp_path: Path
) -> None:
    """As load_module documents, Python holds the GIL while it waits for the loader's lock."""
    status, _, stacks = load(loading, tmp_path, 8, register=REGISTER, work="import _ctypes_test")
    assert status == 1
    assert "in create_module" in stacks
    assert "in load_module" in stacks


def test_an_error_while_an_initialiser_calls_python_is_a_deadlock(
    loading: Path, tmp_path: Path
) -> None:
    """As load_module documents, the names of an error's calls come from the loader."""
    paths = []
    for name in ("first", "other"):
        (tmp_path / f"{name}.cc").write_text(NAMED.replace("NAME", name))
        paths.append(str(tmp_path / f"{name}.so"))
        compile_cpp_library(tmp_path / f"{name}.cc", tmp_path / f"{name}.so")
    # A thread's first error waits for the loader too, but before it takes the GIL again.
    status, _, stacks = load(
        loading,
        tmp_path,
        8,
        register=f"""{REGISTER}
from concurrent.futures import ThreadPoolExecutor
pool = ThreadPoolExecutor(1)
first, other = [tvm_ffi.load_module(path).fail for path in {paths!r}]
assert isinstance(pool.submit(first, 1).exception(), ValueError)""",
        work="pool.submit(other, 1).exception()",
    )
    assert status == 1
    assert "concurrent/futures/thread.py" in stacks
    assert "in load_module" in stacks

# SPDX-License-Identifier: Apache-2.0
# Rows: R5, R8
"""The CMake function that configures a library's target, as the page on C++ tooling shows it."""

import os
import shutil
import sys
from pathlib import Path

from commands import run

ROOT = Path(__file__).resolve().parents[2]
TEST = "tests/snippets/test_configure_target.py"
SHOWN = [
    "tests/snippets/configure_target/CMakeLists.txt",
    "tests/snippets/configure_target/build.sh",
    "tests/snippets/stubgen/my_kernels.cc",
]
CALL = "import my_kernels; print(list(my_kernels.steps(my_kernels.Range(0, 7), 3)))"
MORE = 'refl::GlobalDef().def("my_kernels.length", [](const Range& x) { return x->size(); });'


def test_library_and_python_files(shows, tmp_path):
    """A build makes the library and its Python package; the next one updates the package."""
    paths = [shows(name, TEST) for name in SHOWN]
    for path in paths:
        shutil.copy(path, tmp_path)
    run("bash", "build.sh", folder=tmp_path)

    library = tmp_path / "build" / "libmy_kernels.so"
    assert os.fsencode(tmp_path) not in library.read_bytes()
    paths = os.pathsep.join(
        filter(None, [str(tmp_path / "python"), os.environ.get("PYTHONPATH", "")])
    )
    variables = {"PYTHONPATH": paths, "LD_LIBRARY_PATH": str(library.parent)}
    assert run(sys.executable, "-c", CALL, folder=tmp_path, **variables) == "[0, 3, 6]\n"

    source = tmp_path / "my_kernels.cc"
    text = source.read_text()
    source.write_text(text.replace("  refl::GlobalDef()", f"  {MORE}\n  refl::GlobalDef()"))
    stubs = tmp_path / "python" / "my_kernels" / "_ffi_api.py"
    assert "def steps" in stubs.read_text()
    assert "def length" not in stubs.read_text()
    run("cmake", "--build", "build", folder=tmp_path)
    assert "def length" in stubs.read_text()


def test_installs_the_library(shows, tmp_path):
    """The installed library needs no run path, and nothing else is installed."""
    for name in SHOWN:
        shutil.copy(shows(name, TEST), tmp_path)
    run("bash", "build.sh", folder=tmp_path)
    run("cmake", "--install", "build", "--prefix", "installed", folder=tmp_path)
    installed = tmp_path / "installed"
    assert [path.name for path in installed.rglob("*") if path.is_file()] == ["libmy_kernels.so"]
    entries = run("readelf", "-d", "my_kernels/libmy_kernels.so", folder=installed)
    assert "[libtvm_ffi.so]" in entries
    assert "RUNPATH" not in entries

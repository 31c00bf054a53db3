# SPDX-License-Identifier: Apache-2.0
# Rows: R3, R5, R8
"""The library example as a project: its build by CMake, its wheel, the package in it."""

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest
import tvm_ffi
from _verify.tools import find_nvcc

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "examples" / "kernel_library" / "library"
PROJECT = [
    "examples/kernel_library/tvm_ffi_utils.h",
    *(
        path.relative_to(ROOT).as_posix()
        for path in sorted(EXAMPLE.rglob("*"))
        if path.suffix in (".txt", ".toml", ".py", ".typed", ".h", ".cc", ".cu", ".cuh")
        and "load_" not in path.name
    ),
]
USED = "[[1.5, 2.0], [2.5, 3.0]]\n[5.5, 19.5]\n"


@pytest.fixture
def copied(shows, tmp_path):
    """Give a folder with the copied example, and a function that runs a script there."""
    for path in PROJECT:
        shows(path, *PROJECT, "tests/snippets/test_library.py")
    shutil.copytree(EXAMPLE, tmp_path / "library")
    shutil.copy(EXAMPLE.parent / "tvm_ffi_utils.h", tmp_path)

    def run(name, **variables):
        used = "tests/snippets/library/use.py"
        script = shows(f"tests/snippets/library/{name}", used, *PROJECT)
        shows(used, f"tests/snippets/library/{name}", *PROJECT)
        shutil.copy(ROOT / used, tmp_path)
        outer = {name: text for name, text in os.environ.items() if name != "PYTHONPATH"}
        done = subprocess.run(
            ["bash", script],
            cwd=tmp_path,
            env={**outer, **variables},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    run.folder = tmp_path
    return run


def needed_and_exported(library):
    """What a library exports, and what it says of where to find others."""
    symbols = subprocess.run(
        ["nm", "-D", "--defined-only", library], capture_output=True, text=True, check=True
    ).stdout
    entries = subprocess.run(
        ["readelf", "-d", library], capture_output=True, text=True, check=True
    ).stdout
    return {line.split()[-1] for line in symbols.splitlines()}, entries


def test_builds_by_cmake(copied):
    """CMake builds for CPU and GPU; the library exports nothing but its functions."""
    nvcc = find_nvcc()
    # One architecture: that is all that this test needs.
    copied("cmake.sh", CUDACXX=nvcc["NVCC"], CUDAARCHS="80-real", **nvcc)
    library = copied.folder / "build" / "libvector_kernels.so"
    mod = tvm_ffi.load_module(library)
    x, y = np.ones(3, "float32"), np.ones(3, "float32")
    mod.axpy(2.0, x, y)
    assert y.tolist() == [3.0, 3.0, 3.0]
    exported, _ = needed_and_exported(library)
    assert exported
    assert all(name.startswith("__tvm_ffi_") for name in exported), exported


def wheel_of(folder):
    """Give the one wheel that was built, which serves every Python."""
    (wheel,) = (folder / "dist").iterdir()
    assert wheel.name.startswith("vector_kernels-0.1.0-py3-none-")
    return wheel


def test_wheel_with_this_package(copied):
    """Built by what is installed, the wheel is imported from a fresh folder and called."""
    said = copied("wheel_here.sh", SKBUILD_CMAKE_DEFINE="VECTOR_KERNELS_CUDA=OFF")
    assert said.endswith(USED)
    names = set(zipfile.ZipFile(wheel_of(copied.folder)).namelist())
    wanted = {"__init__.py", "py.typed", "libvector_kernels.so"}
    assert {name for name in names if ".dist-info/" not in name} == {
        f"vector_kernels/{name}" for name in wanted
    }
    exported, entries = needed_and_exported(
        copied.folder / "site" / "vector_kernels" / "libvector_kernels.so"
    )
    assert "Shared library: [libtvm_ffi.so]" in entries
    assert "RPATH" not in entries
    assert "RUNPATH" not in entries
    assert all(name.startswith("__tvm_ffi_") for name in exported), exported


def test_a_source_distribution_of_the_folder_alone(tmp_path):
    """Where the header lies in the folder, as the page tells, a source distribution is whole."""
    folder = tmp_path / "library"
    shutil.copytree(EXAMPLE, folder)
    shutil.copy(EXAMPLE.parent / "tvm_ffi_utils.h", folder / "src")
    header = folder / "src" / "kernels.h"
    header.write_text(header.read_text().replace('"../../tvm_ffi_utils.h"', '"tvm_ffi_utils.h"'))
    make = "from scikit_build_core.build import build_sdist; build_sdist('dist')"
    subprocess.run([sys.executable, "-c", make], cwd=folder, check=True, capture_output=True)
    (packed,) = (folder / "dist").iterdir()
    shutil.unpack_archive(packed, tmp_path / "unpacked", filter="data")
    (source,) = tmp_path.glob("unpacked/*/src/binding.cc")
    told = ["tvm-ffi-config", "--cxxflags"]
    flags = subprocess.run(told, capture_output=True, text=True, check=True).stdout.split()
    subprocess.run(["g++", "-fsyntax-only", *flags, source], check=True)


def test_wheel_with_the_published_package(copied):
    """Built in isolation it takes the published package, works with it, and with this one too."""
    said = copied("wheel_published.sh", SKBUILD_CMAKE_DEFINE="VECTOR_KERNELS_CUDA=OFF")
    assert said.endswith(USED)
    wheel = wheel_of(copied.folder)
    target = copied.folder / "site"
    quiet = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target"]
    subprocess.run([*quiet, target, wheel], check=True)
    done = subprocess.run(
        [sys.executable, copied.folder / "use.py"],
        env={**os.environ, "PYTHONPATH": str(target)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == USED, done.stderr
    check_types(copied.folder)


def check_types(folder):
    """A user's file passes strict type checking, and a wrong argument is found."""
    fresh = folder / "fresh" / "bin" / "python"
    wrong = folder / "wrong.py"
    wrong.write_text(
        "import numpy\n"
        "import vector_kernels\n"
        "x = numpy.ones(3)\n"
        "vector_kernels.axpy('2', x, x)\n"
        "vector_kernels.axpy(2.0, x, 'y')\n"
        "vector_kernels.axpby(2.0, x, x)\n"
    )

    def mypy(file):
        checker = [sys.executable, "-m", "mypy", "--strict", "--python-executable", fresh]
        return subprocess.run(
            [*checker, "--cache-dir", os.devnull, file],
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
        ).stdout

    assert mypy("use.py") == "Success: no issues found in 1 source file\n"
    found = mypy("wrong.py").splitlines()
    assert [line.split("[")[-1].rstrip("]") for line in found[:-1] if ": error: " in line] == [
        "arg-type",
        "arg-type",
        "attr-defined",
    ], found

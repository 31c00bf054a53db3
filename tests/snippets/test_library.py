# SPDX-License-Identifier: Apache-2.0
# Rows: R3, R5, R8
"""The library example as a project: its build by CMake, its wheel, the package in it."""

import importlib.metadata
import json
import os
import platform
import re
import shlex
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest
import terminal
import tvm_ffi
from _verify.tools import find_nvcc
from venvs import environment

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
WITHOUT_CUDA = "VECTOR_KERNELS_CUDA=OFF"
USED = "[[1.5, 2.0], [2.5, 3.0]]\n[5.5, 19.5]\n"


PYTHONS = ("python3.13", "python3.12", "python3.10", "python3.11")


def copy_to(folder):
    """Lay out the copied example as the page has it."""
    shutil.copytree(EXAMPLE, folder / "library")
    shutil.copy(EXAMPLE.parent / "tvm_ffi_utils.h", folder)
    shutil.copy(ROOT / "tests/snippets/library/use.py", folder)


def bash(script, folder, **variables):
    """Run a script; give how it ended."""
    outer = {name: text for name, text in os.environ.items() if name != "PYTHONPATH"}
    return subprocess.run(
        ["bash", script],
        cwd=folder,
        env={**outer, **variables},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="module", autouse=True)
def as_readers_compile():
    """These tests look at what the compiler makes: no lines are counted in it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TRACE_COMPILED", "no")
        yield


@pytest.fixture
def runs(shows):
    """Give a function that shows a script of the page and runs it in a folder."""

    def run(name, folder, **variables):
        for path in PROJECT:
            shows(path, *PROJECT, "tests/snippets/test_library.py")
        used = "tests/snippets/library/use.py"
        script = shows(f"tests/snippets/library/{name}", used, *PROJECT)
        shows(used, f"tests/snippets/library/{name}", *PROJECT)
        done = bash(script, folder, **variables)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    return run


@pytest.fixture(scope="module")
def here(tmp_path_factory):
    """A folder with the example, its wheel built by what is installed, and what the build said."""
    folder = tmp_path_factory.mktemp("here")
    copy_to(folder)
    earlier = folder / "site/vector_kernels/__init__.py"
    earlier.parent.mkdir(parents=True)
    earlier.write_text("raise AssertionError('of an earlier build')")
    variables = {"SKBUILD_CMAKE_DEFINE": WITHOUT_CUDA, "SKBUILD_BUILD_DIR": str(folder / "build")}
    done = bash(ROOT / "tests/snippets/library/wheel_here.sh", folder, **variables)
    return folder, done


def needs(distribution):
    """Skip where a tool is not installed, as on a machine with a GPU and no network."""
    try:
        importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        pytest.skip(f"{distribution} is not installed")


def needed_and_exported(library):
    """The names that a library exports, and its dynamic section.

    Weak instances of the standard library's templates, which g++ 16 adds, do not count.
    """
    symbols = subprocess.run(
        ["nm", "-D", "--defined-only", library], capture_output=True, text=True, check=True
    ).stdout
    entries = subprocess.run(
        ["readelf", "-d", library], capture_output=True, text=True, check=True
    ).stdout
    exported = (line.split()[-2:] for line in symbols.splitlines())
    return {name for kind, name in exported if (kind, name[:5]) != ("W", "_ZNSt")}, entries


def test_builds_by_cmake(runs, libraries, tmp_path):
    """CMake builds for CPU and GPU; the library exports its functions alone, and has CUDA in it."""
    nvcc = find_nvcc()
    copy_to(tmp_path)
    # One architecture: that is all that this test needs.
    runs("cmake.sh", tmp_path, CUDACXX=nvcc["NVCC"], CUDAARCHS="80-real", **nvcc)
    library = tmp_path / "build" / "libvector_kernels.so"
    mod = tvm_ffi.load_module(library)
    x, y = np.ones(3, "float32"), np.ones(3, "float32")
    mod.axpy(2.0, x, y)
    assert y.tolist() == [3.0, 3.0, 3.0]
    exported, entries = needed_and_exported(library)
    assert exported
    assert all(name.startswith("__tvm_ffi_") for name in exported), exported
    _, of_nvcc = needed_and_exported(libraries / "library_cuda.so")
    for each in (entries, of_nvcc):
        assert "libtvm_ffi.so" in each
        assert "libcudart" not in each
    ours, plain = (newest_glibc(each) for each in (library, libraries / "library_cpu.so"))
    assert ours > plain or version(platform.libc_ver()[1]) < (2, 34)


def version(text):
    """Give the numbers of a version, to compare."""
    return tuple(int(part) for part in text.split("."))


def newest_glibc(library):
    """Give the newest version of the C library that a library needs functions of."""
    told = subprocess.check_output(["readelf", "-V", library], text=True)
    return max(version(found) for found in re.findall(r"GLIBC_([\d.]+)", told))


def wheel_of(folder):
    """Give the one wheel that was built, which serves every Python."""
    (wheel,) = (folder / "dist").iterdir()
    assert wheel.name.startswith("vector_kernels-0.1.0-py3-none-")
    return wheel


def test_wheel_with_this_package(here, shows):
    """Built by what is installed, the wheel is imported from a fresh folder and called."""
    folder, done = here
    shows("tests/snippets/library/wheel_here.sh", "tests/snippets/library/use.py", *PROJECT)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.endswith(USED)
    names = set(zipfile.ZipFile(wheel_of(folder)).namelist())
    wanted = {"__init__.py", "py.typed", "libvector_kernels.so"}
    assert {name for name in names if ".dist-info/" not in name} == {
        f"vector_kernels/{name}" for name in wanted
    }
    exported, entries = needed_and_exported(
        folder / "site" / "vector_kernels" / "libvector_kernels.so"
    )
    assert "Shared library: [libtvm_ffi.so]" in entries
    assert "RPATH" not in entries
    assert "RUNPATH" not in entries
    assert all(name.startswith("__tvm_ffi_") for name in exported), exported


def session(folder, *commands):
    """What a terminal shows of some commands, on a machine of the usual kind."""
    return terminal.session(*commands, folder=folder).replace(platform.machine(), "x86_64")


def test_what_the_wheel_says_of_itself(here, captured):
    """Its tag names no Python, and the library needs none."""
    folder, _ = here
    captured(
        "tests/snippets/captured/library/tag.txt",
        session(folder, "ls dist", "cat site/vector_kernels-0.1.0.dist-info/WHEEL"),
    )


def test_what_the_library_needs(here, captured):
    """Of the runtime it needs C functions that version 0.1.15 has; and neither Python nor CUDA."""
    folder, _ = here
    library = "site/vector_kernels/libvector_kernels.so"
    symbols = f"nm -D --undefined-only {library} | grep TVMFFI"
    text = session(folder, symbols, f"readelf -d {library} | grep NEEDED")
    captured("tests/snippets/captured/library/needs.txt", text)
    asked = ["nm", "-D", "--undefined-only", folder / library]
    listed = subprocess.check_output(asked, text=True).splitlines()
    names = {line.split()[-1] for line in listed}
    abi = json.loads((ROOT / "tests/abi/abi-0.1.15.json").read_text())
    declared = " ".join(each["declaration"] for each in abi["functions"])
    promised = set(re.findall(r"\b(TVMFFI\w+)\(", declared))
    assert {name for name in names if name.startswith("TVMFFI")} <= promised
    assert not {name for name in names if "3tvm3ffi" in name or name.startswith("Py")}


def test_repaired_wheel(here, runs, captured):
    """A repaired wheel names the oldest system, and puts no runtime into the wheel."""
    needs("auditwheel")
    folder, _ = here
    runs("repair.sh", folder)
    (repaired,) = (folder / "wheelhouse").iterdir()
    assert repaired.name.startswith("vector_kernels-0.1.0-py3-none-manylinux_")
    before, after = zipfile.ZipFile(wheel_of(folder)), zipfile.ZipFile(repaired)
    files = {name for name in after.namelist() if not name.endswith("/")}
    assert files == set(before.namelist())
    library = "vector_kernels/libvector_kernels.so"
    assert before.read(library) == after.read(library)
    plain = ["auditwheel", "repair", "-w", "wheelhouse", wheel_of(folder)]
    refused = subprocess.run(plain, cwd=folder, capture_output=True, text=True, check=False)
    assert refused.returncode == 1
    command = "auditwheel repair -w wheelhouse dist/vector_kernels-*.whl"
    last = refused.stderr.strip().splitlines()[-1]
    captured("tests/snippets/captured/library/repair.txt", f"$ {command}\n...\n{last}")


def test_editable_install(here, runs, tmp_path):
    """Python files are read where they lie; the library lies elsewhere, and is found."""
    folder, _ = here
    python = environment(tmp_path / "environment")
    runs(
        "editable.sh",
        folder,
        PATH=f"{python.parent}{os.pathsep}{os.environ['PATH']}",
        SKBUILD_CMAKE_DEFINE=WITHOUT_CUDA,
        SKBUILD_BUILD_DIR=str(folder / "build"),  # what the wheel's build compiled is not again
        tvm_ffi_ROOT=tvm_ffi.libinfo.find_cmake_path(),
    )
    package = folder / "library" / "python" / "vector_kernels"
    with (package / "__init__.py").open("a") as file:
        file.write("\nADDED = 1\n")
    with (folder / "library" / "src" / "binding.cc").open("a") as file:
        file.write("#error changed\n")  # seen by whoever builds again
    code = (
        "import pathlib, vector_kernels as v\n"
        "print(v.ADDED, v.__file__, v._LIB.path)\n"
        "print(pathlib.Path(v.__file__).with_name('libvector_kernels.so').exists())"
    )
    said = subprocess.check_output([python, "-c", code], cwd=tmp_path, text=True).split()
    assert said[:2] == ["1", str(package / "__init__.py")]
    assert said[2].startswith(str(python.parents[1])), said
    assert said[3] == "False"
    use = [python, folder / "use.py"]
    assert subprocess.check_output(use, cwd=tmp_path, text=True) == USED


def test_wheel_that_requires_this_package(runs, captured, tmp_path):
    """One line makes the wheel require this package, and pip then installs no other beside it."""
    copy_to(tmp_path)
    runs("choose.sh", tmp_path)
    python = environment(tmp_path / "environment")
    path = f"{python.parent}{os.pathsep}{os.environ['PATH']}"
    said = runs(
        "install_here.sh",
        tmp_path,
        PATH=path,
        SKBUILD_CMAKE_BUILD_TYPE="Debug",  # compiles faster
        SKBUILD_CMAKE_DEFINE=WITHOUT_CUDA,
        tvm_ffi_ROOT=tvm_ffi.libinfo.find_cmake_path(),
    )
    assert said.endswith(USED)
    installed = [each.name for each in python.parents[1].glob("lib/*/site-packages/*.dist-info")]
    assert installed == ["vector_kernels-0.1.0.dist-info"]
    command = "pip show vector-kernels | grep Requires"
    text = subprocess.check_output(
        ["bash", "-c", command], cwd=tmp_path, env={**os.environ, "PATH": path}, text=True
    )
    captured("tests/snippets/captured/library/requires.txt", f"$ {command}\n{text}")


def test_a_source_distribution_of_the_folder_alone(runs, tmp_path):
    """Where the header lies in the folder, as the page tells, a source distribution is whole."""
    needs("build")
    copy_to(tmp_path)
    source = tmp_path / "library" / "src"
    shutil.move(tmp_path / "tvm_ffi_utils.h", source)
    header = source / "kernels.h"
    header.write_text(header.read_text().replace('"../../tvm_ffi_utils.h"', '"tvm_ffi_utils.h"'))
    runs("sdist.sh", tmp_path)
    (packed,) = (tmp_path / "dist").iterdir()
    assert packed.name == "vector_kernels-0.1.0.tar.gz"
    subprocess.run(["tar", "-xf", packed, "-C", tmp_path], check=True)
    (source,) = tmp_path.glob("vector_kernels-*/src/binding.cc")
    told = ["tvm-ffi-config", "--cxxflags"]
    flags = subprocess.run(told, capture_output=True, text=True, check=True).stdout.split()
    subprocess.run(["g++", "-fsyntax-only", *flags, source], check=True)


@pytest.fixture(scope="module")
def published(tmp_path_factory):
    """A folder with the example and its wheel, which the published package built, and how."""
    folder = tmp_path_factory.mktemp("published")
    copy_to(folder)
    script = ROOT / "tests/snippets/library/wheel_published.sh"
    return folder, bash(script, folder, SKBUILD_CMAKE_DEFINE=WITHOUT_CUDA)


def test_wheel_with_the_published_package(published, shows, runs):
    """Built in isolation it takes the published package, works with it, and with this one too."""
    folder, done = published
    shows("tests/snippets/library/wheel_published.sh", *PROJECT)
    assert done.returncode == 0, done.stdout + done.stderr
    assert runs("fresh.sh", folder).endswith(USED)
    wheel = wheel_of(folder)
    target = folder / "site"
    quiet = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target"]
    subprocess.run([*quiet, target, wheel], check=True)
    done = subprocess.run(
        [sys.executable, folder / "use.py"],
        env={**os.environ, "PYTHONPATH": str(target)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == USED, done.stderr
    check_types(folder)


def other_python():
    """A Python of another version than this one, or an empty string."""
    code = "import sys; print(sys.executable, *sys.version_info[:2])"
    for name in PYTHONS:
        if shutil.which(name):
            done = subprocess.run([name, "-c", code], capture_output=True, text=True, check=False)
            words = done.stdout.split()
            if words and words[1:] != [str(part) for part in sys.version_info[:2]]:
                return words[0]
    return ""


def test_the_same_wheel_on_another_python(published, runs, tmp_path):
    """The wheel that one Python built is installed and used by another."""
    folder, _ = published
    python = other_python()
    if not python:
        pytest.skip("there is no Python of another version")
    wheel_of(folder)
    shutil.copytree(folder / "dist", tmp_path / "dist")
    shutil.copy(folder / "use.py", tmp_path)
    first = tmp_path / "bin" / "python3"
    first.parent.mkdir()
    first.write_text(f'#!/bin/sh\nexec {shlex.quote(python)} "$@"\n')
    first.chmod(0o755)
    path = f"{first.parent}{os.pathsep}{os.environ['PATH']}"
    assert runs("fresh.sh", tmp_path, PATH=path).endswith(USED)
    ran = list((tmp_path / "fresh" / "lib").iterdir())
    assert [each.name for each in ran] != [f"python3.{sys.version_info.minor}"]


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

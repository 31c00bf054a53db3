# SPDX-License-Identifier: Apache-2.0
# Rows: R8
"""What the page on building from source shows and says."""

import ast
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import tvm_ffi
from _verify.installed import why_not
from commands import run

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/packaging/building_from_source.rst").read_text()
PARTS = ("kernel_in_c.c", "host_program.cc")


def plain_path():
    """The search path without the compilers that count lines: see docs/_verify/gcov.py."""
    folders = os.environ["PATH"].split(os.pathsep)
    return os.pathsep.join(
        folder for folder in folders if Path(folder, "c++").resolve().name != "compile.sh"
    )


def clone_to(folder):
    """Copy what a clone has of the runtime."""
    folder.mkdir(parents=True)
    shutil.copy(ROOT / "CMakeLists.txt", folder)
    for name in ("include", "src"):
        shutil.copytree(ROOT / name, folder / name)


def first_column(heading):
    """The names in the first column of the table below a heading of the page."""
    section = PAGE.partition(f"\n{heading}\n---")[2].partition("\n---")[0]
    rows = re.findall(r"^   \* - (``.+``)$", section, re.MULTILINE)
    return [name for row in rows for name in re.findall("``([^`]+)``", row)]


def test_wheel(shows, tmp_path):
    """The wheel has headers, library, CMake's files, stubs, and the hashes of this tree's files."""
    script = shows("tests/snippets/wheel.sh", "tests/snippets/test_building.py")
    # The tree's own build folder has what was compiled for the installed package. It must not keep
    # the compiler that counts lines: it is gone later.
    run("bash", script, folder=ROOT, WHEELS=str(tmp_path / "wheels"), PATH=plain_path())
    (wheel,) = (tmp_path / "wheels").iterdir()
    tag = f"cp{sys.version_info.major}{sys.version_info.minor}"
    assert wheel.name.startswith(f"tvm_ffi_kernel_library-{tvm_ffi.__version__}-{tag}-{tag}-")
    unpacked = tmp_path / "unpacked"
    with zipfile.ZipFile(wheel) as packed:
        names = set(packed.namelist())
        packed.extractall(unpacked)
    assert {
        "tvm_ffi/include/tvm/ffi/c_api.h",
        "tvm_ffi/lib/libtvm_ffi.so",
        "tvm_ffi/share/cmake/tvm_ffi/tvm_ffi-config.cmake",
        "tvm_ffi/_core.pyi",
        "tvm_ffi/py.typed",
        "tvm_ffi/sources.sha256",
    } <= names
    assert why_not(ROOT, str(unpacked / "tvm_ffi" / "include")) == ""


def test_runtime_alone(shows, tmp_path):
    """CMake builds and installs libtvm_ffi without Python, and a program finds and runs with it."""
    build, sources = (
        "tests/snippets/runtime/CMakeLists.txt",
        [f"tests/cpp/{name}" for name in PARTS],
    )
    script = shows("tests/snippets/runtime/build.sh", "tests/snippets/test_building.py", build)
    shows(build, "tests/snippets/runtime/build.sh", *sources)
    program = tmp_path / "program"
    program.mkdir()
    clone_to(tmp_path / "clone")
    for path in (build, *sources):
        shutil.copy(ROOT / path, program)
    said = run("bash", script, folder=tmp_path)
    assert "\nwrote 3: 1 2 3\n" in said
    installed = {path.relative_to(tmp_path / "prefix") for path in (tmp_path / "prefix").rglob("*")}
    assert {"include/tvm/ffi/c_api.h", "lib/libtvm_ffi.so"} <= set(map(str, installed))
    sections = ["readelf", "-S", tmp_path / "prefix/lib/libtvm_ffi.so"]
    assert ".debug_info" in subprocess.check_output(sections, text=True)
    cache = (tmp_path / "build/program/CMakeCache.txt").read_text()
    assert f"tvm_ffi_DIR:PATH={tmp_path}/prefix/share/cmake/tvm_ffi\n" in cache


def test_runtime_inside_a_project(shows, tmp_path):
    """A project that adds the clone builds the runtime with its own library, which loads."""
    test, source = "tests/snippets/test_building.py", "tests/cpp/kernel_in_c.c"
    build = "tests/snippets/runtime/inside/CMakeLists.txt"
    script = shows("tests/snippets/runtime/inside.sh", test, build)
    shows(build, "tests/snippets/runtime/inside.sh", source)
    project = tmp_path / "inside"
    clone_to(project / "clone")
    for path in (build, source):
        shutil.copy(ROOT / path, project)
    run("bash", script, folder=tmp_path)
    runtime = tmp_path / "build/inside/clone/libtvm_ffi.so"
    assert runtime.is_file()
    linked = subprocess.check_output(["ldd", tmp_path / "build/inside/libkernel.so"], text=True)
    assert f"libtvm_ffi.so => {runtime} " in linked
    x, y = np.arange(3, dtype="float32"), np.full(3, np.nan, dtype="float32")
    tvm_ffi.load_module(tmp_path / "build/inside/libkernel.so").add_one(x, y)
    assert y.tolist() == [1, 2, 3]


def test_wheel_of_a_project_with_the_clone(tmp_path):
    """scikit-build-core's wheel of a project that adds the clone does not become this package's."""
    clone_to(tmp_path / "clone")
    text = (ROOT / "tests/snippets/runtime/inside/CMakeLists.txt").read_text()
    (tmp_path / "CMakeLists.txt").write_text(text)
    shutil.copy(ROOT / "tests/cpp/kernel_in_c.c", tmp_path)
    command = ["cmake", "-G", "Ninja", "-S", ".", "-B", "build", "-DSKBUILD=2"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "tvm_ffi_testing" not in (tmp_path / "build" / "build.ninja").read_text()


def test_page_has_every_option_of_cmake():
    """The table has what CMakeLists.txt lets one set, after what CMake itself has."""
    text = (ROOT / "CMakeLists.txt").read_text()
    own = re.findall(r"^(?:set\((\w+) \S+ CACHE|option\((\w+) )", text, re.MULTILINE)
    options = [first or second for first, second in own]
    assert first_column("Options") == ["CMAKE_BUILD_TYPE", "CMAKE_INSTALL_PREFIX", *options]
    assert "if(NOT CMAKE_BUILD_TYPE)\n  set(CMAKE_BUILD_TYPE Release)" in text


def test_page_has_every_compiler():
    """The table has the compilers and standards of nox -s compilers."""
    tree = ast.parse((ROOT / "docs/_setup/compilers.py").read_text())
    constants = {
        node.targets[0].id: node.value
        for node in tree.body
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
    }
    cpp, c, standards = (ast.literal_eval(constants[n]) for n in ("CPP", "C", "STANDARDS"))
    assert first_column("Compilers") == [*cpp, "nvcc", *c]
    assert standards == ("17", "20")
    assert PAGE.count("- C++17 and C++20") == 2  # one row of hosts' compilers, one of nvcc


def test_page_has_every_session():
    """The text has the sessions that make environments for others, and the table the others."""
    tree = ast.parse((ROOT / "noxfile.py").read_text())
    sessions = {
        node.name: " ".join(map(ast.unparse, node.decorator_list))
        for node in tree.body
        if isinstance(node, ast.FunctionDef)
        and any("nox.session" in ast.unparse(each) for each in node.decorator_list)
    }
    # Of the sessions that others require, docs does more than make an environment.
    named = " ".join(sessions.values())
    required = [name for name in sessions if f"'{name}'" in named and name != "docs"]
    assert required == ["environment", "published", "client"]
    assert "by their own sessions: ``environment``, ``published`` and ``client``." in PAGE
    assert first_column("Tests") == [name for name in sessions if name not in required]


def test_page_names_folders_that_are_there():
    """The table of folders is that of the repository."""
    names = first_column("Repository layout")
    assert names
    assert all((ROOT / name).is_dir() for name in names)
    assert {name.strip("/") for name in names} == {
        path.name for path in ROOT.iterdir() if path.is_dir() and path.name[0] not in "._"
    } - {"build", "dist"}

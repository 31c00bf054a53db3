# SPDX-License-Identifier: Apache-2.0
# Rows: R3, R5, R8
"""The library example with a setup.py: its wheel, and an install that one can edit."""

import os
import shutil
import subprocess
import sys
import tarfile
import zipfile

import pytest
from test_library import PROJECT, ROOT, USED, bash, copy_to, needed_and_exported, wheel_of
from venvs import environment

FILES = [f"tests/snippets/setuptools/{name}" for name in ("setup.py", "pyproject.toml")]
BUILT_BY = [
    name for name in PROJECT if not name.endswith(("CMakeLists.txt", "library/pyproject.toml"))
]
SCRIPT = "tests/snippets/setuptools/wheel.sh"
USE = "tests/snippets/library/use.py"


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A folder with the example, which setuptools builds instead of CMake."""
    monkeypatch.setenv("TRACE_COMPILED", "no")  # the test looks at what the compiler makes
    monkeypatch.setenv("TVM_FFI_CACHE_DIR", str(tmp_path / "cache"))
    copy_to(tmp_path)
    for file in FILES:
        shutil.copy(ROOT / file, tmp_path / "library")
    (tmp_path / "library" / "CMakeLists.txt").unlink()
    return tmp_path


def plain(folder):
    """Make an environment that has only what the build requires; return its Python."""
    python = folder / "plain/bin/python"
    requires = ["setuptools>=70.1", "ninja", "apache-tvm-ffi>=0.1.15"]
    subprocess.run([sys.executable, "-m", "venv", python.parents[1]], check=True)
    subprocess.run([python, "-m", "pip", "install", "-q", *requires], check=True)
    return python


def test_wheel(project, shows):
    """It has the tag and the files of the wheel that CMake's project makes, and works."""
    for path in FILES:
        shows(path, SCRIPT, *FILES, *BUILT_BY)
    earlier = project / "site/vector_kernels/__init__.py"
    earlier.parent.mkdir(parents=True)
    earlier.write_text("raise AssertionError('of an earlier build')")
    done = bash(shows(SCRIPT, USE, *FILES, *BUILT_BY), project)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.endswith(USED)
    wheel = zipfile.ZipFile(wheel_of(project))
    names = {name for name in wheel.namelist() if ".dist-info/" not in name}
    wanted = ("__init__.py", "py.typed", "libvector_kernels.so")
    assert names == {f"vector_kernels/{name}" for name in wanted}
    metadata = wheel.read("vector_kernels-0.1.0.dist-info/METADATA").decode()
    assert "Requires-Dist: apache-tvm-ffi>=0.1.15\n" in metadata
    library = project / "site/vector_kernels/libvector_kernels.so"
    exported, entries = needed_and_exported(library)
    assert {"__tvm_ffi_axpy", "__tvm_ffi_lerp", "__tvm_ffi_vecdot"} <= exported
    # Besides the functions, only what the headers of the runtime export.
    assert not any("vector_kernels" in name for name in exported), exported
    assert "Shared library: [libtvm_ffi.so]" in entries
    assert "RUNPATH" not in entries


def test_each_line_of_the_script(project, shows, tmp_path):
    """Run as a file, which pip does not do: its lines are counted."""
    for path in FILES:
        shows(path, *FILES, *BUILT_BY)
    python = plain(tmp_path)
    path = f"{python.parent}{os.pathsep}{os.environ['PATH']}"
    wheel = [python, "setup.py", "-q", "bdist_wheel", "-d", project / "dist"]
    variables = {**os.environ, "PATH": path}
    subprocess.run(wheel, cwd=project / "library", env=variables, check=True)
    assert wheel_of(project).name.startswith("vector_kernels-0.1.0-py3-none-linux_")


@pytest.mark.parametrize("names_headers", [False, True])
def test_a_source_distribution_names_its_headers(project, names_headers):
    """It has the sources that setup.py lists, and the headers that MANIFEST.in names."""
    folder = project / "library"
    if names_headers:
        (folder / "MANIFEST.in").write_text("include src/*.h\n")
    pack = [plain(project), "setup.py", "-q", "sdist", "-d", project / "dist"]
    subprocess.run(pack, cwd=folder, check=True)
    (packed,) = (project / "dist").iterdir()
    with tarfile.open(packed) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert "src/binding.cc" in names
    assert ("src/kernels.h" in names) == names_headers


def test_editable_install(project):
    """The library is built next to the Python files; only the changed package finds it there."""
    package = project / "library/python/vector_kernels"
    plain = '_LIB = load_lib_module("vector-kernels", "vector_kernels")\n'
    code = (package / "__init__.py").read_text()
    assert code.count(plain) == 1
    changed = plain.replace(")\n", ", extra_lib_paths=[pathlib.Path(__file__).parent])\n")
    python = environment(project / "environment")
    install = ["pip", "install", "-q", "--no-deps", "-e", "./library"]
    path = f"{python.parent}{os.pathsep}{os.environ['PATH']}"
    subprocess.run(install, cwd=project, env={**os.environ, "PATH": path}, check=True)
    assert (package / "libvector_kernels.so").exists()
    use = [python, project / "use.py"]
    refused = subprocess.run(use, cwd=project, capture_output=True, text=True, check=False)
    assert "RuntimeError" in refused.stderr
    (package / "__init__.py").write_text(code.replace(plain, f"import pathlib\n{changed}"))
    assert subprocess.check_output(use, cwd=project, text=True) == USED

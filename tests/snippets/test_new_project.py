# SPDX-License-Identifier: Apache-2.0
# Rows: R8
"""The page on projects: one is made, built, tested, installed elsewhere and called."""

import importlib.metadata
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
import tvm_ffi
from _verify.package_flags import flags
from _verify.tools import find_nvcc
from terminal import session
from venvs import environment

ROOT = Path(__file__).resolve().parents[2]
HERE = "tests/snippets/new_project"
SOURCES = "python/tvm_ffi/new/template/project/src"
SHOWN = [
    *(f"{SOURCES}/{name}" for name in ("binding.cc", "scale_rows.h", "scale_rows_cpu.cc")),
    f"{SOURCES}/scale_rows_cuda.cu",
]
SCRIPTS = [f"{HERE}/{name}.sh" for name in ("tools", "make", "build", "stubs", "wheel")]
USE = f"{HERE}/use.py"
MADE_OF = [
    "examples/kernel_library/tvm_ffi_utils.h",
    *sorted(
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "python" / "tvm_ffi" / "new").rglob("*")
        if path.suffix in (".jinja", ".py", ".yml")
    ),
    "tests/snippets/test_new_project.py",
]
RUNTIME = "tvm-ffi-kernel-library"
USED = [
    "[[10.0, 20.0, 30.0], [400.0, 500.0, 600.0]]",
    "[[11.0, 22.0, 33.0], [401.0, 502.0, 603.0]]",
    "scale_rows: scale must be of length 2, one number for each row of x, got 1",
]


@pytest.fixture
def runs(tmp_path):
    """Give a function that runs a script of the page in an environment of its own."""
    pytest.importorskip("copier", reason="copier is not installed")
    python = environment(tmp_path / "environment")
    # Last the environment that has the commands of this package.
    path = [str(python.parent), str(Path(sys.executable).parent), os.environ["PATH"]]
    shutil.copy(ROOT / USE, tmp_path)

    def run(script, status=0, **variables):
        done = subprocess.run(
            ["bash", ROOT / script],
            cwd=tmp_path,
            env={
                **os.environ,
                "PATH": os.pathsep.join(path),
                "tvm_ffi_ROOT": tvm_ffi.libinfo.find_cmake_path(),
                **variables,
            },
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == status, done.stdout + done.stderr
        return done.stdout

    return run


def wheel_of_the_runtime(folder):
    """Pack the installed runtime into a wheel, since building one would take minutes."""
    distribution = importlib.metadata.distribution(RUNTIME)
    tag = re.search("^Tag: (.+)$", distribution.read_text("WHEEL"), re.MULTILINE)[1]
    wheel = folder / f"tvm_ffi_kernel_library-{distribution.version}-{tag}.whl"
    made_by_pip = ("INSTALLER", "REQUESTED", "direct_url.json")
    with zipfile.ZipFile(wheel, "w") as packed:
        for file in distribution.files:
            compiled = "__pycache__" in file.parts
            if ".." not in file.parts and file.name not in made_by_pip and not compiled:
                packed.write(file.locate(), file.as_posix())
    return wheel


def files_of(wheel):
    """The names of the files in a wheel, without what describes it."""
    return {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}


def test_a_project(shows, captured, device, runs, tmp_path):
    """It is made, built and tested; its one wheel is installed with the runtime alone, and used."""
    pytest.importorskip("torch", reason="PyTorch is not installed")
    nvcc = find_nvcc()
    if not nvcc:
        pytest.skip("no nvcc is installed")
    for path in (*SHOWN, *SCRIPTS, USE):
        shows(path, *SHOWN, *SCRIPTS, USE, *MADE_OF)
    # One architecture: that is all that this test needs.
    cuda = {"CUDACXX": nvcc["NVCC"], "CUDAARCHS": "native" if device == "cuda" else "80-real"}
    runs(f"{HERE}/tools.sh")
    runs(f"{HERE}/make.sh")
    command = "find row_scale -type f | sort"
    found = subprocess.check_output(
        ["bash", "-c", command], cwd=tmp_path, env={**os.environ, "LC_ALL": "C"}, text=True
    )
    captured("tests/snippets/captured/new_project/files.txt", f"$ {command}\n{found}")
    tested = runs(f"{HERE}/build.sh", **nvcc, **cuda)
    assert re.search(r"\d+ passed", tested), tested
    package = tmp_path / "row_scale" / "python" / "row_scale" / "__init__.py"
    made = package.read_text()
    package.write_text(made.replace("bias: Tensor | None = None", "bias: str"))
    runs(f"{HERE}/stubs.sh")
    assert package.read_text() == made
    runtime = wheel_of_the_runtime(tmp_path)
    said = runs(f"{HERE}/wheel.sh", RUNTIME=str(runtime), **nvcc, **cuda)
    assert said.splitlines()[-len(USED) :] == USED
    (wheel,) = (tmp_path / "dist").iterdir()
    assert wheel.name.startswith("row_scale-0.1.0-py3-none-")
    names = ("__init__.py", "librow_scale.so", "py.typed")
    assert files_of(wheel) == {f"row_scale/{name}" for name in names}
    asked = [tmp_path / "bare" / "bin" / "pip", "list", "--format=freeze"]
    installed = subprocess.check_output(asked, text=True).replace("==", " ").split()[::2]
    assert {*installed} - {"pip", "setuptools"} == {"numpy", "row-scale", RUNTIME}
    output = "".join(f"{line}\n" for line in USED)
    captured("tests/snippets/captured/new_project/used.txt", f"$ bare/bin/python use.py\n{output}")


def test_the_help_of_the_command(captured, tmp_path):
    """It names the argument and the option."""
    text = session("tvm-ffi new --help", folder=tmp_path)
    captured("tests/snippets/captured/new_project/help.txt", text)


def test_what_the_command_refuses(captured, tmp_path):
    """A name that no package can have, and a folder with files in it."""
    (tmp_path / "rows").mkdir()
    (tmp_path / "rows" / "notes.txt").touch()
    text = session("tvm-ffi new row-scale", "tvm-ffi new rows", folder=tmp_path)
    assert text.count("$ echo $?\n2\n") == 2
    captured("tests/snippets/captured/new_project/refused.txt", text)


def test_a_project_for_the_published_runtime(shows, runs, tmp_path):
    """Its wheel is built by the published package, and used with that package alone."""
    shows(f"{HERE}/make_published.sh", *MADE_OF)
    runs(f"{HERE}/make_published.sh")
    build = tmp_path / "build.sh"
    build.write_text("pip wheel -v --no-deps -w dist ./row_scale 2>&1\n")
    said = runs(build, CUDACXX="/nonexistent/nvcc", tvm_ffi_ROOT="")
    reason = "because no CUDA compiler was found: install nvcc, or name it by CUDACXX"
    # pip breaks long lines.
    assert f"row_scale: building for the CPU only, {reason}" in " ".join(said.split())
    text = (ROOT / HERE / "wheel.sh").read_text()
    use = tmp_path / "use.sh"
    use.write_text("".join(line for line in text.splitlines(True) if "pip wheel" not in line))
    said = runs(use, RUNTIME="apache-tvm-ffi>=0.1.15")
    assert said.splitlines()[-len(USED) :] == USED


def test_the_tests_of_a_project_find_bugs(runs, tmp_path):
    """A forgotten bias, a stride that is ignored and a check that is missing each fail a test."""
    pytest.importorskip("torch", reason="PyTorch is not installed")
    runs(f"{HERE}/make.sh")
    source = tmp_path / "row_scale" / "src"
    whole = {path: path.read_text() for path in source.iterdir()}
    for name, old, new in (
        ("scale_rows.h", "return x * scale + bias;", "return x * scale;"),
        ("scale_rows.h", "x.stride(0)", "x.size(1)"),
        ("binding.cc", "  CHECK_APART(y, scale);\n", ""),
    ):
        for path, text in whole.items():
            path.write_text(text)
        assert whole[source / name].count(old) == 1, (name, old)
        (source / name).write_text(whole[source / name].replace(old, new))
        quick = {"SKBUILD_CMAKE_BUILD_TYPE": "Debug", "PYTEST_ADDOPTS": "-q --maxfail=1"}
        said = runs(f"{HERE}/build.sh", status=1, CUDACXX="/nonexistent/nvcc", **quick)
        assert re.search(r"\d+ failed", said), said


def test_another_name_and_other_dtypes(runs, tmp_path):
    """A function renamed as the page says, with a list of dtypes in the header, compiles."""
    runs(f"{HERE}/make.sh")
    project = tmp_path / "row_scale"
    renamed = [path for path in project.rglob("*scale_rows*") if path.is_file()]
    assert len(renamed) == 4
    for path in project.rglob("*.*"):
        if path.is_file() and path.name != "tvm_ffi_utils.h":
            text = path.read_text().replace("scale_rows", "silu_rows")
            path.write_text(text.replace("FloatingTypes", "MyTypes"))
    for path in renamed:
        path.rename(path.with_name(path.name.replace("scale_rows", "silu_rows")))
    header = project / "src" / "silu_rows.h"
    include = '#include "tvm_ffi_utils.h"\n'
    page = (ROOT / "docs/get_started/new_project.rst").read_text()
    (own,) = re.findall("``(using MyTypes = .*;)``", page)
    assert header.read_text().count(include) == 1
    header.write_text(header.read_text().replace(include, f"{include}{own}\n"))
    sources = [project / "src" / name for name in ("binding.cc", "silu_rows_cpu.cc")]
    told = flags("--cxxflags").split()
    subprocess.run(["g++", "-fsyntax-only", "-Wall", "-Werror", *told, *sources], check=True)

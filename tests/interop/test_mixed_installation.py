# SPDX-License-Identifier: Apache-2.0
# Rows: R6, R9
"""Environments in which this project's package and the published one are both installed."""

from __future__ import annotations

import re
import shutil
import zipfile
from pathlib import Path

import pytest
from environments import Environment, pack

OURS, PUBLISHED = "tvm-ffi-kernel-library", "apache-tvm-ffi"
ORDERS = {"ours_last": [PUBLISHED, OURS], "published_last": [OURS, PUBLISHED]}
# The message as the page on troubleshooting shows it.
SHOWN = Path(__file__).resolve().parents[1] / "snippets" / "captured" / "two_packages.txt"
TOLD = SHOWN.read_text().partition("\nImportError: ")[2]
KERNEL = """
#include <tvm/ffi/tvm_ffi.h>
int64_t add_one(int64_t x) { return x + 1; }
TVM_FFI_DLL_EXPORT_TYPED_FUNC(add_one, add_one);
"""
BUILD = "g++ -shared -fPIC -O0 kernel.cc -o kernel.so $(tvm-ffi-config --cxxflags --ldflags --libs)"
CALL = """python -c 'import tvm_ffi; print(tvm_ffi.load_module("./kernel.so").add_one(2))'"""
# Whatever a user types first, the same message comes.
COMMANDS = {
    "import": "python -c 'import tvm_ffi'",
    "load_module": CALL,
    "script": "tvm-ffi-config --cxxflags",
    "module": "python -m tvm_ffi.config --cxxflags",
    "build": "python -c 'import tvm_ffi.cpp; tvm_ffi.cpp.load_inline'",
}


@pytest.fixture(scope="module")
def wheels(pythons: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the wheels of both packages, made of what the session has installed."""
    folder = tmp_path_factory.mktemp("wheels")
    pack(pythons["ours"], OURS, folder)
    for name in (PUBLISHED, "typing-extensions"):  # which the published package requires
        pack(pythons["published"], name, folder)
    return folder


@pytest.fixture(scope="module", params=ORDERS)
def mixed(
    request: pytest.FixtureRequest, wheels: Path, tmp_path_factory: pytest.TempPathFactory
) -> Environment:
    """An environment with both packages, one installed over the other."""
    made = Environment(tmp_path_factory.mktemp(request.param) / "env", wheels)
    for name in ORDERS[request.param]:
        made.do(f"pip install -q {name}")
    return made


@pytest.fixture(scope="module")
def kernel(wheels: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library that was built where this package is alone."""
    alone = Environment(tmp_path_factory.mktemp("alone") / "env", wheels)
    alone.do(f"pip install -q {OURS}")
    build(alone)
    return alone.folder / "kernel.so"


@pytest.fixture
def environment(wheels: Path, tmp_path: Path) -> Environment:
    """An empty environment."""
    return Environment(tmp_path / "env", wheels)


def site_packages(environment: Environment) -> Path:
    """Name the folder into which an environment installs."""
    [found] = environment.folder.glob("lib/*/site-packages")
    return found


def build(environment: Environment) -> None:
    """Build the kernel by the commands and the headers of an environment."""
    (environment.folder / "kernel.cc").write_text(KERNEL)
    environment.do(BUILD)


def assert_works(environment: Environment, kernel: Path, name: str) -> None:
    """The package is there as its wheel has it, with no file of the other, and loads a kernel."""
    [wheel] = environment.wheels.glob(f"{name.replace('-', '_')}-*.whl")
    inside = site_packages(environment)
    there = {path for path in (inside / "tvm_ffi").rglob("*") if path.is_file()}
    there = {path for path in there if path.parent.name != "__pycache__"}
    with zipfile.ZipFile(wheel) as archive:
        wanted = [file for file in archive.namelist() if file.startswith("tvm_ffi/")]
        assert there == {inside / file for file in wanted}
        assert all((inside / file).read_bytes() == archive.read(file) for file in wanted)
    if kernel.parent != environment.folder:
        shutil.copy(kernel, environment.folder)
    assert environment.do(CALL) == "3\n"


@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
def test_refused(mixed: Environment, command: str) -> None:
    """Importing, loading and building raise the same error, whichever was installed last."""
    done = mixed.shell(command)
    assert done.returncode == 1
    assert done.stdout == ""
    told = TOLD.replace("site-packages", str(site_packages(mixed)))
    assert done.stderr.endswith(f"\nImportError: {told}"), done.stderr


def test_refused_by_cmake(mixed: Environment, tmp_path: Path) -> None:
    """So does CMake's find_package, which imports nothing; it wraps the lines of its message."""
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.20)\nproject(demo NONE)\n"
        "find_package(tvm_ffi CONFIG REQUIRED)\n"
    )
    done = mixed.shell(f"cmake -B build -DCMAKE_PREFIX_PATH={site_packages(mixed)}", tmp_path)
    assert done.returncode == 1
    told = TOLD.replace("site-packages", str(site_packages(mixed)))
    assert told.split() == done.stderr.partition("(message):")[2].split()[: len(told.split())]
    for line in told.splitlines()[1:3]:
        assert line in done.stderr


def test_pip_check_sees_nothing(mixed: Environment) -> None:
    """For pip the two packages have nothing to do with each other."""
    assert mixed.do("pip check") == "No broken requirements found.\n"


@pytest.mark.parametrize("kept", [OURS, PUBLISHED])
@pytest.mark.parametrize("order", ORDERS)
def test_repaired_by_the_two_lines(
    environment: Environment, kernel: Path, order: str, kept: str
) -> None:
    """The lines of the message, typed as they are, leave one package that works."""
    for name in ORDERS[order]:
        environment.do(f"pip install -q {name}")
    lines = re.findall(r"^    (pip .+)$", environment.shell(CALL).stderr, re.MULTILINE)
    assert len(lines) == 2
    if kept == OURS:
        [wheel] = environment.wheels.glob("tvm_ffi_kernel_library-*.whl")
        lines[1] = f"pip install {wheel}"
    environment.do(lines[0])
    assert not (site_packages(environment) / "tvm_ffi").exists()
    environment.do(lines[1])
    assert_works(environment, kernel, kept)


@pytest.mark.parametrize("removed", [OURS, PUBLISHED])
def test_one_removed(environment: Environment, kernel: Path, removed: str) -> None:
    """Uninstalling only one removes files of the other; the two lines repair that as well."""
    for name in (OURS, PUBLISHED):
        environment.do(f"pip install -q {name}")
    environment.do(f"pip uninstall -q -y {removed}")
    done = environment.shell(CALL)
    assert done.returncode == 1
    assert "AttributeError: module 'tvm_ffi' has no attribute 'load_module'" in done.stderr
    _, first, second, _ = TOLD.splitlines()
    environment.do(f"{first}\n{second}")
    assert_works(environment, kernel, PUBLISHED)


@pytest.mark.parametrize("name", [OURS, PUBLISHED])
def test_one_alone(environment: Environment, name: str) -> None:
    """An environment with one package builds and loads, and nothing of it runs before."""
    environment.do(f"pip install -q {name}")
    build(environment)
    assert_works(environment, environment.folder / "kernel.so", name)
    started = environment.shell("python -c 'import sys; print(*sys.modules)'")
    assert "tvm_ffi" not in started.stdout
    assert started.stderr == ""
    assert not list(site_packages(environment).glob("*.pth"))

# SPDX-License-Identifier: Apache-2.0
# Rows: R5, R9
"""Which runtime a reader's wheel brings with it: the one that its pyproject.toml names."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from environments import Environment, pack

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples" / "kernel_library"
OURS, PUBLISHED = "tvm-ffi-kernel-library", "apache-tvm-ffi"
IMPORT = "python -c 'import vector_kernels as v; print(v.axpy.__name__)'"


@pytest.fixture(scope="module")
def built(pythons: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Folders with both runtimes and the example's wheel, by the runtime that the wheel names."""
    folder = tmp_path_factory.mktemp("project")
    shutil.copytree(EXAMPLES / "library", folder / "library")
    shutil.copy(EXAMPLES / "tvm_ffi_utils.h", folder)
    runtimes = tmp_path_factory.mktemp("runtimes")
    pack(pythons["ours"], OURS, runtimes)
    for name in (PUBLISHED, "typing-extensions"):
        pack(pythons["published"], name, runtimes)
    # What was compiled for one wheel is not compiled again for the other.
    settings = {
        "SKBUILD_BUILD_DIR": str(folder / "build"),
        "SKBUILD_CMAKE_BUILD_TYPE": "Debug",  # compiles faster
        "SKBUILD_CMAKE_DEFINE": "VECTOR_KERNELS_CUDA=OFF",
    }
    found = {}
    for name in (PUBLISHED, OURS):
        if name == OURS:
            script = ROOT / "tests/snippets/library/choose.sh"
            subprocess.run(["bash", script], cwd=folder, check=True)
        found[name] = folder / name
        shutil.copytree(runtimes, found[name])
        build = [pythons["ours"], "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation"]
        done = subprocess.run(
            [*build, "-w", found[name], "./library"],
            cwd=folder,
            env={**os.environ, **settings},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
    return found


def installed(environment: Environment) -> set[str]:
    """Name the distributions of an environment."""
    lines = environment.do("pip list --format=freeze").splitlines()
    return {line.partition("==")[0] for line in lines}


def test_the_published_runtime_comes_along(built: dict[str, Path], tmp_path: Path) -> None:
    """In an empty environment, the wheel as it is copied brings the published package and works."""
    environment = Environment(tmp_path / "env", built[PUBLISHED])
    environment.do("pip install -q vector-kernels")
    assert installed(environment) == {"vector-kernels", PUBLISHED, "typing_extensions"}
    assert environment.do(IMPORT) == "axpy\n"


def test_the_published_runtime_comes_over_this_one(built: dict[str, Path], tmp_path: Path) -> None:
    """Where this package is installed, pip installs the other over it; the import then says so."""
    environment = Environment(tmp_path / "env", built[PUBLISHED])
    environment.do(f"pip install -q {OURS}")
    environment.do("pip install -q vector-kernels")
    assert {OURS, PUBLISHED} < installed(environment)
    done = environment.shell(IMPORT)
    assert done.returncode == 1
    assert "ImportError: tvm_ffi: expected one runtime in " in done.stderr
    assert "\n    pip uninstall -y apache-tvm-ffi tvm-ffi-kernel-library\n" in done.stderr


def test_no_deps_keeps_this_runtime(built: dict[str, Path], tmp_path: Path) -> None:
    """With --no-deps the same wheel works under this package, though pip check misses the other."""
    environment = Environment(tmp_path / "env", built[PUBLISHED])
    environment.do(f"pip install -q {OURS}")
    environment.do("pip install -q --no-deps vector-kernels")
    assert environment.do(IMPORT) == "axpy\n"
    checked = environment.shell("pip check").stdout
    assert checked == "vector-kernels 0.1.0 requires apache-tvm-ffi, which is not installed.\n"


def test_a_wheel_that_names_this_runtime(built: dict[str, Path], tmp_path: Path) -> None:
    """The wheel that names this package leaves it as it is, and pip check has no complaint."""
    environment = Environment(tmp_path / "env", built[OURS])
    environment.do(f"pip install -q {OURS}")
    environment.do("pip install -q vector-kernels")
    assert installed(environment) == {"vector-kernels", OURS}
    assert environment.do(IMPORT) == "axpy\n"
    assert environment.do("pip check") == "No broken requirements found.\n"


def test_this_runtime_is_not_fetched(built: dict[str, Path], tmp_path: Path) -> None:
    """Where no index has this package, pip refuses the wheel rather than take another runtime."""
    [wheel] = built[OURS].glob("vector_kernels-*.whl")
    (tmp_path / "wheels").mkdir()
    shutil.copy(wheel, tmp_path / "wheels")
    environment = Environment(tmp_path / "env", tmp_path / "wheels")
    done = environment.shell("pip install -q vector-kernels")
    assert done.returncode == 1
    assert "No matching distribution found for tvm-ffi-kernel-library" in done.stderr
    assert installed(environment) == set()

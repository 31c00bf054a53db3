# SPDX-License-Identifier: Apache-2.0
# Rows: R1, R5, R6
"""Libraries built with our headers and with the published ones, under both runtimes.

``nox -s interop`` makes the environment that has the published package and names its interpreter.
"""

import json
import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROBE = Path(__file__).with_name("probe.py")
EXPECTED_KINDS = {
    "shape": "ValueError",
    "dtype": "TypeError",
    "other dtype": "TypeError",
    "strides": "ValueError",
    "overlap": "ValueError",
    "too few": "TypeError",
    "too many": "TypeError",
    "not a number": "TypeError",
    "not a tensor": "TypeError",
}


@pytest.fixture(scope="module")
def built(pythons, tmp_path_factory) -> dict[str, Path]:
    """The scale library, built with the headers of each package."""
    libraries = {}
    for name, python in pythons.items():
        folder = tmp_path_factory.mktemp(name)
        build("scale/build_cpu.sh", python, folder)
        libraries[name] = folder / "scale_cpu.so"
    return libraries


def build(script: str, python: str, folder: Path) -> None:
    """Build an example with the headers of the package that an interpreter has."""
    path = f"{Path(python).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path}
    command = ["bash", str(ROOT / "examples/kernel_library" / script)]
    run(command, cwd=folder, env=environment)


def run(command: list[str], **options) -> str:
    """Run a command and give what it prints; a failure shows its words."""
    done = subprocess.run(command, capture_output=True, text=True, check=False, **options)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def seen(pythons, built) -> dict[tuple[str, str], dict]:
    """What happens, by (headers, runtime)."""
    return {
        (headers, runtime): json.loads(run([python, str(PROBE), str(library)]))
        for headers, library in built.items()
        for runtime, python in pythons.items()
    }


def test_the_packages_are_two(pythons):
    """The comparison is between our package and the published one, not of one with itself."""
    code = "import importlib.metadata as m; print(sorted(d.name for d in m.distributions()))"
    names = {who: run([python, "-I", "-c", code]) for who, python in pythons.items()}
    assert "apache-tvm-ffi" not in names["ours"]
    where = {
        who: run([python, "-c", "import tvm_ffi; print(tvm_ffi.__file__)"])
        for who, python in pythons.items()
    }
    assert where["ours"] != where["published"]
    assert "apache-tvm-ffi" in names["published"]


@pytest.mark.parametrize("headers", ["ours", "published"])
def test_results_are_the_same_under_both_runtimes(seen, headers):
    """A library computes the same under both; the probe checks that it is right."""
    assert seen[headers, "ours"]["results"] == seen[headers, "published"]["results"]


@pytest.mark.parametrize("headers", ["ours", "published"])
def test_errors_are_the_same_under_both_runtimes(seen, headers):
    """The same Python exception arrives with the same message, whichever runtime loads it."""
    ours, published = seen[headers, "ours"]["errors"], seen[headers, "published"]["errors"]
    assert {name: error[:3] for name, error in ours.items()} == {
        name: error[:3] for name, error in published.items()
    }
    assert {name: error[1] for name, error in ours.items()} == EXPECTED_KINDS


@pytest.mark.parametrize("headers", ["ours", "published"])
def test_errors_tell_the_source_line_under_our_runtime(seen, headers):
    """The traceback of an error thrown by the kernel names its C++ source."""
    errors = seen[headers, "ours"]["errors"]
    thrown_by_the_kernel = ("shape", "other dtype", "strides", "overlap")
    assert all(errors[name][3] for name in thrown_by_the_kernel)


@pytest.mark.parametrize("headers", ["ours", "published"])
def test_only_our_runtime_allocates_without_a_framework(seen, headers):
    """Our runtime returns a NumPy array; the published one has no allocator and says so."""
    assert seen[headers, "ours"]["allocated"] == ["ndarray", [2.0, 4.0]]
    kind, message = seen[headers, "published"]["allocated"]
    assert kind == "RuntimeError"
    assert "TVMFFIEnvTensorAlloc: allocator is nullptr" in message

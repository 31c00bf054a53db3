# SPDX-License-Identifier: Apache-2.0
# Rows: R7
"""Map and Dict objects pass between libraries built with our headers and with the published ones.

The headers read and change the same memory with code of their own, so hashes, the places of keys
and the order of insertion must agree. The probe does it with 10,000 keys of each kind.
"""

import json
import shlex
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
FLAGS = "-std=c++17 -O2 -shared -fPIC"


@pytest.fixture(scope="module")
def libraries(pythons, tmp_path_factory) -> list[Path]:
    """The library built with our headers, and the one built with the published ones."""
    built = []
    for who, python in pythons.items():
        library = tmp_path_factory.mktemp(f"map_{who}") / "map_library.so"
        config = Path(python).with_name("tvm-ffi-config")
        cxxflags, ldflags = (run([str(config), f"--{flag}"]) for flag in ("cxxflags", "ldflags"))
        source = HERE / "map_library.cc"
        run(shlex.split(f"g++ {FLAGS} {cxxflags} {source} -o {library} {ldflags} -ltvm_ffi"))
        built.append(library)
    return built


def run(command: list[str]) -> str:
    """Run a command and give what it prints; a failure shows its words."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.strip()


@pytest.fixture(scope="module", params=["ours", "published"])
def seen(request, pythons, libraries) -> dict:
    """What the probe prints under one of the runtimes; it stops where the libraries disagree."""
    probe = HERE / "map_probe.py"
    return json.loads(run([pythons[request.param], str(probe), *map(str, libraries)]))


def test_ten_thousand_keys_of_each_kind(seen):
    """Each kind was made by either library and read, extended and erased by both."""
    # There is one None, and there are two bools.
    few = {"none": 2, "bool": 4}
    assert len(seen["counts"]) == 15
    for kind, count in seen["counts"].items():
        assert count == few.get(kind, 20_000), kind


def test_a_key_that_is_set_again(seen):
    """It keeps its place with our headers; with the published ones it moves to the end.

    The latter is so once there are more than four keys.
    """
    ours, published = seen["set again"]
    assert ours == [0, 1, 2, 3, 4]
    assert published == [1, 2, 3, 4, 0]

# SPDX-License-Identifier: Apache-2.0
# Rows: R5, R6
"""Python classes for object types: a library of either package, under either runtime."""

import json
import os
import shlex
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
SOURCE = HERE.parent / "python" / "objects.cc"
EXPECTED = {
    "fields": [3, 4, 5, 2.5, False, "x", "text"],
    "docs": ["The first.", "A whole number."],
    "methods": [7, 16, 12, 7],
    "written": [-1, "y" * 20, 6, "Leaf"],
    "default": [1, "node", None],
    "subclass": [18, "Pair"],
    "identity": [True, False, True, True],
    "different": [False, False, True],
    "passed": [7, "objects.Leaf"],
    "repr": "objects.Pair(a=3, b=4)",
    "no class": [41, 42, 42, "CppOnly"],
    "isinstance": [True, False, False],
    "errors": {
        "read only": "AttributeError",
        "no such field": "AttributeError",
        "deleted": "AttributeError",
        "wrong type": "TypeError",
        "too few": "TypeError",
        "wrong argument": "TypeError",
        "wrong self": "TypeError",
        "missing field": "TypeError",
        "unknown keyword": "TypeError",
        "no constructor": "TypeError",
        "no copies": "TypeError",
        "raised": "ValueError",
        "no such type": "ValueError",
    },
}


def run(command: list[str]) -> str:
    """Run a command and give what it prints; a failure shows its words."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def libraries(pythons, tmp_path_factory) -> dict[str, Path]:
    """The library of object types, built with the headers of each package."""
    folder = tmp_path_factory.mktemp("classes")
    built = {}
    for name, python in pythons.items():
        built[name] = folder / f"{name}.so"
        config = (
            "from tvm_ffi import libinfo as i; print(i.find_include_path(), i.find_libtvm_ffi())"
        )
        include, library = run([python, "-c", config]).split()
        compiler = os.environ.get("CXX", "g++")
        command = f"{compiler} -std=c++17 -shared -fPIC -O1 -I{include} {SOURCE} -o {built[name]}"
        run(shlex.split(f"{command} {library}"))
    return built


@pytest.mark.parametrize("runtime", ["ours", "published"])
@pytest.mark.parametrize("headers", ["ours", "published"])
def test_classes(pythons, libraries, headers, runtime) -> None:
    """Fields, methods, constructors, identity and kinds of errors are the same in all four."""
    said = run([pythons[runtime], str(HERE / "classes_probe.py"), str(libraries[headers])])
    assert json.loads(said.splitlines()[-1]) == EXPECTED

# SPDX-License-Identifier: Apache-2.0
# Rows: R5, R6
"""Python classes for object types: a library of either package, under either runtime."""

import json
from pathlib import Path

import pytest
from both_headers import build_with_both, run

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


@pytest.fixture(scope="module")
def libraries(pythons, tmp_path_factory) -> dict[str, Path]:
    """The library of object types, built with the headers of each package."""
    return build_with_both(SOURCE, pythons, tmp_path_factory.mktemp("classes"))


@pytest.mark.parametrize("runtime", ["ours", "published"])
@pytest.mark.parametrize("headers", ["ours", "published"])
def test_classes(pythons, libraries, headers, runtime) -> None:
    """Fields, methods, constructors, identity and kinds of errors are the same in all four."""
    said = run([pythons[runtime], str(HERE / "classes_probe.py"), str(libraries[headers])])
    assert json.loads(said.splitlines()[-1]) == EXPECTED

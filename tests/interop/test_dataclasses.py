# SPDX-License-Identifier: Apache-2.0
# Rows: R5, R6
"""Object types as dataclasses: a library of either package, under either runtime."""

import json
from pathlib import Path

import pytest
from both_headers import build_with_both, run

HERE = Path(__file__).resolve().parent
SOURCE = HERE.parent / "snippets" / "tile_plan.cc"


@pytest.fixture(scope="module")
def libraries(pythons, tmp_path_factory) -> dict[str, Path]:
    """The library of object types, built with the headers of each package."""
    return build_with_both(SOURCE, pythons, tmp_path_factory.mktemp("dataclasses"))


def seen(python: str, library: Path) -> dict:
    """What the probe sees."""
    said = run([python, str(HERE / "dataclasses_probe.py"), str(library)])
    return json.loads(said.splitlines()[-1])


@pytest.mark.parametrize("headers", ["ours", "published"])
def test_dataclasses(pythons, libraries, headers) -> None:
    """Construction, comparison, copies, fields and kinds of errors are the same under both."""
    ours = seen(pythons["ours"], libraries[headers])
    assert ours == seen(pythons["published"], libraries[headers])
    assert ours["equal"] == [True, False, False, False]
    assert ours["errors"]["wrong type"] == "TypeError"

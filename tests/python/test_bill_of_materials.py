# SPDX-License-Identifier: Apache-2.0
# Rows: R8
"""The installed package has a bill of materials that names what is compiled into it."""

from __future__ import annotations

import json
from importlib import metadata
from typing import Any

PACKAGE = "tvm-ffi-kernel-library"


def read_bill() -> Any:
    """Return the one bill of materials in the package's metadata."""
    files = metadata.files(PACKAGE)
    assert files is not None
    (found,) = (each for each in files if ".dist-info/sboms/" in str(each))
    return json.loads(found.read_text())


def test_bill_names_what_is_compiled_in() -> None:
    """It has the package's name and version, and the nanobind version used by the build."""
    bill = read_bill()
    package, (nanobind,) = bill["metadata"]["component"], bill["components"]
    assert package["name"] == metadata.metadata(PACKAGE)["Name"]
    assert package["version"] == metadata.version(PACKAGE)
    assert (nanobind["name"], nanobind["version"]) == ("nanobind", metadata.version("nanobind"))
    for each in (package, nanobind):
        assert each["purl"] == f"pkg:pypi/{each['name']}@{each['version']}"


def test_bill_is_of_the_format() -> None:
    """Every reference between components resolves to a listed one."""
    bill = read_bill()
    assert (bill["bomFormat"], bill["specVersion"]) == ("CycloneDX", "1.6")
    nested = [each for part in bill["components"] for each in part["components"]]
    listed = [bill["metadata"]["component"], *bill["components"], *nested]
    known = {each["bom-ref"] for each in listed}
    for edge in bill["dependencies"]:
        assert {edge["ref"], *edge["dependsOn"]} <= known

# SPDX-License-Identifier: Apache-2.0
# Rows: R9
"""The table of lines counts each line of a page once, by how it was verified."""

import pytest
from _verify.closure import RUNTIME, closure_of
from _verify.evidence import Evidence
from _verify.layout import Layout
from _verify.line_kinds import DID_NOT_RUN, NO_STATEMENT, TEXT, lines_of_file
from _verify.receipts import COMPILED, EMULATED, RAN_ON_CPU, RAN_ON_GPU, Receipt

SOURCE = "// A comment.\nint f() {\n  if (x) {\n    g();\n  }\n\n  return 1;\n}\n"


@pytest.fixture
def layout(tmp_path):
    """A folder with the same text in files of each kind."""
    for name in ("a.cc", "a.cu", "a.sh", "a.txt"):
        (tmp_path / name).write_text(SOURCE)
    return Layout.of(tmp_path)


def evidence_of(layout, *receipts):
    """Make receipts of one file each, with their levels and further fields."""
    made = []
    for file, level, fields in receipts:
        closure = closure_of(layout.root, [file, *([] if level == COMPILED else [RUNTIME])])
        made.append(Receipt(file, level, [file], closure, **fields))
    return Evidence(layout, made)


def test_lines_of_cpp(layout):
    """Lines that could not run count as compiled; comments do not count."""
    compiled = ("a.cc", COMPILED, {})
    ran = ("a.cc", RAN_ON_CPU, {"ran": {"a.cc": ["2-2", "5-5"]}, "idle": {"a.cc": {"3-3": "why"}}})
    found = lines_of_file(evidence_of(layout, compiled, ran), "a.cc", "")
    assert found == {RAN_ON_CPU: 2, DID_NOT_RUN: 1, COMPILED: 3}


def test_lines_of_device_code(layout):
    """Device code counts as compiled, or as emulated, until a GPU has run the whole file."""
    compiled, ran = ("a.cu", COMPILED, {}), ("a.cu", RAN_ON_GPU, {"machine": {"gpu": "H200"}})
    assert lines_of_file(evidence_of(layout, compiled), "a.cu", "") == {COMPILED: 6}
    fields = {"ran": {"a.cu": ["2-3"]}, "idle": {"a.cu": {}}}
    emulated = evidence_of(layout, ("a.cu", EMULATED, fields)).receipts
    found = Evidence(layout, evidence_of(layout, compiled).receipts, emulated=emulated)
    assert lines_of_file(found, "a.cu", "") == {EMULATED: 2, COMPILED: 4}
    assert lines_of_file(evidence_of(layout, compiled, ran), "a.cu", "") == {RAN_ON_GPU: 6}


def test_lines_of_scripts_and_text(layout):
    """A script line that could not run is not a statement; a text has none."""
    ran = ("a.sh", RAN_ON_CPU, {"ran": {"a.sh": ["1-2"]}, "idle": {"a.sh": {"3-3": ""}}})
    found = lines_of_file(evidence_of(layout, ran), "a.sh", "")
    assert found == {RAN_ON_CPU: 2, DID_NOT_RUN: 1, NO_STATEMENT: 4}
    assert lines_of_file(evidence_of(layout), "a.txt", "") == {TEXT: 7}


def test_region_that_nothing_ran(layout):
    """A file may have run without any of the region's lines."""
    (layout.root / "a.cc").write_text(f"// [a.begin]\n{SOURCE}// [a.end]\nint x = f();\n")
    compiled = ("a.cc", COMPILED, {})
    ran = ("a.cc", RAN_ON_CPU, {"ran": {"a.cc": ["8-8"]}, "idle": {"a.cc": {"1-6": "why"}}})
    found = lines_of_file(evidence_of(layout, compiled, ran), "a.cc", "a")
    assert found == {DID_NOT_RUN: 6}

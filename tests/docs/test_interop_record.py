# SPDX-License-Identifier: Apache-2.0
# Rows: R9
"""The interop table is shown only for the tree that it was recorded from."""

import json

import pytest
from _verify.interop_record import FOLDERS, made_of, part_of, record_of

RECORD = {
    "columns": ["a", "b", "c", "d", "e", "f", "g", "h"],
    "rows": [{"case": "cpp:x:Y", "title": "Y", "cells": list("12345678")}],
    "reasons": [],
}


@pytest.fixture
def tree(tmp_path):
    """A small tree with its record."""
    for folder in FOLDERS:
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "src" / "a.cc").write_text("int a;")
    (tmp_path / "build").mkdir()
    record = {**RECORD, "made_of": made_of(tmp_path)}
    (tmp_path / "build" / "interop.json").write_text(json.dumps(record))
    return tmp_path


def test_record_of_this_tree(tree):
    """The record is valid as long as its tree is unchanged."""
    record = record_of(tree, tree / "build")
    assert record["rows"] == RECORD["rows"]


@pytest.mark.parametrize("folder", FOLDERS)
def test_record_of_another_tree(tree, folder):
    """A new file in any folder that takes part invalidates the record."""
    (tree / folder / "more.h").write_text("")
    assert record_of(tree, tree / "build") is None


def test_no_record(tree):
    """Without a run there is no record."""
    (tree / "build" / "interop.json").unlink()
    assert record_of(tree, tree / "build") is None


def test_parts():
    """The first four columns are for one kind of library, the rest for two."""
    assert part_of(RECORD, "alone") == (["Case", "a", "b", "c", "d"], [["Y", *"1234"]])
    assert part_of(RECORD, "crossings") == (["Case", "e", "f", "g", "h"], [["Y", *"5678"]])

# SPDX-License-Identifier: Apache-2.0
# Rows: R8
"""The stub of the extension module."""

from __future__ import annotations

import ast
from pathlib import Path

import tvm_ffi
from tvm_ffi import _core


def test_stub_names_what_is_there() -> None:
    """The stub declares exactly the public names of the extension."""
    tree = ast.parse((Path(tvm_ffi.__file__).parent / "_core.pyi").read_text())
    declared = {node.name for node in tree.body if isinstance(node, ast.ClassDef | ast.FunctionDef)}
    assert declared == {name for name in dir(_core) if not name.startswith("_")}


def test_stub_names_the_members() -> None:
    """Each member of a class in the stub exists."""
    tree = ast.parse((Path(tvm_ffi.__file__).parent / "_core.pyi").read_text())
    for cls in (node for node in tree.body if isinstance(node, ast.ClassDef)):
        members = {node.name for node in cls.body if isinstance(node, ast.FunctionDef)}
        members |= {node.target.id for node in cls.body if isinstance(node, ast.AnnAssign)}
        missing = members - set(dir(getattr(_core, cls.name)))
        assert not missing, cls.name

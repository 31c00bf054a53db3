# SPDX-License-Identifier: Apache-2.0
# Rows: R5
"""The package as seen by type checkers."""

from __future__ import annotations

import ast
import importlib
import subprocess
import sys
from pathlib import Path

import pytest
import tvm_ffi

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = Path(tvm_ffi.__file__).parent
USER = Path(__file__).with_name("typed_user.py")


def mypy(folder: Path, *arguments: str | Path) -> str:
    """Type-check strictly, in a folder where nothing of the repository is imported by accident."""
    pytest.importorskip("mypy", reason="the type checker is not installed")
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file", ROOT / "pyproject.toml"]
    done = subprocess.run(
        [*command, "--cache-dir", folder / "cache", *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout + done.stderr


def test_strict_checking_finds_nothing(tmp_path: Path) -> None:
    """The package and a program that uses every public name have no type errors."""
    for checked in (["-p", "tvm_ffi"], [USER]):
        said = mypy(tmp_path, *checked)
        assert said.startswith("Success: no issues found"), said


def test_wrong_use_is_found(tmp_path: Path) -> None:
    """The types are precise enough for a checker to find mistakes."""
    program = tmp_path / "program.py"
    program.write_text(
        "import tvm_ffi\n"
        "tvm_ffi.load_module(3)\n"
        "tvm_ffi.nothing\n"
        'number: int = tvm_ffi.Array(["text"])[0]\n'
        "tvm_ffi.Map({})['key'] = 1\n"
        "tvm_ffi.cpp.build(1)\n"
    )
    said = mypy(tmp_path, program)
    found = {int(line.split(":")[1]) for line in said.splitlines() if ": error:" in line}
    assert found == {2, 3, 4, 5, 6}, said


def test_program_uses_every_public_name() -> None:
    """A public name that the program does not use would go unchecked."""
    used = set()
    for node in ast.walk(ast.parse(USER.read_text())):
        if isinstance(node, ast.Attribute):
            used.add(node.attr)
        elif isinstance(node, ast.ImportFrom):
            used.update(alias.name for alias in node.names)
    wanted = {*tvm_ffi.__all__, *tvm_ffi.cpp.__all__, *tvm_ffi.utils.__all__}
    missing = wanted - used
    assert not missing


def test_package_says_that_it_is_typed() -> None:
    """Type checkers read a package's annotations only if it has this marker."""
    assert (PACKAGE / "py.typed").exists()


@pytest.mark.parametrize("stub", sorted(PACKAGE.rglob("*.pyi")), ids=lambda path: path.stem)
def test_stubs_name_what_is_there(stub: Path) -> None:
    """Each class and method declared in a stub exists under a public name."""
    name = ".".join(["tvm_ffi", *stub.relative_to(PACKAGE).with_suffix("").parts])
    module = importlib.import_module(name)
    for node in ast.parse(stub.read_text()).body:
        if isinstance(node, ast.FunctionDef):
            assert hasattr(module, node.name)
        elif isinstance(node, ast.ClassDef):
            members = [each.name for each in node.body if isinstance(each, ast.FunctionDef)]
            missing = [each for each in members if not hasattr(getattr(module, node.name), each)]
            assert not missing, node.name

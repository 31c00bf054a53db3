# SPDX-License-Identifier: Apache-2.0
# Rows: R5
"""The tvm-ffi-config command and its paths."""

from __future__ import annotations

import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from tvm_ffi import config, libinfo


def test_paths_exist() -> None:
    """The folders in the compiler flags contain the headers and the library."""
    assert (Path(libinfo.find_include_path()) / "tvm/ffi/c_api.h").is_file()
    assert (Path(libinfo.find_library_path()) / "libtvm_ffi.so").is_file()


def test_missing_paths_are_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A broken installation is reported with the missing folder."""
    monkeypatch.setattr(libinfo, "_PACKAGE", str(tmp_path))
    with pytest.raises(FileNotFoundError, match=r"expected the folder .*include"):
        libinfo.find_include_path()
    with pytest.raises(SystemExit, match=r"^tvm-ffi-config: libinfo: expected the folder .*cmake"):
        config.main(["--cmakedir"])


def test_answers_stand_in_the_order_asked(capsys: pytest.CaptureFixture[str]) -> None:
    """The answers to several options are on one line, in the order given."""
    config.main(["--libs", "--includedir", "--ldflags"])
    expected = ["-ltvm_ffi", libinfo.find_include_path(), f"-L{libinfo.find_library_path()}"]
    assert capsys.readouterr().out == " ".join(expected) + "\n"


def test_the_library_and_the_header_of_dlpack(capsys: pytest.CaptureFixture[str]) -> None:
    """Build scripts written for the published package ask for both."""
    config.main(["--libfiles", "--dlpack-includedir"])
    library, folder = capsys.readouterr().out.split()
    assert (Path(library).is_file(), Path(library).name) == (True, "libtvm_ffi.so")
    assert (Path(folder) / "dlpack" / "dlpack.h").is_file()
    assert folder == libinfo.find_include_path()


def test_compiler_flags(capsys: pytest.CaptureFixture[str]) -> None:
    """The C++ flags give the include path and the standard."""
    config.main(["--cxxflags"])
    assert capsys.readouterr().out.split() == [f"-I{libinfo.find_include_path()}", "-std=c++17"]


def test_paths_with_spaces_are_quoted(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A shell that parses the flags again sees each as one word."""
    monkeypatch.setattr(libinfo, "find_include_path", lambda: "/a b/include")
    monkeypatch.setattr(libinfo, "find_library_path", lambda: "/a b/lib")
    config.main(["--cxxflags", "--ldflags"])
    said = capsys.readouterr().out
    assert shlex.split(said) == ["-I/a b/include", "-std=c++17", "-L/a b/lib"]


def test_no_option_is_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    """The command reports that it needs an option."""
    with pytest.raises(SystemExit) as caught:
        config.main([])
    assert caught.value.code == 2
    assert "expected at least one option" in capsys.readouterr().err


def test_it_runs_as_a_module() -> None:
    """``python -m tvm_ffi.config`` is the same command."""
    command = [sys.executable, "-m", "tvm_ffi.config", "--libs"]
    assert (
        subprocess.run(command, check=True, capture_output=True, text=True).stdout == "-ltvm_ffi\n"
    )

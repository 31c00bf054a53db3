# SPDX-License-Identifier: Apache-2.0
# Rows: R5, R6
"""Errors and flags of builds."""

from __future__ import annotations

import os
import pickle
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
import tvm_ffi
from tvm_ffi import cpp

from .cpp_builds import ADD, own_cache  # noqa: F401  (a fixture)


def test_compile_error_shows_the_compilers_message() -> None:
    """It has the line number as in the source and the command, but no Ninja output."""
    code = "\nint add(int a, int b) {\n  return a + wrong;\n}\n"
    with pytest.raises(cpp.CompileError) as caught:
        cpp.build_inline("adder", cpp_sources=code, functions="add")
    message = str(caught.value)
    assert message.startswith("build_inline: adder: c++ failed with status 1:\n")
    assert "cpp_sources_0.h:3:14: error: " in message
    assert "wrong" in caught.value.stderr
    assert caught.value.command[0] == "c++"
    assert "-std=c++17" in caught.value.command
    assert "ninja" not in message.lower()
    assert isinstance(caught.value, RuntimeError)


def test_error_is_pickled_whole() -> None:
    """The error may come from a worker process."""
    error = pickle.loads(pickle.dumps(cpp.CompileError("message", ["c++", "-c"], "said")))
    assert (str(error), error.command, error.stderr) == ("message", ["c++", "-c"], "said")


def test_failed_build_leaves_nothing_to_load(compilations: Callable[[], int]) -> None:
    """A retry raises the same error, and a correct source then builds."""
    for _ in range(2):
        with pytest.raises(cpp.CompileError, match="redefinition"):
            cpp.build_inline("adder", cpp_sources=[ADD, ADD], functions="add")
    assert compilations() == 2
    assert cpp.load_inline("adder", cpp_sources=ADD, functions="add").add(1, 2) == 3


def test_linker_error_shows_its_message() -> None:
    """A missing library is reported by the linker."""
    with pytest.raises(cpp.CompileError, match="no_such_library"):
        cpp.build_inline("adder", cpp_sources=ADD, extra_ldflags=["-lno_such_library"])


def test_undefined_function_is_named_by_the_loader() -> None:
    """The function is declared but not defined."""
    path = cpp.build_inline("adder", cpp_sources="int add(int, int);", functions="add")
    with pytest.raises(OSError, match=r"undefined symbol: .*add"):
        tvm_ffi.load_module(path)


def test_flags_reach_the_compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are split as in a shell; they may change the standard, and folders may be relative."""
    folder = tmp_path / "more headers"
    folder.mkdir()
    (folder / "three.h").write_text("#define THREE 3\n")
    monkeypatch.chdir(tmp_path)
    code = """
    #include <three.h>
    long standard() { return __cplusplus; }
    int sum() { return ONE + TWO + THREE; }
    const char* text() { return TEXT; }"""
    module = cpp.load_inline(
        "flags",
        cpp_sources=code,
        functions=["standard", "sum", "text"],
        extra_cflags=["-std=c++20", "-DONE=1 -DTWO=2", "-DTEXT='\"a b\"'"],
        extra_include_paths=["more headers"],
    )
    assert module.standard() == 202002
    assert module.sum() == 6
    assert module.text() == "a b"


def test_object_file_is_not_linked(tmp_path: Path) -> None:
    """The object file can be linked into another build."""
    made = cpp.build_inline(
        "adder", cpp_sources=ADD, functions="add", output="adder.o", build_directory=tmp_path
    )
    assert made == str(tmp_path / "adder.o")
    assert cpp.load("whole", sources=made).add(1, 2) == 3


def test_changed_library_among_the_flags_is_seen(tmp_path: Path) -> None:
    """A static library named by a linker flag is an input like any other file."""
    archive = tmp_path / "libnumber.a"

    def linked(number: int) -> int:
        code = f'extern "C" int number() {{ return {number}; }}'
        made = cpp.build_inline("part", cpp_sources=code, output="part.o")
        archive.unlink(missing_ok=True)
        subprocess.run(["ar", "rc", archive, made], check=True)
        return cpp.load_inline(
            "whole",
            cpp_sources='extern "C" int number(); int f() { return number(); }',
            functions="f",
            extra_ldflags=[str(archive)],
        ).f()

    assert [linked(1), linked(2), linked(1)] == [1, 2, 1]


def test_build_in_a_given_folder_is_replaced_whole(project: Path, tmp_path: Path) -> None:
    """A loaded library keeps working while its file is replaced."""
    folder = tmp_path / "out"
    first = cpp.load("numbers", sources=project / "number.cc", build_directory=folder)
    (project / "number.h").write_text("#define NUMBER_HERE 2\n")
    path = cpp.build("numbers", sources=project / "number.cc", build_directory=folder)
    assert first.path == path
    assert first.number() == 1
    copy = shutil.copy(path, tmp_path / "copy.so")
    assert tvm_ffi.load_module(copy).number() == 2


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({}, ValueError, "expected cpp_sources or cuda_sources, got neither"),
        ({"cpp_sources": []}, ValueError, "expected cpp_sources or cuda_sources"),
        ({"cpp_sources": 3}, TypeError, "cpp_sources: expected a list, got int"),
        ({"cpp_sources": [b""]}, TypeError, "cpp_sources: expected strings, got bytes"),
        ({"cpp_sources": ADD, "functions": "a::b"}, ValueError, "functions: .* got 'a::b'"),
        ({"cpp_sources": ADD, "functions": ["_a"]}, ValueError, "begin with a letter, got '_a'"),
        ({"cpp_sources": ADD, "functions": 3}, TypeError, "functions: expected a name, .*got int"),
        ({"cpp_sources": ADD, "functions": {"add": 3}}, TypeError, "add: .* as a str, got int"),
        ({"cpp_sources": ADD, "extra_cflags": "-O3"}, TypeError, "expected a list, got str"),
        ({"cpp_sources": ADD, "extra_ldflags": [3]}, TypeError, "flags of type str, got int"),
        ({"cpp_sources": ADD, "extra_cflags": ["'"]}, ValueError, "No closing quotation"),
        ({"cpp_sources": ADD, "extra_cflags": ["'\n'"]}, ValueError, "expected one line"),
        ({"cpp_sources": ADD, "extra_include_paths": [3]}, TypeError, "a str or a path, got int"),
        ({"cpp_sources": ADD, "build_directory": 3}, TypeError, "a str or a path, got int"),
        ({"cpp_sources": ADD, "output": "a/b.so"}, ValueError, "without its folder, got 'a/b.so'"),
        ({"cpp_sources": ADD, "output": "add"}, ValueError, "ends in one of .so, "),
        ({"cpp_sources": ADD, "backend": "hip"}, NotImplementedError, "backend: .*got 'hip'"),
    ],
)
def test_wrong_arguments_are_named(
    arguments: dict[str, object], error: type[Exception], message: str
) -> None:
    """The message has the function, library, argument, expected and got."""
    name = "build_inline" if "output" in arguments else "load_inline"
    with pytest.raises(error, match=f"{name}: adder: .*{message}"):
        getattr(cpp, name)("adder", **arguments)


@pytest.mark.parametrize("name", ["", ".", "..", "a/b", "a\nb", "a\0b"])
def test_names_that_are_no_files_are_refused(name: str) -> None:
    """The name is used as the library's file name."""
    with pytest.raises(ValueError, match="build: name: expected"):
        cpp.build(name, sources="x.cc")
    with pytest.raises(TypeError, match="build: name: expected a str, got int"):
        cpp.build(3, sources="x.cc")  # type: ignore[arg-type]


def test_unusual_names_are_taken() -> None:
    """Spaces and non-ASCII letters are accepted."""
    assert cpp.load_inline("añ $a 'b' \"c", cpp_sources=ADD, functions="add").add(1, 2) == 3


@pytest.mark.parametrize("name", ["a|b.cc", "a||b\tc.cc"])
def test_unusual_paths_are_taken(project: Path, name: str) -> None:
    """They include characters special to Ninja or make."""
    source = (project / "number.cc").rename(project / name)
    assert cpp.load("numbers", sources=source).number() == 1
    (project / "number.h").write_text("#define NUMBER_HERE 2\n")
    assert cpp.load("numbers", sources=source).number() == 2


def test_files_that_cannot_be_compiled_are_named(tmp_path: Path) -> None:
    """No file, a missing file and a file of an unknown kind are errors."""
    with pytest.raises(ValueError, match="build: x: sources: expected at least one file, got none"):
        cpp.build("x")
    with pytest.raises(FileNotFoundError, match=r"build: x: there is no such file: '.*none.cc'"):
        cpp.build("x", sources=tmp_path / "none.cc")
    with pytest.raises(ValueError, match=r"build: x: sources: expected files .*got '.*none.txt'"):
        cpp.build("x", sources=tmp_path / "none.txt")
    with pytest.raises(ValueError, match=r"output: expected a library .*got 'x.o'"):
        cpp.build("x", sources=["a.cc", "b.cc"], output="x.o")


def test_folder_that_cannot_be_written_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A file may be in its place, or the folder may be read-only."""
    (tmp_path / "file").touch()
    monkeypatch.setenv("TVM_FFI_CACHE_DIR", str(tmp_path / "file"))
    with pytest.raises(NotADirectoryError, match="TVM_FFI_CACHE_DIR can name: Not a directory"):
        cpp.build_inline("adder", cpp_sources=ADD)
    real = os.access
    monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK and real(path, mode))
    with pytest.raises(PermissionError, match=r"build_directory or .*Permission denied"):
        cpp.build_inline("adder", cpp_sources=ADD, build_directory=tmp_path / "folder")

# SPDX-License-Identifier: Apache-2.0
# Rows: R5
"""Loading libraries."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
import tvm_ffi


def test_ways_to_name_a_library(library: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A path, its text, a relative path and a bare name in the current folder all load it."""
    monkeypatch.chdir(library.parent)
    relative = Path("..") / library.parent.name / library.name
    for path in (library, str(library), relative, str(relative), library.name):
        module = tvm_ffi.load_module(path)
        assert module.count(1, 2) == 2
        assert module.path == str(library)


def test_a_library_that_was_built_again_is_warned_of(library: Path, tmp_path: Path) -> None:
    """The process keeps the code that it loaded first, and says so when the file is another."""
    copy = tmp_path / "again.so"
    shutil.copy(library, copy)
    tvm_ffi.load_module(copy)
    tvm_ffi.load_module(copy)  # The same file: nothing to say.
    copy.unlink()
    shutil.copy(library, copy)
    with pytest.warns(RuntimeWarning, match=r"again\.so has changed since this process loaded it"):
        tvm_ffi.load_module(copy)


def test_functions_are_attributes_and_items(functions: Any) -> None:
    """Both give the function; an attribute is looked up once."""
    assert functions["count"](1) == 1
    assert functions.count is functions.count
    assert functions.get_function("count")(1, 2) == 2


def test_missing_functions(functions: Any) -> None:
    """The error names the module, the function and those that there are."""
    message = r"functions.so> has no function 'missing'; it has .*call, .*echo, .*nop"
    with pytest.raises(AttributeError, match=message):
        _ = functions.missing
    with pytest.raises(AttributeError, match=message):
        _ = functions["missing"]
    assert not hasattr(functions, "missing")
    with pytest.raises(TypeError, match="name: expected a str, got int"):
        _ = functions[3]


def test_special_attributes_are_not_functions(functions: Any) -> None:
    """Python's own protocols do not look into the library."""
    with pytest.raises(AttributeError, match="__len__"):
        _ = functions.__len__


def test_implements_function(functions: Any) -> None:
    """It can be asked without an error."""
    assert functions.implements_function("nop") is True
    assert functions.implements_function("missing") is False


def test_what_a_module_tells(functions: Any, library: Path) -> None:
    """Its kind, its path and its printed form."""
    assert functions.kind == "library"
    assert functions.path == str(library)
    assert repr(functions) == f"<tvm_ffi.Module {library}>"


def test_missing_file(tmp_path: Path) -> None:
    """There is no such file: the error has the whole path."""
    with pytest.raises(FileNotFoundError, match="load_module: there is no such file") as caught:
        tvm_ffi.load_module(tmp_path / "missing.so")
    assert caught.value.filename == str(tmp_path / "missing.so")


def test_folder(tmp_path: Path) -> None:
    """A folder is not a library."""
    with pytest.raises(IsADirectoryError, match="expected a library, got a folder"):
        tvm_ffi.load_module(tmp_path)


@pytest.mark.parametrize("content", [b"", b"no library", b"\x7fELF"])
def test_files_that_are_no_libraries(tmp_path: Path, content: bytes) -> None:
    """A file of another kind is an OSError that names it."""
    path = tmp_path / "text.so"
    path.write_bytes(content)
    with pytest.raises(
        OSError, match=r"load_module: .*text.so is not a library that can be loaded"
    ):
        tvm_ffi.load_module(path)


@pytest.mark.parametrize("path", [3, None, b"bytes.so"])
def test_path_must_be_a_path(path: Any) -> None:
    """Anything else is a TypeError."""
    with pytest.raises(TypeError, match="load_module: path: expected a str or a path"):
        tvm_ffi.load_module(path)


def is_loaded(path: Path) -> bool:
    """Whether the library is mapped into this process."""
    return str(path) in Path("/proc/self/maps").read_text()


@pytest.mark.parametrize("keep", [True, False])
def test_unloading(library: Path, tmp_path: Path, keep: bool) -> None:
    """A library is unloaded with its last function only if it is not to be kept."""
    path = Path(shutil.copy(library, tmp_path / f"copy_{keep}.so"))
    module = tvm_ffi.load_module(path, keep_module_alive=keep)
    count = module.count
    del module
    assert is_loaded(path)
    assert count(1, 2) == 2
    del count
    assert is_loaded(path) is keep

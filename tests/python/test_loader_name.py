# SPDX-License-Identifier: Apache-2.0
# Rows: R5
"""Libraries whose names are not UTF-8 or contain tokens that the loader substitutes."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import warnings
from pathlib import Path

import pytest
import tvm_ffi
from tvm_ffi import cpp

NAMES = [
    "$ORIGIN",
    "a${ORIGIN}b",
    "$LIB",
    "x$PLATFORM",
    "$HOME",
    os.fsdecode(b"\xff\xfe"),
    "\u00e4 \u4e16",
]
AS_TEXT = [ascii(name) for name in NAMES]


@pytest.mark.parametrize("name", NAMES, ids=AS_TEXT)
@pytest.mark.parametrize("place", ["folder", "file", "both"])
def test_unusual_names_are_loaded(library: Path, tmp_path: Path, name: str, place: str) -> None:
    """The file is loaded whatever its name, and the module's path is that name."""
    folder = tmp_path / (name if place != "file" else "plain")
    folder.mkdir()
    path = folder / (f"{name}.so" if place != "folder" else "plain.so")
    shutil.copy(library, path)
    module = tvm_ffi.load_module(path)
    assert module.count(1, 2) == 2
    assert module.path == str(path)
    assert "count" in dir(module)
    assert tvm_ffi.load_module(path).count(1) == 1


def test_unusual_names_are_each_a_library(tmp_path: Path) -> None:
    """Equal file names in several such folders, and such file names, are not confused."""
    modules = {}
    for number in range(4):
        path = cpp.build_inline(
            f"number_{number}",
            cpp_sources=f"int number() {{ return {number}; }}",
            functions="number",
        )
        folder = tmp_path / f"{number}$ORIGIN"
        folder.mkdir()
        for name in ("same.so", f"{number}$ORIGIN.so"):
            # A copy, not another name: the loader recognizes a file that it has loaded.
            shutil.copy(path, folder / name)
            modules[folder / name] = number
    for path, number in modules.items():
        assert tvm_ffi.load_module(path).number() == number
    # Also after a program has closed descriptors that it did not open.
    code = f"""
import os, sys, tvm_ffi
paths = {[str(path) for path in modules]!r}
for number, path in enumerate(paths):
    assert tvm_ffi.load_module(path).number() == number // 2
    os.closerange(3, 256)
for number, path in enumerate(paths):
    assert tvm_ffi.load_module(path, keep_module_alive=False).number() == number // 2
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_file_of_an_unusual_name_that_changed(library: Path, tmp_path: Path) -> None:
    """A new file with the same name counts as another library, as with any other name."""
    path = tmp_path / "$ORIGIN.so"
    shutil.copy(library, path)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tvm_ffi.load_module(path)
        tvm_ffi.load_module(path)
    path.unlink()
    shutil.copy(library, path)
    with pytest.warns(RuntimeWarning, match="has changed since this process loaded it"):
        tvm_ffi.load_module(path)


def test_errors_show_the_unusual_name(tmp_path: Path) -> None:
    """A message contains the given name exactly once."""
    path = tmp_path / "$ORIGIN.so"
    path.write_bytes(b"no library, but long enough to be read as one" * 9)
    with pytest.raises(OSError, match=r"ORIGIN\.so is not a library") as caught:
        tvm_ffi.load_module(path)
    assert "/proc/" not in str(caught.value)
    with pytest.raises(FileNotFoundError, match="there is no such file"):
        tvm_ffi.load_module(os.fsdecode(os.fsencode(tmp_path) + b"/\xff.so"))


@pytest.mark.parametrize("name", ["$ORIGIN", os.fsdecode(b"\xff\xfe"), "\u00e4"], ids=ascii)
def test_builds_in_unusual_folders(tmp_path: Path, name: str) -> None:
    """A library is built and loaded in a folder of any name and from files of any name."""
    source = tmp_path / name / f"{name}.cc"
    source.parent.mkdir()
    source.write_text(
        "#include <tvm/ffi/tvm_ffi.h>\nint one() { return 1; }\n"
        "TVM_FFI_DLL_EXPORT_TYPED_FUNC(one, one);\n"
    )
    for _ in range(2):
        module = cpp.load("unusual", sources=source, build_directory=tmp_path / name)
        assert module.one() == 1

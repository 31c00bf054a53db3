# SPDX-License-Identifier: Apache-2.0
# Rows: R5, R8
"""Paths of the package's files, and how other packages find and load their libraries."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tvm_ffi import libinfo

NAME = f"demo_{os.getpid()}"
FILE = f"lib{NAME}.so"


@pytest.fixture
def site(library: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Create a site-packages folder with a distribution that ships a library."""
    folder = tmp_path / "site"
    info = folder / "demo_kernels-1.0.dist-info"
    (folder / "demo_kernels" / "lib").mkdir(parents=True)
    info.mkdir()
    shutil.copy(library, folder / "demo_kernels" / "lib" / FILE)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: demo-kernels\nVersion: 1.0\n")
    (info / "RECORD").write_text(f"demo_kernels/gone/{FILE},,\ndemo_kernels/lib/{FILE},,\n")
    monkeypatch.syspath_prepend(str(folder))
    return folder


def test_folders_hold_what_they_should() -> None:
    """The headers, the library and the CMake files are where the functions say."""
    assert Path(libinfo.find_include_path(), "tvm", "ffi", "c_api.h").is_file()
    assert Path(libinfo.find_dlpack_include_path(), "dlpack", "dlpack.h").is_file()
    assert Path(libinfo.find_libtvm_ffi()).is_file()
    assert Path(libinfo.find_libtvm_ffi()).parent == Path(libinfo.find_library_path())
    assert Path(libinfo.find_cmake_path(), "tvm_ffi-config.cmake").is_file()
    assert libinfo.include_paths() == [libinfo.find_include_path()]


def test_the_library_is_the_loaded_one() -> None:
    """The path is that of the library used by this process."""
    mapped = Path("/proc/self/maps").read_text()
    assert os.path.realpath(libinfo.find_libtvm_ffi()) in mapped


def test_the_process_sees_the_functions_of_the_abi() -> None:
    """JIT-compiled code in this process finds them without the library's name."""
    code = """
import ctypes
print(hasattr(ctypes.CDLL(None), "TVMFFIErrorSetRaisedFromCStrParts"))
import tvm_ffi
mine = ctypes.CDLL(tvm_ffi.libinfo.find_libtvm_ffi())
name = "TVMFFIErrorSetRaisedFromCStrParts"
address = lambda library: ctypes.cast(library[name], ctypes.c_void_p).value
print(address(ctypes.CDLL(None)) == address(mine))
"""
    said = subprocess.check_output([sys.executable, "-c", code], text=True)
    assert said.split() == ["False", "True"]


def test_a_distribution_is_found(site: Path) -> None:
    """The library of an installed distribution is found through its list of files."""
    module = libinfo.load_lib_module("demo-kernels", NAME)
    assert module.path == str(site / "demo_kernels" / "lib" / FILE)
    assert module.nop() is None
    assert libinfo.load_lib_module("Demo_Kernels", NAME, keep_module_alive=False).nop() is None


def test_extra_folders(library: Path, tmp_path: Path) -> None:
    """A package not installed as a distribution can list its folders, searched in order."""
    first, second = tmp_path / "first", tmp_path / "second"
    second.mkdir()
    shutil.copy(library, second / FILE)
    for paths in ([first, second], [str(second)], (second,)):
        module = libinfo.load_lib_module("no-such-package", NAME, extra_lib_paths=paths)
        assert module.path == str(second / FILE)


def test_the_search_path(library: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The loader's search path is tried last."""
    shutil.copy(library, tmp_path / FILE)
    monkeypatch.setenv("LD_LIBRARY_PATH", f"/no/such/folder:{tmp_path}")
    assert libinfo.load_lib_module("no-such-package", NAME).path == str(tmp_path / FILE)


def test_load_lib_ctypes(site: Path) -> None:
    """A library is loaded by ctypes in the given mode."""
    loaded = libinfo.load_lib_ctypes("demo-kernels", NAME, "RTLD_LOCAL")
    assert isinstance(loaded, ctypes.CDLL)
    assert loaded.__tvm_ffi_nop is not None
    own = libinfo.load_lib_ctypes("apache-tvm-ffi", "tvm_ffi", "RTLD_GLOBAL")
    version = (ctypes.c_uint32 * 3)()
    own.TVMFFIGetVersion(version)
    assert version[1] == 1
    with pytest.raises(ValueError, match="mode: expected 'RTLD_LOCAL' or 'RTLD_GLOBAL', got 'X'"):
        libinfo.load_lib_ctypes("demo-kernels", NAME, "X")


def test_what_is_not_there(site: Path, tmp_path: Path) -> None:
    """A missing library is an error that lists the places searched."""
    with pytest.raises(RuntimeError) as raised:
        libinfo.load_lib_module("demo-kernels", "absent", extra_lib_paths=[tmp_path])
    message = str(raised.value)
    assert "load_lib_module: expected a library libabsent.so of the distribution" in message
    assert f"'demo-kernels', which has {FILE}, " in message
    assert f"\n  {tmp_path}\n" in message
    with pytest.raises(RuntimeError, match="'no-such-package', which is not installed"):
        libinfo.load_lib_module("no-such-package", "absent")
    (tmp_path / "libtext.so").write_text("no library")
    with pytest.raises(OSError, match="is not a library that can be loaded"):
        libinfo.load_lib_module("demo-kernels", "text", extra_lib_paths=[tmp_path])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((3, "x"), "package: expected a str, got int"),
        (("x", None), "target_name: expected a str, got NoneType"),
        (("x", "y", True, "/tmp"), "extra_lib_paths: expected a list of paths, got '/tmp'"),
        (("x", "y", True, [3]), "int"),
    ],
)
def test_wrong_arguments(arguments: tuple[Any, ...], message: str) -> None:
    """An argument of a wrong type is named."""
    with pytest.raises(TypeError, match=message):
        libinfo.load_lib_module(*arguments)


def test_a_broken_installation(tmp_path: Path) -> None:
    """If the package's files are missing, the error names the missing folder."""
    shutil.copytree(Path(libinfo.__file__).parent, tmp_path / "package" / "libinfo_alone")
    code = "import libinfo_alone; libinfo_alone.find_include_path()"
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path / "package",
        capture_output=True,
        text=True,
        check=False,
    )
    assert f"expected the folder {tmp_path}/package/include, got none; reinstall" in done.stderr

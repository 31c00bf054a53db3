# SPDX-License-Identifier: Apache-2.0
"""Locations of the files that compilers need, and of the libraries of other packages."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import ctypes

    from ..module import Module

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def _refuse_two_runtimes() -> None:
    """Raise an ImportError if the published package is installed in the same folder.

    The two packages overwrite each other's files. The published package has the file
    ``tvm_ffi/libinfo.py``, which it imports first; this one has the folder ``tvm_ffi/libinfo``,
    which Python prefers to the file. So this check runs whichever was installed last.
    """
    if os.path.exists(os.path.join(_PACKAGE, "libinfo.py")):
        raise ImportError(
            f"tvm_ffi: expected one runtime in {os.path.dirname(_PACKAGE)}, got two: "
            "apache-tvm-ffi and tvm-ffi-kernel-library overwrite each other's files. "
            "Uninstall both, then install one:\n"
            "    pip uninstall -y apache-tvm-ffi tvm-ffi-kernel-library\n"
            "    pip install apache-tvm-ffi\n"
            "To keep tvm-ffi-kernel-library, name its clone or wheel in the second line instead."
        )


_refuse_two_runtimes()


def find_include_path() -> str:
    """Return the folder of the headers, ``tvm/ffi/`` and ``dlpack/``."""
    return _find("include")


def find_dlpack_include_path() -> str:
    """Return the folder of ``dlpack/dlpack.h``."""
    return _find("include")


def include_paths() -> list[str]:
    """Return every folder that a compiler must search for headers."""
    return sorted({find_include_path(), find_dlpack_include_path()})


def find_library_path() -> str:
    """Return the folder of ``libtvm_ffi.so``."""
    return _find("lib")


def find_libtvm_ffi() -> str:
    """Return the path of ``libtvm_ffi.so``."""
    return os.path.join(find_library_path(), _file_name("tvm_ffi"))


def find_cmake_path() -> str:
    """Return the folder for CMake's ``tvm_ffi_ROOT``."""
    return _find("share", "cmake", "tvm_ffi")


def load_lib_ctypes(
    package: str,
    target_name: str,
    mode: str,
    extra_lib_paths: Iterable[str | os.PathLike[str]] | None = None,
) -> ctypes.CDLL:
    """Load a library that a package ships, with ctypes.

    Parameters
    ----------
    package
        Name of the distribution, as pip knows it.
    target_name
        Name of the library: ``"name"`` for ``libname.so``.
    mode
        ``"RTLD_LOCAL"`` or ``"RTLD_GLOBAL"``.
    extra_lib_paths
        Folders to search when the distribution has no such file.

    Raises
    ------
    RuntimeError
        There is no such library; the message lists the folders that were searched.
    """
    import ctypes

    if mode not in ("RTLD_LOCAL", "RTLD_GLOBAL"):
        raise ValueError(
            f"load_lib_ctypes: mode: expected 'RTLD_LOCAL' or 'RTLD_GLOBAL', got {mode!r}"
        )
    path = _find_library("load_lib_ctypes", package, target_name, extra_lib_paths)
    return ctypes.CDLL(path, getattr(ctypes, mode))


def load_lib_module(
    package: str,
    target_name: str,
    keep_module_alive: bool = True,
    extra_lib_paths: Iterable[str | os.PathLike[str]] | None = None,
) -> Module:
    """Load a library of functions that a package ships.

    Parameters
    ----------
    package
        Name of the distribution, as pip knows it.
    target_name
        Name of the library: ``"name"`` for ``libname.so``.
    keep_module_alive
        As in :func:`tvm_ffi.load_module`.
    extra_lib_paths
        Folders to search when the distribution has no such file.

    Raises
    ------
    RuntimeError
        There is no such library; the message lists the folders that were searched.
    OSError
        The file is not a library.
    """
    from ..module import load_module

    path = _find_library("load_lib_module", package, target_name, extra_lib_paths)
    return load_module(path, keep_module_alive)


def _find(*parts: str) -> str:
    folder = os.path.join(_PACKAGE, *parts)
    if not os.path.isdir(folder):
        raise FileNotFoundError(
            f"libinfo: expected the folder {folder}, got none; reinstall tvm_ffi"
        )
    return folder


def _file_name(target_name: str) -> str:
    if sys.platform == "win32":
        return f"{target_name}.dll"
    return f"lib{target_name}.dylib" if sys.platform == "darwin" else f"lib{target_name}.so"


def _find_library(function: str, package: Any, target_name: Any, extra_lib_paths: Any) -> str:
    """Return the path of the first library found, in the distribution or else in the folders."""
    for name, value in (("package", package), ("target_name", target_name)):
        if not isinstance(value, str):
            raise TypeError(f"{function}: {name}: expected a str, got {type(value).__name__}")
    if isinstance(extra_lib_paths, (str, bytes)):
        raise TypeError(
            f"{function}: extra_lib_paths: expected a list of paths, got {extra_lib_paths!r}"
        )
    file_name = _file_name(target_name)
    folders = [os.fspath(folder) for folder in extra_lib_paths or ()]
    folders.append(os.path.join(_PACKAGE, "lib"))
    for variable in ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "PATH"):
        folders += filter(None, os.environ.get(variable, "").split(os.pathsep))
    for path in _installed_files(package, file_name):
        if os.path.isfile(path):
            return os.path.realpath(path)
    for folder in folders:
        path = os.path.join(folder, file_name)
        if os.path.isfile(path):
            return os.path.realpath(path)
    searched = "\n".join(f"  {folder}" for folder in folders)
    raise RuntimeError(
        f"{function}: expected a library {file_name} of the distribution {package!r}, "
        f"{_what_is_installed(package)}, or in one of the folders below, got none\n{searched}"
    )


def _what_is_installed(package: str) -> str:
    from importlib import metadata

    try:
        files = metadata.files(package) or []
    except (metadata.PackageNotFoundError, ValueError):
        return "which is not installed"
    libraries = [file.name for file in files if file.name.endswith((".so", ".dylib", ".dll"))]
    return f"which has {', '.join(libraries) or 'no library'}"


def _installed_files(package: str, file_name: str) -> Iterator[str]:
    """Yield the paths where a distribution installed files of this name."""
    from importlib import metadata

    try:
        files = metadata.files(package) or []
    except (metadata.PackageNotFoundError, ValueError):
        return
    for file in files:
        if file.name == file_name:
            yield str(file.locate())

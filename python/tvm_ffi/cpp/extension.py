# SPDX-License-Identifier: Apache-2.0
"""Building and loading kernel libraries."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from ..module import Module, load_module
from ..utils.embed_cubin import check_name
from .builder import Builder
from .source import function_docs, inline_files

_Paths: TypeAlias = "Sequence[str | os.PathLike[str]] | str | os.PathLike[str] | None"


def build_inline(
    name: str,
    *,
    cpp_sources: Sequence[str] | str | None = None,
    cuda_sources: Sequence[str] | str | None = None,
    functions: Mapping[str, str] | Sequence[str] | str | None = None,
    extra_cflags: Sequence[str] | None = None,
    extra_cuda_cflags: Sequence[str] | None = None,
    extra_ldflags: Sequence[str] | None = None,
    extra_include_paths: Sequence[str | os.PathLike[str]] | None = None,
    build_directory: str | os.PathLike[str] | None = None,
    embed_cubin: Mapping[str, bytes] | None = None,
    backend: str | None = None,
    output: str | None = None,
) -> str:
    """Build a library from source text.

    ``tvm/ffi/tvm_ffi.h`` is included before the sources. An earlier build is reused from the
    cache unless the sources, a header that they include, the flags or the compiler changed. If
    several threads or processes request the same build, one of them builds and the others wait.

    Parameters
    ----------
    name
        Name of the library.
    cpp_sources
        C++ source, or several sources, which are compiled in order as one translation unit.
    cuda_sources
        CUDA source, or several sources; compiled by ``nvcc``.
    functions
        Functions to export: a name, names, or names with their documentation. If there are
        C++ sources, they declare the functions; the CUDA sources may define them.
    extra_cflags
        Extra flags for the C++ compiler, after ``-std=c++17 -fPIC -O2``. Here and below, each item
        is split into words as in a shell.
    extra_cuda_cflags
        Extra flags for ``nvcc``, after ``-Xcompiler -fPIC -std=c++17 -O2`` and the flags for the
        GPU architectures.
    extra_ldflags
        Extra flags for the linker.
    extra_include_paths
        Extra header folders; relative paths are resolved against the current folder.
    build_directory
        Where to build; by default, a folder in the cache, which is ``$TVM_FFI_CACHE_DIR`` or
        ``~/.cache/tvm-ffi``. Existing files in the folder are kept, except those that earlier
        builds wrote and a file with the library's name.
    embed_cubin
        CUBINs, fatbins or PTX to embed, by the names in ``TVM_FFI_EMBED_CUBIN(name)``. If ``nvcc``
        is available, C++ sources can then also use CUDA's headers and runtime library.
    backend
        ``"cuda"`` or ``None``.
    output
        Name of the file to build: with the extension ``.o``, an object file, which is not linked;
        by default, ``<name>.so``.

    Returns
    -------
    str
        Path of the library, or of the object file.

    Raises
    ------
    CompileError
        A compiler or the linker failed; its message is part of the error.
    FileExistsError
        Files in ``build_directory`` would be overwritten; it is left unchanged.
    OSError
        The folder is not writable, or its disk is full.
    ValueError, TypeError
        An argument has the wrong type or an invalid value.
    RuntimeError
        A compiler or Ninja is missing.
    NotImplementedError
        A backend other than CUDA was given.
    """
    return _build_inline(
        Builder("build_inline", name, build_directory, backend, output),
        (cpp_sources, cuda_sources, functions, embed_cubin),
        (extra_cflags, extra_cuda_cflags, extra_ldflags, extra_include_paths),
    )


def build(
    name: str,
    *,
    sources: _Paths = None,
    cpp_files: _Paths = None,
    cuda_files: _Paths = None,
    extra_cflags: Sequence[str] | None = None,
    extra_cuda_cflags: Sequence[str] | None = None,
    extra_ldflags: Sequence[str] | None = None,
    extra_include_paths: Sequence[str | os.PathLike[str]] | None = None,
    build_directory: str | os.PathLike[str] | None = None,
    backend: str | None = None,
    output: str | None = None,
) -> str:
    """Build a library from source files.

    The files export their functions themselves, with ``TVM_FFI_DLL_EXPORT_TYPED_FUNC``. An earlier
    build is reused from the cache unless a file, a header that it includes, the flags or the
    compiler changed; then only the affected files are recompiled. If several threads or processes
    request the same build, one of them builds and the others wait.

    Parameters
    ----------
    name
        Name of the library.
    sources
        One file or several: ``.c``, ``.cc``, ``.cpp`` or ``.cxx``, ``.cu``, and ``.o`` or ``.obj``
        to link. ``$CC`` and ``$CXX`` name the compilers.
    cpp_files, cuda_files
        The same as ``sources``.
    extra_cflags
        Extra flags for the C and C++ compilers.
    extra_cuda_cflags, extra_ldflags, extra_include_paths, build_directory, backend, output
        As for :func:`build_inline`.

    Returns
    -------
    str
        Path of the library, or of the object file.

    Raises
    ------
    FileNotFoundError
        There is no such file.
    CompileError, OSError, ValueError, TypeError, RuntimeError, NotImplementedError
        As for :func:`build_inline`.
    """
    return _build(
        Builder("build", name, build_directory, backend, output),
        (sources, cpp_files, cuda_files),
        (extra_cflags, extra_cuda_cflags, extra_ldflags, extra_include_paths),
    )


def load_inline(
    name: str,
    *,
    cpp_sources: Sequence[str] | str | None = None,
    cuda_sources: Sequence[str] | str | None = None,
    functions: Mapping[str, str] | Sequence[str] | str | None = None,
    extra_cflags: Sequence[str] | None = None,
    extra_cuda_cflags: Sequence[str] | None = None,
    extra_ldflags: Sequence[str] | None = None,
    extra_include_paths: Sequence[str | os.PathLike[str]] | None = None,
    build_directory: str | os.PathLike[str] | None = None,
    embed_cubin: Mapping[str, bytes] | None = None,
    keep_module_alive: bool = True,
    backend: str | None = None,
) -> Module:
    """Build a library from source text, and load it.

    Parameters
    ----------
    name, cpp_sources, cuda_sources, functions, extra_cflags, extra_cuda_cflags, extra_ldflags
        As for :func:`build_inline`.
    extra_include_paths, build_directory, embed_cubin, backend
        As for :func:`build_inline`.
    keep_module_alive
        As for :func:`tvm_ffi.load_module`.

    Returns
    -------
    Module
        The module; ``module.name(...)`` calls the function ``name``.

    Raises
    ------
    CompileError, OSError, ValueError, TypeError, RuntimeError, NotImplementedError
        As for :func:`build_inline`.
    """
    path = _build_inline(
        Builder("load_inline", name, build_directory, backend, None),
        (cpp_sources, cuda_sources, functions, embed_cubin),
        (extra_cflags, extra_cuda_cflags, extra_ldflags, extra_include_paths),
    )
    return load_module(path, keep_module_alive)


def load(
    name: str,
    *,
    sources: _Paths = None,
    cpp_files: _Paths = None,
    cuda_files: _Paths = None,
    extra_cflags: Sequence[str] | None = None,
    extra_cuda_cflags: Sequence[str] | None = None,
    extra_ldflags: Sequence[str] | None = None,
    extra_include_paths: Sequence[str | os.PathLike[str]] | None = None,
    build_directory: str | os.PathLike[str] | None = None,
    keep_module_alive: bool = True,
    backend: str | None = None,
) -> Module:
    """Build a library from source files, and load it.

    Parameters
    ----------
    name, sources, cpp_files, cuda_files, extra_cflags, extra_cuda_cflags, extra_ldflags
        As for :func:`build`.
    extra_include_paths, build_directory, backend
        As for :func:`build`.
    keep_module_alive
        As for :func:`tvm_ffi.load_module`.

    Returns
    -------
    Module
        The module; ``module.name(...)`` calls the function ``name``.

    Raises
    ------
    FileNotFoundError, CompileError, OSError, ValueError, TypeError, RuntimeError
        As for :func:`build`.
    NotImplementedError
        As for :func:`build`.
    """
    path = _build(
        Builder("load", name, build_directory, backend, None),
        (sources, cpp_files, cuda_files),
        (extra_cflags, extra_cuda_cflags, extra_ldflags, extra_include_paths),
    )
    return load_module(path, keep_module_alive)


def _build_inline(builder: Builder, given: tuple[Any, ...], flags: tuple[Any, ...]) -> str:
    cpp_sources, cuda_sources, functions, embed_cubin = given
    images = _images(builder.title, embed_cubin)
    cpp = builder.texts("cpp_sources", cpp_sources)
    cuda = builder.texts("cuda_sources", cuda_sources)
    if not cpp and not cuda:
        raise ValueError(f"{builder.title}: expected cpp_sources or cuda_sources, got neither")
    files, units = inline_files(cpp, cuda, function_docs(builder.title, functions))
    builder.set_flags(*flags)
    return builder.build(units, files, images)


def _images(title: str, embed_cubin: Any) -> dict[str, bytes]:
    """Check the images to embed."""
    if embed_cubin is None:
        return {}
    title = f"{title}: embed_cubin"
    if not isinstance(embed_cubin, Mapping):
        raise TypeError(f"{title}: expected bytes by name, got {type(embed_cubin).__name__}")
    for name, image in embed_cubin.items():
        check_name(title, name)
        if not isinstance(image, (bytes, bytearray)):
            raise TypeError(f"{title}: {name}: expected bytes, got {type(image).__name__}")
        if not image:
            raise ValueError(f"{title}: {name}: expected an image, got no bytes")
    return {name: bytes(image) for name, image in embed_cubin.items()}


def _build(builder: Builder, given: tuple[Any, ...], flags: tuple[Any, ...]) -> str:
    units = []
    for argument, paths in zip(("sources", "cpp_files", "cuda_files"), given, strict=True):
        units += builder.paths(argument, paths)
    if not units:
        raise ValueError(f"{builder.title}: sources: expected at least one file, got none")
    builder.set_flags(*flags)
    return builder.build(units, {})

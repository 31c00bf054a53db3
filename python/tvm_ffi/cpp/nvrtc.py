# SPDX-License-Identifier: Apache-2.0
"""Compile CUDA C++ source to GPU code at run time with NVIDIA's compiler library NVRTC."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from .toolchain import gpu_architectures

__all__ = ["nvrtc_compile"]

_TITLE = "nvrtc_compile"


def nvrtc_compile(
    source: str,
    *,
    name: str = "kernel.cu",
    arch: str | None = None,
    extra_opts: Sequence[str] | None = None,
) -> bytes:
    """Compile CUDA C++ source to a CUBIN for one GPU architecture.

    NVRTC needs no ``nvcc``, no C++ compiler and no GPU. ``pip install cuda-bindings
    nvidia-cuda-nvrtc`` installs it.

    Parameters
    ----------
    source
        CUDA C++ code. A kernel that is declared ``extern "C"`` keeps its name; other names are
        mangled.
    name
        Name of the source in the compiler's messages.
    arch
        The architecture, such as ``"sm_90"``; by default, that of the first GPU of this machine.
    extra_opts
        Extra options for NVRTC, such as ``"-I/usr/local/cuda/include"``, one per element.

    Returns
    -------
    bytes
        The CUBIN, for :func:`tvm_ffi.cpp.load_inline` or ``CubinModule``.

    Raises
    ------
    RuntimeError
        NVRTC is not installed; it rejected the source, and its message is part of the error; or
        ``arch`` was not given and there is no GPU.
    TypeError, ValueError
        An argument has the wrong type or an invalid value.
    """
    _expect_text("source", source)
    _expect_text("name", name)
    options = [f"--gpu-architecture={_architecture(arch)}", *_options(extra_opts)]
    nvrtc = _nvrtc()
    program = _checked(
        nvrtc, nvrtc.nvrtcCreateProgram(source.encode(), name.encode(), 0, None, None)
    )
    try:
        (status,) = nvrtc.nvrtcCompileProgram(
            program, len(options), [option.encode() for option in options]
        )
        if status != nvrtc.nvrtcResult.NVRTC_SUCCESS:
            log = bytearray(_checked(nvrtc, nvrtc.nvrtcGetProgramLogSize(program)))
            _checked(nvrtc, nvrtc.nvrtcGetProgramLog(program, log))
            told = bytes(log).rstrip(b"\0").decode(errors="replace").strip()
            raise RuntimeError(
                f"{_TITLE}: {name}: NVRTC failed with {status.name}, options {options}:\n{told}"
            )
        cubin = bytearray(_checked(nvrtc, nvrtc.nvrtcGetCUBINSize(program)))
        if not cubin:  # as with -dlto
            raise RuntimeError(
                f"{_TITLE}: {name}: expected options by which NVRTC makes a CUBIN, got {options}"
            )
        _checked(nvrtc, nvrtc.nvrtcGetCUBIN(program, cubin))
        return bytes(cubin)
    finally:
        nvrtc.nvrtcDestroyProgram(program)


def _architecture(arch: str | None) -> str:
    if arch is None:
        found = gpu_architectures()
        if not found:
            raise RuntimeError(
                f"{_TITLE}: arch: expected a GPU or the name of an architecture, such as 'sm_90', "
                "got None, and nvidia-smi lists no GPU"
            )
        return f"sm_{found[0].replace('.', '')}"
    _expect_text("arch", arch)
    if not re.fullmatch(r"sm_\d+[af]?", arch):
        raise ValueError(f"{_TITLE}: arch: expected a name such as 'sm_90', got {arch!r}")
    return arch


def _options(extra_opts: Any) -> list[str]:
    if extra_opts is None:
        return []
    if isinstance(extra_opts, (str, bytes)) or not isinstance(extra_opts, Sequence):
        raise TypeError(
            f"{_TITLE}: extra_opts: expected a list of str, got {type(extra_opts).__name__}"
        )
    for option in extra_opts:
        _expect_text("extra_opts", option)
    return list(extra_opts)


def _expect_text(argument: str, given: Any) -> None:
    if not isinstance(given, str):
        raise TypeError(f"{_TITLE}: {argument}: expected a str, got {type(given).__name__}")
    if "\0" in given:
        raise ValueError(f"{_TITLE}: {argument}: expected text without null characters")


def _nvrtc() -> Any:
    """Import the bindings and make them load the library."""
    try:
        from cuda.bindings import nvrtc

        nvrtc.nvrtcVersion()
    except (ImportError, RuntimeError) as error:  # the latter if the library is missing
        raise RuntimeError(
            f"{_TITLE}: expected NVRTC, found none ({error}): "
            "pip install cuda-bindings nvidia-cuda-nvrtc"
        ) from error
    return nvrtc


def _checked(nvrtc: Any, answer: tuple[Any, ...]) -> Any:
    """Return the result of a call to the bindings, without its status."""
    status, *values = answer
    if status != nvrtc.nvrtcResult.NVRTC_SUCCESS:
        raise RuntimeError(f"{_TITLE}: NVRTC failed with {status.name}")
    return values[0] if values else None

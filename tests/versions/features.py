# SPDX-License-Identifier: Apache-2.0
"""The features that the guide uses, and how to detect them in a release."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path

from _verify.versions_record import OK
from headers import Package, first_error


@dataclass(frozen=True)
class Feature:
    """A name used by the guide: of a header, the C ABI or the Python package."""

    kind: str  # "python", "C function", "header" or "macro"
    name: str
    header: str = ""  # the header that defines a macro

    @property
    def title(self) -> str:
        """The feature's name in the record."""
        return f"{self.kind} {self.name}"


FEATURES = (
    *(
        Feature("python", f"tvm_ffi.{name}")
        for name in (
            *("load_module", "from_dlpack", "convert", "register_global_func", "register_error"),
            *("use_torch_stream", "use_raw_stream", "get_raw_stream", "cpp.load_inline"),
            *("cpp.build", "cpp.nvrtc.nvrtc_compile", "utils.embed_cubin", "system_lib"),
            "utils.kwargs_wrapper.make_kwargs_wrapper",
        )
    ),
    *(
        Feature("C function", name)
        for name in (
            *("TVMFFIEnvTensorAlloc", "TVMFFIEnvGetStream", "TVMFFIEnvSetStream"),
            *("TVMFFIErrorCreateWithCauseAndExtraContext", "TVMFFIGetCustomAllocator"),
            *("TVMFFIStringFromByteArray", "TVMFFIGetVersion"),
        )
    ),
    *(
        Feature("header", f"tvm/ffi/extra/{name}.h")
        for name in ("c_env_api", "module", "stl", "cuda/device_guard", "cuda/cubin_launcher")
    ),
    Feature("macro", "TVM_FFI_DLL_EXPORT_TYPED_FUNC", "tvm/ffi/function.h"),
    Feature("macro", "TVM_FFI_DLL_EXPORT_TYPED_FUNC_DOC", "tvm/ffi/function.h"),
    Feature("macro", "TVM_FFI_CHECK", "tvm/ffi/error.h"),
    Feature("macro", "TVM_FFI_CHECK_CUDA_ERROR", "tvm/ffi/extra/cuda/base.h"),
    Feature("macro", "TVM_FFI_EMBED_CUBIN", "tvm/ffi/extra/cuda/cubin_launcher.h"),
)


def expression(feature: Feature) -> str:
    """Return Python code that imports a name, and raises an error if the release lacks it."""
    module, _, name = feature.name.rpartition(".")
    return f"import importlib; importlib.import_module({module!r}).{name}"


def preprocessed(package: Package, feature: Feature, folder: Path) -> str:
    """Ask the preprocessor for a header or a macro in it; third-party headers may be missing."""
    include = feature.header or feature.name
    lines = [f"#if !__has_include(<{include}>)", f'#error "no such header: {include}"', "#endif"]
    if feature.kind == "macro":
        lines += [f"#include <{include}>", f"#ifndef {feature.name}"]
        lines += [f'#error "undefined macro: {feature.name}"', "#endif"]
    for name in ("cuda.h", "cuda_runtime.h"):  # included, but their contents are not used
        (folder / name).touch()
    (folder / "feature.cc").write_text("\n".join(lines) + "\n")
    options = ["-E", "-std=c++17", "-o", "/dev/null", f"-I{package.include}", f"-I{folder}"]
    command = ["g++", *options, "feature.cc"]  # so no error contains a local path
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    return OK if done.returncode == 0 else first_error(done.stderr)

# SPDX-License-Identifier: Apache-2.0
"""Kernel libraries that work from any Python version and any tensor framework."""

# Imported first: it rejects an environment that also has the published package. Python would load
# that package's extension core instead of core.py, and the wrong library would abort the process.
from . import libinfo  # isort: split

from . import _core
from ._core import Function, Object, Tensor, from_dlpack
from .device import Device, DLDeviceType, device
from .dtype import dtype
from .dtypes import (
    bfloat16,
    bool,
    float4_e2m1fn,
    float4_e2m1fnx2,
    float6_e2m3fn,
    float6_e3m2fn,
    float8_e3m4,
    float8_e4m3,
    float8_e4m3b11fnuz,
    float8_e4m3fn,
    float8_e4m3fnuz,
    float8_e5m2,
    float8_e5m2fnuz,
    float8_e8m0fnu,
    float16,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    uint8,
    uint16,
    uint32,
    uint64,
)
from .error import InternalError, register_error
from .shape import Shape

# The extension creates values of these classes, so set them before anything calls it.
_core.set_value_classes(dtype, Device, Shape)

from . import _describe as _describe  # noqa: E402
from . import _dtype as _dtype  # noqa: E402
from . import access_path, core, error, serialization, storage, structural, utils  # noqa: E402
from .container import Array, Dict, List, Map  # noqa: E402
from .convert import ObjectConvertible, convert, convert_func  # noqa: E402
from .module import Module, load_module, system_lib  # noqa: E402
from .object import register_object  # noqa: E402
from .registry import (  # noqa: E402
    get_global_func,
    get_global_func_metadata,
    init_ffi_api,
    register_global_func,
    remove_global_func,
)
from .stream import (  # noqa: E402
    StreamContext,
    get_raw_stream,
    use_raw_stream,
    use_torch_stream,
)
from .structural import (  # noqa: E402
    StructuralKey,
    get_first_structural_mismatch,
    structural_equal,
    structural_hash,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    import ctypes

    from . import _ffi_api, cpp, dataclasses  # noqa: F401  (other packages use _ffi_api)

    LIB: ctypes.CDLL
else:

    def __getattr__(name):
        # Building, dataclasses and ctypes need many imports that loading and calling do not: import
        # them on first use.
        if name in ("cpp", "dataclasses", "_ffi_api"):
            import importlib

            return importlib.import_module(f".{name}", __name__)
        if name == "LIB":
            import ctypes

            globals()["LIB"] = ctypes.CDLL(libinfo.find_libtvm_ffi(), ctypes.RTLD_GLOBAL)
            return LIB  # noqa: F821  (set in the line before)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__version__ = "0.1.0"  # the package's, for pyproject.toml; c_api.h has the C ABI version
__version_tuple__ = (0, 1, 0)

__all__ = [
    "Array",
    "DLDeviceType",
    "Device",
    "Dict",
    "Function",
    "InternalError",
    "List",
    "Map",
    "Module",
    "Object",
    "ObjectConvertible",
    "Shape",
    "StreamContext",
    "StructuralKey",
    "Tensor",
    "access_path",
    "bfloat16",
    "bool",
    "convert",
    "convert_func",
    "core",
    "cpp",
    "dataclasses",
    "device",
    "dtype",
    "error",
    "float4_e2m1fn",
    "float4_e2m1fnx2",
    "float6_e2m3fn",
    "float6_e3m2fn",
    "float8_e3m4",
    "float8_e4m3",
    "float8_e4m3b11fnuz",
    "float8_e4m3fn",
    "float8_e4m3fnuz",
    "float8_e5m2",
    "float8_e5m2fnuz",
    "float8_e8m0fnu",
    "float16",
    "float32",
    "float64",
    "from_dlpack",
    "get_first_structural_mismatch",
    "get_global_func",
    "get_global_func_metadata",
    "get_raw_stream",
    "init_ffi_api",
    "int8",
    "int16",
    "int32",
    "int64",
    "libinfo",
    "load_module",
    "register_error",
    "register_global_func",
    "register_object",
    "remove_global_func",
    "serialization",
    "storage",
    "structural",
    "structural_equal",
    "structural_hash",
    "system_lib",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "use_raw_stream",
    "use_torch_stream",
    "utils",
]

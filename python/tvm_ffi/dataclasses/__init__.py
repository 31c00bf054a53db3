# SPDX-License-Identifier: Apache-2.0
"""Object types as dataclasses, registered by C++ or defined by Python classes."""

from .._core import Object
from .c_class import c_class
from .contents import asdict, astuple
from .described_field import Field
from .enum import Enum, EnumAttrMap, EnumState, IntEnum, StrEnum, auto, entry
from .field import KW_ONLY, field, init_property
from .fields import fields, is_dataclass
from .gen_abi_cpp import gen_abi_cpp
from .missing import MISSING
from .py_class import py_class
from .replace import replace

__all__ = [
    "KW_ONLY",
    "MISSING",
    "Enum",
    "EnumAttrMap",
    "EnumState",
    "Field",
    "IntEnum",
    "Object",
    "StrEnum",
    "asdict",
    "astuple",
    "auto",
    "c_class",
    "entry",
    "field",
    "fields",
    "gen_abi_cpp",
    "init_property",
    "is_dataclass",
    "py_class",
    "replace",
]

# SPDX-License-Identifier: Apache-2.0
"""Object types that C++ registers, used as dataclasses."""

from .._core import Object
from .c_class import c_class
from .contents import asdict, astuple
from .described_field import Field
from .fields import fields, is_dataclass
from .missing import MISSING
from .replace import replace

__all__ = [
    "MISSING",
    "Field",
    "Object",
    "asdict",
    "astuple",
    "c_class",
    "fields",
    "is_dataclass",
    "replace",
]

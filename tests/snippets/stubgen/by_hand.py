# SPDX-License-Identifier: Apache-2.0
"""A module with generated blocks, and handwritten code around and between them."""

# [by_hand.begin]
# tvm-ffi-stubgen(begin): import-section
# fmt: off
# isort: off
from __future__ import annotations
from tvm_ffi import Object as _ffi_Object, init_ffi_api as _FFI_INIT_FUNC
from typing import TYPE_CHECKING
if TYPE_CHECKING:
    from collections.abc import Sequence
# isort: on
# fmt: on
# tvm-ffi-stubgen(end)
# tvm-ffi-stubgen(import-object): ffi.Object;False;_ffi_Object
import tvm_ffi
from tvm_ffi.libinfo import load_lib_module

LIB = load_lib_module("my-kernels", "my_kernels")

# tvm-ffi-stubgen(begin): global/my_kernels
# fmt: off
_FFI_INIT_FUNC("my_kernels", __name__)
if TYPE_CHECKING:
    def steps(_0: Range, _1: int, /) -> Sequence[int]: ...
# fmt: on
# tvm-ffi-stubgen(end)


@tvm_ffi.register_object("my_kernels.Range")
class Range(_ffi_Object):
    """The integers from first up to last, which is excluded."""

    # tvm-ffi-stubgen(begin): object/my_kernels.Range
    # fmt: off
    first: int
    last: int
    if TYPE_CHECKING:
        def __init__(self, first: int, last: int) -> None: ...
        def __ffi_init__(self, _0: int, _1: int, /) -> None: ...
        def size(self, /) -> int: ...
    # fmt: on
    # tvm-ffi-stubgen(end)

    def __contains__(self, number: int) -> bool:
        """Return whether a number is in the range."""
        return self.first <= number < self.last


# [by_hand.end]
assert 3 in Range(0, 10)
assert 10 not in Range(0, 10)
assert list(steps(Range(0, 10), 4)) == [0, 4, 8]

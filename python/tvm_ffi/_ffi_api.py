# SPDX-License-Identifier: Apache-2.0
"""The runtime's own global functions, ``ffi.*``, which TVM imports from here."""

from .registry import init_ffi_api

init_ffi_api("ffi", __name__)

# SPDX-License-Identifier: Apache-2.0
"""Prints as JSON what the library in the argument, of value_functions.cc, says of some values."""

import json
import sys

import tvm_ffi

library = tvm_ffi.load_module(sys.argv[1])


def plain(value):
    """The value in Python's own types."""
    return value if isinstance(value, (str, int)) else [plain(each) for each in value]


found = {
    "nested": library.ask_all([1, [2.5], "x"], [1, [2.5], "x"], [1, [3.5], "x"]),
    "long text": library.ask_all(["a" * 30], ["a" * 30], ["a" * 30, None]),
    "refused": library.refuse_json("[1,"),
}
print(json.dumps({name: plain(told) for name, told in found.items()}))

# SPDX-License-Identifier: Apache-2.0
"""Functions of Python and of libraries."""

import tvm_ffi

from .case import case


@case
def python_callback(makers, checkers):
    """A Python function called back by a library, and given back by it."""
    seen = []

    def remember(value):
        seen.append(value)
        return f"got {value}"

    assert makers.functions.call_with(remember, 3) == "got 3"
    assert checkers.functions.call_with(makers.values.echo(remember), "x") == "got x"
    assert seen == [3, "x"]


@case
def function_of_a_library(makers, checkers):
    """A function that one library made, called by Python and by another library."""
    add = makers.functions.adder(40)
    assert add(2) == 42
    assert checkers.functions.call_with(add, 3) == 43
    assert checkers.functions.call_with(checkers.functions.adder(1), 3) == 4
    assert checkers.functions.same_function(add, makers.values.echo(add))


@case
def python_global(makers, checkers):
    """A global function of Python called by a library, and one of a library called by Python."""
    tvm_ffi.register_global_func("interop.python", lambda x: x + 1, override=True)
    assert checkers.functions.call_global("interop.python", 4) == 5
    makers.functions.register_global("interop.library", makers.functions.adder(7))
    assert tvm_ffi.get_global_func("interop.library")(1) == 8
    assert checkers.functions.call_global("interop.library", 2) == 9

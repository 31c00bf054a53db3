# SPDX-License-Identifier: Apache-2.0
"""Libraries as modules."""

import tvm_ffi

from .case import case, error_of


@case
def module_functions(makers, checkers):
    """Functions of a module: found, missing, and given to another library."""
    module = makers.functions
    assert module.implements_function("add_one")
    assert not module.implements_function("no_such_function")
    assert isinstance(error_of(lambda: module.no_such_function), AttributeError)
    assert checkers.functions.call_with(module.get_function("add_one"), 3) == 4


@case
def module_imports(makers, checkers):
    """A module's function, found through the module that imports it."""
    importer = tvm_ffi.load_module(str(checkers.folder / "importer.so"), keep_module_alive=False)
    importer.import_module(makers.functions)
    assert importer.get_function("add_one", query_imports=True)(5) == 6
    assert importer.call_imported("add_one", 6) == 7


@case
def statics(makers, checkers):
    """Statics of each library are its own; the maker is loaded first."""
    modules = [makers.statics]
    modules += [checkers.statics] if checkers is not makers else []
    starts = [[int(n) for n in module.count().split()] for module in modules]
    for module, start in zip(modules, starts, strict=True):
        assert len(set(start)) == 1
        for _ in range(3):
            module.count()
        assert [int(n) for n in module.count().split()] == [n + 4 for n in start]
        assert module.use_headers() == 5

# SPDX-License-Identifier: Apache-2.0
"""Libraries as modules."""

import json

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


@case
def metadata(makers, checkers):
    """Types and documentation of functions, as their library tells them."""
    number = {"type": "float"}
    numbers = {"type": "Optional", "args": [{"type": "ffi.Array", "args": [{"type": "int"}]}]}
    want = {"return": [number], "params": [{"type": "DLTensor*"}, number, numbers]}
    get_metadata = tvm_ffi.get_global_func("ffi.ModuleGetFunctionMetadata")
    for module in (makers.documented, checkers.documented):
        told = json.loads(get_metadata(module, "scale", False))
        assert json.loads(told["type_schema"]) == {"type": "ffi.Function", "named_args": want}
        assert module.get_function_doc("scale") == "Multiplies."
        assert module.get_function_doc("nothing") is None


@case
def static_block(makers, checkers):
    """TVM_FFI_STATIC_INIT_BLOCK runs once when its library is loaded."""
    assert makers.reflection.initialized() == 1
    assert checkers.reflection.initialized() == 1


@case
def module_in_cpp(makers, checkers):
    """The C++ class Module loads a library and calls its functions."""
    path = makers.folder / "functions.so"
    assert checkers.module_api.load_and_call(str(path), 6) == 7
    assert checkers.module_api.call_function_of(makers.functions, "add_one", 7) == 8

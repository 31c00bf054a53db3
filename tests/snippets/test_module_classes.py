# SPDX-License-Identifier: Apache-2.0
# Rows: R5
"""A kind of module of a library's own, as its page shows it."""

import shlex
import subprocess
from pathlib import Path

import pytest
import tvm_ffi
from _verify.package_flags import flags

HERE = Path(__file__).resolve().parent
FLAGS = "-shared -fPIC -O1 -Wall -Wextra -Wconversion -Werror"
SHOWN = [f"tests/snippets/{name}" for name in ("scale_module.cc", "test_module_classes.py")]


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    """The library with the class."""
    library = tmp_path_factory.mktemp("scale_module") / "scale_module.so"
    command = f"g++ {FLAGS} {flags('--cxxflags')} {HERE / 'scale_module.cc'} -o {library}"
    subprocess.run(shlex.split(f"{command} {flags('--ldflags', '--libs')}"), check=True)
    return library


@pytest.fixture
def mod(library, shows):
    """The library, loaded; each test shows both files."""
    for name in SHOWN:
        shows(name, *SHOWN)
    return tvm_ffi.load_module(library)


def test_use(mod):
    """It is a module as any other."""
    # [use.begin]
    double = mod.make_scale(2)
    assert double.kind == "scale"
    assert double.scale(21.0) == 42.0
    assert not double.implements_function("shift")
    assert double.is_runnable()
    assert double.is_binary_serializable()
    # [use.end]
    assert isinstance(double, tvm_ffi.Module)
    with pytest.raises(AttributeError):
        _ = double.shift


def test_save_and_load(mod):
    """Its bytes make a module of the same factor."""
    # [save.begin]
    saved = mod.save(mod.make_scale(0.5))
    load = tvm_ffi.get_global_func("ffi.Module.load_from_bytes.scale")
    assert load(saved).scale(3.0) == 1.5
    # [save.end]
    with pytest.raises(ValueError, match="load_from_bytes: expected 8 bytes, got 3"):
        load(b"123")


def test_description(mod, tmp_path):
    """It tells about its functions, shows its source, and is written to a file that loads."""
    file = tmp_path / "half.scale"
    # [describe.begin]
    half = mod.make_scale(0.5)
    assert half.get_function_doc("scale") == "Multiplies by the factor of the module."
    assert half.get_function_metadata("scale") == {"arg_names": "x"}
    assert half.inspect_source() == "y = factor * x"
    half.write_to_file(str(file), "scale")
    assert tvm_ffi.load_module(str(file)).scale(3.0) == 1.5
    # [describe.end]
    assert list(half.get_write_formats()) == ["scale"]
    with pytest.raises(ValueError, match=r"a file that can be read, got no\.scale"):
        tvm_ffi.load_module("no.scale")


def test_import(mod):
    """A loaded library may import it, and the other way round."""
    # [import.begin]
    double, triple = mod.make_scale(2), mod.make_scale(3)
    double.import_module(triple)
    triple.import_module(mod)
    assert double.get_function("scale", query_imports=True)(1.0) == 2.0
    assert double.implements_function("make_scale", query_imports=True)
    # [import.end]
    assert [each.kind for each in double.imports] == ["scale"]
    triple.clear_imports()
    assert not double.implements_function("make_scale", query_imports=True)

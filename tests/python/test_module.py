# SPDX-License-Identifier: Apache-2.0
# Rows: R5
"""Loading libraries."""

from __future__ import annotations

import copy
import gc
import itertools
import json
import os
import pickle
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import tvm_ffi
from tvm_ffi import cpp

from .conftest import compile_cpp_library


def test_ways_to_name_a_library(library: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A path, a str, a relative path and a bare name in the current folder all load it."""
    monkeypatch.chdir(library.parent)
    relative = Path("..") / library.parent.name / library.name
    for path in (library, str(library), relative, str(relative), library.name):
        module = tvm_ffi.load_module(path)
        assert module.count(1, 2) == 2
        assert module.path == str(library)


def test_a_library_that_was_built_again_is_warned_of(library: Path, tmp_path: Path) -> None:
    """The process keeps the code it loaded first and warns that the file has changed."""
    copy = tmp_path / "again.so"
    shutil.copy(library, copy)
    tvm_ffi.load_module(copy)
    tvm_ffi.load_module(copy)  # The same file: no warning.
    copy.unlink()
    shutil.copy(library, copy)
    with pytest.warns(RuntimeWarning, match=r"again\.so has changed since this process loaded it"):
        tvm_ffi.load_module(copy)


def test_functions_are_attributes_and_items(functions: Any) -> None:
    """Both return the function; an attribute is looked up once."""
    assert functions["count"](1) == 1
    assert functions.count is functions.count
    assert functions.get_function("count")(1, 2) == 2


def test_missing_functions(functions: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The error names the module and the function, and lists the functions if there are few."""
    monkeypatch.setattr("tvm_ffi.module._FEW", 100)
    message = r"functions.so> has no function 'missing'; it has .*call, .*echo, .*nop"
    with pytest.raises(AttributeError, match=message):
        _ = functions.missing
    with pytest.raises(AttributeError, match=message):
        _ = functions["missing"]
    assert not hasattr(functions, "missing")
    with pytest.raises(TypeError, match="name: expected a str, got int"):
        _ = functions[3]


def test_missing_functions_of_many(functions: Any) -> None:
    """For a library with many functions, the error lists those with similar names."""
    message = r"no function 'stream_off'; it has \d\d, among them stream_of, and dir\(module\)"
    with pytest.raises(AttributeError, match=message):
        _ = functions.stream_off
    with pytest.raises(AttributeError, match=r"'zzzz'; it has \d\d, and dir\(module\) lists them"):
        _ = functions.zzzz


def test_special_attributes_are_not_functions(functions: Any) -> None:
    """Python's special attributes are not looked up in the library."""
    with pytest.raises(AttributeError, match="__len__"):
        _ = functions.__len__


def test_implements_function(functions: Any) -> None:
    """The presence of a function can be tested without an error."""
    assert functions.implements_function("nop") is True
    assert functions.implements_function("missing") is False


def test_what_a_module_tells(functions: Any, library: Path) -> None:
    """A module has a kind, a path and a printed form."""
    assert functions.kind == "library"
    assert functions.path == str(library)
    assert repr(functions) == f"<tvm_ffi.Module {library}>"


def test_a_library_that_is_loaded_again_is_not_read_again(
    library: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file's integrity is checked once."""
    tvm_ffi.load_module(library)
    monkeypatch.setattr(tvm_ffi.module, "_load", pytest.fail)
    assert tvm_ffi.load_module(library).count(1, 2) == 2


def test_missing_file(tmp_path: Path) -> None:
    """A missing file is an error that has the full path."""
    with pytest.raises(FileNotFoundError, match="load_module: there is no such file") as caught:
        tvm_ffi.load_module(tmp_path / "missing.so")
    assert caught.value.filename == str(tmp_path / "missing.so")


def test_folder(tmp_path: Path) -> None:
    """A folder is not a library."""
    with pytest.raises(IsADirectoryError, match="expected a library, got a folder"):
        tvm_ffi.load_module(tmp_path)


@pytest.mark.parametrize("content", [b"", b"no library", b"\x7fELF"])
def test_files_that_are_no_libraries(tmp_path: Path, content: bytes) -> None:
    """A file of another kind is an OSError that names it."""
    path = tmp_path / "text.so"
    path.write_bytes(content)
    with pytest.raises(
        OSError, match=r"load_module: .*text.so is not a library that can be loaded"
    ):
        tvm_ffi.load_module(path)


def test_a_pipe(tmp_path: Path) -> None:
    """A pipe is refused at once, since opening it would block until something writes."""
    os.mkfifo(tmp_path / "pipe.so")
    with pytest.raises(OSError, match=r"expected a library, got a file of another kind: .*pipe.so"):
        tvm_ffi.load_module(tmp_path / "pipe.so")


@pytest.mark.parametrize(
    ("start", "content", "machine"),
    [
        (18, b"\xb7\0", r"AArch64 \(64 bits, little-endian\)"),
        (18, b"\x34\x12", r"machine 4660 \(64 bits, little-endian\)"),
        (4, b"\1", r"x86-64 \(32 bits, little-endian\)"),
        (4, b"\2\2\1" + b"\0" * 9 + b"\0\3\0\x16", r"S/390 \(64 bits, big-endian\)"),
    ],
)
def test_a_library_for_another_machine(
    library: Path, tmp_path: Path, start: int, content: bytes, machine: str
) -> None:
    """The error names both machines; the loader itself would report a missing file."""
    changed = bytearray(library.read_bytes())
    changed[start : start + len(content)] = content
    (tmp_path / "foreign.so").write_bytes(changed)
    expected = rf"foreign\.so is not .* loaded: expected a library for .*\), got one for {machine}$"
    with pytest.raises(OSError, match=expected):
        tvm_ffi.load_module(tmp_path / "foreign.so")


def test_a_library_that_was_cut_short(tmp_path: Path) -> None:
    """A truncated library is an OSError, wherever it ends, and never a fatal signal."""
    # The file contains the numbers but not the zeros.
    source = "int numbers[4000] = {1}; int zeros[40000]; int f(void) { return numbers[0]; }"
    (tmp_path / "whole.c").write_text(source)
    build = ["cc", "-shared", "-fPIC", "whole.c", "-o", "whole.so"]
    subprocess.run(build, cwd=tmp_path, check=True)
    load = """
import pathlib, tvm_ffi
content = pathlib.Path("whole.so").read_bytes()
for size in (100, 1000, 5000, 12000, 20000):
    pathlib.Path(f"{size}.so").write_bytes(content[:size])
    try:
        tvm_ffi.load_module(f"{size}.so")
    except OSError as error:
        assert f"{size}.so is not a library that can be loaded: " in str(error)
        print(str(error).partition("bytes, got ")[2])
tvm_ffi.load_module("whole.so")
"""
    done = subprocess.run(
        [sys.executable, "-c", load], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "20000; it was not copied to its end"
    assert len(done.stdout.splitlines()) == 5


def test_libraries_that_lack_something(tmp_path: Path) -> None:
    """The error names the file once, then the missing symbol or library."""
    source = "void missing_symbol(void); void f(void) { missing_symbol(); }"
    (tmp_path / "lacks.c").write_text(source)
    build = ["cc", "-shared", "-fPIC", "lacks.c", "-o"]
    subprocess.run([*build, "symbol.so"], cwd=tmp_path, check=True)
    subprocess.run([*build, "libgone.so"], cwd=tmp_path, check=True)
    subprocess.run(
        [*build, "library.so", "-L.", "-Wl,--no-as-needed", "-lgone"], cwd=tmp_path, check=True
    )
    (tmp_path / "libgone.so").unlink()
    reasons = {
        "symbol.so": "undefined symbol: missing_symbol",
        "library.so": "libgone.so: cannot open shared object file: No such file or directory",
    }
    for name, reason in reasons.items():
        with pytest.raises(OSError, match=f"{name} is not a library that can be") as caught:
            tvm_ffi.load_module(tmp_path / name)
        assert str(caught.value) == (
            f"load_module: {tmp_path / name} is not a library that can be loaded: {reason}"
        )


def test_a_library_that_lacks_one_of_any_name(tmp_path: Path) -> None:
    """The missing library's name need not be UTF-8."""
    (tmp_path / "lacks.c").write_text("void f(void) {}")
    gone = b"libgone\xff.so"
    build = ["cc", "-shared", "-fPIC", "lacks.c", "-Wl,--no-as-needed", "-o"]
    subprocess.run([*build, gone, b"-Wl,-soname," + gone], cwd=tmp_path, check=True)
    subprocess.run([*build, "needs.so", b"./" + gone], cwd=tmp_path, check=True)
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/" + gone)).unlink()
    with pytest.raises(OSError, match=r": libgone\ufffd\.so: cannot open"):
        tvm_ffi.load_module(tmp_path / "needs.so")


def test_errors_of_a_library_while_it_loads(tmp_path: Path) -> None:
    """An error thrown by a static init block arrives unchanged, without the file's name."""
    words = 'expected a library that loads, got "x": it was another'
    (tmp_path / "throws.cc").write_text(
        "#include <tvm/ffi/tvm_ffi.h>\n"
        f'TVM_FFI_STATIC_INIT_BLOCK() {{ TVM_FFI_THROW(RuntimeError) << R"({words})"; }}\n'
    )
    compile_cpp_library(tmp_path / "throws.cc", tmp_path / "throws.so")
    with pytest.raises(RuntimeError) as caught:
        tvm_ffi.load_module(tmp_path / "throws.so")
    assert str(caught.value) == words


@pytest.mark.parametrize("path", [3, None, b"bytes.so"])
def test_path_must_be_a_path(path: Any) -> None:
    """A value that is not a path is a TypeError."""
    with pytest.raises(TypeError, match="load_module: path: expected a str or a path"):
        tvm_ffi.load_module(path)


def is_loaded(path: Path) -> bool:
    """Return whether the library is mapped into this process."""
    return bytes(path) in Path("/proc/self/maps").read_bytes()


@pytest.mark.parametrize("keep", [True, False])
def test_unloading(library: Path, tmp_path: Path, keep: bool) -> None:
    """A library is unloaded with its last function only if it need not be kept."""
    path = Path(shutil.copy(library, tmp_path / f"copy_{keep}.so"))
    module = tvm_ffi.load_module(path, keep_module_alive=keep)
    count = module.count
    del module
    assert is_loaded(path)
    assert count(1, 2) == 2
    del count
    assert is_loaded(path) is keep


def move_program_headers(library: Path, moved: Path) -> Path:
    """Copy a library with its program headers at the end, as BOLT writes them."""
    content = bytearray(library.read_bytes())
    begin = int.from_bytes(content[32:40], "little")
    size = int.from_bytes(content[54:56], "little") * int.from_bytes(content[56:58], "little")
    headers = content[begin : begin + size]
    content += bytes(-len(content) % 4096)
    content[32:40] = len(content).to_bytes(8, "little")
    moved.write_bytes(content + headers)
    return moved


def test_libraries_with_moved_program_headers(library: Path, tmp_path: Path) -> None:
    """Each of several such libraries stays loaded while it is used, and no longer."""
    paths = [move_program_headers(library, tmp_path / f"moved_{i}.so") for i in range(2)]
    modules = [tvm_ffi.load_module(path, keep_module_alive=False) for path in paths]
    counts = [module.count for module in modules]
    del modules
    assert [count(1, 2) for count in counts] == [2, 2]
    assert [is_loaded(path) for path in paths] == [True, True]
    del counts
    assert [is_loaded(path) for path in paths] == [False, False]


def test_libraries_that_another_language_keeps(library: Path, tmp_path: Path) -> None:
    """ModuleGlobalsAdd keeps a module's library loaded, and ModuleGlobalsRemove lets it go."""
    add, remove = (
        tvm_ffi.get_global_func(f"ffi.ModuleGlobals{name}") for name in ("Add", "Remove")
    )
    for name, kept in (("kept.so", True), ("let_go.so", False)):
        shutil.copy(library, tmp_path / name)
        module = tvm_ffi.load_module(tmp_path / name, keep_module_alive=False)
        remove(module)  # which does nothing yet
        add(module)
        add(module)
        if not kept:
            remove(module)
        assert module.count(1, 2) == 2
        del module
        gc.collect()
        assert is_loaded(tmp_path / name) == kept
    for function in (add, remove):
        with pytest.raises(TypeError, match=r"ffi\.ModuleGlobals.*: module: expected a module"):
            function(None)


MAKES = """
#include <tvm/ffi/big_int.h>
#include <tvm/ffi/tvm_ffi.h>
namespace ffi = tvm::ffi;
struct Allocator {
  void AllocData(DLTensor* tensor) { tensor->data = std::malloc(ffi::GetDataSize(*tensor)); }
  void FreeData(DLTensor* tensor) { std::free(tensor->data); }
};
static ffi::Function function() {
  return ffi::Function::FromTyped([] { return 42; });
}
static ffi::Tensor tensor() {
  return ffi::Tensor::FromNDAlloc(Allocator(), {2}, DLDataType{kDLFloat, 32, 1}, {kDLCPU, 0});
}
static ffi::BigInt big_int() { return ffi::BigInt(1) << 100; }
static ffi::BigInt small_big_int() { return 1; }
static ffi::Array<int> array() { return {1, 2}; }
static ffi::String string() { return "longer than seven bytes"; }
TVM_FFI_DLL_EXPORT_TYPED_FUNC(function, function);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(tensor, tensor);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(big_int, big_int);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(small_big_int, small_big_int);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(array, array);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(string, string);
"""
# Exits at once, because an array cannot be freed without its library.
WHAT_KEEPS = """
import gc, os, sys, tvm_ffi
is_loaded = lambda: sys.argv[1] in open("/proc/self/maps").read()
made = tvm_ffi.load_module(sys.argv[1], keep_module_alive=False)[sys.argv[2]]()
gc.collect()
kept = is_loaded()
if kept:
    del made
    gc.collect()
print(kept, is_loaded() == kept, flush=True)
os._exit(0)
"""


@pytest.fixture(scope="module")
def makes(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A library whose code creates and frees its objects."""
    folder = tmp_path_factory.mktemp("makes")
    source = folder / "makes.cc"
    source.write_text(f"#include <cstdlib>\n{MAKES}")
    return cpp.build("makes", sources=source, build_directory=folder / "build")


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("function", True),
        ("tensor", True),
        ("big_int", True),
        ("small_big_int", False),
        ("array", False),
        ("string", False),
    ],
)
def test_what_keeps_a_library_loaded(makes: str, name: str, kept: bool) -> None:
    """A function from a lambda, a tensor of its allocator and a large BigInt keep it for good."""
    command = [sys.executable, "-c", WHAT_KEEPS, str(makes), name]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == (f"{kept} True\n", "")


REGISTERS = """
#include <tvm/ffi/tvm_ffi.h>
static int one() { return 1; }
TVM_FFI_DLL_EXPORT_TYPED_FUNC(one, one);
TVM_FFI_STATIC_INIT_BLOCK() {
  tvm::ffi::reflection::GlobalDef().def("test_module.one", one);
}
"""


REGISTERS_A_TYPE = """
#include <tvm/ffi/tvm_ffi.h>
struct ThingObj : public tvm::ffi::Object {
  int64_t n = 3;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("test_module.Thing", ThingObj, tvm::ffi::Object);
};
TVM_FFI_STATIC_INIT_BLOCK() {
  tvm::ffi::reflection::ObjectDef<ThingObj>().def_ro("n", &ThingObj::n);
}
"""


def test_a_library_with_an_object_type_stays(tmp_path: Path) -> None:
    """The library is never unloaded, so the code for the type's fields remains."""
    source = tmp_path / "type.cc"
    source.write_text(REGISTERS_A_TYPE)
    path = cpp.build("type", sources=source, build_directory=tmp_path / "build")
    tvm_ffi.load_module(path, keep_module_alive=False)
    gc.collect()
    assert is_loaded(Path(path))


def test_a_library_with_a_global_function_stays(tmp_path: Path) -> None:
    """The library is never unloaded, so the global function's code remains."""
    source = tmp_path / "registers.cc"
    source.write_text(f"#include <tvm/ffi/reflection/registry.h>\n{REGISTERS}")
    path = cpp.build("registers", sources=source, build_directory=tmp_path / "build")
    module = tvm_ffi.load_module(path, keep_module_alive=False)
    assert module.one() == 1
    del module
    gc.collect()
    assert is_loaded(Path(path))
    assert tvm_ffi.get_global_func("test_module.one")() == 1


def test_functions_are_listed(functions: Any) -> None:
    """dir() lists the functions and the module's own attributes."""
    names = dir(functions)
    assert {"nop", "echo", "get_function", "kind"} <= set(names)
    assert "_metadata_affine" not in names
    assert [name for name in names if not name.startswith("__")] == sorted(
        name for name in names if not name.startswith("__")
    )


def test_only_functions_are_listed(described: Any) -> None:
    """Other text in the library that looks like a function's name is not listed."""
    assert b"__tvm_ffi_with_prefix\0" in Path(described.path).read_bytes()
    assert "with_prefix" not in dir(described)


def test_large_libraries_are_not_read_whole(library: Path, tmp_path: Path) -> None:
    """Looking up a missing function costs the same in a library of one terabyte."""
    large = tmp_path / "large.so"
    shutil.copy(library, large)
    with large.open("r+b") as file:
        file.truncate(1 << 40)  # a hole
    module = tvm_ffi.load_module(large)
    assert not hasattr(module, "missing")
    assert "count" in dir(module)


def test_modules_are_called(described: Any, functions: Any) -> None:
    """Calling a module calls its function main, if there is one."""
    assert described(3) == 4
    assert described(x=4) == 5
    with pytest.raises(AttributeError, match="has no function 'main'"):
        functions(3)


def test_metadata_and_documentation(described: Any) -> None:
    """Both are found by name; without an entry in the library the result is None."""
    schema = json.loads(described.get_function_metadata("affine")["type_schema"])
    assert schema["named_args"]["return"] == [{"type": "std::string"}]
    assert described.get_function_metadata("missing") is None
    assert described.get_function_doc("affine") == "Scales x and adds to it."
    assert described.get_function_doc("unnamed") is None
    # Metadata entries are not functions themselves.
    assert not described.implements_function("_metadata_affine")


def test_imports(library: Path, described: Any) -> None:
    """Functions of imported modules are found on request; imports can be cleared."""
    module, other = (tvm_ffi.load_module(library) for _ in range(2))
    assert module.imports == []
    module.import_module(described)
    module.import_module(other)
    assert module.imports == [described, other]
    assert not module.implements_function("affine")
    assert module.implements_function("affine", query_imports=True)
    affine = module.get_function("affine", query_imports=True)
    assert affine(1, factor=2) == "1 2 none none"
    assert module.get_function_doc("affine", query_imports=True) == "Scales x and adds to it."
    with pytest.raises(ValueError, match="expected a module that does not import this one"):
        other.import_module(module)
    module.clear_imports()
    assert module.imports == []
    assert affine(1, 2) == "1 2 none none"
    with pytest.raises(AttributeError):
        module.get_function("affine", query_imports=True)


def test_what_cannot_be_done_with_a_library(functions: Any) -> None:
    """A loaded library runs; it cannot be written, serialized or turned into source."""
    assert functions.get_property_mask() == tvm_ffi.module.ModulePropertyMask.RUNNABLE
    assert functions.is_runnable() is True
    assert functions.is_binary_serializable() is False
    assert functions.is_compilation_exportable() is False
    assert functions.get_write_formats() == []
    assert functions.inspect_source() == ""
    with pytest.raises(RuntimeError, match="expected a module that can be written"):
        functions.write_to_file("x.so")
    for refuse in (pickle.dumps, copy.deepcopy):
        with pytest.raises(TypeError, match="cannot be pickled or copied: pass its path on"):
            refuse(functions)
    with pytest.raises(TypeError, match=r"cannot copy ffi\.Module"):
        copy.copy(functions)


@pytest.mark.parametrize("name", [3, None, b"nop"])
def test_names_of_functions_are_text(functions: Any, name: Any) -> None:
    """A name that is not text is a TypeError that names the module."""
    for ask in (
        *(functions.get_function, functions.implements_function),
        *(functions.get_function_doc, functions.get_function_metadata),
    ):
        with pytest.raises(TypeError, match=r"functions\.so>: name: expected a str, got"):
            ask(name)


def test_only_modules_are_imported(functions: Any) -> None:
    """An import that is not a module is a TypeError."""
    with pytest.raises(TypeError, match=r"module: expected a tvm_ffi\.Module, got int"):
        functions.import_module(3)


def test_system_library(described: Any) -> None:
    """Functions registered by the program are found, first with the prefix, then without."""
    described.register_system_symbols()
    module = tvm_ffi.system_lib("tests.system.")
    assert module.kind == "system_lib"
    assert module.same_as(tvm_ffi.system_lib("tests.system."))
    assert module.with_prefix() == 1
    assert module.without_prefix() == 2
    assert tvm_ffi.system_lib()["tests.system.with_prefix"]() == 1
    assert repr(module) == "<tvm_ffi.Module system_lib>"
    with pytest.raises(AttributeError, match=r"<tvm_ffi\.Module system_lib> has no function 'nop'"):
        _ = module.nop
    with pytest.raises(TypeError, match="system_lib: symbol_prefix: expected a str, got int"):
        tvm_ffi.system_lib(3)  # type: ignore[arg-type]


def test_functions_outlive_their_module(described: Any) -> None:
    """A function's documentation and metadata last as long as the function."""
    affine = tvm_ffi.load_module(described.path, keep_module_alive=False).affine
    gc.collect()
    assert affine(1, factor=2) == "1 2 none none"
    assert affine.__doc__ == "Scales x and adds to it."


def test_each_import_is_asked_once() -> None:
    """It is queried once, however many modules import it and however deep it is."""
    modules = [tvm_ffi.system_lib(f"tests.module.deep.{i}.") for i in range(5000)]
    try:
        for outer, inner in itertools.pairwise(modules):
            outer.import_module(inner)
            outer.import_module(inner)
        first, last = modules[0], modules[-1]
        with pytest.raises(AttributeError, match="has no function 'missing'"):
            first.get_function("missing", query_imports=True)
        assert not first.implements_function("missing", query_imports=True)
        with pytest.raises(ValueError, match="expected a module that does not import this one"):
            last.import_module(first)
    finally:
        for module in modules:
            module.clear_imports()

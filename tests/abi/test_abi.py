# SPDX-License-Identifier: Apache-2.0
# Rows: R7
"""Check the installed C headers and libtvm_ffi.so against the facts of the published ABI."""

import ctypes
import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from tvm_ffi import libinfo

FACTS = json.loads((Path(__file__).parent / "abi-0.1.15.json").read_text())
FUNCTIONS = {re.search(r"(\w+)\(", f["declaration"]).group(1): f for f in FACTS["functions"]}
INLINE = {re.search(r"(\w+)\(", declared).group(1): declared for declared in FACTS["inline"]}
CPP_SYMBOLS = json.loads((Path(__file__).parent / "cpp-symbols-0.1.15.json").read_text())
LIBRARY = Path(libinfo.find_library_path()) / "libtvm_ffi.so"
WARNINGS = ["-pedantic", "-Wall", "-Wextra", "-Werror"]
COMPILERS = {"c99": ["gcc", "-std=c99", "-xc"], "cxx17": ["g++", "-std=c++17", "-xc++"]}
PARTS = ("MAJOR", "MINOR", "PATCH")
HEADERS = sorted({function["header"] for function in FUNCTIONS.values()})
INCLUDES = "".join(f"#include <{header}>\n" for header in ["stddef.h", "stdio.h", *HEADERS])


def layout_facts() -> dict[str, int]:
    """Every C expression for which the facts give a value, with that value."""
    facts = {**FACTS["enums"], **FACTS["macros"]}
    for struct, layout in FACTS["structs"].items():
        facts[f"sizeof({struct})"] = layout["size"]
        for field, place in layout["fields"].items():
            facts[f"offsetof({struct}, {field})"] = place["offset"]
            facts[f"sizeof((({struct}*)0)->{field})"] = place["size"]
    return facts


def compile_source(compiler: str, source: str, output: Path, include: Path, *more: str):
    """Compile one source text with warnings as errors; the result has the compiler's output."""
    command = [*COMPILERS[compiler], *WARNINGS, f"-I{include}", "-", "-o", str(output), *more]
    return subprocess.run(command, input=source, capture_output=True, text=True, check=False)


def measure_layout(compiler: str, folder: Path, include: Path) -> dict[str, int]:
    """Let the compiler evaluate every expression in the facts."""
    prints = "".join(f'  printf("%ld\\n", (long)({fact}));\n' for fact in layout_facts())
    source = f"{INCLUDES}int main(void) {{\n{prints}  return 0;\n}}\n"
    built = compile_source(compiler, source, folder / "layout", include)
    assert built.returncode == 0, built.stderr
    told = subprocess.run([folder / "layout"], capture_output=True, text=True, check=True).stdout
    return dict(zip(layout_facts(), map(int, told.split()), strict=True))


def compile_declarations(compiler: str, folder: Path, include: Path, header: str):
    """Assign each of a header's functions to a pointer of its type in the facts."""
    source = f"#include <{header}>\n"
    declared = {
        name: function["declaration"]
        for name, function in FUNCTIONS.items()
        if function["header"] == header
    }
    if header == "tvm/ffi/c_api.h":
        declared |= INLINE
    for name, declaration in declared.items():
        typed = declaration.replace(f"{name}(", f"(*check_{name})(")
        # The line directive makes an error name the function.
        source += f'#line 1 "{name}"\nextern {typed};\n{typed} = &{name};\n'.replace("()", "(void)")
    return compile_source(compiler, source, folder / "declarations.o", include, "-c")


@pytest.fixture
def changed_include(tmp_path):
    """A function that copies the headers and replaces one text in c_api.h."""

    def change(old: str, new: str) -> Path:
        include = tmp_path / "include"
        shutil.copytree(libinfo.find_include_path(), include)
        header = include / "tvm/ffi/c_api.h"
        text = header.read_text()
        assert text.count(old) == 1, f"{old!r}: expected once in c_api.h"
        header.write_text(text.replace(old, new))
        return include

    return change


@pytest.mark.parametrize("compiler", COMPILERS)
def test_layouts_and_enumerators(compiler, tmp_path):
    """Every size, offset and enumerator matches the published ABI, in C99 and in C++17."""
    assert measure_layout(compiler, tmp_path, libinfo.find_include_path()) == layout_facts()


def test_changed_enumerator_is_noticed(tmp_path, changed_include):
    """A header with a different enumerator fails the layout test."""
    include = changed_include("kTVMFFIBigInt = 78", "kTVMFFIBigInt = 80")
    measured = measure_layout("c99", tmp_path, include)
    wrong = {fact for fact, value in layout_facts().items() if measured[fact] != value}
    assert wrong == {"kTVMFFIBigInt"}


def test_changed_field_is_noticed(tmp_path, changed_include):
    """A header with reordered fields fails the layout test."""
    include = changed_include("uint64_t type_key_hash;", "int32_t moved, type_key_hash;")
    measured = measure_layout("c99", tmp_path, include)
    wrong = {fact for fact, value in layout_facts().items() if measured[fact] != value}
    assert wrong == {
        "offsetof(TVMFFITypeInfo, type_key_hash)",
        "sizeof(((TVMFFITypeInfo*)0)->type_key_hash)",
    }


@pytest.mark.parametrize("header", HEADERS)
@pytest.mark.parametrize("compiler", COMPILERS)
def test_declarations(compiler, header, tmp_path):
    """Every function is declared in its header with the published type, in C99 and in C++17."""
    built = compile_declarations(compiler, tmp_path, Path(libinfo.find_include_path()), header)
    assert built.returncode == 0, built.stderr


@pytest.mark.parametrize(
    ("old", "new", "name"),
    [
        (
            "const TVMFFIByteArray* str, DLDataType*",
            "char* str, DLDataType*",
            "TVMFFIDataTypeFromString",
        ),
        ("IntPair(int32_t device_type", "IntPair(int64_t device_type", "TVMFFIDLDeviceFromIntPair"),
    ],
)
@pytest.mark.parametrize("compiler", COMPILERS)
def test_changed_declaration_is_noticed(compiler, tmp_path, changed_include, old, new, name):
    """A header with a different parameter type fails the declaration test."""
    include = changed_include(old, new)
    built = compile_declarations(compiler, tmp_path, include, "tvm/ffi/c_api.h")
    assert built.returncode != 0
    assert built.stderr.startswith(f"{name}:")


def test_exports():
    """libtvm_ffi.so exports every ABI function, two names of its own, and two lists for C++.

    The longer one is frozen: the symbols needed by libraries with subclasses of the published
    ModuleObj.
    """
    command = ["nm", "-D", "--defined-only", "--format=posix", LIBRARY]
    table = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    # Our headers refer to them weakly, so that libraries also load where they are missing.
    ours = ["TVMFFIObjectDeleteLater", "TVMFFIReplacedAllocator"]
    # Libraries built with release 0.1.12 import json::Stringify with its option passed by value.
    earlier = ["_ZN3tvm3ffi4json9StringifyERKNS0_3AnyENS0_8OptionalIivEE"]
    assert sorted(line.split()[0] for line in table.splitlines()) == sorted(
        [*FUNCTIONS, *ours, *earlier, *CPP_SYMBOLS["exported"]]
    )


def test_threads_variables_need_no_fixed_place():
    """The loader has little static TLS space, and may have none left for a library loaded late."""
    said = subprocess.run(["readelf", "-dW", LIBRARY], capture_output=True, text=True, check=True)
    assert "SONAME" in said.stdout
    assert "STATIC_TLS" not in said.stdout


def test_version():
    """The library reports the version of the published ABI that it implements, as in c_api.h."""
    version = (ctypes.c_uint32 * 3)()
    ctypes.CDLL(LIBRARY).TVMFFIGetVersion(version)
    assert list(version) == FACTS["peer"]["TVMFFIGetVersion"]
    # The layout tests check the macros against these facts.
    assert list(version) == [FACTS["macros"][f"TVM_FFI_VERSION_{part}"] for part in PARTS]

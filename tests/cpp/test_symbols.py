# SPDX-License-Identifier: Apache-2.0
# Rows: R5
"""Which symbols a kernel library and libtvm_ffi.so need and export, as ``nm -D`` tells."""

import json
import re
import shlex
import subprocess
from pathlib import Path

import pytest
from tvm_ffi import config, libinfo

SCALE = Path(__file__).parents[2] / "examples/kernel_library/scale/scale_kernel.cc"
CONTAINERS = Path(__file__).with_name("containers_library.cc")
REFLECTION = Path(__file__).with_name("reflection_library.cc")
MODULE_CLASS = Path(__file__).parents[1] / "snippets/scale_module.cc"
OF_0_1_12 = "_ZN3tvm3ffi4json9StringifyERKNS0_3AnyENS0_8OptionalIivEE"  # later: by reference
FROZEN = Path(__file__).parents[1] / "abi/cpp-symbols-0.1.15.json"
RUNTIME = Path(libinfo.find_library_path()) / "libtvm_ffi.so"
SYSTEM_LIBRARIES = ("libc.so.6", "libm.so.6", "libstdc++.so.6", "libgcc_s.so.1", "ld-linux")


def dynamic_symbols(library: Path, option: str) -> dict[str, str]:
    """Give the type letter of each dynamic symbol, by its name with the version."""
    command = ["nm", "-D", "--format=posix", option, str(library)]
    table = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return {line.split()[0]: line.split()[1] for line in table.splitlines()}


def version_sources(library: Path) -> dict[str, str]:
    """Give the library that each symbol version that this one needs comes from."""
    told = subprocess.run(["readelf", "-VW", library], capture_output=True, text=True, check=True)
    sources, source = {}, ""
    for line in told.stdout.splitlines():
        if file := re.search(r"File: (\S+)", line):
            source = file.group(1)
        elif name := re.search(r"Name: (\S+)\s+Flags", line):
            sources[name.group(1)] = source
    return sources


def build(source: Path, folder: Path) -> Path:
    """Build a library as the page of the scale example says."""
    library = folder / f"{source.stem}.so"
    flags = f"-shared -fPIC -O2 -fvisibility=default {config.cxxflags()}"
    command = f"g++ {flags} {source} -o {library} {config.ldflags()} -ltvm_ffi"
    subprocess.run(shlex.split(command), check=True)
    return library


@pytest.fixture(scope="module")
def kernel_library(tmp_path_factory) -> Path:
    """Build the scale example."""
    return build(SCALE, tmp_path_factory.mktemp("symbols"))


@pytest.fixture(scope="module")
def containers_library(tmp_path_factory) -> Path:
    """Build a library whose functions use every container."""
    return build(CONTAINERS, tmp_path_factory.mktemp("symbols"))


@pytest.fixture(scope="module")
def reflection_library(tmp_path_factory) -> Path:
    """Build a library that registers types and functions, with metadata."""
    return build(REFLECTION, tmp_path_factory.mktemp("symbols"))


@pytest.fixture(scope="module")
def module_class_library(tmp_path_factory) -> Path:
    """Build a library with a class derived from ModuleObj."""
    return build(MODULE_CLASS, tmp_path_factory.mktemp("symbols"))


@pytest.fixture(params=["kernel", "containers", "reflection", "module_class", "runtime"])
def library(request) -> Path:
    """Give each of the libraries in turn."""
    if request.param == "runtime":
        return RUNTIME
    return request.getfixturevalue(f"{request.param}_library")


def test_needed_symbols(library):
    """What a library needs is of the C ABI, of the system's libraries, or weak."""
    sources = version_sources(library)
    foreign = {}
    for symbol, letter in dynamic_symbols(library, "--undefined-only").items():
        name, _, version = symbol.partition("@")
        source = sources.get(version.lstrip("@"), "")
        system = source.startswith(SYSTEM_LIBRARIES)
        if letter != "w" and not system and not (name.startswith("TVMFFI") and not version):
            foreign[symbol] = source
    assert foreign == {}


def test_needed_libraries(library):
    """A library asks the loader for libtvm_ffi.so and the system's libraries only."""
    told = subprocess.run(["readelf", "-dW", library], capture_output=True, text=True, check=True)
    needed = re.findall(r"NEEDED.*\[(.*)\]", told.stdout)
    assert needed
    own = "libtvm_ffi.so" if library != RUNTIME else "none"
    assert [n for n in needed if n != own and not n.startswith(SYSTEM_LIBRARIES)] == []


def test_no_unique_symbols(library):
    """No symbol is unique in the process: it would keep the library loaded and be shared."""
    symbols = dynamic_symbols(library, "--defined-only")
    assert symbols
    assert [name for name, letter in symbols.items() if letter == "u"] == []


@pytest.mark.parametrize("option", ["--defined-only", "--undefined-only"])
def test_no_cpp_symbols_of_the_project(library, option):
    """No C++ symbol of this project crosses a library's border.

    Only the runtime exports some, for libraries that were built with the published headers.
    """
    symbols = dynamic_symbols(library, option)
    exported = library == RUNTIME and option == "--defined-only"
    frozen = json.loads(FROZEN.read_text())["exported"] if exported else []
    frozen += [OF_0_1_12] if exported else []
    assert symbols
    assert sorted(name for name in symbols if re.match(r"_Z.*3tvm3ffi", name)) == sorted(frozen)


def test_kernel_library_exports(kernel_library):
    """A kernel library exports the functions that it means to export and nothing else."""
    meant = re.findall(r"TVM_FFI_DLL_EXPORT_TYPED_FUNC\((\w+)", SCALE.read_text())
    strong = {n for n, t in dynamic_symbols(kernel_library, "--defined-only").items() if t == "T"}
    assert strong == {f"__tvm_ffi_{name}" for name in meant}

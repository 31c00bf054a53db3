# SPDX-License-Identifier: Apache-2.0
# Rows: R5, R8
"""The CMake functions for a library's target in projects and folders of other shapes."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from _verify.tools import find_nvcc

ROOT = Path(__file__).resolve().parents[2]
LIBRARY = ROOT / "tests/snippets/stubgen/my_kernels.cc"
START = """
cmake_minimum_required(VERSION 3.20)
project(shapes LANGUAGES CXX)
find_package(tvm_ffi CONFIG REQUIRED)
"""


def cmake(folder, *arguments):
    """Run CMake in a folder; give the status and what it prints, on one line."""
    done = subprocess.run(
        ["cmake", *arguments],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return done.returncode, " ".join(done.stdout.split())


def configured(folder, text, *arguments, generator="Ninja"):
    """Configure a project; CMake must neither fail nor warn."""
    (folder / "CMakeLists.txt").write_text(START + text)
    where = subprocess.check_output(["tvm-ffi-config", "--cmakedir"], text=True).strip()
    given = ["-G", generator, "-S", ".", "-B", "build", f"-Dtvm_ffi_ROOT={where}", *arguments]
    status, said = cmake(folder, *given)
    assert status == 0, said
    assert "Warning" not in said


def built(folder, *arguments):
    """Build a project; give what that prints."""
    status, said = cmake(folder, "--build", "build", *arguments)
    assert status == 0, said
    return said


def test_names_and_folders(tmp_path):
    """The folder has a space, the target lies in a subfolder, and its file has another name."""
    folder = tmp_path / "a folder's"
    (folder / "part").mkdir(parents=True)
    shutil.copy(LIBRARY, folder / "part")
    (folder / "part" / "CMakeLists.txt").write_text(
        "add_library(my_kernels MODULE my_kernels.cc)\n"
        "set_target_properties(my_kernels PROPERTIES OUTPUT_NAME of_its_own)\n"
        'tvm_ffi_configure_target(my_kernels STUB_DIR "out dir" STUB_INIT ON STUB_PREFIX "")\n'
        "tvm_ffi_configure_target(my_kernels STUB_DIR . STUB_INIT ON STUB_PREFIX my-kernels.)\n"
    )
    configured(folder, "add_subdirectory(part)")
    said = built(folder)
    assert "a registered name, my_kernels, got 'my-kernels.': no file is created" in said
    made = folder / "part" / "out dir" / "my_kernels" / "_ffi_api.py"
    assert 'LIB = _FFI_LOAD_LIB("my_kernels", "of_its_own")\n' in made.read_text()
    library = (folder / "build" / "part" / "libof_its_own.so").read_bytes()
    assert os.fsencode(folder) not in library


def test_folder_for_each_library(tmp_path):
    """Libraries that register different names cannot share a folder for their Python files."""
    shutil.copy(LIBRARY, tmp_path)
    (tmp_path / "others.cc").write_text(LIBRARY.read_text().replace("my_kernels", "others"))
    text = "".join(
        f"add_library({name} SHARED {name}.cc)\n"
        f"tvm_ffi_configure_target({name} STUB_DIR {{}} STUB_INIT ON)\n"
        for name in ("my_kernels", "others")
    )
    configured(tmp_path, text.format("one", "two"))
    built(tmp_path)
    configured(tmp_path, text.format("same", "same"))
    status, said = cmake(tmp_path, "--build", "build", "-j1")
    assert status != 0
    assert "expected a global function whose name begins with" in said


EMBEDS = """
add_library(part OBJECT part.cc)
add_library(whole SHARED whole.cc)
tvm_ffi_embed_bin_into(whole SYMBOL part BIN $<TARGET_OBJECTS:part>)
"""


def test_image_of_each_configuration(tmp_path):
    """With a generator for several configurations, each has its own embedded objects."""
    (tmp_path / "part.cc").write_text("#ifdef NDEBUG\nint release_part;\n#endif\n")
    (tmp_path / "whole.cc").write_text(
        'extern char image[] __asm__("__tvm_ffi__cubin_part");\nchar* whole() { return image; }\n'
    )
    configured(tmp_path, EMBEDS, generator="Ninja Multi-Config")
    for name in ("Debug", "Release"):
        built(tmp_path, "--config", name)
        library = (tmp_path / "build" / name / "libwhole.so").read_bytes()
        assert (b"release_part" in library) == (name == "Release")


def test_cuda_library_has_no_path(tmp_path, monkeypatch):
    """A library does not contain the path of the source folder, except with -lineinfo."""
    found = find_nvcc()
    if not found:
        pytest.skip("no nvcc is installed")
    for name, value in found.items():
        monkeypatch.setenv("CUDACXX" if name == "NVCC" else name, value)
    folder = tmp_path / "a folder"
    folder.mkdir()
    (folder / "kernel.cu").write_text(
        "#include <cstdio>\n"
        "__global__ void kernel() { printf(__FILE__); }\n"
        "const char* launch() { kernel<<<1, 1>>>(); return __FILE__; }\n"
    )
    configured(
        folder,
        "enable_language(CUDA)\n"
        "add_library(kernel SHARED kernel.cu)\n"
        "tvm_ffi_configure_target(kernel)\n"
        "add_library(lines SHARED kernel.cu)\n"
        "tvm_ffi_configure_target(lines)\n"
        "target_compile_options(lines PRIVATE -lineinfo)\n",
        "-DCMAKE_CUDA_ARCHITECTURES=90",
        "-DCMAKE_BUILD_TYPE=RelWithDebInfo",
    )
    built(folder)
    library = (folder / "build" / "libkernel.so").read_bytes()
    assert b"kernel.cu" in library
    assert os.fsencode(folder) not in library
    assert os.fsencode(folder) in (folder / "build" / "liblines.so").read_bytes()

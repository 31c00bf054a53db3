# SPDX-License-Identifier: Apache-2.0
# Rows: R5
"""Images inside libraries: by the tool, by load_inline, by CMake and as an array."""

import os
import re
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import builds
import pytest
from _verify.package_flags import flags
from tvm_ffi import cpp
from tvm_ffi.utils.embed_cubin import embed_cubin

SOURCE = builds.HERE / "embedded.cc"
LAUNCHED = (
    "load library 1\nkernel axpy of library 1\n"
    "launch axpy of library 1 on 0: grid 1,1,1 block 256,1,1 shared 0 stream 0 "
    "parameters 00000040 0010000000000000 0010000000000000 0500000000000000\n"
)


def launched(fake, library, name="launch"):
    """Return the fake driver's log of one call."""
    *_, told = builds.call(fake, library, f"mod.{name}(0x1000, 5)", "log()")
    return told


def compiled(output, *defines):
    """Compile the source to an object file."""
    builds.run(
        f"g++ -O1 -Wall -Wextra -Wpedantic -Wconversion -Werror -fPIC {builds.cuda_headers()}"
        f" {flags('--cxxflags')} {' '.join(defines)} -c {SOURCE} -o {output}"
    )
    return output


def linked(fake, output, *objects):
    """Link object files into a library."""
    names = " ".join(map(str, objects))
    builds.run(f"g++ -shared {names} -o {output} {flags('--ldflags', '--libs')} -L{fake} -lcudart")
    return output


def symbols(path):
    """Return the kinds of the image symbols, by name."""
    told = subprocess.check_output(["nm", str(path)], text=True)
    return {
        name: kind for kind, name in re.findall(r"^\S* +(\w) (__tvm_ffi__cubin_\w+)$", told, re.M)
    }


def test_tool(fake, cubin, tmp_path):
    """The object file contains the image, and its symbols are local."""
    plain = compiled(tmp_path / "plain.o")
    assert symbols(plain) == {"__tvm_ffi__cubin_kernels": "U"}
    embed_cubin(cubin, plain, tmp_path / "full.o", "kernels")
    assert symbols(tmp_path / "full.o") == {
        "__tvm_ffi__cubin_kernels": "r",
        "__tvm_ffi__cubin_kernels_end": "r",
    }
    assert cubin.read_bytes() in (tmp_path / "full.o").read_bytes()
    library = linked(fake, tmp_path / "tool.so", tmp_path / "full.o")
    assert launched(fake, library) == LAUNCHED
    told = subprocess.check_output(["nm", "-D", str(library)], text=True)
    assert "cubin" not in told
    headers = subprocess.check_output(["readelf", "-lW", str(library)], text=True)
    assert re.search(r"GNU_STACK .* RW ", headers)  # no executable stack


def test_two_objects_of_one_library(fake, cubin, tmp_path):
    """Each object has its own image under the same name."""
    other = tmp_path / "other.cubin"
    text = (builds.HERE / "kernels.cu").read_text().replace("float a, const", "double a, const")
    (tmp_path / "other.cu").write_text(text)
    builds.build_cubin(tmp_path / "other.cu", other)
    objects = []
    for name, image in (("first", cubin), ("second", other)):
        path = compiled(tmp_path / f"{name}.o", f"-DNAME={name}")
        embed_cubin(str(image), str(path), str(path), "kernels")  # in place
        objects.append(path)
    library = linked(fake, tmp_path / "two.so", *objects)
    assert "parameters 00000040 00" in launched(fake, library, "first")
    # The double's eight bytes start with the given float.
    assert re.search(r"parameters 00000040[0-9a-f]{8} 00", launched(fake, library, "second"))


def test_command(fake, cubin, tmp_path):
    """The command does the same, or returns 1 with a message."""
    plain = compiled(tmp_path / "plain.o")
    tool = [sys.executable, "-m", "tvm_ffi.utils.embed_cubin"]
    given = ["--cubin", cubin, "--input-obj", plain, "--output-obj", tmp_path / "full.o"]
    command = [*tool, *map(str, given), "--name", "kernels", "-v"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "")
    assert [line.split()[0] for line in done.stderr.splitlines()] == ["as", "nm", "ld", "objcopy"]
    assert launched(fake, linked(fake, tmp_path / "tool.so", tmp_path / "full.o")) == LAUNCHED
    command[command.index(str(cubin))] = str(tmp_path / "none.cubin")
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.rstrip().endswith(f"there is no file: '{tmp_path / 'none.cubin'}'")
    assert subprocess.run(tool, capture_output=True, check=False).returncode == 2


@pytest.mark.parametrize("name", ["", "a-b", "a b", "a/b", "a\n", "é"])
def test_wrong_names(cubin, name, tmp_path):
    """An invalid C identifier is refused before anything is written."""
    with pytest.raises(ValueError, match=r"^embed_cubin: name: expected the name in TVM_FFI_EMBED"):
        embed_cubin(cubin, cubin, tmp_path / "out.o", name)
    with pytest.raises(ValueError, match=r"^load_inline: kernels: embed_cubin: expected the name"):
        cpp.load_inline("kernels", cpp_sources="int x;", embed_cubin={name: b"1"})
    assert not (tmp_path / "out.o").exists()


def test_name_that_the_object_does_not_use(cubin, tmp_path):
    """A misspelled name is refused at once, instead of when the library is loaded."""
    plain = compiled(tmp_path / "plain.o")
    embed_cubin(cubin, plain, tmp_path / "full.o", "kernels")
    for path, names in ((plain, "'kernels'"), (tmp_path / "full.o", "it has none")):
        expected = re.escape(f"name: expected one in a TVM_FFI_EMBED_CUBIN of '{path}' ({names}), ")
        with pytest.raises(ValueError, match=f"^embed_cubin: {expected}got 'kernel'$"):
            embed_cubin(cubin, path, tmp_path / "out.o", "kernel")
    assert not (tmp_path / "out.o").exists()


def test_wrong_arguments(cubin, monkeypatch, tmp_path):
    """Messages name the function, argument, expectation and value; a failure leaves no output."""
    out = tmp_path / "out.o"
    for arguments, error, message in (
        ((cubin, cubin, out, 3), TypeError, "name: expected a str, got int"),
        ((3, cubin, out, "a"), TypeError, "cubin_path: expected a str or a path, got int"),
        ((cubin, None, out, "a"), TypeError, "input_obj_path: expected .*, got NoneType"),
        ((cubin, cubin, b"", "a"), TypeError, "output_obj_path: expected .*, got bytes"),
        ((tmp_path / "no", cubin, out, "a"), FileNotFoundError, "cubin_path: there is no file"),
        ((cubin, tmp_path, out, "a"), FileNotFoundError, "input_obj_path: there is no file"),
        ((cubin, SOURCE, out, "a"), RuntimeError, "nm failed with status 1:\n.*embedded.cc"),
    ):
        with pytest.raises(error, match=f"embed_cubin: {message}"):
            embed_cubin(*arguments)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(RuntimeError, match="expected the program 'as' of GNU Binutils, found none"):
        embed_cubin(cubin, cubin, out, "a")
    assert not out.exists()


def test_output_that_cannot_be_written(cubin, tmp_path):
    """The error names the argument and the given path, and nothing is left behind."""
    plain = compiled(tmp_path / "plain.o")
    (tmp_path / "folder").mkdir()
    for output, error in (
        (tmp_path / "none" / "out.o", FileNotFoundError),
        (tmp_path / "folder", IsADirectoryError),
    ):
        message = f"embed_cubin: output_obj_path: expected a file to write: .*: '{output}'$"
        with pytest.raises(error, match=message):
            embed_cubin(cubin, plain, output, "kernels")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["folder", "plain.o"]


def test_paths_of_any_bytes(cubin, tmp_path):
    """A path need not be UTF-8, and one with a null character is refused before any work."""
    plain = compiled(tmp_path / "plain.o")
    image = tmp_path / os.fsdecode(b"\xff.cubin")
    image.write_bytes(cubin.read_bytes())
    embed_cubin(image, plain, tmp_path / "out.o", "kernels")
    assert cubin.read_bytes() in (tmp_path / "out.o").read_bytes()
    with pytest.raises(ValueError, match="output_obj_path: expected one line of text"):
        embed_cubin(image, plain, f"{tmp_path}/o\0.o", "kernels")


def test_one_output_written_at_once(cubin, tmp_path):
    """The output is always the complete result of one writer, and nothing else is left."""
    plain = compiled(tmp_path / "plain.o")
    with ThreadPoolExecutor(8) as pool:
        runs = [
            pool.submit(embed_cubin, cubin, plain, tmp_path / "out.o", "kernels") for _ in range(16)
        ]
        assert [run.result() for run in runs] == [None] * 16
    assert cubin.read_bytes() in (tmp_path / "out.o").read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out.o", "plain.o"]


def test_empty_image(tmp_path):
    """An empty image is refused on embedding, as there is no size to check on loading."""
    plain = compiled(tmp_path / "plain.o")
    empty = tmp_path / "empty.cubin"
    empty.write_bytes(b"")
    with pytest.raises(ValueError, match="embed_cubin: cubin_path: expected an image, got no byte"):
        embed_cubin(empty, plain, plain, "kernels")


def test_path_with_quotes(fake, cubin, tmp_path):
    """The assembler's strings must escape such a file name."""
    image = tmp_path / 'a "quoted" \\ name.cubin'
    image.write_bytes(cubin.read_bytes())
    plain = compiled(tmp_path / "plain.o")
    embed_cubin(image, plain, plain, "kernels")
    assert launched(fake, linked(fake, tmp_path / "tool.so", plain)) == LAUNCHED


@pytest.fixture
def cache(monkeypatch, tmp_path):
    """A separate cache, and the toolkit that the tests use."""
    monkeypatch.setenv("TVM_FFI_CACHE_DIR", str(tmp_path / "cache"))
    builds.nvcc()


@pytest.mark.parametrize("kind", ["cpp_sources", "cuda_sources"])
def test_inline(cache, fake, cubin, kind):
    """C++ and CUDA sources find CUDA's headers and library, and the image by its name.

    Driver API calls reach the fake driver; the runtime in the library is NVIDIA's own.
    """
    text = "#define TVM_FFI_CUBIN_LAUNCHER_USE_DRIVER_API 1\n" + SOURCE.read_text()
    library = cpp.build_inline(
        "kernels", **{kind: text}, embed_cubin={"kernels": cubin.read_bytes()}
    )
    told = builds.call(fake, library, "mod.launch(0x1000, 5)")
    # NVIDIA's runtime would have made a context.
    assert "this thread has no current CUDA device" in told[0]
    again = cpp.build_inline("kernels", **{kind: text}, embed_cubin={"kernels": cubin.read_bytes()})
    assert again == library
    other = cpp.build_inline(
        "kernels", **{kind: text}, embed_cubin={"kernels": b"\x7fELF of another"}
    )
    assert other != library
    assert b"\x7fELF of another" in Path(other).read_bytes()


def test_inline_ptx(cache, fake):
    """Text is null-terminated."""
    text = """
    TVM_FFI_EMBED_CUBIN(one)
    TVM_FFI_EMBED_CUBIN(two)
    int64_t length() { return static_cast<int64_t>(std::strlen(__tvm_ffi__cubin_one)); }
    """
    head = "#include <tvm/ffi/extra/cuda/cubin_launcher.h>\n#include <cstring>\n"
    images = {"one": b".version 8.0", "two": bytearray(b"x" * 100)}
    mod = cpp.load_inline("text", cpp_sources=head + text, functions="length", embed_cubin=images)
    assert mod.length() == len(images["one"])


def test_inline_without_a_toolkit(cache, fake, cubin, monkeypatch, tmp_path):
    """Without an nvcc, the caller must name the folder of headers."""
    text = "#define TVM_FFI_CUBIN_LAUNCHER_USE_DRIVER_API 1\n" + SOURCE.read_text()
    headers = cpp.toolchain.cuda_header_folders(builds.nvcc())
    monkeypatch.setattr(cpp.toolchain, "has_cuda", lambda: False)
    images = {"kernels": cubin.read_bytes()}
    with pytest.raises(cpp.CompileError, match=r"cuda\w*\.h"):
        cpp.build_inline("kernels", cpp_sources=text, embed_cubin=images)
    library = cpp.build_inline(
        "kernels", cpp_sources=text, embed_cubin=images, extra_include_paths=headers
    )
    (told,) = builds.call(fake, library, "mod.launch(0x1000, 5)")
    assert "this thread has no current CUDA device" in told


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ([], TypeError, "embed_cubin: expected bytes by name, got list"),
        ({3: b"x"}, TypeError, "embed_cubin: expected a str, got int"),
        ({"a": "x"}, TypeError, "embed_cubin: a: expected bytes, got str"),
        ({"a": b""}, ValueError, "embed_cubin: a: expected an image, got no bytes"),
    ],
)
def test_wrong_images_inline(given, error, message):
    """Messages name the function, library, argument, expectation and value."""
    with pytest.raises(error, match=f"^load_inline: kernels: {message}$"):
        cpp.load_inline("kernels", cpp_sources="int x;", embed_cubin=given)


def test_object_file_inline():
    """An object file with a single source cannot contain an image."""
    with pytest.raises(ValueError, match=r"output: expected a library for other than one source"):
        cpp.build_inline("a", cpp_sources="int x;", embed_cubin={"a": b"x"}, output="a.o")


def test_array(fake, cubin, tmp_path):
    """An image may be an array of bytes, as written by bin2c."""
    numbers = tmp_path / "kernels.inc"
    numbers.write_text(",".join(map(str, cubin.read_bytes())))
    define = f'-DBYTES=\\"{numbers}\\"'
    library = builds.build_library(SOURCE, tmp_path / "array.so", "runtime", fake, define)
    assert launched(fake, library) == LAUNCHED
    numbers.write_text(",".join(map(str, cubin.read_bytes()[:-1])))
    library = builds.build_library(SOURCE, tmp_path / "cut.so", "runtime", fake, define)
    first, again = builds.call(fake, library, *["mod.launch(0x1000, 5)"] * 2)
    assert "ValueError: CubinModule: image: expected" in first
    assert again == first  # loading is retried


PROJECT = """
cmake_minimum_required(VERSION 3.27)
project(kernels LANGUAGES CXX CUDA)
find_package(tvm_ffi CONFIG REQUIRED)
add_tvm_ffi_cubin(for_hopper CUDA kernels.cu)
set_target_properties(for_hopper PROPERTIES CUDA_ARCHITECTURES 90-real)
add_tvm_ffi_fatbin(for_all CUDA other.cu)
set_target_properties(for_all PROPERTIES CUDA_ARCHITECTURES "80;90")
add_library(embedded SHARED embedded.cc)
target_link_libraries(embedded PRIVATE tvm_ffi::header tvm_ffi::shared "-L${FAKE}" cudart)
target_include_directories(embedded SYSTEM PRIVATE ${CMAKE_CUDA_TOOLKIT_INCLUDE_DIRECTORIES})
tvm_ffi_embed_bin_into(embedded SYMBOL kernels BIN $<TARGET_OBJECTS:for_hopper>)
tvm_ffi_embed_bin_into(embedded SYMBOL more BIN $<TARGET_OBJECTS:for_all>)
tvm_ffi_embed_bin_into(embedded SYMBOL text BIN "images/some text.ptx")
"""


def test_cmake(fake, cubin, tmp_path):
    """CMake compiles the kernels and embeds them, and repeats both when they change."""
    (tmp_path / "CMakeLists.txt").write_text(PROJECT)
    text = (builds.HERE / "kernels.cu").read_text()
    for name in ("kernels.cu", "other.cu"):
        (tmp_path / name).write_text(text)
    (tmp_path / "embedded.cc").write_text(SOURCE.read_text())
    (tmp_path / "images").mkdir()
    (tmp_path / "images" / "some text.ptx").write_text(".version 8.0 of a file of the source")
    cmake = Path(sys.executable).parent / "cmake"
    environment = {**os.environ, "CUDACXX": builds.nvcc()}
    command = f"{cmake} -B build -Dtvm_ffi_ROOT={flags('--cmakedir')} -DFAKE={fake} -G Ninja"
    ninja = f"-DCMAKE_MAKE_PROGRAM={Path(sys.executable).parent / 'ninja'}"
    builds.run(f"{command} {ninja}", cwd=tmp_path, env=environment)
    build = shlex.split(f"{cmake} --build build")
    subprocess.run(build, cwd=tmp_path, check=True)
    library = tmp_path / "build" / "libembedded.so"
    assert launched(fake, library) == LAUNCHED
    content = library.read_bytes()
    (fatbin,) = (tmp_path / "build").glob("CMakeFiles/for_all.dir/*.fatbin")
    assert fatbin.read_bytes() in content
    assert b".version 8.0 of a file of the source\0" in content
    (tmp_path / "kernels.cu").write_text(text.replace("1; }", "2; }").replace("axpy", "axpz"))
    subprocess.run(build, cwd=tmp_path, check=True)
    assert (
        "which has _Z6of_cppPf, axpz, static40, got axpy"
        in builds.call(fake, library, "mod.launch(0x1000, 5)")[0]
    )
    done = subprocess.run(build, cwd=tmp_path, check=True, capture_output=True, text=True)
    assert "no work to do" in done.stdout

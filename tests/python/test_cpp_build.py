# SPDX-License-Identifier: Apache-2.0
# Rows: R5, R6
"""Libraries built from Python: what they become, when they are built again, what errors say."""

from __future__ import annotations

import functools
import os
import pickle
import re
import shutil
import signal
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy
import pytest
import tvm_ffi
from hypothesis import given, settings
from hypothesis import strategies as st
from tvm_ffi import cpp
from tvm_ffi.cpp import cache, ninja, source, toolchain

ADD = "int add(int a, int b) { return a + b; }"
EXPORTED = """
#include <tvm/ffi/tvm_ffi.h>
#include "number.h"
static int number() { return NUMBER_HERE; }
TVM_FFI_DLL_EXPORT_TYPED_FUNC(number, number);
"""


@pytest.fixture(autouse=True)
def cache_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Build into a cache of the test's own."""
    monkeypatch.setenv("TVM_FFI_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def compilations(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], int]:
    """Count how often the C++ compiler compiles."""
    log = tmp_path / "compilations"
    log.touch()
    wrapper(tmp_path / "counting", f'case " $* " in *" -c "*) echo x >> "{log}";; esac')
    monkeypatch.setenv("CXX", str(tmp_path / "counting"))
    return lambda: len(log.read_text()) // 2


def wrapper(path: Path, script: str) -> None:
    """Write a compiler that runs a script first."""
    compiler = shutil.which(os.environ.get("CXX", "c++"))
    path.write_text(f'#!/bin/sh\n{script}\nexec "{compiler}" "$@"\n')
    path.chmod(path.stat().st_mode | stat.S_IXUSR)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder, with a name that needs quoting, of a source file and a header."""
    folder = tmp_path / "a #1 $x:ü\\' project"
    folder.mkdir()
    (folder / "number.cc").write_text(EXPORTED)
    (folder / "number.h").write_text("#define NUMBER_HERE 1\n")
    return folder


def test_inline_source_is_built_and_loaded() -> None:
    """A function is called, and tells its documentation."""
    module = cpp.load_inline("adder", cpp_sources=ADD, functions={"add": 'Adds "two"\n\\ ü.'})
    assert module.add(1, 2) == 3
    assert module.get_function_doc("add") == 'Adds "two"\n\\ ü.'


def test_tensors_of_a_framework() -> None:
    """Sources find the headers included, and read and write NumPy arrays."""
    code = """
    void add_one(tvm::ffi::TensorView x, tvm::ffi::TensorView y) {
      TVM_FFI_CHECK(x.numel() == y.numel(), ValueError) << "expected tensors of one size";
      for (int64_t i = 0; i < x.numel(); ++i) {
        static_cast<float*>(y.data_ptr())[i] = static_cast<float*>(x.data_ptr())[i] + 1;
      }
    }"""
    module = cpp.load_inline("adds", cpp_sources=code, functions="add_one")
    for size in (0, 1, 7, 1000):
        x = numpy.arange(size, dtype="float32")
        y = numpy.empty_like(x)
        module.add_one(x, y)
        numpy.testing.assert_array_equal(y, x + 1)
    with pytest.raises(ValueError, match="expected tensors of one size"):
        module.add_one(x, y[:1])


def test_several_sources_are_one_unit() -> None:
    """Later sources call what earlier ones define; a name exported twice is exported once."""
    sources = ["static int twice(int x) { return 2 * x; }", "int f(int x) { return twice(x) + 1; }"]
    module = cpp.load_inline("parts", cpp_sources=sources, functions=["f", "f"])
    assert module.f(20) == 41


def test_empty_source_is_a_library_without_functions() -> None:
    """No text at all is no mistake, no source is."""
    module = cpp.load_inline("empty", cpp_sources="")
    with pytest.raises(AttributeError, match="has no function 'add'"):
        module.add(1, 2)


def test_library_stands_under_its_name(cache_folder: Path, tmp_path: Path) -> None:
    """In a folder of the cache, or right in the folder that is asked for."""
    path = Path(cpp.build_inline("adder", cpp_sources=ADD, functions="add"))
    assert path.name == "adder.so"
    assert path.parent.parent == cache_folder
    assert path.parent.name.startswith("adder_")
    given = cpp.build_inline(
        "adder", cpp_sources=ADD, functions="add", build_directory=tmp_path / "my folder"
    )
    assert given == str(tmp_path / "my folder" / "adder.so")
    assert tvm_ffi.load_module(given).add(1, 2) == 3


def test_home_is_where_the_cache_lies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no variable names it."""
    monkeypatch.delenv("TVM_FFI_CACHE_DIR")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache.cache_folder() == str(tmp_path / ".cache" / "tvm-ffi")


def test_same_build_comes_from_the_cache(compilations: Callable[[], int]) -> None:
    """Another source, or other flags, are another build."""
    first = cpp.build_inline("adder", cpp_sources=ADD, functions="add")
    assert cpp.build_inline("adder", cpp_sources=ADD, functions="add") == first
    assert compilations() == 1
    others = {
        cpp.build_inline("adder", cpp_sources=ADD + " ", functions="add"),
        cpp.build_inline("adder", cpp_sources=ADD, functions="add", extra_cflags=["-DOTHER"]),
        cpp.build_inline("adder", cpp_sources=ADD, functions={"add": "doc"}),
    }
    assert len(others - {first}) == 3
    assert compilations() == 4


def test_cache_is_read_without_a_lock(monkeypatch: pytest.MonkeyPatch) -> None:
    """So a cache that may only be read serves what is in it."""
    path = cpp.build_inline("adder", cpp_sources=ADD, functions="add")
    monkeypatch.setattr("tvm_ffi.cpp.builder.FileLock", None)
    assert cpp.build_inline("adder", cpp_sources=ADD, functions="add") == path


def test_changed_header_is_seen(project: Path) -> None:
    """Each state of the files is a library of its own, so that one that is in use stays."""
    modules = []
    for number in (1, 2, 1):
        (project / "number.h").write_text(f"#define NUMBER_HERE {number}\n")
        modules.append(cpp.load("numbers", sources=project / "number.cc"))
        assert modules[-1].number() == number
    assert [module.number() for module in modules] == [1, 2, 1]
    assert modules[0].path == modules[2].path != modules[1].path


def test_changes_in_the_folder_of_the_build_are_seen(project: Path) -> None:
    """Sources and headers may lie where the library is put."""

    def built() -> bytes:
        path = cpp.build("numbers", sources=project / "number.cc", build_directory=project)
        return Path(path).read_bytes()

    contents = [built()]
    (project / "number.h").write_text("#define NUMBER_HERE 2\n")
    contents.append(built())
    (project / "number.cc").write_text(EXPORTED.replace("NUMBER_HERE;", "NUMBER_HERE + 1;"))
    contents.append(built())
    assert len(set(contents)) == 3


def test_content_counts_and_time_does_not(project: Path, compilations: Callable[[], int]) -> None:
    """A file touched is not compiled again; one put back with its old time is."""
    header = project / "number.h"
    old = header.stat()
    path = cpp.build("numbers", cpp_files=str(project / "number.cc"))
    os.utime(header)
    assert cpp.build("numbers", cpp_files=str(project / "number.cc")) == path
    assert compilations() == 1
    header.write_text("#define NUMBER_HERE 23\n")
    os.utime(header, ns=(old.st_atime_ns, old.st_mtime_ns))
    assert cpp.load("numbers", cpp_files=str(project / "number.cc")).number() == 23
    assert compilations() == 2


def test_only_what_changed_is_compiled(project: Path, compilations: Callable[[], int]) -> None:
    """Also after a build that failed; C files and object files take part."""
    (project / "seven.cc").write_text('extern "C" int seven() { return 7; }\n')
    (project / "eight.c").write_text("int eight(void) { return 8; }\n")
    first = project / "number.cc"
    first.write_text(
        '#include <tvm/ffi/tvm_ffi.h>\nextern "C" { int seven(); int eight(); int nine(); }\n'
        "static int sum() { return seven() + eight() + nine(); }\n"
        "TVM_FFI_DLL_EXPORT_TYPED_FUNC(sum, sum);\n"
    )
    nine = project / "nine.o"
    for value in (9, 10):
        text = f"int nine(void) {{ return {value}; }}"
        command = ["cc", "-xc", "-fPIC", "-c", "-", "-o", str(nine)]
        subprocess.run(command, input=text, text=True, check=True)
        names = ["number.cc", "seven.cc", "eight.c", "nine.o"]
        module = cpp.load("sums", sources=[project / name for name in names])
        assert module.sum() == 15 + value
        assert compilations() == 2  # an object that was given is only linked anew
    (project / "seven.cc").write_text("broken\n")
    with pytest.raises(cpp.CompileError, match="broken"):
        cpp.build("sums", sources=[project / name for name in names])
    (project / "seven.cc").write_text('extern "C" int seven() { return 70; }\n')
    assert cpp.load("sums", sources=[project / name for name in names]).sum() == 88
    assert compilations() == 4


@pytest.mark.parametrize("damage", ["truncate", "overwrite", "remove", "record", "empty record"])
def test_damaged_cache_is_built_anew(damage: str) -> None:
    """Nobody gets a library that is not whole."""
    path = Path(cpp.build_inline("adder", cpp_sources=ADD, functions="add"))
    record = path.with_name("adder.so.json")
    if damage == "truncate":
        os.truncate(path, 100)
    elif damage == "overwrite":
        path.write_bytes(b"x" * path.stat().st_size)
    elif damage == "remove":
        path.unlink()
    else:
        record.write_text("{" if damage == "record" else "[]")
    assert cpp.build_inline("adder", cpp_sources=ADD, functions="add") == str(path)
    assert tvm_ffi.load_module(path).add(1, 2) == 3


def test_damaged_object_harms_one_build(project: Path) -> None:
    """What does not link is not used again."""
    path = Path(cpp.build("numbers", sources=project / "number.cc"))
    path.unlink()
    (broken,) = path.parent.parent.glob("unit_*.o")
    broken.write_bytes(b"broken")
    with pytest.raises(cpp.CompileError, match=r"unit_0\.o"):
        cpp.build("numbers", sources=project / "number.cc")
    assert cpp.load("numbers", sources=project / "number.cc").number() == 1


def test_compiler_is_part_of_the_build(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another program, or another version of it, builds anew; its path may be relative."""
    first = cpp.build_inline("adder", cpp_sources=ADD, functions="add")
    wrapper(tmp_path / "other c++", "")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CXX", "'./other c++'")
    second = cpp.build_inline("adder", cpp_sources=ADD, functions="add")
    monkeypatch.setattr(toolchain, "version", lambda command: "another version")
    third = cpp.build_inline("adder", cpp_sources=ADD, functions="add")
    assert len({first, second, third}) == 3


def test_our_headers_are_part_of_the_build(monkeypatch: pytest.MonkeyPatch) -> None:
    """A new version of the package builds anew."""
    first = cpp.build_inline("adder", cpp_sources=ADD, functions="add")
    monkeypatch.setattr("tvm_ffi.cpp.builder.headers_digest", lambda: "others")
    assert cpp.build_inline("adder", cpp_sources=ADD, functions="add") != first


@pytest.fixture
def go(tmp_path: Path) -> Iterator[Path]:
    """Name the file that a slow compiler waits for; at the latest when the test has ended."""
    yield tmp_path / "go"
    (tmp_path / "go").touch()


def test_two_processes_build_once(tmp_path: Path, go: Path) -> None:
    """The second waits for the first, and uses what that has made."""
    log = tmp_path / "log"
    log.touch()
    wrapper(
        tmp_path / "slow",
        f'case " $* " in *" -c "*) echo x >> "{log}"\n'
        f'while [ ! -e "{go}" ]; do sleep 0.01; done;; esac',
    )
    code = f"""
import sys
from tvm_ffi import cpp
from tvm_ffi.cpp import ninja
ninja.PROGRESS_AFTER = 0.01
print(cpp.load_inline("adder", cpp_sources={ADD!r}, functions="add").add(1, 2), flush=True)
"""
    environment = {**os.environ, "CXX": str(tmp_path / "slow")}

    def start() -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-c", code],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    with start() as first:
        assert first.stderr is not None
        line = first.stderr.readline()
        assert line.startswith("tvm_ffi.cpp: load_inline: adder: compiling and linking in 2 steps")
        with start() as second:
            assert second.stderr is not None
            line = second.stderr.readline()
            assert "adder: waiting for another process that builds in" in line
            go.touch()
            assert second.communicate()[0] == "3\n"
        assert first.communicate()[0] == "3\n"
    assert log.read_text() == "x\n"


def test_threads_build_once(compilations: Callable[[], int]) -> None:
    """One thread builds, and the others get what that has made."""
    build = functools.partial(cpp.build_inline, cpp_sources=ADD, functions="add")
    with ThreadPoolExecutor(4) as pool:
        paths = set(pool.map(build, ["adder"] * 8))
    assert len(paths) == 1
    assert compilations() == 1


def test_killed_build_is_taken_up_by_the_next(tmp_path: Path, go: Path) -> None:
    """The compilers of the killed process end before anybody else builds in the folder."""
    log, begun = tmp_path / "log", tmp_path / "begun"
    os.mkfifo(begun)
    wrapper(
        tmp_path / "slow",
        f'case " $* " in *" -c "*) echo begin >> "{log}"\n'
        f'if [ -p "{begun}" ]; then echo > "{begun}"; fi\n'
        f'while [ ! -e "{go}" ]; do sleep 0.01; done; echo end >> "{log}";; esac',
    )
    code = f"""
from tvm_ffi import cpp
from tvm_ffi.cpp import ninja
ninja.PROGRESS_AFTER = 0.01
print(cpp.build_inline("adder", cpp_sources={ADD!r}, functions="add"))
"""
    environment = {**os.environ, "CXX": str(tmp_path / "slow")}
    command = [sys.executable, "-c", code]
    with subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL) as first:
        begun.read_text()  # comes to its end when the compiler has begun
        begun.unlink()
        first.send_signal(signal.SIGKILL)
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as second:
        assert second.stderr is not None
        assert "waiting for another process" in second.stderr.readline()
        go.touch()
        path = second.communicate()[0].strip()
    assert tvm_ffi.load_module(path).add(1, 2) == 3
    assert log.read_text().split() == ["begin", "end", "begin", "end"]


def test_compile_error_shows_the_compilers_message() -> None:
    """With the line as its writer counts, and the command; not with Ninja's words."""
    code = "\nint add(int a, int b) {\n  return a + wrong;\n}\n"
    with pytest.raises(cpp.CompileError) as caught:
        cpp.build_inline("adder", cpp_sources=code, functions="add")
    message = str(caught.value)
    assert message.startswith("build_inline: adder: c++ failed with status 1:\n")
    assert "cpp_sources_0.h:3:14: error: " in message
    assert "wrong" in caught.value.stderr
    assert caught.value.command[0] == "c++"
    assert "-std=c++17" in caught.value.command
    assert "ninja" not in message.lower()
    assert isinstance(caught.value, RuntimeError)


def test_error_is_pickled_whole() -> None:
    """It may come from a worker process."""
    error = pickle.loads(pickle.dumps(cpp.CompileError("message", ["c++", "-c"], "said")))
    assert (str(error), error.command, error.stderr) == ("message", ["c++", "-c"], "said")


def test_failed_build_leaves_nothing_to_load(compilations: Callable[[], int]) -> None:
    """The same error comes again, and the right source builds."""
    for _ in range(2):
        with pytest.raises(cpp.CompileError, match="redefinition"):
            cpp.build_inline("adder", cpp_sources=[ADD, ADD], functions="add")
    assert compilations() == 2
    assert cpp.load_inline("adder", cpp_sources=ADD, functions="add").add(1, 2) == 3


def test_linker_error_shows_its_message() -> None:
    """A library that is not there."""
    with pytest.raises(cpp.CompileError, match="no_such_library"):
        cpp.build_inline("adder", cpp_sources=ADD, extra_ldflags=["-lno_such_library"])


def test_undefined_function_is_named_by_the_loader() -> None:
    """It is declared and defined nowhere."""
    path = cpp.build_inline("adder", cpp_sources="int add(int, int);", functions="add")
    with pytest.raises(OSError, match=r"undefined symbol: .*add"):
        tvm_ffi.load_module(path)


def test_flags_reach_the_compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As a shell splits them; the standard may be another, and folders may be relative."""
    folder = tmp_path / "more headers"
    folder.mkdir()
    (folder / "three.h").write_text("#define THREE 3\n")
    monkeypatch.chdir(tmp_path)
    code = """
    #include <three.h>
    long standard() { return __cplusplus; }
    int sum() { return ONE + TWO + THREE; }
    const char* text() { return TEXT; }"""
    module = cpp.load_inline(
        "flags",
        cpp_sources=code,
        functions=["standard", "sum", "text"],
        extra_cflags=["-std=c++20", "-DONE=1 -DTWO=2", "-DTEXT='\"a b\"'"],
        extra_include_paths=["more headers"],
    )
    assert module.standard() == 202002
    assert module.sum() == 6
    assert module.text() == "a b"


def test_object_file_is_not_linked(tmp_path: Path) -> None:
    """It may go into another build."""
    made = cpp.build_inline(
        "adder", cpp_sources=ADD, functions="add", output="adder.o", build_directory=tmp_path
    )
    assert made == str(tmp_path / "adder.o")
    assert cpp.load("whole", sources=made).add(1, 2) == 3


def test_changed_library_among_the_flags_is_seen(tmp_path: Path) -> None:
    """A static library that a linker's flag names is an input like every other file."""
    archive = tmp_path / "libnumber.a"

    def linked(number: int) -> int:
        code = f'extern "C" int number() {{ return {number}; }}'
        made = cpp.build_inline("part", cpp_sources=code, output="part.o")
        archive.unlink(missing_ok=True)
        subprocess.run(["ar", "rc", archive, made], check=True)
        return cpp.load_inline(
            "whole",
            cpp_sources='extern "C" int number(); int f() { return number(); }',
            functions="f",
            extra_ldflags=[str(archive)],
        ).f()

    assert [linked(1), linked(2), linked(1)] == [1, 2, 1]


def test_build_in_a_given_folder_is_replaced_whole(project: Path, tmp_path: Path) -> None:
    """A library that is loaded goes on working while its file becomes another."""
    folder = tmp_path / "out"
    first = cpp.load("numbers", sources=project / "number.cc", build_directory=folder)
    (project / "number.h").write_text("#define NUMBER_HERE 2\n")
    path = cpp.build("numbers", sources=project / "number.cc", build_directory=folder)
    assert first.path == path
    assert first.number() == 1
    copy = shutil.copy(path, tmp_path / "copy.so")
    assert tvm_ffi.load_module(copy).number() == 2


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({}, ValueError, "expected cpp_sources or cuda_sources, got neither"),
        ({"cpp_sources": []}, ValueError, "expected cpp_sources or cuda_sources"),
        ({"cpp_sources": 3}, TypeError, "cpp_sources: expected a list, got int"),
        ({"cpp_sources": [b""]}, TypeError, "cpp_sources: expected texts, got bytes"),
        ({"cpp_sources": ADD, "functions": "a::b"}, ValueError, "functions: .* got 'a::b'"),
        ({"cpp_sources": ADD, "functions": ["_a"]}, ValueError, "begin with a letter, got '_a'"),
        ({"cpp_sources": ADD, "functions": 3}, TypeError, "functions: expected a name, .*got int"),
        ({"cpp_sources": ADD, "functions": {"add": 3}}, TypeError, "add: .* as a str, got int"),
        ({"cpp_sources": ADD, "extra_cflags": "-O3"}, TypeError, "expected a list, got str"),
        ({"cpp_sources": ADD, "extra_ldflags": [3]}, TypeError, "flags of type str, got int"),
        ({"cpp_sources": ADD, "extra_cflags": ["'"]}, ValueError, "No closing quotation"),
        ({"cpp_sources": ADD, "extra_cflags": ["'\n'"]}, ValueError, "expected one line"),
        ({"cpp_sources": ADD, "extra_include_paths": [3]}, TypeError, "a str or a path, got int"),
        ({"cpp_sources": ADD, "build_directory": 3}, TypeError, "a str or a path, got int"),
        ({"cpp_sources": ADD, "output": "a/b.so"}, ValueError, "without its folder, got 'a/b.so'"),
        ({"cpp_sources": ADD, "output": "add"}, ValueError, "ends in one of .so, "),
        ({"cpp_sources": ADD, "backend": "hip"}, NotImplementedError, "backend: .*got 'hip'"),
        ({"cpp_sources": ADD, "embed_cubin": {}}, NotImplementedError, "embed_cubin"),
    ],
)
def test_wrong_arguments_are_named(
    arguments: dict[str, object], error: type[Exception], message: str
) -> None:
    """Function, library, argument, expected, got."""
    name = "build_inline" if "output" in arguments else "load_inline"
    with pytest.raises(error, match=f"{name}: adder: .*{message}"):
        getattr(cpp, name)("adder", **arguments)


@pytest.mark.parametrize("name", ["", ".", "..", "a/b", "a\nb", "a\0b"])
def test_names_that_are_no_files_are_refused(name: str) -> None:
    """The library's file has the name."""
    with pytest.raises(ValueError, match="build: name: expected"):
        cpp.build(name, sources="x.cc")
    with pytest.raises(TypeError, match="build: name: expected a str, got int"):
        cpp.build(3, sources="x.cc")  # type: ignore[arg-type]


def test_unusual_names_are_taken() -> None:
    """Spaces and letters of any language."""
    assert cpp.load_inline("añ $a 'b' \"c", cpp_sources=ADD, functions="add").add(1, 2) == 3


@pytest.mark.parametrize("name", ["a|b.cc", "a||b\tc.cc"])
def test_unusual_paths_are_taken(project: Path, name: str) -> None:
    """Such as would end the inputs in Ninja's own language, or a word in that of make."""
    source = (project / "number.cc").rename(project / name)
    assert cpp.load("numbers", sources=source).number() == 1
    (project / "number.h").write_text("#define NUMBER_HERE 2\n")
    assert cpp.load("numbers", sources=source).number() == 2


def test_files_that_cannot_be_compiled_are_named(tmp_path: Path) -> None:
    """None, a missing one, and one of an unknown kind."""
    with pytest.raises(ValueError, match="build: x: sources: expected at least one file, got none"):
        cpp.build("x")
    with pytest.raises(FileNotFoundError, match=r"build: x: there is no such file: '.*none.cc'"):
        cpp.build("x", sources=tmp_path / "none.cc")
    with pytest.raises(ValueError, match=r"build: x: sources: expected files .*got '.*none.txt'"):
        cpp.build("x", sources=tmp_path / "none.txt")
    with pytest.raises(ValueError, match=r"output: expected a library .*got 'x.o'"):
        cpp.build("x", sources=["a.cc", "b.cc"], output="x.o")


def test_folder_that_cannot_be_written_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A file stands in its way, or it is for reading alone."""
    (tmp_path / "file").touch()
    monkeypatch.setenv("TVM_FFI_CACHE_DIR", str(tmp_path / "file"))
    with pytest.raises(NotADirectoryError, match="TVM_FFI_CACHE_DIR can name: Not a directory"):
        cpp.build_inline("adder", cpp_sources=ADD)
    real = os.access
    monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK and real(path, mode))
    with pytest.raises(PermissionError, match=r"build_directory or .*Permission denied"):
        cpp.build_inline("adder", cpp_sources=ADD, build_directory=tmp_path / "folder")


def test_missing_programs_are_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """With what to do about it."""
    monkeypatch.setenv("CXX", "no-such-compiler")
    with pytest.raises(RuntimeError, match="no program 'no-such-compiler': install one"):
        cpp.build_inline("adder", cpp_sources=ADD)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    monkeypatch.setitem(sys.modules, "ninja", None)
    with pytest.raises(RuntimeError, match="Ninja, found none: pip install ninja"):
        toolchain.find_ninja()
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    for variable in ("NVCC", "CUDA_HOME", "CUDA_PATH"):
        monkeypatch.delenv(variable, raising=False)
    with pytest.raises(RuntimeError, match="found no nvcc: install the CUDA toolkit"):
        cpp.build_inline("adder", cuda_sources=ADD)
    monkeypatch.setenv("CUDA_HOME", str(tmp_path))
    with pytest.raises(RuntimeError, match="expected a CUDA toolkit in CUDA_HOME, got"):
        cpp.build_inline("adder", cuda_sources=ADD)


def test_architectures_are_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """By the variable, else the GPUs that are here, else a set that runs on most."""
    monkeypatch.setenv("TVM_FFI_CUDA_ARCH_LIST", "8.0;9.0a+PTX 10.0f")
    assert toolchain.architecture_flags() == [
        "-gencode=arch=compute_80,code=sm_80",
        "-gencode=arch=compute_90a,code=sm_90a",
        "-gencode=arch=compute_90a,code=compute_90a",
        "-gencode=arch=compute_100f,code=sm_100f",
    ]
    monkeypatch.setenv("TVM_FFI_CUDA_ARCH_LIST", "sm_80")
    with pytest.raises(ValueError, match="expected architectures such as"):
        toolchain.architecture_flags()
    monkeypatch.delenv("TVM_FFI_CUDA_ARCH_LIST")
    monkeypatch.setattr(toolchain, "gpu_architectures", lambda: ("9.0",))
    assert toolchain.architecture_flags() == ["-gencode=arch=compute_90,code=sm_90"]
    monkeypatch.setattr(toolchain, "gpu_architectures", lambda: ())
    assert toolchain.architecture_flags()[-1] == "-gencode=arch=compute_90,code=compute_90"


def test_cuda_source_is_compiled_and_linked(monkeypatch: pytest.MonkeyPatch) -> None:
    """C++ declares and exports what CUDA defines; without a GPU nothing is launched."""
    try:
        toolchain.cuda_compiler()
    except RuntimeError as error:
        pytest.skip(str(error))
    monkeypatch.setenv("TVM_FFI_CUDA_ARCH_LIST", "9.0")
    kernel = """
    __global__ void fill(float* x) { *x = 1; }
    int status() { fill<<<1, 0>>>(nullptr); return cudaGetLastError(); }
    int twice(int x) { return 2 * x; }"""
    options = {"cuda_sources": kernel, "functions": ["status", "twice"]}
    alone = cpp.load_inline("cuda_alone", **options)  # type: ignore[arg-type]
    assert alone.twice(21) == 42
    assert alone.status() != 0  # a launch of no threads fails, as does one without a GPU
    declared = cpp.load_inline("both", cpp_sources="int status(); int twice(int);", **options)  # type: ignore[arg-type]
    assert declared.twice(21) == 42


def test_build_from_the_cache_says_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    """Neither on stdout nor on stderr."""
    cpp.build_inline("adder", cpp_sources=ADD, functions="add")
    capfd.readouterr()
    cpp.build_inline("adder", cpp_sources=ADD, functions="add")
    assert capfd.readouterr() == ("", "")


def test_interrupt_ends_the_compilers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever ends the wait, nothing goes on in the background, and the lock is free."""
    wrapper(tmp_path / "endless", 'case " $* " in *" -c "*) sleep 1000;; esac')
    monkeypatch.setenv("CXX", str(tmp_path / "endless"))

    def interrupt(message: str) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(ninja, "tell", interrupt)
    monkeypatch.setattr(ninja, "PROGRESS_AFTER", 0.2)
    with pytest.raises(KeyboardInterrupt):
        cpp.build_inline("adder", cpp_sources=ADD, build_directory=tmp_path / "out")
    from tvm_ffi.utils import FileLock

    assert FileLock(tmp_path / "out" / "lock").acquire()


@given(st.text())
@settings(max_examples=200)
def test_literals_are_plain_ascii_without_trigraphs(text: str) -> None:
    """Read as C++ reads it, the literal is the text's UTF-8."""
    try:
        literal = source.cpp_literal(text)
    except UnicodeEncodeError:
        return
    assert literal.isascii()
    assert "??" not in literal
    inside = literal[1:-1].encode()
    assert inside.decode("unicode_escape").encode("latin-1") == text.encode()


@given(st.lists(st.text("ab \t\\#$:\u00fc/", min_size=1), min_size=1, max_size=4))
def test_depfiles_are_read_as_compilers_write_them(names: list[str]) -> None:
    """Spaces, tabs and # behind a backslash, $ twice."""
    names = [name for name in names if not name.endswith("\\") and "\\" not in name]
    written = [re.sub("([ \t#])", r"\\\1", name).replace("$", "$$") for name in names]
    assert cache.parse_depfile("made.o: " + " \\\n ".join(written) + "\n") == names


def test_dtypes_have_names_in_cpp() -> None:
    """Text, a dtype of ours, of NumPy; an unknown one is refused."""
    assert cpp.to_cpp_dtype("float32") == "float"
    assert cpp.to_cpp_dtype(tvm_ffi.dtype("int64")) == "int64_t"
    assert cpp.to_cpp_dtype(numpy.dtype("uint8")) == "uint8_t"
    assert cpp.to_cpp_dtype("bfloat16") == "__nv_bfloat16"
    for wrong in ("float32x4", "nonsense", 3):
        with pytest.raises(ValueError, match=f"to_cpp_dtype: .*got {wrong!r}"):
            cpp.to_cpp_dtype(wrong)


def test_import_leaves_the_builder_out() -> None:
    """It is imported when it is asked for."""
    code = (
        "import sys, tvm_ffi\n"
        "assert not {'tvm_ffi.cpp', 'subprocess', 'json', 'hashlib'} & {*sys.modules}\n"
        "assert tvm_ffi.cpp.build_inline.__name__ == 'build_inline'\n"
        "try: tvm_ffi.nothing\n"
        "except AttributeError as error: print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "module 'tvm_ffi' has no attribute 'nothing'\n"

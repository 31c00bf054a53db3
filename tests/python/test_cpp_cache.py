# SPDX-License-Identifier: Apache-2.0
# Rows: R5, R6
"""When a library is rebuilt, and when it comes from the cache."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
import tvm_ffi
from tvm_ffi import cpp
from tvm_ffi.cpp import toolchain

from .cpp_builds import ADD, EXPORTED, own_cache, wrapper  # noqa: F401  (a fixture)


def test_same_build_comes_from_the_cache(compilations: Callable[[], int]) -> None:
    """Another source or other flags are a different build."""
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
    """A read-only cache can therefore be used."""
    path = cpp.build_inline("adder", cpp_sources=ADD, functions="add")
    monkeypatch.setattr("tvm_ffi.cpp.builder.FileLock", None)
    assert cpp.build_inline("adder", cpp_sources=ADD, functions="add") == path


def test_changed_header_is_seen(project: Path) -> None:
    """Each state of the files has its own library, so one in use is not replaced."""
    modules = []
    for number in (1, 2, 1):
        (project / "number.h").write_text(f"#define NUMBER_HERE {number}\n")
        modules.append(cpp.load("numbers", sources=project / "number.cc"))
        assert modules[-1].number() == number
    assert [module.number() for module in modules] == [1, 2, 1]
    assert modules[0].path == modules[2].path != modules[1].path


def test_changes_in_the_folder_of_the_build_are_seen(project: Path) -> None:
    """Sources and headers may be in the library's output folder."""

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
    """A touched file is not recompiled; one changed with its old time restored is."""
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
    """Only changed files are recompiled, even after a failed build; object files are relinked."""
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
        assert compilations() == 2  # a given object file is only relinked
    (project / "seven.cc").write_text("broken\n")
    with pytest.raises(cpp.CompileError, match="broken"):
        cpp.build("sums", sources=[project / name for name in names])
    (project / "seven.cc").write_text('extern "C" int seven() { return 70; }\n')
    assert cpp.load("sums", sources=[project / name for name in names]).sum() == 88
    assert compilations() == 4


@pytest.mark.parametrize("damage", ["truncate", "overwrite", "remove", "record", "empty record"])
def test_damaged_cache_is_built_anew(damage: str) -> None:
    """A damaged library or record is never used."""
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
    """An object that does not link is not reused."""
    path = Path(cpp.build("numbers", sources=project / "number.cc"))
    path.unlink()
    (broken,) = path.parent.parent.glob("unit_*.o")
    broken.write_bytes(b"broken")
    with pytest.raises(cpp.CompileError, match=r"unit_0\.o"):
        cpp.build("numbers", sources=project / "number.cc")
    assert cpp.load("numbers", sources=project / "number.cc").number() == 1


def test_compiler_is_part_of_the_build(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another compiler or version causes a rebuild; its path may be relative."""
    first = cpp.build_inline("adder", cpp_sources=ADD, functions="add")
    wrapper(tmp_path / "other c++", "")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CXX", "'./other c++'")
    second = cpp.build_inline("adder", cpp_sources=ADD, functions="add")
    monkeypatch.setattr(toolchain, "version", lambda command: "another version")
    third = cpp.build_inline("adder", cpp_sources=ADD, functions="add")
    assert len({first, second, third}) == 3


def test_our_headers_are_part_of_the_build(monkeypatch: pytest.MonkeyPatch) -> None:
    """A new version of the package causes a rebuild."""
    first = cpp.build_inline("adder", cpp_sources=ADD, functions="add")
    monkeypatch.setattr("tvm_ffi.cpp.builder.headers_digest", lambda: "others")
    assert cpp.build_inline("adder", cpp_sources=ADD, functions="add") != first

# SPDX-License-Identifier: Apache-2.0
# Rows: R5, R6
"""Builds into folders with other files, on full disks, and by compilers that write nothing."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tvm_ffi import cpp
from tvm_ffi.cpp import builder

from .cpp_builds import own_cache  # noqa: F401  (a fixture)

C = "int number(void) { return 1; }\n"
CPP = 'extern "C" int number() { return 1; }\n'


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A C source, which compiles quickly."""
    path = tmp_path / "number.c"
    path.write_text(C)
    return path


@pytest.mark.parametrize("name", ["cpp.cc", "build.ninja", "cpp_sources_0.h", "unit_0.o"])
def test_files_in_the_folder_are_not_overwritten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """A file that no build wrote is left untouched, nothing is added, and the error names it."""
    monkeypatch.chdir(tmp_path)
    Path(name).write_text("mine")
    for _ in range(2):
        expected = f"build_inline: x: build_directory: .* got one with {name}; remove"
        with pytest.raises(FileExistsError, match=expected) as caught:
            cpp.build_inline("x", cpp_sources=CPP, build_directory=".")
        assert caught.value.filename == str(tmp_path)
    assert Path(name).read_text() == "mine"
    assert os.listdir() == [name]


def test_all_files_in_the_way_are_named(tmp_path: Path) -> None:
    """The first few are listed, followed by the number of the others."""
    names = ["cpp.cc", "build.ninja", "unit_0.o", "unit_0.o.log", "unit_0.o.failed", "unit_0.o.d"]
    for name in names[:2]:
        (tmp_path / name).write_text("mine")
    with pytest.raises(FileExistsError, match=r"got one with cpp\.cc, build\.ninja; remove"):
        cpp.build_inline("x", cpp_sources=CPP, build_directory=tmp_path)
    for name in names[2:]:
        (tmp_path / name).write_text("mine")
    with pytest.raises(FileExistsError, match=r"unit_0\.o\.failed and 1 more; remove"):
        cpp.build_inline("x", cpp_sources=CPP, build_directory=tmp_path)
    assert sorted(os.listdir(tmp_path)) == sorted(names)


def test_a_link_in_the_folder_is_not_written_through(tmp_path: Path, source: Path) -> None:
    """A link is not written through, even if it is dangling."""
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "build.ninja").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(FileExistsError, match=r"without .* got one with build\.ninja; "):
        cpp.build("x", sources=source, build_directory=folder)
    assert not (tmp_path / "elsewhere").exists()


def test_a_folder_serves_several_builds(tmp_path: Path, source: Path) -> None:
    """Files written by builds, even failed ones, are overwritten; other files stay."""
    other = tmp_path / "other.txt"
    other.write_text("mine")
    source.write_text("int number(void) { return }")
    with pytest.raises(cpp.CompileError):
        cpp.build("x", sources=source, build_directory=tmp_path)
    source.write_text(C)
    made = {cpp.build(name, sources=source, build_directory=tmp_path) for name in ("x", "y", "x")}
    assert made == {str(tmp_path / "x.so"), str(tmp_path / "y.so")}
    assert (other.read_text(), source.read_text()) == ("mine", C)


@pytest.mark.parametrize(
    ("script", "missing"),
    [("exit 0", r"unit_0\.o"), ('[ "$1" = -shared ] && exit 0; : > unit_0.o', r"unit_0\.o\.d")],
)
def test_compilers_that_write_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str, missing: str
) -> None:
    """The error names the compiler, the missing output and the command."""
    monkeypatch.chdir(tmp_path)  # asking for its version writes there
    compiler = tmp_path / "silent"
    compiler.write_text(f"#!/bin/sh\n{script}\n")
    compiler.chmod(0o755)
    monkeypatch.setenv("CXX", str(compiler))
    expected = rf"build_inline: x: silent ended with status 0, but did not write {missing}\n"
    with pytest.raises(cpp.CompileError, match=expected) as caught:
        cpp.build_inline("x", cpp_sources=CPP)
    assert caught.value.command[0] == str(compiler)


def test_a_linker_that_writes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, source: Path
) -> None:
    """An older library is not mistaken for the linker's output."""
    cpp.build("x", sources=source, build_directory=tmp_path)
    monkeypatch.setenv("CXX", "true")
    source.write_text(C.replace("1", "2"))
    with pytest.raises(cpp.CompileError, match=r"true ended .* did not write product\.new"):
        cpp.build("x", sources=source, build_directory=tmp_path)


def fails_first(compiler: Path, then: str) -> str:
    """Write a compiler that fails silently the first time and runs ``then`` before that later."""
    ran = compiler.with_name("ran")
    script = f'[ -e "{ran}" ] && {then}; : > "{ran}"; exit 3'
    compiler.write_text(f'#!/bin/sh\n[ "$1" = --version ] && exit 0\n{script}\n')
    compiler.chmod(0o755)
    return str(compiler)


def test_messages_that_found_no_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, source: Path
) -> None:
    """The compiler's message is shown even if none of it was written to disk."""
    monkeypatch.setenv("CC", fails_first(tmp_path / "full", "echo no room >&2"))
    expected = "build: x: full failed with status 3:\nno room\n"
    with pytest.raises(cpp.CompileError, match=expected) as caught:
        cpp.build("x", sources=source)
    assert caught.value.stderr == "no room\n"


def test_a_command_that_succeeds_the_second_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, source: Path
) -> None:
    """The error says so instead of reporting status 0 and no message."""
    monkeypatch.setenv("CC", fails_first(tmp_path / "moody", "exit 0"))
    expected = "build: x: moody failed with status 3 without a message; when run again, the com"
    with pytest.raises(cpp.CompileError, match=expected):
        cpp.build("x", sources=source)


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT])
def test_sources_that_find_no_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    """The error names the build and the folder."""

    def fail(path: str, content: bytes) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(builder, "_write", fail)
    expected = rf"build_inline: x: {os.strerror(number)}: '{tmp_path}"
    with pytest.raises(OSError, match=expected) as caught:
        cpp.build_inline("x", cpp_sources=CPP, build_directory=tmp_path / "folder")
    assert caught.value.errno == number


ON_A_SMALL_DISK = """
import sys
from tvm_ffi import cpp
disk, source = sys.argv[1:]
try:
    cpp.build("x", sources=source, build_directory=f"{disk}/folder")
except (OSError, RuntimeError) as error:
    sys.exit(0 if "No space left on device" in str(error) else f"no reason: {error}")
sys.exit("expected a full disk")
"""


@pytest.mark.parametrize("room", ["0", "4k", "8k", "16k", "32k", "64k", "1m"])
def test_full_disks(tmp_path: Path, room: str) -> None:
    """No matter how early the disk fills up, the error says that no space is left."""
    unshare = shutil.which("unshare")
    mounts = [str(unshare), "--user", "--map-root-user", "--mount"]
    if unshare is None or subprocess.run([*mounts, "true"], capture_output=True).returncode != 0:
        pytest.skip("this system lets nobody mount a small disk for the test")
    (tmp_path / "large.c").write_text("int large[1 << 20] = {1};\n")
    (tmp_path / "disk").mkdir()
    (tmp_path / "build.py").write_text(ON_A_SMALL_DISK)
    script = (
        'mount -t tmpfs -o size=2m none "$1/disk" && head -c $((2097152 - $2)) /dev/zero '
        '> "$1/disk/filled" && exec "$3" "$1/build.py" "$1/disk" "$1/large.c"'
    )
    free = int(room.rstrip("km")) * {"k": 1024, "m": 1048576}.get(room[-1], 1)
    done = subprocess.run(
        [*mounts, "sh", "-c", script, "sh", str(tmp_path), str(free), sys.executable],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr

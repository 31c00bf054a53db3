# SPDX-License-Identifier: Apache-2.0
# Rows: R5, R8
"""What the CMake functions for a library's target refuse."""

import re
import shutil
import subprocess

import pytest

PROJECT = """
cmake_minimum_required(VERSION 3.20)
project(refused LANGUAGES CXX)
find_package(tvm_ffi CONFIG REQUIRED)
file(WRITE ${{CMAKE_BINARY_DIR}}/x.cc "")
add_library(x SHARED ${{CMAKE_BINARY_DIR}}/x.cc)
{call}
"""


def configure(folder, call):
    """Configure a project with a call; give the status and what CMake says, on one line."""
    (folder / "CMakeLists.txt").write_text(PROJECT.format(call=call))
    where = subprocess.check_output(["tvm-ffi-config", "--cmakedir"], text=True).strip()
    done = subprocess.run(
        ["cmake", "-G", "Ninja", "-S", ".", "-B", "build", f"-Dtvm_ffi_ROOT={where}"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, " ".join(done.stderr.split())


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("configure_target(y)", "configure_target: expected a target, got: y"),
        (
            "configure_target(x LINKED ON)",
            "configure_target(x): expected LINK_SHARED, LINK_HEADER, DEBUG_SYMBOL, MSVC_FLAGS, "
            "STUB_INIT, STUB_DIR, STUB_PKG, STUB_PREFIX or STUB_TARGET, each with a value, "
            "got: LINKED;ON",
        ),
        ("configure_target(x LINK_SHARED)", "each with a value, got: LINK_SHARED"),
        (
            "configure_target(x LINK_SHARED maybe)",
            "configure_target(x): LINK_SHARED: expected ON or OFF, got: maybe",
        ),
        (
            "configure_target(x STUB_DIR python STUB_TARGET rust)",
            "configure_target(x): STUB_TARGET: expected python, got: rust",
        ),
        (
            "configure_target(x STUB_INIT ON)",
            "configure_target(x): STUB_INIT: expected STUB_DIR too, got none",
        ),
        (
            "configure_target(x STUB_DIR python STUB_PREFIX x.)",
            "configure_target(x): STUB_PKG and STUB_PREFIX: expected STUB_INIT ON, got OFF",
        ),
        (
            "install(y)",
            "install: expected a target and perhaps DESTINATION with a folder, got: y",
        ),
        ("install(x .)", "perhaps DESTINATION with a folder, got: x;."),
    ],
)
def test_refused(tmp_path, call, message):
    """A wrong argument stops CMake, with what was expected and what came."""
    status, said = configure(tmp_path, f"tvm_ffi_{call}")
    assert status != 0
    assert message in said


@pytest.mark.parametrize(
    ("target", "call", "message"),
    [
        ("add_library(z INTERFACE)", "configure_target(z)", "one of type INTERFACE_LIBRARY"),
        ("add_library(z SHARED IMPORTED)", "configure_target(z)", "target that compiles sources"),
        ("add_library(z ALIAS x)", "configure_target(z)", "got an alias, an imported target"),
        (
            "add_library(z STATIC x.cc)",
            "configure_target(z STUB_DIR .)",
            "configure_target(z): STUB_DIR: expected a SHARED or MODULE library, which can be "
            "loaded, got one of type STATIC_LIBRARY",
        ),
        (
            'set(CMAKE_CXX_COMPILER "")',
            "embed_bin_into(x SYMBOL z BIN z)",
            "embed_bin_into: expected the language CXX in project(), whose compiler assembles",
        ),
        (
            "add_subdirectory(z)",
            "embed_bin_into(z SYMBOL z BIN z)",
            "embed_bin_into: expected a target of this folder, got z of ",
        ),
    ],
)
def test_refused_targets(tmp_path, target, call, message):
    """A target that the function cannot change stops CMake."""
    (tmp_path / "z").mkdir()
    (tmp_path / "z" / "CMakeLists.txt").write_text("add_library(z SHARED z.cc)")
    status, said = configure(tmp_path, f"{target}\ntvm_ffi_{call}")
    assert status != 0
    assert message in said
    assert said.count("CMake Error") == 1


def test_empty_value_is_none(tmp_path):
    """An option with an empty value, such as an unset variable, is one that is not given."""
    call = 'tvm_ffi_configure_target(x STUB_DIR "${NONE}" STUB_PKG "${NONE}")'
    assert configure(tmp_path, call) == (0, "")
    assert "stubgen" not in (tmp_path / "build" / "build.ninja").read_text()


@pytest.mark.parametrize(
    ("switches", "linked"),
    [
        ("", ["tvm_ffi::header", "tvm_ffi::shared"]),
        ("LINK_SHARED OFF", ["tvm_ffi::header"]),
        ("LINK_HEADER OFF LINK_SHARED OFF DEBUG_SYMBOL OFF MSVC_FLAGS OFF", []),
    ],
)
def test_what_is_linked(tmp_path, switches, linked):
    """A target is linked with the headers and the runtime, unless a switch is off."""
    call = f"tvm_ffi_configure_target(x {switches})\n"
    call += "get_target_property(linked x LINK_LIBRARIES)\n"
    call += 'file(WRITE "${CMAKE_BINARY_DIR}/linked.txt" "${linked}")'
    assert configure(tmp_path, call) == (0, "")
    found = (tmp_path / "build" / "linked.txt").read_text().split(";")
    assert [name for name in found if name.startswith("tvm_ffi::")] == linked


def test_switches_for_other_systems(tmp_path):
    """DEBUG_SYMBOL and MSVC_FLAGS change nothing in the build."""
    builds = []
    for switches in ("", "DEBUG_SYMBOL OFF MSVC_FLAGS OFF"):
        assert configure(tmp_path, f"tvm_ffi_configure_target(x {switches})") == (0, "")
        ninja = (tmp_path / "build" / "build.ninja").read_text()
        builds.append(re.findall(r"^  (?:FLAGS|LINK\w+|P\w+_BUILD) = .*", ninja, re.MULTILINE))
    assert "-ffile-prefix-map=" in "".join(builds[0])
    assert builds[0] == builds[1]


def test_stub_options(tmp_path):
    """The options for the Python files reach tvm-ffi-stubgen, with their defaults."""
    call = "set(SKBUILD_PROJECT_NAME my-x)\ntvm_ffi_configure_target(x STUB_DIR ../p STUB_INIT ON "
    for more, given in (
        ("", "--init-pypkg my-x --init-prefix my-x."),
        ("STUB_PKG one", "--init-pypkg one --init-prefix one."),
        ("STUB_PREFIX two.", "--init-pypkg my-x --init-prefix two."),
    ):
        assert configure(tmp_path, f"{call}{more})") == (0, "")
        ninja = (tmp_path / "build" / "build.ninja").read_text()
        assert f"/tvm-ffi-stubgen {tmp_path.parent / 'p'} --dlls " in ninja
        assert f"--init-lib x {given}" in ninja


STUBS = "tvm_ffi_configure_target(x STUB_DIR .)"


def test_stubgen_of_the_package(tmp_path, monkeypatch):
    """tvm-ffi-stubgen is the package's own, whatever environment is active and on PATH."""
    other = tmp_path / "other" / "bin"
    other.mkdir(parents=True)
    for name in ("python3", "tvm-ffi-stubgen"):
        (other / name).write_text("#!/bin/sh\nexit 1\n")
        (other / name).chmod(0o755)
    monkeypatch.setenv("VIRTUAL_ENV", str(other.parent))
    own = shutil.which("tvm-ffi-stubgen")
    monkeypatch.setenv("CMAKE_PREFIX_PATH", str(other.parent))
    # An earlier run in the same folder may have found another one.
    found = f'set(tvm_ffi_STUBGEN "{other}/tvm-ffi-stubgen" CACHE FILEPATH "")\n'
    path = f'set(ENV{{PATH}} "{other}:$ENV{{PATH}}")\n'
    assert configure(tmp_path, f"{found}{path}{STUBS}") == (0, "")
    ninja = (tmp_path / "build" / "build.ninja").read_text()
    assert f"&& {own} {tmp_path} --dlls " in ninja


def test_interpreter_of_the_project(tmp_path):
    """A project's Python_EXECUTABLE runs the generator."""
    assert configure(tmp_path, f"set(Python_EXECUTABLE /my/python)\n{STUBS}") == (0, "")
    ninja = (tmp_path / "build" / "build.ninja").read_text()
    assert f"&& /my/python -m tvm_ffi.stub.cli {tmp_path} --dlls " in ninja


def test_no_stubgen(tmp_path):
    """Without an interpreter and without the command, CMake stops."""
    copied = 'file(COPY "${tvm_ffi_DIR}/configure_target.cmake" DESTINATION "${CMAKE_BINARY_DIR}")'
    own = 'include("${CMAKE_BINARY_DIR}/configure_target.cmake")'
    status, said = configure(tmp_path, f'{copied}\n{own}\nset(ENV{{PATH}} "")\n{STUBS}')
    assert status != 0
    assert "STUB_DIR: expected Python_EXECUTABLE, an interpreter with the package tvm_ffi" in said
